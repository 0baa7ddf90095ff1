import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFacilitator, type Facilitator } from '../../../api/settlement/facilitator.ts'
import type { SettleOutcome } from '../../../api/settlement/facilitatorAnswers.ts'
import { facilitatorMetrics } from '../../../api/settlement/facilitatorMetrics.ts'
import { type FacilitatorAsk, readFacilitatorAuth } from '../../../api/settlement/facilitatorWire.ts'
import type { Payment } from '../../../api/settlement/port.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Persona, SECRET, startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { freePort } from '../../support/ports.ts'
import { until } from '../../support/process.ts'
import { pay } from './payer.ts'
import { USDC } from './vectors.ts'

let anvil: TestChain
let remote: TestFacilitator
let facilitator: Facilitator
let metrics: ReturnType<typeof createMetrics>
let logged = ''
const log = pino(
  { level: 'debug' },
  new Writable({
    write(chunk, _, done) {
      logged += chunk
      done()
    },
  }),
)

beforeAll(async () => {
  //  With its history: the reference facilitator reads at 'latest' and does not ask again when a block comes between.
  anvil = await startTestChain({ buyers: 2, history: true })
  remote = await startFacilitator(anvil)
})
afterAll(async () => {
  await remote?.close()
  await anvil?.stop()
})
beforeEach(() => {
  remote.persona = 'honest'
  remote.slowMs = 1_000
  Object.assign(remote.counts, { verify: 0, settle: 0, supported: 0, stolen: 0 })
  metrics = createMetrics('test')
  facilitator = open({ metrics: facilitatorMetrics(metrics, ['facilitator']) })
})
afterEach(() => facilitator.close())

const open = (over: Partial<Parameters<typeof createFacilitator>[0]> = {}): Facilitator =>
  createFacilitator({ url: remote.url, log, ...over })

async function ask(over: Parameters<typeof pay>[2] = {}): Promise<FacilitatorAsk> {
  const payment = await pay(anvil.buyers[0]!, anvil.receiver, over)
  return {
    payment,
    requirements: {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '10000',
      asset: USDC,
      payTo: anvil.receiver,
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2' },
    },
    listing: {
      resource: {
        url: 'https://example.test/x402/v1/ping',
        description: 'ping',
        mimeType: 'application/json',
        serviceName: 'us',
      },
      extensions: { bazaar: { info: {}, schema: {} } },
    },
  }
}

const alarms = async () =>
  (await metrics.registry.getSingleMetric('facilitator_alarms_total')!.get()).values.reduce(
    (sum, { value }) => sum + value,
    0,
  )
/** What its answers were counted as. */
const answers = async () =>
  (await metrics.registry.getSingleMetric('facilitator_answers_total')!.get()).values.map(
    ({ labels: { call, outcome }, value }) => `${call} ${outcome} ${value}`,
  )
const moved = async (payment: Payment) =>
  anvil.clients.reads.readContract({
    address: anvil.usdc,
    abi: [STATE],
    functionName: 'authorizationState',
    args: [payment.authorization.from, payment.authorization.nonce],
  })
const STATE = {
  type: 'function',
  name: 'authorizationState',
  stateMutability: 'view',
  inputs: [{ type: 'address' }, { type: 'bytes32' }],
  outputs: [{ type: 'bool' }],
} as const

describe('with the reference facilitator', () => {
  test('a good payment is valid, then settled in a real transaction', async () => {
    const asked = await ask()
    expect(await facilitator.verify(asked)).toBeNull()
    const outcome = await facilitator.settle(asked)
    expect(outcome.kind).toBe('settled')
    expect(await moved(asked.payment)).toBe(true)
  })

  test('it hears our own words: requirements as accepted, numbers as decimal text', async () => {
    const asked = await ask()
    await facilitator.verify(asked)
    const { authorization, signature } = asked.payment
    expect(remote.last!.body).toEqual({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: asked.listing.resource,
        extensions: asked.listing.extensions,
        accepted: asked.requirements,
        payload: {
          signature,
          authorization: {
            ...authorization,
            value: '10000',
            validAfter: '0',
            validBefore: authorization.validBefore.toString(),
          },
        },
      },
      paymentRequirements: asked.requirements,
    })
  })

  test('a payment that it refuses, with the reason in our words', async () => {
    expect(await facilitator.verify(await ask({ validBefore: 1n }))).toBe('expired')
    expect(
      await facilitator.verify(await ask({ validAfter: 4_000_000_000n, validBefore: 4_100_000_000n })),
    ).toBe('not_yet_valid')
    const bent = await ask()
    bent.payment.authorization.nonce = `0x${'07'.repeat(32)}`
    expect(await facilitator.verify(bent)).toBe('bad_signature')
    expect(await facilitator.settle(bent)).toMatchObject({
      kind: 'refused',
      reason: 'bad_signature',
      isSent: false,
    })
  })

  test('a used nonce', async () => {
    const asked = await ask()
    await facilitator.settle(asked)
    expect(await facilitator.verify(asked)).toBe('nonce_used')
  })

  test('what it supports', async () => {
    const { kinds, signers } = await facilitator.supported()
    expect(kinds).toContainEqual({ x402Version: 2, scheme: 'exact', network: 'eip155:8453' })
    expect(signers).toEqual([anvil.accounts.settler.address.toLowerCase()])
  })

  test('each call carries its own headers', async () => {
    const auth = readFacilitatorAuth('{"verify":{"x-a":"1"},"settle":{"x-a":"2"},"supported":{"x-a":"3"}}')
    const known = open({ auth })
    const seen: unknown[] = []
    for (const call of [
      () => known.supported(),
      async () => known.verify(await ask()),
      async () => known.settle(await ask()),
    ]) {
      await call()
      seen.push(remote.last!.headers['x-a'])
    }
    expect(seen).toEqual(['3', '1', '2'])
    await known.close()
  })
})

describe('FAC: verify', () => {
  test.each<[Persona, string | null, string]>([
    ['always_yes', null, 'valid'],
    ['always_no', 'bad_signature', 'bad_signature'], //     FAC-11
    ['wrong_payer', 'transfer_failed', 'contradiction'], // FAC-09
    ['blocks_us', 'blocked_party', 'blocked_party'], //     SIG-09
    ['secret_reason', 'transfer_failed', 'transfer_failed'],
  ])('%s: %s, counted as %s', async (persona, refusal, outcome) => {
    remote.persona = persona
    expect(await facilitator.verify(await ask())).toBe(refusal)
    expect(await answers()).toEqual([`verify ${outcome} 1`])
    expect(await alarms()).toBe(['wrong_payer', 'blocks_us'].includes(persona) ? 1 : 0)
  })

  test.each<[Persona]>([
    ['html'],
    ['cut_json'],
    ['huge'],
    ['gzip_bomb'],
    ['redirect'],
    ['busy'],
    ['broken'],
    ['resets'],
  ])('%s is no answer: unavailable, and nothing is burnt', async (persona) => {
    remote.persona = persona
    await expect(facilitator.verify(await ask())).rejects.toMatchObject({
      code: 'facilitator_unavailable',
      retryable: true,
    })
    await expect(facilitator.supported()).rejects.toBeInstanceOf(UnavailableError)
    expect(await answers()).toEqual(['verify unavailable 1', 'supported unavailable 1'])
    expect(remote.counts.stolen).toBe(0) //  FAC-12
  })

  test('FAC-01: nobody listens; too slow', async () => {
    const nobody = open({ url: `http://127.0.0.1:${await freePort()}` })
    await expect(nobody.verify(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    await nobody.close()
    remote.persona = 'slow'
    const hasty = open({ verifyTimeoutMs: 200 })
    await expect(hasty.verify(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    await hasty.close()
  })
})

describe('FAC-18: it closes the idle connection as we write', () => {
  beforeEach(() => {
    remote.persona = 'resets_once'
  })

  test('verify has no effect: it is asked once more, and no third time', async () => {
    expect(await facilitator.verify(await ask())).toBe(null)
    expect(remote.counts.verify).toBe(2)
    remote.persona = 'resets'
    await expect(facilitator.verify(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    expect(remote.counts.verify).toBe(4)
  })

  test('settle may have moved money: it is not repeated', async () => {
    expect((await facilitator.settle(await ask())).kind).toBe('unknown')
    expect(remote.counts.settle).toBe(1)
  })
})

describe('FAC-14: it asks us to wait', () => {
  test('verify does not bother it again before that, settle does', async () => {
    const ask1 = await ask()
    remote.persona = 'busy'
    for (let round = 0; round < 3; round++)
      await expect(facilitator.verify(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    remote.persona = 'honest'
    await expect(facilitator.verify(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    expect(remote.counts.verify).toBe(1)
    expect((await facilitator.settle(await ask())).kind).toBe('settled')
    await until('the second is over', () =>
      facilitator.verify(ask1).then(
        (refusal) => refusal === null,
        () => false,
      ),
    )
  })
})

describe('FAC: settle', () => {
  const outcomeOf = async (persona: Persona): Promise<{ outcome: SettleOutcome; asked: FacilitatorAsk }> => {
    remote.persona = persona
    const asked = await ask()
    return { outcome: await facilitator.settle(asked), asked }
  }

  test.each<[Persona]>([
    ['drops_settle_reply'], // FAC-02, FAC-03
    ['resets'],
    ['html'], //               FAC-13
    ['cut_json'],
    ['huge'],
    ['gzip_bomb'],
    ['redirect'], //           FAC-12
    ['busy'], //               FAC-14
    ['broken'],
    ['secret_reason'], //      a reason nobody knows proves nothing
  ])('%s: unknown, so never a 402', async (persona) => {
    const { outcome, asked } = await outcomeOf(persona)
    expect(outcome.kind).toBe('unknown')
    expect(await moved(asked.payment)).toBe(persona === 'drops_settle_reply')
    expect([remote.counts.settle, remote.counts.stolen]).toEqual([1, 0])
  })

  test.each<[Persona]>([['wrong_payer'], ['wrong_amount'], ['wrong_network'], ['empty_success']])(
    'FAC-07, FAC-09: %s is not about this payment: unknown, with an alarm',
    async (persona) => {
      expect((await outcomeOf(persona)).outcome.kind).toBe('unknown')
      expect(await alarms()).toBe(1)
    },
  )

  test('FAC-05: pending with its hash, and settled when asked again', async () => {
    const { outcome, asked } = await outcomeOf('pending')
    expect(outcome).toMatchObject({ kind: 'pending', tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect(await facilitator.settle(asked)).toEqual({ ...outcome, kind: 'settled' })
  })

  test('FAC-06: it says no and does it all the same: unknown, and the chain shows it', async () => {
    remote.slowMs = 50
    const { outcome, asked } = await outcomeOf('fails_but_mines')
    expect(outcome.kind).toBe('unknown')
    await until('it mines', () => moved(asked.payment))
  })

  test('FAC-07: its success is its word only: the port says so, the chain has no such transaction', async () => {
    const { outcome } = await outcomeOf('lies_success')
    if (outcome.kind !== 'settled') throw new Error(`it said ${outcome.kind}`)
    await expect(anvil.clients.reads.getTransactionReceipt({ hash: outcome.tx })).rejects.toThrow()
  })

  test('FAC-04: slower than we wait: unknown, although it settles', async () => {
    const hasty = open({ settleTimeoutMs: 200 })
    remote.persona = 'slow'
    remote.slowMs = 400
    const asked = await ask()
    expect(await hasty.settle(asked)).toEqual({ kind: 'unknown', tx: null })
    await until('it settles', () => moved(asked.payment))
    await hasty.close()
  })

  test('it cannot have heard us: unavailable, so the claim may be released', async () => {
    const nobody = open({ url: `http://127.0.0.1:${await freePort()}` })
    await expect(nobody.settle(await ask())).rejects.toMatchObject({ code: 'facilitator_unavailable' })
    await nobody.close()
  })
})

describe('4.1 what it did with our listing', () => {
  test('is counted by status; a refusal is logged with its word and nothing else of it', async () => {
    logged = ''
    const listings = async () =>
      (await metrics.registry.getSingleMetric('facilitator_listed_total')!.get()).values.map(
        ({ labels, value }) => [labels.status, value],
      )
    remote.listed = { bazaar: { status: 'success' } }
    await facilitator.verify(await ask())
    expect(logged).not.toContain('does not list us')
    remote.listed = { bazaar: { status: 'rejected', rejectedReason: 'invalid_schema', text: 'planted' } }
    await facilitator.settle(await ask())
    remote.listed = null
    await facilitator.verify(await ask())
    expect(await listings()).toEqual([
      ['success', 1],
      ['processing', 0],
      ['rejected', 1],
      ['other', 0],
    ])
    expect(logged).toContain('invalid_schema')
    expect(logged).not.toContain('planted')
  })
})

describe('confidentiality', () => {
  test('neither its texts nor our headers nor signatures reach the log, an error or an outcome', async () => {
    logged = ''
    const auth = readFacilitatorAuth(
      '{"verify":{"authorization":"planted-token"},"settle":{"authorization":"planted-token"}}',
    )
    const known = open({ auth })
    const heard: string[] = []
    for (const persona of ['secret_reason', 'resets', 'broken', 'wrong_payer'] as const) {
      remote.persona = persona
      const asked = await ask()
      heard.push(asked.payment.signature)
      for (const call of [known.verify(asked), known.settle(asked)])
        heard.push(
          await call.then(
            (outcome) => JSON.stringify(outcome),
            (error) => `${error.stack} ${JSON.stringify(error)}`,
          ),
        )
    }
    const everything = `${logged} ${heard.filter((_, index) => index % 3 !== 0).join(' ')}`
    for (const planted of ['planted', 's3cret', SECRET, ...heard.filter((_, index) => index % 3 === 0)])
      expect(everything).not.toContain(planted)
    await known.close()
  })
})
