import { validateDiscoveryExtension } from '@x402/extensions/bazaar'
import { encodeFunctionData, parseSignature } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import {
  type Answer,
  get,
  headerOf,
  type Offer,
  offerOf,
  paid,
  payment,
  signTransfer,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Persona, SECRET, startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { isStopped, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let facilitator: TestFacilitator
let service: Service
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  facilitator = await startFacilitator(chain)
  service = await startService({
    chain,
    facilitatorUrl: facilitator.url,
    worker: true,
    env: { SETTLE_WAIT_MS: '2500' },
  })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await facilitator?.close()
  await chain?.stop()
})
beforeEach(() => {
  facilitator.persona = 'honest'
  facilitator.slowMs = 1_000
  facilitator.counts.settle = 0
  facilitator.counts.verify = 0
})

const received = () => chain.balance(chain.receiver)
const ask = (header: string, index = 0): Promise<Answer> =>
  get(`${service.bases[index]}${PING}?echo=f`, paid(header))
/** Sends the same payment until the answer is anything but "again later". */
const persist = (header: string, index = 1) =>
  until(
    'the same payment is answered',
    async () => {
      const answer = await ask(header, index)
      return answer.status === 503 || answer.status === 409 ? null : answer
    },
    45_000,
  )

test('5.1 the facilitator verifies and settles; the answer carries its transaction', async () => {
  const before = await received()
  const { header } = await payment(offer, chain.buyers[0]!)
  const answer = await ask(header)
  expect(answer.status).toBe(200)
  expect(
    (await chain.clients.reads.getTransactionReceipt({ hash: answer.json.result.ping.txHash })).status,
  ).toBe('success')
  expect((await received()) - before).toBe(10_000n)
  expect(facilitator.counts.settle).toBe(1)
})

test('5.1 a ledger that has forgotten its scripts: the first sale afterwards is answered at once', async () => {
  const buy = async () => (await ask((await payment(offer, chain.buyers[0]!)).header)).status
  expect(await buy()).toBe(200)
  await service.ledger.redis.script('FLUSH') //  the process still believes that the ledger knows them
  expect(await buy()).toBe(200)
})

test('4.1 it lists us by our own words, whatever the payment says of us', async () => {
  const { header } = await payment(offer, chain.buyers[0]!)
  const lie = { url: 'https://elsewhere.example/', description: 'theirs' }
  const said = JSON.parse(Buffer.from(header, 'base64').toString())
  const told = headerOf({ ...said, resource: lie, extensions: { bazaar: { info: lie }, other: lie } })
  expect((await ask(told)).status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: what the facilitator heard
  const { paymentPayload, paymentRequirements } = facilitator.last!.body as Record<string, any>
  const unpaid = await get(`${service.bases[0]}${PING}`)
  const ours = JSON.parse(Buffer.from(unpaid.header('payment-required')!, 'base64').toString())
  expect(paymentPayload.resource).toEqual(ours.resource)
  expect(paymentPayload.extensions).toEqual({ bazaar: ours.extensions.bazaar })
  expect(validateDiscoveryExtension(paymentPayload.extensions.bazaar).valid).toBe(true)
  expect(paymentPayload.accepted).toEqual(paymentRequirements)
  //  the redemption secret stays between us and the buyer
  expect(paymentRequirements.extra).toEqual({ name: 'USD Coin', version: '2' })
})

test('RPL-02, RPL-03 64 copies over two processes: one settle call, one transfer, the same bytes', async () => {
  const before = await received()
  const { header } = await payment(offer, chain.buyers[1]!)
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(header, i % 2)))
  const odd = answers.filter((answer) => answer.status !== 200)
  expect(
    odd.every((answer) => [503, 409].includes(answer.status) && answer.header('retry-after') !== null),
  ).toBe(true)
  const delivered = await persist(header) //  on a busy machine it can be that no copy waited long enough
  expect(delivered.status).toBe(200)
  const texts = answers.filter((answer) => answer.status === 200).map((answer) => answer.text)
  expect(new Set([...texts, delivered.text]).size).toBe(1)
  expect(facilitator.counts.settle).toBe(1)
  expect((await received()) - before).toBe(10_000n)
})

describe('an unknown outcome is 503 "the same payment again", never 402 (I5)', () => {
  test.each<[string, Persona]>([
    ['FAC-02, FAC-03 the reply is lost after it has settled', 'drops_settle_reply'],
    ['FAC-05 500 settlement_pending with the hash', 'pending'],
    ['FAC-06 success:false, and it mines all the same', 'fails_but_mines'],
    ['FAC-04 slower than we wait', 'slow'],
  ])('%s: paid once, delivered once', async (_, persona) => {
    facilitator.persona = persona
    facilitator.slowMs = persona === 'slow' ? 4_000 : 500
    const before = await received()
    const { header } = await payment(offer, chain.buyers[2]!)
    const first = await ask(header)
    if (persona !== 'fails_but_mines') expect([200, 503]).toContain(first.status)
    facilitator.persona = 'always_no' // whatever it says from now on
    const settles = facilitator.counts.settle
    await until('the money has moved', async () => (await received()) - before === 10_000n)
    const answer = await persist(header)
    expect(answer.status).toBe(200)
    expect(facilitator.counts.settle - settles).toBeLessThanOrEqual(1)
    expect((await received()) - before).toBe(10_000n)
  })
})

describe('a facilitator that lies gets nothing delivered', () => {
  test.each<[string, Persona]>([
    ['FAC-07 a transaction that does not exist', 'lies_success'],
    ['FAC-07 no transaction', 'empty_success'],
    ['FAC-09 somebody else paid', 'wrong_payer'],
    ['FAC-09 less was paid', 'wrong_amount'],
    ['FAC-09 on another network', 'wrong_network'],
    ['FAC-10 it verifies everything', 'always_yes'],
  ])('%s', async (_, persona) => {
    facilitator.persona = persona
    const before = await received()
    const spent = await payment(offer, {
      address: chain.accounts.owner.address,
      privateKey: chain.accounts.owner.privateKey,
    })
    const answer = await ask(spent.header)
    expect(answer.status).not.toBe(200)
    expect(answer.text).not.toContain('paymentAttestation')
    expect(await received()).toBe(before)
  })
})

test.each<Persona>(['always_yes', 'lies_success'])(
  'RPL-11, FAC-09 the payer has spent the nonce elsewhere, and %s: nothing is delivered, whoever is asked later',
  async (persona) => {
    const buyer = chain.buyers[4]!
    const { header, signed } = await payment(offer, buyer)
    const elsewhere = { ...signed, to: chain.buyers[3]!.address }
    const { r, s, v } = parseSignature(await signTransfer(buyer.privateKey, offer, elsewhere))
    const { from, to, value, validAfter, validBefore, nonce } = elsewhere
    const args = [from, to, value, validAfter, validBefore, nonce, Number(v), r, s] as const
    await chain.send(
      buyer,
      offer.asset,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transferWithAuthorization', args }),
    )
    const before = await received()
    for (const said of [persona, 'honest'] as const) {
      facilitator.persona = said
      const answer = await ask(header)
      expect(answer.status, answer.text).not.toBe(200)
      expect(answer.text).not.toContain('paymentAttestation')
    }
    expect(await received()).toBe(before)
  },
)

describe('a facilitator that is down or unreadable: 503 before anything is claimed', () => {
  test.each<[string, Persona]>([
    ['FAC-12 a redirect is not followed', 'redirect'],
    ['FAC-13 HTML', 'html'],
    ['FAC-13 cut JSON', 'cut_json'],
    ['FAC-13 a huge body', 'huge'],
    ['FAC-13 a gzip bomb', 'gzip_bomb'],
    ['FAC-14 429', 'busy'],
    ['FAC-14 503', 'broken'],
  ])('%s, and the payment is still good afterwards', async (_, persona) => {
    facilitator.persona = persona
    const before = await received()
    const { header } = await payment(offer, chain.buyers[3]!)
    const answer = await ask(header)
    expect([answer.status, answer.json.code]).toEqual([503, 'facilitator_unavailable'])
    expect(answer.header('retry-after')).not.toBeNull()
    expect(facilitator.counts.stolen).toBe(0)
    expect(await received()).toBe(before)
    expect(facilitator.counts.verify).toBeGreaterThan(0)
    facilitator.persona = 'honest'
    expect((await persist(header, 0)).status).toBe(200) //  of the process that was told to wait
  })

  test('FAC-11 it refuses everything: 402 with the reason, nothing moves; its words do not reach the buyer', async () => {
    const before = await received()
    for (const [persona, code] of [
      ['always_no', 'bad_signature'],
      ['secret_reason', 'transfer_failed'],
    ] as const) {
      facilitator.persona = persona
      const { header } = await payment(offer, chain.buyers[3]!)
      const answer = await ask(header)
      expect([answer.status, answer.json.code]).toEqual([402, code])
      expect(answer.header('payment-required')).not.toBeNull()
      expect(facilitator.counts.settle).toBe(0)
      expect(JSON.stringify([answer.text, answer.header('payment-response')])).not.toContain(
        SECRET.slice(0, 20),
      )
    }
    expect(await received()).toBe(before)
  })

  test('SIG-08 it says yes and then fails to settle, now and then: nothing is delivered until it does, and then once', async () => {
    const before = await received()
    const { header } = await payment(offer, chain.buyers[3]!)
    facilitator.persona = 'reverts'
    for (let tries = 0; tries < 3; tries++) {
      const answer = await ask(header)
      expect(answer.status, answer.text).toBe(503)
      expect(await received()).toBe(before)
    }
    await expireLeases()
    facilitator.persona = 'honest'
    expect((await persist(header)).status).toBe(200)
    expect((await received()) - before).toBe(10_000n)
  })

  test('FAC-14 it fails every other time, now before and now after it has settled: each is paid once, by the identical payment', async () => {
    facilitator.persona = 'flaps'
    const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
    const payments = await Promise.all(chain.buyers.slice(0, 4).map((buyer) => payment(offer, buyer)))
    const answers = payments.map(({ header }, index) =>
      until(
        'the same payment is answered',
        async () => {
          const answer = await ask(header, index % 2)
          if (answer.status === 200) return answer
          expect([answer.status, answer.header('retry-after') === null]).toEqual([503, false])
          await expireLeases()
          return null
        },
        45_000,
      ),
    )
    expect(new Set((await Promise.all(answers)).map(({ text }) => text)).size).toBe(4)
    expect((await received()) - before).toBe(40_000n)
    expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(4)
    for (const { signed } of payments) {
      const asked = facilitator.settles.filter((text) => text.includes(signed.nonce))
      expect(asked.length).toBeGreaterThan(0)
      expect(new Set(asked).size).toBe(1)
    }
    expect(facilitator.settles.length).toBeGreaterThan(4)
  }, 60_000)

  test('FAC-01 connection refused: nothing is claimed, and the payment is still good when somebody listens', async () => {
    const lonely = await startService({
      chain,
      facilitatorUrl: 'http://127.0.0.1:9',
      processes: 1,
      worker: false,
    })
    const before = await received()
    const { header } = await payment(offer, chain.buyers[3]!)
    const send = () => get(`${lonely.bases[0]}${PING}`, paid(header))
    const answer = await send()
    const claims = await lonely.ledger.redis.keys('claim:*')
    const moved = (await received()) - before
    await lonely.restartApi(0, { FACILITATOR_URL: facilitator.url })
    const sold = await send()
    await lonely.stop()
    expect([answer.status, answer.json.code]).toEqual([503, 'facilitator_unavailable'])
    expect(answer.header('retry-after')).not.toBeNull()
    expect([claims, moved]).toEqual([[], 0n])
    expect(sold.status, sold.text).toBe(200)
  })
})

describe('3.5 the selling process dies around the settle call', () => {
  test.each(['CP5', 'CP7'])(
    'CRA-03, CRA-05 at %s: the chain decides, the resend is answered once',
    async (point) => {
      await service.restartApi(0, { FAULT_POINT: `${point}:kill` })
      const before = await received()
      const { header } = await payment(offer, chain.buyers[4]!)
      expect(await ask(header).catch(() => null)).toBeNull()
      // The dead owner's lease runs out before somebody else may settle; a claim that has settled needs no lease.
      if (point === 'CP5') await expireLeases()
      const answer = await persist(header)
      expect(answer.status).toBe(200)
      expect((await received()) - before).toBe(10_000n)
      await service.restartApi(0)
      expect((await ask(header)).text).toBe(answer.text)
    },
  )

  test.each([
    ['CP5', 'before it asks the facilitator'],
    ['CP7', 'when the facilitator has answered'],
  ])(
    'CRA-11 it stands still at %s, %s, beyond its lease, another goes on, it wakes: its late word changes nothing',
    async (point) => {
      await service.restartApi(0, { FAULT_POINT: `${point}:stop` })
      const { pid } = service.apis[0]!
      const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
      const { header } = await payment(offer, chain.buyers[4]!)
      const late = ask(header)
      await until('it stands still', () => isStopped(pid))
      await expireLeases()
      const answer = await persist(header)
      expect(answer.status).toBe(200)
      process.kill(pid, 'SIGCONT')
      const { status, text } = await late
      expect([status, text]).toEqual([200, answer.text])
      expect((await ask(header, 1)).text).toBe(answer.text)
      expect((await received()) - before).toBe(10_000n)
      expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(1)
    },
  )

  test('CRA-04, CRA-10 and the worker between what the chain said and its write, 20 times in a row: settled and answered once, with no resend', async () => {
    await service.restartApi(0, { FAULT_POINT: 'CP7:kill' })
    const [before, sales] = [await received(), await service.ledger.redis.xlen(KEYS.sales)]
    const { header, signed } = await payment(offer, chain.buyers[4]!)
    expect(await ask(header).catch(() => null)).toBeNull()
    const key = `auth:8453:${offer.asset.toLowerCase()}:${signed.from.toLowerCase()}:${signed.nonce}`
    for (let death = 0; death < 20; death++) {
      await service.startWorker({ FAULT_POINT: 'CP13:kill' })
      expect(await service.worker!.exited).toMatchObject({ signal: 'SIGKILL' })
      expect(await service.ledger.ledger.find(key)).toMatchObject({ settled: null, answer: null })
    }
    await service.startWorker()
    const answered = await until('answered', async () => (await service.ledger.ledger.find(key))?.answer)
    await service.restartApi(0)
    expect((await ask(header)).text).toBe(answered.body)
    expect((await received()) - before).toBe(10_000n)
    expect((await service.ledger.redis.xlen(KEYS.sales)) - sales).toBe(1)
    expect(facilitator.counts.settle).toBe(1)
  }, 240_000)
})

/** As if the lease of every claim under way had run out. */
async function expireLeases(): Promise<void> {
  for (const key of await service.ledger.redis.zrange('claims:settling', '0', '-1'))
    await service.ledger.redis.hset(`claim:${key}`, 'lease', '1')
}
