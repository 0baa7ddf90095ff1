import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_PRICING, priceAll } from '../../../../engine/core/boards/pricing.ts'
import { FRESH, NOW_MS, somePair } from './support.ts'

describe('what did not change keeps its row', () => {
  const pair = somePair({ marketB: { closeMs: NOW_MS + 1_000 } })
  const before = priceAll(NO_PRICING, [pair], FRESH)
  const kept = before.get(pair.pairId)

  test('the same objects, also of a new pair object, as long as the instant changes nothing', () => {
    expect(priceAll(before, [{ ...pair }], { ...FRESH, nowMs: NOW_MS + 999 }).get(pair.pairId)).toBe(kept)
  })

  test.each([
    ['a quote of A', { ...pair, a: { ...pair.a, quote: { ...pair.a.quote } } }, FRESH],
    ['a quote of B', { ...pair, b: { ...pair.b, quote: { ...pair.b.quote } } }, FRESH],
    ['a text of A', { ...pair, a: { ...pair.a, market: { ...pair.a.market } } }, FRESH],
    ['a text of B', { ...pair, b: { ...pair.b, market: { ...pair.b.market } } }, FRESH],
    ['the verdict', { ...pair, verdict: 'inverted' as const }, FRESH],
    ['the reasons', { ...pair, reasons: [] }, FRESH],
    ['the topic', { ...pair, topic: 'other' }, FRESH],
    ['the category', { ...pair, category: null }, FRESH],
    ['A turns stale', pair, { ...FRESH, fresh: { a: false, b: true } }],
    ['B turns stale', pair, { ...FRESH, fresh: { a: true, b: false } }],
    ['B closes', pair, { ...FRESH, nowMs: NOW_MS + 1_000 }],
  ])('computed anew: %s', (_what, changed, at) => {
    const after = priceAll(before, [changed], at)
    expect(after.get(pair.pairId)).not.toBe(kept)
    expect(after).toEqual(priceAll(NO_PRICING, [changed], at))
  })

  test('pairs that are gone are forgotten', () => {
    expect(priceAll(before, [], FRESH).size).toBe(0)
  })

  test('a history of changes ends where a fresh look ends', () => {
    const bps = fc.option(fc.integer({ min: 0, max: 10_000 }))
    const world = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.tuple(bps, bps), { maxKeys: 3 })
    fc.assert(
      fc.property(fc.array(fc.tuple(world, fc.boolean()), { maxLength: 8 }), (looks) => {
        let pricing = NO_PRICING
        for (const [pairs, isFresh] of looks) {
          const at = { ...FRESH, fresh: { a: isFresh, b: true } }
          const live = Object.entries(pairs).map(([id, [bidBps, askBps]]) =>
            somePair({ id, b: { bidBps, askBps } }),
          )
          pricing = priceAll(pricing, live, at)
          expect(pricing).toEqual(priceAll(NO_PRICING, live, at))
        }
      }),
      { numRuns: 50 },
    )
  })
})
