import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assess } from '../../../../engine/core/boards/assess.ts'
import { assessAgain } from '../../../../engine/core/boards/assessAgain.ts'
import { DEPTH_MAX_AGE_MS } from '../../../../engine/core/boards/depth.ts'
import { NO_PRICING, priceAll } from '../../../../engine/core/boards/pricing.ts'
import { NEAR_RESOLUTION_MS, YOUNG_GAP_MS } from '../../../../engine/core/boards/riskFlags.ts'
import { DEEP, FRESH, NO_BOOKS, NOW_MS, somePair } from './support.ts'

const T = NOW_MS + 10_000
const pairs = [
  somePair({ id: '1' }),
  somePair({ id: '2', marketA: { gameMs: T } }),
  somePair({ id: '3', marketB: { closeMs: T + NEAR_RESOLUTION_MS } }),
  somePair({ id: '4', marketA: { expectedMs: T + NEAR_RESOLUTION_MS } }),
  somePair({ id: '5', b: { bidBps: null, askBps: null } }), //  no net on either way
]
const books = [
  NO_BOOKS,
  ...[NOW_MS, T - DEPTH_MAX_AGE_MS].map((seenMs) => ({
    a: { ...DEEP.a, seenMs },
    b: { ...DEEP.b, seenMs: NOW_MS },
  })),
]

test('what is remembered is what would be worked out now, whatever changes and whenever', () => {
  const look = fc.record({
    nowMs: fc.constantFrom(NOW_MS, T - 1, T, T + 1, T + 1_000, NOW_MS + DEPTH_MAX_AGE_MS + 1),
    book: fc.constantFrom(...books),
    life: fc.constantFrom(
      null,
      { ageMs: YOUNG_GAP_MS - 1, openings: 1 },
      { ageMs: YOUNG_GAP_MS, openings: 2 },
      { ageMs: YOUNG_GAP_MS, openings: 3 },
    ),
    fresh: fc.constantFrom({ a: true, b: true }, { a: true, b: false }),
  })
  fc.assert(
    fc.property(fc.array(look, { minLength: 2, maxLength: 8 }), (looks) => {
      let pricing = NO_PRICING
      for (const { nowMs, book, life, fresh } of looks) {
        pricing = priceAll(pricing, pairs, { nowMs, fresh })
        for (const each of pricing.values())
          expect(assessAgain(each, book, life, { nowMs, fresh })).toEqual(
            assess(each, book, life, { nowMs, fresh }),
          )
      }
    }),
    { numRuns: 300 },
  )
})

test('nothing is worked out twice while nothing changes', () => {
  const [each] = priceAll(NO_PRICING, pairs, FRESH).values()
  const first = assessAgain(each!, books[1]!, null, FRESH)
  expect(assessAgain(each!, books[1]!, null, { ...FRESH, nowMs: NOW_MS + 1_000 })).toBe(first)
})
