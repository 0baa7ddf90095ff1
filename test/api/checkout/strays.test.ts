import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openCheckout } from '../../../api/checkout/open.ts'
import { pollCheckouts } from '../../../api/checkout/poll.ts'
import type { CardProvider, CardTruth } from '../../../api/checkout/provider.ts'
import { refresh } from '../../../api/checkout/refresh.ts'
import { webhook } from '../../../api/checkout/webhook.ts'
import { isProblem } from '../../../api/errors.ts'
import { createByHandLedger } from '../../../api/ledger/byHand.ts'
import { cardKey } from '../../../api/ledger/cards.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import type { Stray } from '../../../api/ledger/strays.ts'
import { createOpenClaimsWatch } from '../../../api/worker/openClaims.ts'
import { realClock } from '../../../ops/clock.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { MINUTE } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { portsOver } from '../goods/support.ts'
import { answers, BUYER, openTill, type Till } from './till.ts'

let world: Till
let { opened, cards, till, provider } = {} as Till
let errors: unknown[] = []
beforeAll(async () => {
  world = await openTill()
  ;({ opened, cards, till, provider } = world)
})
beforeEach(() => opened.redis.flushall())
afterEach(() => {
  errors = []
  vi.useRealTimers()
})
afterAll(() => world?.close())

const log = { ...quietLog, error: (...said: unknown[]) => void errors.push(said) }
const how = (change: Partial<CardProvider> = {}) => ({
  cards,
  answers,
  clock: realClock,
  log,
  goods: portsOver({}),
  provider: { ...provider, ...change },
})
const saying = (change: Partial<CardTruth>) =>
  how({ truth: async (session) => ({ ...(await provider.truth(session)), ...change }) })

async function license() {
  const ports = { cards, provider, answers, clock: realClock, goods: portsOver({}) }
  const begun = await openCheckout({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }, BUYER, ports)
  if (isProblem(begun)) throw new Error(begun.problem)
  return begun.checkout
}
/** @returns the status of our answer to the provider. */
async function told(nth: number, session: { reference: string; sessionId: string }, ports = how()) {
  const request = { header: () => '', rawQuery: '', body: async () => Buffer.from('{}') }
  return (await webhook(() => ({ id: `evt_${nth}`, about: session }), ports)(request as never)).status
}

describe('I4 a card has paid, and no checkout here takes the money: a person is told, and has a list', () => {
  test('for a checkout that the ledger does not know (any more): kept once, the event is taken', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await opened.redis.del(KEYS.checkout(digest)) //  as after restoring an older copy of the ledger
    for (const nth of [1, 1, 2]) expect(await told(nth, { reference: digest, sessionId })).toBe(200)
    expect(await cards.strays()).toEqual([
      {
        sessionId,
        reference: digest,
        why: 'checkout_unknown',
        sku: '',
        done: null,
        cents: 1_235,
        currency: 'usd',
        paymentId: expect.stringMatching(/^pi_/),
        keptMs: expect.any(Number),
      },
    ])
    expect(errors).toHaveLength(1)
  })

  test.each<[string, Partial<CardTruth>]>([
    ['amount_mismatch', { cents: 1_234 }],
    ['currency_mismatch', { currency: 'eur' }],
    ['reference_mismatch', { reference: 'f'.repeat(64) }],
    ['payment_missing', { paymentId: null }],
  ])('%s: kept once, whoever finds it, and the worker asks no more', async (why, change) => {
    const checkout = await license()
    till.act(checkout.sessionId, 'pay')
    const round = () => pollCheckouts(saying(change), Date.now() + MINUTE)
    await round()
    expect(await told(1, { reference: checkout.digest, sessionId: checkout.sessionId }, saying(change))).toBe(
      200,
    )
    expect(await cards.strays()).toMatchObject([{ why, sku: 'SKU_TOR_MCP_PRO', reference: checkout.digest }])
    expect(await cards.due(Date.now() + MINUTE, 10)).toEqual([])
    expect((await cards.find(checkout.digest))!.status).toBe('open') //  nothing was sold for it
    expect(errors).toHaveLength(1)
  })

  test('one that the worker follows and the ledger has lost: whether it was paid, the provider has to be asked', async () => {
    const { digest } = await license()
    await opened.redis.del(KEYS.checkout(digest))
    for (const _ of [1, 2]) await pollCheckouts(how(), Date.now() + MINUTE)
    expect(await cards.strays()).toMatchObject([
      { sessionId: `lost:${digest}`, why: 'checkout_unknown', reference: digest, done: null },
    ])
    expect(errors).toEqual([[{ checkout: digest }, expect.any(String)]])
    expect(await opened.redis.zscore(KEYS.checkouts, digest)).toBeNull()
    expect(await cards.strayDone(`lost:${digest}`, 'nobody has paid', 5)).toBe(true)
  })

  test('its payment, of which an event has told, is not told of twice', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await opened.redis.del(KEYS.checkout(digest))
    await told(1, { reference: digest, sessionId })
    await pollCheckouts(how(), Date.now() + MINUTE)
    expect((await cards.strays()).map((stray) => stray.sessionId)).toEqual([sessionId])
  })

  test('while there is no room to tell of it, it stays listed', async () => {
    const { digest } = await license()
    await opened.redis.del(KEYS.checkout(digest))
    const full = { ...how(), cards: { ...cards, keepStray: async () => 'full' as const } }
    await pollCheckouts(full, Date.now() + MINUTE)
    expect([errors.length, await opened.redis.zscore(KEYS.checkouts, digest)]).toEqual([
      1,
      expect.any(String),
    ])
  })

  test.each<[string, string, Partial<CardTruth>]>([
    ['nobody has paid', '', { status: 'open' }],
    ['it ended unpaid', '', { status: 'expired' }],
    ['it is somebody else’s on the same account', 'order-17', { status: 'paid' }],
  ])('%s: there is nothing to tell of', async (_, reference, change) => {
    const { digest, sessionId } = await license()
    await opened.redis.del(KEYS.checkout(digest))
    expect(await told(1, { reference: reference || digest, sessionId }, saying(change))).toBe(200)
    expect(await cards.strays()).toEqual([])
  })

  test('the operator’s figure counts them until a person has seen to them, or the money went back', async () => {
    const metrics = createMetrics('test')
    const watch = createOpenClaimsWatch({ ledger: opened.ledger, cards, metrics })
    const figure = async () => {
      await watch(Date.now())
      return (await metrics.registry.getSingleMetric('card_strays')!.get()).values[0]?.value
    }
    expect(await figure()).toBe(0)
    const sessions = []
    for (const nth of [1, 2]) {
      const { digest, sessionId } = await license()
      till.act(sessionId, 'pay')
      await opened.redis.del(KEYS.checkout(digest))
      await told(nth, { reference: digest, sessionId })
      sessions.push({ reference: digest, sessionId })
    }
    expect(await figure()).toBe(2)
    till.act(sessions[0]!.sessionId, 'refund')
    await told(3, sessions[0]!)
    expect(await figure()).toBe(1)
    expect(await cards.strayDone(sessions[1]!.sessionId, 'credit granted', 5)).toBe(true)
    expect(await figure()).toBe(0)
    expect(await cards.strayDone(sessions[1]!.sessionId, 'again', 6)).toBe(false)
    expect(await cards.strayDone('cs_none', 'nothing', 6)).toBe(false)
    expect((await cards.strays()).map(({ done }) => done?.reason)).toEqual([
      'the money went back',
      'credit granted',
    ])
  })

  test('money that had gone back and came again, as after a won dispute, is told of again; what a person saw to is not', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await opened.redis.del(KEYS.checkout(digest))
    const isOpen = async () => (await cards.strays()).map(({ done }) => done === null)
    const tell = (nth: number) => told(nth, { reference: digest, sessionId })
    await tell(1)
    till.act(sessionId, 'dispute')
    await tell(2)
    expect(await isOpen()).toEqual([false])
    till.act(sessionId, 'win')
    expect(await tell(3)).toBe(200)
    expect([await isOpen(), errors.length]).toEqual([[true], 2])
    await cards.strayDone(sessionId, 'credit granted', 5)
    await tell(4)
    expect(await isOpen()).toEqual([false])
  })

  test.each([
    ['has been paid', 'paid', 'refunded'],
    ['went back', 'refunded', 'paid'],
  ] as const)('an old truth that comes late, that it %s, does not stand', async (_, old, now) => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await opened.redis.del(KEYS.checkout(digest))
    const session = { reference: digest, sessionId }
    const truths = (...statuses: ('paid' | 'refunded')[]) =>
      how({ truth: async (id) => ({ ...(await provider.truth(id)), status: statuses.shift() ?? now }) })
    if (old === 'refunded') await told(1, session)
    await told(2, session, truths(old))
    expect((await cards.strays()).map(({ done }) => done === null)).toEqual([now === 'paid'])
  })

  test.each([
    ['of a checkout that is unknown', false],
    ['of one that ordered something else', true],
  ])('what cannot be kept is not taken: %s; the provider sends it again', async (_, isKnown) => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    if (!isKnown) await opened.redis.del(KEYS.checkout(digest))
    const full = saying({ cents: 1_234 })
    const ports = { ...full, cards: { ...cards, keepStray: async () => 'full' as const } }
    expect(await told(1, { reference: digest, sessionId }, ports)).toBe(503)
    expect(await cards.knowsEvent('evt_1')).toBe(false)
    expect(errors).toHaveLength(1)
    expect(await opened.redis.zscore(KEYS.checkouts, digest), 'the worker looks on').not.toBeNull()
  })
})

describe('I4 card money for which credit was granted goes back after all: a person is told', () => {
  const CREDIT = 'credit case-1: r'
  const row = async () => {
    const [{ done, gone }] = (await cards.strays()) as [Stray]
    return { done: done?.reason ?? null, isGone: gone !== undefined }
  }
  /** Its money is here, and credit was granted for it. */
  async function credited(isKnown: boolean) {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    if (isKnown) await pollCheckouts(saying({ cents: null }), Date.now() + 2 * MINUTE)
    else await opened.redis.del(KEYS.checkout(digest))
    const session = { reference: digest, sessionId }
    if (!isKnown) await told(1, session)
    const grant = { money: `card:${sessionId}`, operation: 'case-1', micro: 5n, reason: 'r', lot: 'lot' }
    expect(await createByHandLedger(opened.redis).grant(grant, 'sandbox', 1)).toBe('granted')
    expect(await cards.strayDone(sessionId, CREDIT, 2)).toBe(true)
    errors = []
    return session
  }
  const CLOSED = { done: CREDIT, isGone: false }
  const OPEN = { done: null, isGone: true }

  test.each([
    ['of a checkout that is unknown', false],
    ['of one that the provider names rightly by now', true],
  ])('%s: told of once until it returns, and again if it leaves again', async (_, isKnown) => {
    const session = await credited(isKnown)
    for (const nth of [2, 3]) expect([await told(nth, session), await row()]).toEqual([200, CLOSED])
    till.act(session.sessionId, 'dispute')
    for (const nth of [4, 5]) expect([await told(nth, session), await row()]).toEqual([200, OPEN])
    expect(errors).toHaveLength(1)
    till.act(session.sessionId, 'win')
    for (const nth of [6, 7]) expect([await told(nth, session), await row()]).toEqual([200, CLOSED])
    const again = saying({ status: 'refunded' })
    for (const nth of [8, 9]) expect([await told(nth, session, again), await row()]).toEqual([200, OPEN])
    expect([errors.length, await opened.redis.xlen(KEYS.sales)]).toEqual([2, 1])
  })

  test('what a person has seen to stays so, however often the provider tells of it', async () => {
    const session = await credited(false)
    till.act(session.sessionId, 'dispute')
    await told(2, session)
    expect(await cards.strayDone(session.sessionId, 'written off', 3)).toBe(true)
    till.act(session.sessionId, 'lose')
    await told(3, session)
    expect([await row(), errors.length]).toEqual([{ done: 'written off', isGone: true }, 1])
  })

  test('also where the grant ended before its row was closed', async () => {
    const session = await credited(false)
    const text = JSON.parse((await opened.redis.hget(KEYS.strays, session.sessionId))!)
    await opened.redis.hset(KEYS.strays, session.sessionId, JSON.stringify({ ...text, done: null }))
    till.act(session.sessionId, 'dispute')
    for (const nth of [2, 3]) expect([await told(nth, session), await row()]).toEqual([200, OPEN])
  })

  test.each([
    ['has been paid', false, 'paid', 'refunded'],
    ['went back', false, 'refunded', 'paid'],
    ['has been paid', true, 'paid', 'refunded'],
    ['went back', true, 'refunded', 'paid'],
  ] as const)(
    'an old truth that comes late, that it %s, does not stand (checkout known: %s)',
    async (_, isKnown, old, now) => {
      const session = await credited(isKnown)
      const truths = (...statuses: ('paid' | 'refunded')[]) =>
        how({ truth: async (id) => ({ ...(await provider.truth(id)), status: statuses.shift() ?? now }) })
      if (old === 'paid') await told(2, session, truths())
      await told(3, session, truths(old))
      expect(await row()).toEqual(now === 'paid' ? CLOSED : OPEN)
    },
  )
})

describe('I1, I4 the provider names another amount, and later the one that was ordered', () => {
  const HAND = { money: '', micro: 12_350_000n, reason: 'r' }
  const byHand = () => createByHandLedger(opened.redis)
  const grant = (sessionId: string, operation = 'case-1') =>
    byHand().grant({ ...HAND, money: `card:${sessionId}`, operation, lot: operation }, 'sandbox', 1)
  const isOpen = async () => (await cards.strays()).map(({ done }) => done === null)
  const shown = async (digest: string) => {
    const { status, claimed } = (await cards.find(digest))!
    return [status, claimed]
  }
  const round = (ports = how()) => pollCheckouts(ports, Date.now() + 2 * MINUTE)
  /** A checkout that was paid; the provider has said it wrongly once, and the worker has looked. */
  async function slipped() {
    const checkout = await license()
    till.act(checkout.sessionId, 'pay')
    await round(saying({ cents: null }))
    expect(await isOpen()).toEqual([true])
    return checkout
  }
  /** Every path on which a payment is learned of. */
  async function lookAgain({ digest, sessionId }: { digest: string; sessionId: string }) {
    await round()
    await refresh((await cards.find(digest))!, { gapMs: 0 }, how())
    return await told(9, { reference: digest, sessionId })
  }

  test('the worker looks again and sells; a person is told of it no longer, and no credit is granted for it', async () => {
    const { digest, sessionId } = await slipped()
    await round()
    expect(await shown(digest)).toEqual(['paid', true])
    expect(await cards.strays()).toEqual([])
    expect(await grant(sessionId)).toBe('taken')
    expect(await byHand().granted()).toEqual([])
  })

  test('credit that was granted meanwhile is all that the money buys; the same operation again says so', async () => {
    const one = await slipped()
    expect(await grant(one.sessionId)).toBe('granted')
    await cards.strayDone(one.sessionId, 'credit case-1: r', 1)
    expect(await lookAgain(one)).toBe(200)
    expect(await shown(one.digest)).toEqual(['open', false])
    expect(await opened.redis.exists(KEYS.claim(cardKey(one.digest)))).toBe(0)
    expect(await opened.redis.zscore(KEYS.checkouts, one.digest)).toBeNull()
    expect([await grant(one.sessionId), await isOpen()]).toEqual(['again', [false]])
    for (const deed of ['dispute', 'win'] as const) {
      till.act(one.sessionId, deed)
      await refresh((await cards.find(one.digest))!, { gapMs: 0 }, how())
    }
    expect(await shown(one.digest)).toEqual(['refunded', false])
    expect(await opened.redis.xlen(KEYS.sales), 'only the credit').toBe(1)
  })

  test('of a sale and a grant at once one is given', async () => {
    const { digest, sessionId } = await slipped()
    const checkout = (await cards.find(digest))!
    const [said] = await Promise.all([grant(sessionId), refresh(checkout, { gapMs: 0 }, how())])
    expect([said === 'granted', (await cards.find(digest))!.claimed].filter(Boolean)).toHaveLength(1)
  })

  test('of what was sold it is no answer: nothing is told of, and the event is sent again until the answer is right', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await round()
    const session = { reference: digest, sessionId }
    for (const [nth, deed, status] of [
      [1, 'dispute', 'refunded'],
      [2, 'win', 'paid'],
    ] as const) {
      till.act(sessionId, deed)
      const wrongly = told(nth, session, saying({ cents: 1 }))
      await expect(wrongly).rejects.toMatchObject({ code: 'card_provider_unavailable' })
      expect(await told(nth, session)).toBe(200)
      expect([await shown(digest), await grant(sessionId)]).toEqual([[status, true], 'taken'])
    }
    expect([errors, await opened.redis.exists(KEYS.strays)]).toEqual([[], 0])
  })

  test('it is not told of any more once its money went back, nor once its checkout is forgotten', async () => {
    const { digest, sessionId } = await slipped()
    till.act(sessionId, 'refund')
    expect(await told(1, { reference: digest, sessionId })).toBe(200)
    expect(await shown(digest)).toEqual(['refunded', false])
    await opened.redis.del(KEYS.checkout(digest))
    expect(await isOpen()).toEqual([false])
  })

  test('of what was sold so long ago that its checkout is forgotten nobody is told', async () => {
    const { digest, sessionId } = await license()
    till.act(sessionId, 'pay')
    await round()
    await opened.redis.del(KEYS.checkout(digest))
    expect(await told(1, { reference: digest, sessionId })).toBe(200)
    expect([await cards.strays(), errors]).toEqual([[], []])
  })

  test('what the version before sold, without a row in the registry, gets it at the next look', async () => {
    const { digest, sessionId } = await slipped()
    await round()
    await opened.redis.del(KEYS.spent(`card:${sessionId}`))
    expect(await cards.strays()).toEqual([])
    await refresh((await cards.find(digest))!, { gapMs: 0 }, how())
    expect(await grant(sessionId)).toBe('taken')
  })

  test('also where the checkout had ended unpaid: slow money that the provider names wrongly once is sold', async () => {
    const { digest, sessionId } = await license()
    await pollCheckouts(saying({ status: 'expired' }), Date.now() + MINUTE)
    expect(await shown(digest)).toEqual(['expired', false])
    till.act(sessionId, 'pay')
    expect(await told(1, { reference: digest, sessionId }, saying({ cents: null }))).toBe(200)
    await round()
    expect([await shown(digest), await cards.strays()]).toEqual([['paid', true], []])
  })

  test('a checkout whose row is broken hides neither itself nor others from the list', async () => {
    const { digest } = await slipped()
    await opened.redis.multi().del(KEYS.checkout(digest)).set(KEYS.checkout(digest), 'wrong').exec()
    expect(await isOpen()).toEqual([true])
  })

  test('as long as it says the same, the worker looks ever less often, for a day', async () => {
    const { digest, createdMs } = await slipped()
    const looks: number[] = []
    for (let minute = 0; minute < 3 * 24 * 60; minute += 2) {
      vi.useFakeTimers({ toFake: ['Date'], now: createdMs + minute * MINUTE })
      await pollCheckouts(
        how({
          truth: async (id) => {
            looks.push(minute)
            return { ...(await provider.truth(id)), cents: null }
          },
        }),
        Date.now(),
      )
    }
    expect(looks.length).toBeGreaterThan(5)
    expect(looks.length).toBeLessThan(15)
    expect(looks[0]).toBeLessThan(10)
    expect(await opened.redis.zscore(KEYS.checkouts, digest)).toBeNull()
    expect(errors).toHaveLength(1)
  })
})
