import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { authorizationKey } from '../../../api/ledger/ledger.ts'
import { OPEN_CLAIMS_MAX } from '../../../api/ledger/redis.ts'
import type { Payment } from '../../../api/settlement/port.ts'
import { openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let one: ReturnType<typeof openLedger>
let two: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  one = openLedger(server.url)
  two = openLedger(server.url)
})
afterAll(async () => {
  one?.close()
  two?.close()
  await server?.stop()
})

let seeds = 1
let wallets = 1
const newWallet = () => `0x${(wallets++).toString(16).padStart(40, '0')}` as const
function fresh(from: `0x${string}`) {
  const some = somePayment(seeds++)
  const payment: Payment = { ...some, authorization: { ...some.authorization, from } }
  return { payment, key: authorizationKey(payment) }
}
/** A first claim of a new payment of this wallet. */
async function open(from: `0x${string}`, { ledger } = one) {
  const { key, payment } = fresh(from)
  return { key, payment, outcome: await ledger.claim(key, 'owner', someTerms(), payment) }
}
async function openAll(from: `0x${string}`, count: number) {
  const opened = await Promise.all(Array.from({ length: count }, (_, at) => open(from, at % 2 ? one : two)))
  return opened.filter(({ outcome }) => outcome === 'won')
}

describe('RPL-18 of one payer so many claims are open at once, whoever takes them', () => {
  test('over two processes: no more than that win, and of the others nothing is kept', async () => {
    const wallet = newWallet()
    const won = await openAll(wallet, 200)
    expect(won).toHaveLength(OPEN_CLAIMS_MAX)
    const { key, outcome } = await open(wallet)
    expect(outcome).toBe('crowded')
    expect(await one.ledger.find(key)).toBeNull()
    expect(await one.redis.zscore(KEYS.claims.settling, key)).toBeNull()
  })

  test('64 at once of an honest agent pass, again and again', async () => {
    const wallet = newWallet()
    for (let round = 0; round < 5; round++) {
      const won = await openAll(wallet, 64)
      expect(won).toHaveLength(64)
      await Promise.all(won.map(({ key }) => one.ledger.recordSettled(key, someSettled(seeds++), 8453)))
      //  ended claims are looked through once, not again with every later payment
      expect(await one.redis.scard(KEYS.open(won[0]!.key))).toBeLessThanOrEqual(OPEN_CLAIMS_MAX)
    }
  })

  test('another wallet has as many of its own', async () => {
    await openAll(newWallet(), OPEN_CLAIMS_MAX)
    expect((await open(newWallet())).outcome).toBe('won')
  })

  test.each<[string, (key: string) => Promise<unknown>, 'won' | 'crowded']>([
    ['settled', (key) => one.ledger.recordSettled(key, someSettled(seeds++), 8453), 'won'],
    ['void', (key) => one.ledger.recordRefused(key, 'expired', 'void'), 'won'],
    ['forgotten', (key) => one.redis.del(KEYS.claim(key)), 'won'],
    //  somebody could still submit it, and its answer is kept for that case
    ['refused', (key) => one.ledger.recordRefused(key, 'insufficient_funds', 'refused'), 'crowded'],
    [
      'broken',
      (key) => one.redis.multi().del(KEYS.claim(key)).set(KEYS.claim(key), 'no hash').exec(),
      'crowded',
    ],
  ])(
    'one of them is %s: one more may come only in the place of one that can move no money',
    async (_, end, outcome) => {
      const wallet = newWallet()
      const [first] = await openAll(wallet, OPEN_CLAIMS_MAX)
      await end(first!.key)
      expect((await open(wallet)).outcome).toBe(outcome)
      expect((await open(wallet)).outcome).toBe('crowded')
    },
  )

  test('those that are there go on: sent again, taken over, tried again after a refusal', async () => {
    const wallet = newWallet()
    const [first, second] = await openAll(wallet, OPEN_CLAIMS_MAX)
    const again = (which: typeof first, owner: string) =>
      one.ledger.claim(which!.key, owner, someTerms(), which!.payment)
    expect(await again(first, 'owner')).toBe('won')
    expect(await again(first, 'another')).toBe('settling')
    await one.redis.hset(KEYS.claim(first!.key), { lease: 1 })
    expect(await again(first, 'another')).toBe('retake')
    await one.ledger.recordRefused(second!.key, 'transfer_failed', 'refused')
    expect(await again(second, 'another')).toBe('won')
  })

  test('RPL-13 one whose money is here already is claimed however many there are', async () => {
    const wallet = newWallet()
    await openAll(wallet, OPEN_CLAIMS_MAX)
    const { key, payment } = fresh(wallet)
    expect(await one.ledger.claim(key, 'owner', someTerms(), payment, true)).toBe('won')
  })

  test('a wallet that pays no more leaves nothing behind', async () => {
    const { key } = await open(newWallet())
    expect(await one.redis.pttl(KEYS.open(key))).toBeGreaterThan(0)
  })
})

describe('5.1 a long answer is kept packed, and sent again byte for byte until its time is over', () => {
  const deliver = (key: string, body: string) =>
    one.ledger.deliver(key, {
      body,
      paymentResponse: 'pr',
      attestationId: key,
      attestation: '{}',
      grant: null,
      sale: { eventId: key } as never,
    })

  test('whatever it says: at its delivery, to who delivers it a second time, and to who looks it up', async () => {
    const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constant('"\\u0001"'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 20 }),
        fc.integer({ min: 0, max: 900 }),
        async (pieces, often) => {
          const json = JSON.stringify({ text: pieces.join('').repeat(often) })
          const { key, payment } = fresh(newWallet())
          await one.ledger.claim(key, 'owner', someTerms({ draft: json }), payment)
          expect((await one.ledger.find(key))!.draft).toBe(json)
          await one.ledger.recordSettled(key, someSettled(seeds++), 8453)
          expect(await deliver(key, json)).toEqual({ body: json, paymentResponse: 'pr' })
          expect(await deliver(key, '{"another":true}')).toEqual({ body: json, paymentResponse: 'pr' })
          expect((await two.ledger.find(key))!.answer).toEqual({ body: json, paymentResponse: 'pr' })
          const call = { answer: json, left: 0, expiresMs: 4e12 }
          await one.redis.hset(`grant:pass:${key}`, { expires: 4e12, calls: 1 })
          expect(await one.ledger.answerCall('pass', key, key, json)).toEqual(call)
          expect(await two.ledger.answeredCall(key)).toEqual(call)
        },
      ),
      { numRuns: 40 },
    )
  }, 60_000)

  test('the longest answers there are take little: what is paid for them keeps none for a day as it is', async () => {
    const json = JSON.stringify({ repaired: '\u0001'.repeat(8_000), value: '\u0001'.repeat(8_000) })
    expect(json.length).toBeGreaterThan(90_000)
    const { key, payment } = fresh(newWallet())
    const bytes = () => one.redis.memory('USAGE', KEYS.claim(key), 'SAMPLES', 0)
    await one.ledger.claim(key, 'owner', someTerms({ draft: json }), payment)
    expect(await bytes()).toBeLessThan(8 * 1024)
    await one.ledger.recordSettled(key, someSettled(seeds++), 8453)
    await deliver(key, json)
    expect(await bytes()).toBeLessThan(8 * 1024)
  })

  test('one that was kept before it was packed is what it was', async () => {
    const { key } = await open(newWallet())
    await one.ledger.recordSettled(key, someSettled(seeds++), 8453)
    const body = `{"long":"${'x'.repeat(50_000)}"}`
    await one.redis.hset(KEYS.claim(key), { body, pr: 'pr', draft: body })
    expect(await one.ledger.find(key)).toMatchObject({ draft: body, answer: { body } })
  })
})
