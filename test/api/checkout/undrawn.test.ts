import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openCheckout } from '../../../api/checkout/open.ts'
import { type RefreshPorts, refresh } from '../../../api/checkout/refresh.ts'
import { awaitsPayload, isUndrawn } from '../../../api/checkout/show.ts'
import { isProblem } from '../../../api/errors.ts'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { cardKey } from '../../../api/ledger/cards.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createOpenClaimsWatch } from '../../../api/worker/openClaims.ts'
import { realClock } from '../../../ops/clock.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { MINUTE } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { MAX_AGE } from '../goods/support.ts'
import { answers, BUYER, boards, openTill, type Till } from './till.ts'

let world: Till
let { opened, cards, till, provider } = {} as Till
beforeAll(async () => {
  world = await openTill()
  ;({ opened, cards, till, provider } = world)
})
beforeEach(() => opened.redis.flushall())
afterEach(() => void vi.useRealTimers())
afterAll(() => world?.close())

describe('I4 a card that has paid before its answer could be drawn', () => {
  /** Opens a checkout over fresh boards, pays it, and looks at it `laterMs` later, over the boards `paidOver`. */
  async function paidAfter(laterMs: number, paidOver: GoodPorts | null) {
    const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer', payload: { q: 'fed' } }
    const ports = { cards, provider, answers, clock: realClock }
    const begun = await openCheckout(order, BUYER, { ...ports, goods: boards(7) })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId, createdMs } = begun.checkout
    till.act(sessionId, 'pay')
    vi.useFakeTimers({ toFake: ['Date'], now: createdMs + laterMs })
    const looked = async (goods: GoodPorts | null) => {
      const how: RefreshPorts = { cards, provider, answers, clock: realClock, log: quietLog, goods }
      const after = await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      if (isProblem(after)) throw new Error(after.problem)
      const claim = await opened.ledger.find(cardKey(digest))
      const gapCents = claim && JSON.parse(claim.draft).result.inquiry.spread.gapCents
      return [after.status, after.claimed, gapCents]
    }
    return { digest, looked, first: await looked(paidOver) }
  }
  test('unpaid at its end its draft is gone: the ledger keeps little of who never pays, and it is drawn if money comes', async () => {
    const order = { sku: 'SKU_INQUIRY_01', buyerId: 'buyer' }
    const begun = await openCheckout(order, BUYER, {
      cards,
      provider,
      answers,
      clock: realClock,
      goods: boards(7),
    })
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId } = begun.checkout
    till.act(sessionId, 'expire')
    const looked = async (change: Partial<RefreshPorts>) => {
      const how: RefreshPorts = {
        cards,
        provider,
        answers,
        clock: realClock,
        log: quietLog,
        goods: boards(9),
        ...change,
      }
      await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      return (await cards.find(digest))!
    }
    const ended = await looked({})
    expect([ended.status, ended.draft, ended.input]).toEqual(['expired', null, '{}'])
    const truth = async () =>
      ({ ...(await provider.truth(sessionId)), status: 'paid', paymentId: 'pi' }) as const
    const paid = await looked({ provider: { ...provider, truth }, goods: null })
    expect([paid.status, paid.claimed, isUndrawn(paid), awaitsPayload(paid)]).toEqual([
      'paid',
      false,
      true,
      false,
    ])
    expect(await opened.redis.zcard(KEYS.undrawn)).toBe(1)
    expect((await looked({ provider: { ...provider, truth } })).claimed).toBe(true)
  })

  test('unpaid at its end, and not to be drawn again: its draft stays, and is the answer if money comes', async () => {
    const ports = { cards, provider, answers, clock: realClock, goods: boards(7) }
    const begun = await openCheckout({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }, BUYER, ports)
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId } = begun.checkout
    const looked = async (status: 'expired' | 'paid') => {
      const truth = async () => ({ ...(await provider.truth(sessionId)), status, paymentId: 'pi' })
      const how = {
        cards,
        provider: { ...provider, truth },
        answers,
        clock: realClock,
        log: quietLog,
        goods: null,
      }
      await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      return (await cards.find(digest))!
    }
    expect(await looked('expired')).toMatchObject({
      status: 'expired',
      input: null,
      draft: expect.any(String),
    })
    expect(await looked('paid')).toMatchObject({ status: 'paid', claimed: true })
  })

  test.each([
    ['until it is drawn', 'drawn'],
    ['until the money goes back', 'refunded'],
  ] as const)('I4 how long it waits is told to the operator %s', async (_, end) => {
    const { digest, looked } = await paidAfter(MAX_AGE + 1, null)
    const metrics = createMetrics('test')
    const watch = createOpenClaimsWatch({ ledger: opened.ledger, cards, metrics })
    const told = async () => {
      await watch((await opened.ledger.nowMs()) + 2 * 60 * MINUTE)
      const { values } = await metrics.registry.getSingleMetric('unanswered_oldest_seconds')!.get()
      return Math.floor((values[0]?.value ?? 0) / 3_600)
    }
    expect(await told()).toBe(2)
    const sinceMs = (await cards.undrawnSinceMs())! - MINUTE
    await opened.redis.zadd(KEYS.undrawn, 'XX', sinceMs, digest)
    await looked(null) //  another look does not restart the time
    expect(await cards.undrawnSinceMs()).toBe(sinceMs)
    expect(await opened.redis.zcard(KEYS.undrawn)).toBe(1)
    const { sessionId } = (await cards.find(digest))!
    if (end === 'refunded') till.act(sessionId, 'refund')
    await looked(end === 'drawn' ? boards(9) : null)
    await opened.redis.del(KEYS.claims.undelivered)
    expect(await told()).toBe(0)
  })
})

describe('DATA-04 the journal tells one change of a sale from the next', () => {
  test('back, here again after a dispute, and back once more: each an entry of its own name', async () => {
    const ports = { cards, provider, answers, clock: realClock, goods: boards(7) }
    const begun = await openCheckout({ sku: 'SKU_TOR_MCP_PRO', buyerId: 'buyer' }, BUYER, ports)
    if (isProblem(begun)) throw new Error(begun.problem)
    const { digest, sessionId } = begun.checkout
    till.act(sessionId, 'pay')
    for (const status of ['paid', 'refunded', 'paid', 'refunded'] as const) {
      const truth = async () => ({ ...(await provider.truth(sessionId)), status })
      const how = {
        cards,
        provider: { ...provider, truth },
        answers,
        clock: realClock,
        log: quietLog,
        goods: null,
      }
      await refresh((await cards.find(digest))!, { gapMs: 0 }, how)
      await opened.redis.hset(KEYS.claim(cardKey(digest)), 'body', '{}')
    }
    const entries = await opened.redis.xrange(KEYS.sales, '-', '+')
    const told = entries.map(([, [, text]]) => JSON.parse(text!))
    expect(told.map(({ purchasePath }) => purchasePath)).toEqual(['reversed', 'restored', 'reversed'])
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(3)
  })
})
