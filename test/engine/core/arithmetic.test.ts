import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCrossed, swapSides, type Top } from '../../../engine/core/book.ts'
import { isExecutable } from '../../../engine/core/executable.ts'
import { cheaperVenue, gapCents } from '../../../engine/core/gap.ts'
import { midBps } from '../../../engine/core/mid.ts'
import { netCents } from '../../../engine/core/net.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'

const top = (
  bidBps: number | null,
  askBps: number | null,
  bidSize: number | null = 10,
  askSize: number | null = 10,
): Top => ({ bidBps, askBps, bidSize, askSize })

describe('design 3: the yes price is the mid of best bid and ask, null when a side is missing or the book is crossed', () => {
  test.each<[string, Top, number | null]>([
    ['both sides', top(5_800, 6_000), 5_900],
    ['halves occur', top(5_801, 5_802), 5_801.5],
    ['0 is a price, not an absence', top(0, 100), 50],
    ['1.00 is a price', top(9_900, 10_000), 9_950],
    ['no bid', top(null, 100), null],
    ['no ask', top(100, null), null],
    ['VEN-06 bid above ask', top(6_001, 6_000), null],
    ['VEN-06 bid equal to ask', top(6_000, 6_000), null],
    ['VEN-06 nothing offered at the ask', top(5_800, 6_000, 10, 0), null],
    ['size not stated is no absence', top(5_800, 6_000, null, null), 5_900],
    ['VEN-05 below zero', top(-1, 100), null],
    ['VEN-05 above a dollar', top(9_000, 10_001), null],
    ['VEN-05 not a whole number of bps', top(0.5, 100), null],
    ['VEN-05 no number', top(Number.NaN, 100), null],
  ])('%s', (_, book, mid) => {
    expect(midBps(book)).toBe(mid)
  })
})

describe('spec 4.1 rule 2: gapCents is the distance of the mids, two decimals, rounded once', () => {
  test.each([
    [5_800, 5_100, 7], //      INP-15: 0.58 − 0.51 is 7 and not 6.999…
    [5_100, 5_800, 7],
    [5_000, 5_000, 0],
    [5_000.5, 5_000, 0.01], // half a basis point rounds away from zero
    [1_000, 1, 9.99],
    [0, 10_000, 100],
    [999.5, 0, 10], //         9.995 becomes 10
  ])('%d and %d: %d', (midA, midB, cents) => {
    expect(gapCents(midA, midB)).toBe(cents)
  })

  test('null when a venue has no mid', () => {
    expect(gapCents(null, 5_000)).toBeNull()
    expect(gapCents(5_000, null)).toBeNull()
  })

  test.each([
    [4_000, 4_001, 'a'],
    [4_001, 4_000, 'b'],
    [4_000, 4_000, null],
    [null, 4_000, null],
  ])('cheaper of %s and %s: %s', (midA, midB, venue) => {
    expect(cheaperVenue(midA, midB)).toBe(venue)
  })
})

describe('design 3: netCents is the better direction of selling the bid and buying the ask', () => {
  test.each<[string, Top, Top, number | null]>([
    ['B is dearer', top(4_000, 4_100), top(4_500, 4_600), 4],
    ['A is dearer', top(4_500, 4_600), top(4_000, 4_100), 4],
    ['negative is shown', top(4_000, 4_200), top(4_100, 4_300), -1],
    ['exactly nothing', top(4_000, 4_200), top(4_200, 4_300), 0],
    ['0.58 − 0.51', top(5_000, 5_100), top(5_800, 5_900), 7],
    ['one direction has both its sides', top(null, 4_100), top(4_500, null), 4],
    ['no direction has both its sides', top(4_000, null), top(4_500, null), null],
    ['a crossed book is no edge', top(4_600, 4_100), top(5_000, 5_100), null],
    ['an empty ask is no edge', top(4_000, 4_100, 10, 0), top(4_500, null), null],
  ])('%s', (_, a, b, cents) => {
    expect(netCents(a, b)).toBe(cents)
  })

  const price = fc.integer({ min: 0, max: 10_000 })
  const book = fc.record({
    bidBps: fc.option(price),
    askBps: fc.option(price),
    bidSize: fc.option(fc.integer({ min: 0, max: 5 })),
    askSize: fc.option(fc.integer({ min: 0, max: 5 })),
  })

  test('a sound pair never nets more than its mids are apart', () => {
    fc.assert(
      fc.property(book, book, (a, b) => {
        const [net, gap] = [netCents(a, b), gapCents(midBps(a), midBps(b))]
        if (net !== null && gap !== null) expect(net).toBeLessThanOrEqual(gap)
      }),
    )
  })

  test('VEN-06 a crossed book on either side never nets', () => {
    fc.assert(
      fc.property(book, book, (a, b) => {
        if (isCrossed(a) || isCrossed(b)) expect(netCents(a, b)).toBeNull()
      }),
    )
  })

  test('swapping the sides of both books changes neither gap nor net, twice is nothing', () => {
    fc.assert(
      fc.property(book, book, (a, b) => {
        expect(netCents(swapSides(a), swapSides(b))).toBe(netCents(a, b))
        expect(gapCents(midBps(swapSides(a)), midBps(swapSides(b)))).toBe(gapCents(midBps(a), midBps(b)))
        expect(swapSides(swapSides(a))).toEqual(a)
      }),
    )
  })
})

describe('spec 4.1 rule 4 and VEN-10: executable within 48 hours, the limit included', () => {
  const pair = { a: top(4_000, 4_100), b: top(4_500, 4_600), closesApartMs: 0, fresh: { a: true, b: true } }
  test.each([
    ['47:59', 47 * HOUR + 59 * MINUTE, true],
    ['48:00', 48 * HOUR, true],
    ['48:00 and a millisecond', 48 * HOUR + 1, false],
    ['48:01', 48 * HOUR + MINUTE, false],
  ])('closes %s apart: %s', (_, closesApartMs, executable) => {
    expect(isExecutable({ ...pair, closesApartMs })).toBe(executable)
  })

  test.each<[string, Partial<Parameters<typeof isExecutable>[0]>]>([
    ['a closing time is not known', { closesApartMs: null }],
    ['A is old (VEN-09)', { fresh: { a: false, b: true } }],
    ['B is old (VEN-09)', { fresh: { a: true, b: false } }],
    ['A is one-sided', { a: top(4_000, null) }],
    ['B is crossed', { b: top(4_600, 4_600) }],
    ['B has nothing at its bid', { b: top(4_500, 4_600, 0, 10) }],
  ])('not when %s', (_, change) => {
    expect(isExecutable({ ...pair, ...change })).toBe(false)
  })
})
