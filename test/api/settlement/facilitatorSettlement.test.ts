import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { createFacilitatorSettlement } from '../../../api/settlement/facilitatorSettlement.ts'
import type { AuthorizationFate, ChainRefusal, Payment, PaymentChain } from '../../../api/settlement/port.ts'
import type { Listing } from '../../../api/settlement/settlement.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

const NOW_MS = 1_800_000_000_000
const WAIT_MS = 400
const OFFER = {} as never
const LISTING = {} as Listing
const terms = someTerms({ via: 'facilitator' })
const unused = (blockMs: number): AuthorizationFate => ({ kind: 'unused', blockNumber: 1n, blockMs })
const down = () => {
  throw new UnavailableError('facilitator_unavailable', 'ECONNREFUSED')
}
const refused =
  (reason: ChainRefusal, tx: string | null = null, isSent = tx !== null) =>
  () => ({ kind: 'refused', reason, tx, isSent })
const TX = `0x${'5e'.repeat(32)}`

let seed = 9_000
function world({
  fates,
  settle,
  named = null,
  verdict = () => null,
  simulated = () => null,
  inNamed = null,
  doubtAfterMs = 0,
}: {
  fates: AuthorizationFate[]
  settle: () => unknown
  named?: 'reverted' | [] | null // what became of a transaction that it names
  verdict?: () => ChainRefusal | null //   verdict of the facilitator
  simulated?: () => ChainRefusal | null // verdict of our own node on a payment signed by a key
  inNamed?: AuthorizationFate | null // fate of the payment in a transaction that it names
  doubtAfterMs?: number
}) {
  const payment = somePayment(seed++)
  const key = authorizationKey(payment)
  let looks = 0
  const chain = {
    fate: async () => fates[Math.min(looks++, fates.length - 1)],
    fateIn: async () => inNamed,
    transfers: async () => named,
    refuse: async ({ signer }: Payment) => (signer === 'contract' ? 'bad_signature' : simulated()),
  } as unknown as PaymentChain
  const asked = { verify: 0, settle: 0 }
  const settlement = createFacilitatorSettlement({
    facilitator: {
      verify: async () => {
        asked.verify++
        return verdict()
      },
      settle: async () => {
        asked.settle++
        return settle() as never
      },
    },
    ledger: book.ledger,
    chain,
    chainId: 8453,
    faultPoint: () => {},
    clock: { nowMs: () => NOW_MS },
    doubtAfterMs,
  })
  let owner = ''
  const claim = () => {
    owner = `owner-${seed++}`
    return book.ledger.claim(key, owner, terms, payment)
  }
  const run = async (retake: boolean) =>
    await settlement.settle({ key, payment, offer: OFFER, listing: LISTING, owner, retake }, WAIT_MS)
  const state = async () => (await book.ledger.find(key))?.state
  return { settlement, payment, key, claim, run, state, asked }
}

describe('faults 2: only a first attempt that was provably refused before a broadcast ends a claim as refused', () => {
  const before = NOW_MS - 2_000
  test.each<[string, AuthorizationFate[], () => unknown, string | null]>([
    ['bad_signature: nobody can have used it', [unused(before)], refused('bad_signature'), 'refused'],
    ['nonce used, and our node is a block behind', [unused(before)], refused('nonce_used'), null],
    ['nonce used, unused in a younger block', [unused(NOW_MS + 1)], refused('nonce_used'), null],
    ['not yet valid: it will be', [unused(NOW_MS)], refused('not_yet_valid'), null],
    ['transfer failed, our block is older', [unused(NOW_MS - 1)], refused('transfer_failed'), null],
    ['transfer failed, our block is as young', [unused(NOW_MS)], refused('transfer_failed'), 'refused'],
    [
      'what was sent failed, it says: it may be mined',
      [unused(NOW_MS + 1)],
      refused('transfer_failed', null, true),
      null,
    ],
    ['no funds left, our block is older', [unused(NOW_MS - 1)], refused('insufficient_funds'), null],
    [
      'no funds left, in the next block too',
      [unused(before), unused(NOW_MS)],
      refused('insufficient_funds'),
      'refused',
    ],
    [
      'no log shows the use yet',
      [{ kind: 'earlier', blockNumber: 1n, blockMs: NOW_MS }],
      refused('bad_signature'),
      null,
    ],
    ['it never heard of the payment', [unused(before)], down, 'refused'],
  ])('first attempt, %s', async (_, fates, settle, end) => {
    const { claim, run, state } = world({ fates, settle })
    expect(await claim()).toBe('won')
    expect((await run(false))?.state ?? null).toBe(end)
    expect(await state()).toBe(end ?? 'settling')
  })

  test.each<[string, ChainRefusal, 'reverted' | [] | null, string | null]>([
    ['not mined: it may be', 'transfer_failed', null, null],
    ['not mined, whatever the words', 'bad_signature', null, null],
    ['that failed', 'transfer_failed', 'reverted', 'refused'],
    ['that did something else', 'transfer_failed', [], null],
  ])('I5 refused, and a transaction is named beside it, %s', async (_, reason, named, end) => {
    const { claim, run, state } = world({ fates: [unused(NOW_MS)], settle: refused(reason, TX), named })
    await claim()
    expect((await run(false))?.state ?? null).toBe(end)
    expect(await state()).toBe(end ?? 'settling')
  })

  test.each<[string, () => unknown]>([
    ['refused', refused('bad_signature')],
    ['nonce used', refused('nonce_used')],
    ['connection refused', down],
    ['unknown again', () => ({ kind: 'unknown', tx: null })],
  ])('second attempt after an unknown one, %s: still unknown', async (_, settle) => {
    const { key, claim, run, state } = world({ fates: [unused(NOW_MS + 1)], settle })
    await claim()
    await book.redis.hset(`claim:${key}`, 'lease', 1)
    expect(await claim()).toBe('retake')
    expect(await run(true)).toBeNull()
    expect(await state()).toBe('settling')
  })

  test.each<[string, () => unknown]>([
    ['refused', refused('bad_signature')],
    ['it never heard of the payment', down],
  ])('I5, CRA-02 %s, after another has taken it over: that attempt may move it yet', async (_, settle) => {
    const slow = world({
      fates: [unused(NOW_MS)],
      settle: async () => {
        await book.redis.hset(`claim:${slow.key}`, 'lease', 1)
        expect(await book.ledger.claim(slow.key, 'another', terms, slow.payment)).toBe('retake')
        return settle()
      },
    })
    await slow.claim()
    expect((await slow.run(false))?.state).toBe('settling')
    expect(await slow.state()).toBe('settling')
  })

  test.each<[string, boolean]>([
    ['first attempt', false],
    ['second attempt', true],
  ])(
    'FAC-04, I23 %s: a facilitator that does not answer keeps nobody longer than the wait; its word counts when it comes',
    async (_, retake) => {
      const said = Promise.withResolvers<unknown>()
      const slow = world({ fates: [unused(NOW_MS)], settle: () => said.promise })
      await slow.claim()
      expect(await slow.run(retake)).toBeNull() //  it has said nothing yet
      expect(await slow.state()).toBe('settling')
      said.resolve(refused('bad_signature')())
      if (!retake) await until('noted', async () => (await slow.state()) === 'refused')
    },
  )

  test('FAC-04 its word that it is settled counts too when it comes late: the transaction that it names is read', async () => {
    const { to, value } = somePayment(seed).authorization
    const place = someSettled(seed)
    const said = Promise.withResolvers<unknown>()
    const inNamed = { kind: 'used', to, value, ...place } as const
    const slow = world({ fates: [unused(before)], inNamed, settle: () => said.promise })
    await slow.claim()
    expect(await slow.run(false)).toBeNull()
    said.resolve({ kind: 'settled', tx: place.tx })
    await until('noted', async () => (await slow.state()) === 'settled')
  })

  test('RPL-13 the use shows up in the next block: settled', async () => {
    const { to, value } = somePayment(seed).authorization
    const used: AuthorizationFate = {
      kind: 'used',
      to,
      value,
      tx: `0x${seed.toString(16).padStart(64, 'c')}`,
      logIndex: 1,
      blockNumber: 2n,
      blockMs: NOW_MS,
    }
    const late = world({ fates: [unused(before), used], settle: refused('nonce_used') })
    await late.claim()
    expect((await late.run(false))?.state).toBe('settled')
  })
})

describe('CRA-03, FAC-07 the chain is asked, whatever the facilitator says', () => {
  const used = (): AuthorizationFate => {
    const { to, value } = somePayment(seed).authorization
    return {
      kind: 'used',
      to,
      value,
      tx: `0x${seed.toString(16).padStart(64, 'd')}`,
      logIndex: 1,
      blockNumber: 2n,
      blockMs: NOW_MS,
    }
  }
  const cancelled: AuthorizationFate = { kind: 'cancelled', tx: '0x1' }

  test.each<[string, AuthorizationFate | null, number, boolean[]]>([
    ['the chain shows it', used(), 10_000, [true]],
    ['the chain has nothing of it for as long as is waited', null, WAIT_MS, [false]],
    ['our node may be behind still', null, 10_000, []],
  ])('FAC-07 it is settled, it says, and %s: so it is told on', async (_, inNamed, doubtAfterMs, told) => {
    const heard: boolean[] = []
    const settle = () => ({ kind: 'settled', tx: TX, shown: (isShown: boolean) => heard.push(isShown) })
    const { claim, run } = world({ fates: [unused(NOW_MS)], settle, inNamed, doubtAfterMs })
    await claim()
    await run(false)
    expect(heard).toEqual(told)
  })

  test('FAC-07 of what it does not call settled nothing is told', async () => {
    const { claim, run } = world({
      fates: [unused(NOW_MS)],
      settle: () => ({ kind: 'pending', tx: TX, shown: () => expect.unreachable() }),
    })
    await claim()
    expect(await run(false)).toBeNull()
  })

  test('before anything is sent again: the attempt before this one has paid', async () => {
    const { claim, run, asked } = world({ fates: [used()], settle: down })
    await claim()
    expect((await run(true))?.state).toBe('settled')
    expect(asked.settle).toBe(0)
  })

  test('I5 taken over after a crash: by its transaction, and from when it was claimed on, however long ago', async () => {
    const claimed = async (settle: () => unknown, foundTx?: string) => {
      const payment = somePayment(seed, BigInt(NOW_MS / 1_000 - 6 * 3_600))
      const use = used()
      const key = authorizationKey(payment)
      await book.ledger.claim(
        key,
        'crashed',
        { ...terms, ...(foundTx === undefined ? {} : { foundTx }) },
        payment,
      )
      const { createdMs } = (await book.ledger.find(key))!
      const chain = {
        //  it reads no further back than it is asked to; what it does not find there was used before
        fate: async (...[, , , sinceMs]: Parameters<PaymentChain['fate']>) =>
          foundTx === undefined && sinceMs <= createdMs
            ? use
            : { kind: 'earlier', blockNumber: 9n, blockMs: NOW_MS },
        fateIn: async (...[, , , tx]: Parameters<PaymentChain['fateIn']>) => (tx === foundTx ? use : null),
      } as unknown as PaymentChain
      const settlement = createFacilitatorSettlement({
        facilitator: { verify: async () => null, settle: async () => settle() as never },
        ledger: book.ledger,
        chain,
        chainId: 8453,
        faultPoint: () => {},
        clock: { nowMs: () => NOW_MS },
      })
      seed++
      const job = { key, payment, offer: OFFER, listing: LISTING, owner: 'next', retake: true }
      return (await settlement.settle(job, WAIT_MS))?.state
    }
    expect(await claimed(down, TX)).toBe('settled')
    expect(await claimed(down)).toBe('settled')
  })

  test('it names a transaction that does not show the payment: another one has paid', async () => {
    const { settlement, payment, key, claim } = world({
      fates: [used()],
      settle: () => ({ kind: 'settled', tx: TX }),
    })
    await claim()
    const job = { key, payment, offer: OFFER, listing: LISTING, owner: '', retake: false }
    expect((await settlement.settle(job, 20_000))?.state).toBe('settled')
  })

  test.each([false, true])(
    'cancelled, and nobody knows what came of it (again: %s): refused',
    async (again) => {
      const { claim, run } = world({ fates: [cancelled], settle: () => ({ kind: 'unknown', tx: null }) })
      await claim()
      expect(await run(again)).toMatchObject({ state: 'refused', reason: 'nonce_used' })
    },
  )
})

describe('FAC-10 a facilitator that verifies everything', () => {
  test.each<[Payment['signer'], ChainRefusal | null, number]>([
    ['ecdsa', null, 1],
    ['contract', 'bad_signature', 0], // only the token itself is believed about a wallet's signature
  ])('a signature of kind %s: %s', async (signer, refusal, asks) => {
    const { settlement, payment, asked } = world({ fates: [], settle: down })
    expect(await settlement.refuse({ ...payment, signer }, OFFER, LISTING)).toBe(refusal)
    expect(asked.verify).toBe(asks)
  })
})

describe('FAC-14 a facilitator that was made to refuse often is asked only about what may be paid', () => {
  const OFTEN = 64
  const nodeDown = () => {
    throw new UnavailableError('chain_unavailable', 'timeout')
  }
  test.each<[string, () => ChainRefusal | null, boolean]>([
    ['there is no money', () => 'insufficient_funds', false],
    ['it goes through', () => null, true],
    ['anything else is wrong with it: our node may be behind', () => 'not_yet_valid', true],
    ['it does not answer: unknown is never unpaid', nodeDown, true],
  ])('our own node says %s', async (_, simulated, isAsked) => {
    let isGood = false
    const verdict = () => (isGood ? null : 'insufficient_funds')
    const { settlement, payment, asked } = world({ fates: [], settle: down, verdict, simulated })
    const refuse = () => settlement.refuse(payment, OFFER, LISTING)
    for (let at = 0; at < 2 * OFTEN; at++) await refuse()
    const before = asked.verify
    expect(before).toBeGreaterThanOrEqual(OFTEN)
    isGood = true
    expect(await refuse()).toBe(isAsked ? null : 'insufficient_funds')
    expect(asked.verify).toBe(before + (isAsked ? 1 : 0))
  })

  test('whose payments are good is never asked twice, however many there are', async () => {
    const { settlement, payment, asked } = world({
      fates: [],
      settle: down,
      simulated: () => 'insufficient_funds',
    })
    for (let at = 0; at < 3 * OFTEN; at++) expect(await settlement.refuse(payment, OFFER, LISTING)).toBeNull()
    expect(asked.verify).toBe(3 * OFTEN)
  })
})
