import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NETS_MAX, NetsBoard } from '../../../../engine/contract/nets.ts'
import { bestDirection } from '../../../../engine/core/boards/direction.ts'
import { bestNets } from '../../../../engine/core/boards/nets.ts'
import { NO_MEMORY } from '../../../../engine/core/boards/pairMemory.ts'
import { isNet, price } from '../../../../engine/core/boards/priced.ts'
import { swapSides, type Top } from '../../../../engine/core/book.ts'
import { gapOf, gapRow } from '../../../../engine/core/gapRow.ts'
import { netCents } from '../../../../engine/core/net.ts'
import { HOUR, MINUTE } from '../../../../ops/units.ts'
import { pairBoards } from './atOnce.ts'
import { FRESH, NOW_MS, rowOf, somePair } from './support.ts'

const net = (...args: Parameters<typeof somePair>) => rowOf(price(somePair(...args), FRESH))
const side = fc.option(fc.integer({ min: 0, max: 10_000 }))
const size = fc.option(fc.constantFrom(0, 0.5, 100))
const top: fc.Arbitrary<Top> = fc.record({ bidBps: side, askBps: side, bidSize: size, askSize: size })

describe('design 3: net is the better direction of bid minus ask, negative shown', () => {
  test.each([
    //  A bid, ask, B bid, ask → cents, bought at
    [4_000, 4_100, 4_500, 4_600, 4, 'a'],
    [4_500, 4_600, 4_000, 4_100, 4, 'b'],
    [4_000, 4_200, 4_100, 4_300, -1, 'a'], //   costs a cent, and says so
    [4_000, 4_100, 4_000, 4_100, -1, 'a'], //   both directions equal
    [5_100, 5_150, 5_800, 5_900, 6.5, 'a'],
    [5_000, 5_100, 5_800, 5_850, 7, 'a'], //    0.58 − 0.51 (INP-15)
    [4_000, 4_099, 4_100, 4_200, 0.01, 'a'], // a tick of 0.0001
  ])('A %d/%d, B %d/%d: %d cents, bought at %s', (bidA, askA, bidB, askB, cents, venue) => {
    const row = net({ a: { bidBps: bidA, askBps: askA }, b: { bidBps: bidB, askBps: askB } })!
    expect([row.netCents, row.buyVenue]).toEqual([cents, venue])
    expect(row.sellVenue).toBe(venue === 'a' ? 'b' : 'a')
    expect(row.netCents).toBeCloseTo((row.sellBps - row.buyBps) / 100, 9)
  })

  test.each([
    ['A has no ask', { a: { askBps: null } }, { buyVenue: 'b', netCents: -6, gapCents: null }],
    ['B has no bid', { b: { bidBps: null } }, { buyVenue: 'b', netCents: -6, gapCents: null }],
    [
      'nothing stands at the ask of A',
      { a: { askSize: 0 } },
      { buyVenue: 'b', netCents: -6, gapCents: null },
    ],
    ['a size that is not stated is no size of 0', { a: { askSize: null } }, { buyVenue: 'a', netCents: 4 }],
    [
      'one-sided, and only the good direction is left',
      { a: { bidBps: null } },
      { buyVenue: 'a', netCents: 4 },
    ],
  ])('%s', (_what, change, expected) => {
    expect(net(change)).toMatchObject(expected)
  })

  test.each([
    ['A crossed', { a: { bidBps: 4_200 } }],
    ['A locked', { a: { bidBps: 4_100 } }],
    ['B crossed', { b: { askBps: 4_400 } }],
    ['A bids only, B bids only', { a: { askBps: null }, b: { askBps: null } }],
    ['no prices at all', { a: { bidBps: null, askBps: null } }],
    ['a price out of bounds', { a: { askBps: 10_001, bidBps: null } }], // VEN-05
    ['B closed this instant', { marketB: { closeMs: NOW_MS } }], //        VEN-11
  ])('no row: %s (VEN-06)', (_what, change) => {
    expect(net(change)).toBeNull()
  })

  test('nothing is executable on a closed market (VEN-11)', () => {
    const shut = somePair({ marketA: { closeMs: NOW_MS }, marketB: { closeMs: NOW_MS } })
    expect(price(shut, FRESH)).toMatchObject({
      trading: false,
      executable: false,
    })
  })

  test('an end date of A that has passed is no closing', () => {
    expect(net({ marketA: { closeMs: NOW_MS - 1 } })).not.toBeNull()
  })

  test('inverted: B’s sides are swapped for the figures, and B’s leg shows its own prices', () => {
    //  B asks the opposite: its yes at 0.54/0.55 is our yes at 0.45/0.46
    const row = net({ verdict: 'inverted', b: { bidBps: 5_400, askBps: 5_500, bidSize: 7, askSize: 9 } })!
    expect(row).toMatchObject({
      netCents: 4,
      gapCents: 5,
      buyVenue: 'a',
      buyBps: 4_100,
      sellBps: 4_500,
      cheaperVenue: 'a',
    })
    expect(row.b).toMatchObject({ bidBps: 5_400, askBps: 5_500, bidSize: 7, askSize: 9, midBps: 5_450 })
  })

  test.each([
    //  verdict, A bid and ask → bought and sold: venue, contract, its own price there
    ['identity', 4_000, 4_100, ['a', 'yes', 4_100], ['b', 'yes', 4_500]],
    ['identity', 5_000, 5_100, ['b', 'yes', 4_600], ['a', 'yes', 5_000]],
    ['inverted', 4_000, 4_100, ['a', 'yes', 4_100], ['b', 'no', 4_500]], // B's no is sold at 1 − 0.55
    ['inverted', 5_000, 5_100, ['b', 'no', 4_600], ['a', 'yes', 5_000]], // B's no is bought at 1 − 0.54
  ] as const)(
    '%s, A at %d/%d: the contract that is bought and the one that is sold',
    (verdict, bidBps, askBps, buy, sell) => {
      const b = verdict === 'inverted' ? { bidBps: 5_400, askBps: 5_500 } : { bidBps: 4_500, askBps: 4_600 }
      const row = net({ verdict, a: { bidBps, askBps }, b })!
      expect([row.buyVenue, row.buySide, row.buyBps]).toEqual(buy)
      expect([row.sellVenue, row.sellSide, row.sellBps]).toEqual(sell)
    },
  )

  test('in the buyer’s own terms: at each venue the contract that is named has that price in its own book', () => {
    fc.assert(
      fc.property(top, top, fc.constantFrom('identity', 'inverted'), (a, b, verdict) => {
        const row = net({ verdict, a, b })
        if (row === null) return
        const own = { a, b }
        const buying = row.buySide === 'yes' ? own[row.buyVenue] : swapSides(own[row.buyVenue])
        const selling = row.sellSide === 'yes' ? own[row.sellVenue] : swapSides(own[row.sellVenue])
        expect([row.buyBps, row.sellBps]).toEqual([buying.askBps, selling.bidBps])
      }),
    )
  })

  test('the same figure as everywhere else (core/net.ts), whatever the books', () => {
    fc.assert(
      fc.property(top, top, (a, b) => {
        const best = bestDirection(a, b)
        expect(best === null ? null : best.netBps / 100).toBe(netCents(a, b))
      }),
    )
  })

  test('turning B’s question round changes nothing', () => {
    fc.assert(
      fc.property(top, top, (a, b) => {
        const same = net({ a, b })
        const turned = net({ a, b: swapSides(b), verdict: 'inverted' })
        expect(turned === null).toBe(same === null)
        if (same === null || turned === null) return
        const { a: _a, b: _b, verdict: _v, buySide: _buy, sellSide: _sell, ...figures } = same
        expect(turned).toMatchObject(figures)
      }),
    )
  })

  test('legs are those of board gaps', () => {
    const { pairId, a, b } = somePair({
      marketA: { title: 'Fed\u200b cut' },
      marketB: { title: 'Cut?', eventTitle: 'Fed in June' },
    })
    const pair = { pairId, a: 'A1', b: 'KXB-1', verdict: 'identity', reasons: ['same_words'] } as const
    const gap = gapRow(gapOf({ ...pair, reasons: [...pair.reasons] }, a, b, FRESH.fresh)!)
    const row = rowOf(price({ ...somePair(), a, b }, FRESH))!
    expect(row.a).toEqual(gap.a)
    expect(row.b).toEqual(gap.b)
    expect([row.netCents, row.gapCents, row.executable]).toEqual([gap.netCents, gap.gapCents, gap.executable])
  })
})

describe('spec 4.1 rule 4: executable within 48 hours', () => {
  const close = NOW_MS + 240 * HOUR
  test.each([
    [47 * HOUR + 59 * MINUTE, true],
    [48 * HOUR, true], //  the limit itself
    [48 * HOUR + 1, false],
    [48 * HOUR + MINUTE, false],
    [-48 * HOUR, true],
    [-48 * HOUR - 1, false],
  ])('closes %d ms apart: %s (VEN-10)', (apart, executable) => {
    expect(net({ marketA: { closeMs: close }, marketB: { closeMs: close + apart } })).toMatchObject({
      executable,
      closesApartMs: Math.abs(apart),
    })
  })

  test.each([
    ['A does not say when it closes', { marketA: { closeMs: null } }, FRESH.fresh],
    ['A one-sided', { a: { bidBps: null } }, FRESH.fresh],
    ['A stale', {}, { a: false, b: true }],
    ['B stale (VEN-09)', {}, { a: true, b: false }],
  ])('not executable, but shown: %s', (_what, change, fresh) => {
    expect(rowOf(price(somePair(change), { nowMs: NOW_MS, fresh }))).toMatchObject({
      executable: false,
      netCents: 4,
    })
  })
})

describe('board nets', () => {
  const all = [3, 1, 2].map((id) =>
    price(somePair({ id: String(id), b: { bidBps: 4_100 + (id % 2) * 100 } }), FRESH),
  )

  test('largest net first, equal ones by pair; a contract', () => {
    const nets = bestNets()
    for (const each of all) if (isNet(each)) nets.add(each)
    const board = { rows: [...nets.sort()] }
    expect(board.rows.map(({ pairId }) => pairId)).toEqual(['a:A1|b:KXB-1', 'a:A3|b:KXB-3', 'a:A2|b:KXB-2'])
    expect(() => NetsBoard.parse(board)).not.toThrow()
  })

  test('bounded: the smallest are cut', () => {
    const pairs = Array.from({ length: NETS_MAX + 2 }, (_, at) =>
      somePair({ id: `${at}`, b: { bidBps: at < NETS_MAX ? 4_500 : 4_200, askBps: 4_600 } }),
    )
    const { nets } = pairBoards(pairs, () => null, NO_MEMORY, FRESH)
    expect([...nets]).toHaveLength(NETS_MAX)
    expect([...nets].every(({ netCents }) => netCents === 4)).toBe(true)
  })
})
