import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openCheckout } from '../../../api/checkout/open.ts'
import { pollCheckouts } from '../../../api/checkout/poll.ts'
import type { CardProvider, CardTruth } from '../../../api/checkout/provider.ts'
import { webhook } from '../../../api/checkout/webhook.ts'
import { isProblem } from '../../../api/errors.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
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
})
afterAll(() => world?.close())

const log = { ...quietLog, error: (...said: unknown[]) => void errors.push(said) }
const how = (change: Partial<CardProvider> = {}) => ({
  cards,
  answers,
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
