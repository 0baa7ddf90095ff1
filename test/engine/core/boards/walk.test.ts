import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderFee } from '../../../../engine/core/boards/fees.ts'
import { FEE_TABLES } from '../../../../engine/core/boards/feeTable.ts'
import { sizedEdge } from '../../../../engine/core/boards/sizedEdge.ts'
import { swapBook, walk } from '../../../../engine/core/boards/walk.ts'
import type { Book } from '../../../../ingest/contract/quote.ts'
import { feesA, feesB } from './support.ts'

const TABLE = FEE_TABLES.at(-1)!
type Levels = Book['asks']

/** Levels of one side, best first, sizes in hundredths of a contract. */
const levels = (descending: boolean): fc.Arbitrary<Levels> =>
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 5_000_000 })), {
      selector: ([bps]) => bps,
      maxLength: 12,
    })
    .map((list) =>
      list
        .sort(([x], [y]) => (descending ? y - x : x - y))
        .map(([bps, hundredths]) => [bps, hundredths / 100] as [number, number]),
    )
const books = fc.record({ asks: levels(false), bids: levels(true) })
const budgets = fc.integer({ min: 1, max: 1_000_000_000 })

describe('walking both books for a budget on the buying side', () => {
  test.each([
    [
      'one level is enough',
      10,
      [[4_000, 100]],
      [[4_500, 100]],
      { hundredths: 2_500, costMicro: 10e6, filled: true },
    ],
    [
      'the budget ends inside the second level',
      10,
      [
        [4_000, 10],
        [5_000, 100],
      ],
      [[4_500, 100]],
      { hundredths: 2_200, costMicro: 10e6, filled: true },
    ],
    [
      'the asks end first',
      10,
      [[4_000, 10]],
      [[4_500, 100]],
      { hundredths: 1_000, costMicro: 4e6, filled: false },
    ],
    [
      'the bids end first',
      10,
      [[4_000, 100]],
      [[4_500, 3]],
      { hundredths: 300, costMicro: 1.2e6, filled: false },
    ],
    ['both end with the budget', 10, [[4_000, 25]], [[4_500, 25]], { hundredths: 2_500, filled: true }],
    [
      'what is left buys no hundredth of a contract',
      10,
      [[3_000, 1e4]],
      [[4_500, 1e4]],
      { hundredths: 3_333, costMicro: 9.999e6, filled: true },
    ],
    ['no asks', 10, [], [[4_500, 100]], { hundredths: 0, costMicro: 0, filled: false }],
    ['no bids', 10, [[4_000, 100]], [], { hundredths: 0, costMicro: 0, filled: false }],
    [
      'dust below a hundredth is passed over',
      10,
      [
        [3_900, 0.009],
        [4_000, 100],
      ],
      [[4_500, 100]],
      { hundredths: 2_500, costMicro: 10e6, filled: true },
    ],
    [
      'what a level has beyond a whole hundredth is not traded',
      10,
      [[4_000, 4.359]],
      [[4_500, 100]],
      { hundredths: 435, costMicro: 1.74e6, filled: false },
    ],
    [
      '4.35 contracts are 435 hundredths',
      10,
      [[4_000, 4.35]],
      [[4_500, 100]],
      { hundredths: 435, filled: false },
    ],
    [
      'a loss is walked too',
      10,
      [[5_000, 100]],
      [[4_500, 100]],
      { costMicro: 10e6, proceedsMicro: 9e6, filled: true },
    ],
    [
      'an ask of 0 costs nothing',
      10,
      [[0, 100]],
      [[100, 40]],
      { costMicro: 0, proceedsMicro: 0.4e6, filled: false },
    ],
  ] as [string, number, Levels, Levels, object][])('%s', (_what, usd, asks, bids, expected) => {
    expect(walk(asks, bids, usd * 1e6)).toMatchObject(expected)
  })

  test('inverted: B’s book is swapped, best level first on both sides', () => {
    expect(
      swapBook({
        bids: [
          [5_400, 7],
          [5_300, 8],
        ],
        asks: [[5_500, 9]],
      }),
    ).toEqual({
      bids: [[4_500, 9]],
      asks: [
        [4_600, 7],
        [4_700, 8],
      ],
    })
    fc.assert(
      fc.property(books, (book) => {
        expect(swapBook(swapBook(book))).toEqual(book)
      }),
    )
  })

  test('never takes more than a level has, keeps their order, buys as much as it sells, stays in the budget', () => {
    fc.assert(
      fc.property(books, budgets, ({ asks, bids }, budget) => {
        const { buys, sells, hundredths, costMicro, proceedsMicro } = walk(asks, bids, budget)
        for (const [fills, side] of [
          [buys, asks],
          [sells, bids],
        ] as const) {
          expect(fills.map(({ bps }) => bps)).toEqual(side.slice(0, fills.length).map(([bps]) => bps))
          fills.forEach((fill, at) => {
            const offered = Math.round(side[at]![1] * 100)
            expect(fill.hundredths).toBeGreaterThan(0)
            expect(fill.hundredths).toBeLessThanOrEqual(offered)
            //  a level is left only when it is used up
            if (at < fills.length - 1) expect(fill.hundredths).toBe(offered)
          })
          expect(fills.reduce((sum, fill) => sum + fill.hundredths, 0)).toBe(hundredths)
        }
        expect(buys.reduce((sum, { bps, hundredths: taken }) => sum + bps * taken, 0)).toBe(costMicro)
        expect(sells.reduce((sum, { bps, hundredths: taken }) => sum + bps * taken, 0)).toBe(proceedsMicro)
        expect(costMicro).toBeLessThanOrEqual(budget)
      }),
    )
  })

  test('filled exactly when the budget, not the depth, was the limit', () => {
    fc.assert(
      fc.property(books, budgets, ({ asks, bids }, budget) => {
        const { filled, hundredths, costMicro } = walk(asks, bids, budget)
        const depth = (side: Levels) => side.reduce((sum, [, size]) => sum + Math.round(size * 100), 0)
        const deepest = Math.min(depth(asks), depth(bids))
        if (!filled) expect(hundredths).toBe(deepest)
        else if (hundredths < deepest) {
          //  the next hundredth is at the price where the walk stopped
          let reached = 0
          const next = asks.find(([, size]) => {
            reached += Math.round(size * 100)
            return reached > hundredths
          })!
          expect(costMicro + next[0]).toBeGreaterThan(budget)
        }
      }),
    )
  })

  test('the largest depth a contract allows stays a safe integer', () => {
    const asks = Array.from({ length: 200 }, (_, at): [number, number] => [at, 1e12])
    const bids = Array.from({ length: 200 }, (_, at): [number, number] => [10_000 - at, 1e12])
    const { costMicro, proceedsMicro, hundredths } = walk(asks, bids, 1e9)
    expect([costMicro, proceedsMicro, hundredths].every(Number.isSafeInteger)).toBe(true)
  })
})

describe('the edge at a size', () => {
  const [buyFees, sellFees] = [feesA(0.05), feesB()]
  const at = (usd: number, { asks, bids }: { asks: Levels; bids: Levels }) =>
    sizedEdge(
      usd,
      { book: { asks, bids: [] }, fees: buyFees },
      { book: { asks: [], bids }, fees: sellFees },
      TABLE,
    )

  test('a worked example', () => {
    //  10 at 0.40 and 12 at 0.50 bought for 10.00; 22 sold at 0.55 for 12.10
    //  A: 10 × 0.05 × 0.24 = 0.12, 12 × 0.05 × 0.25 = 0.15; B: 22 × 0.07 × 0.2475 = 0.38115 → 0.39
    expect(
      at(10, {
        asks: [
          [4_000, 10],
          [5_000, 100],
        ],
        bids: [[5_500, 1_000]],
      }),
    ).toEqual({
      usd: 10,
      filled: true,
      contracts: 22,
      averageBuyBps: 4_545.45,
      averageSellBps: 5_500,
      feesUsd: 0.66,
      profitUsd: 1.44,
      edgeCents: 6.55,
    })
  })

  test('without depth on one side there is nothing to divide by', () => {
    expect(at(10, { asks: [], bids: [[5_500, 10]] })).toEqual({
      usd: 10,
      filled: false,
      contracts: 0,
      averageBuyBps: null,
      averageSellBps: null,
      feesUsd: 0,
      profitUsd: 0,
      edgeCents: null,
    })
  })

  test('profit is what its parts say, fees are never negative', () => {
    fc.assert(
      fc.property(books, fc.constantFrom(10, 100, 1_000), (book, usd) => {
        const edge = at(usd, book)
        const { buys, sells } = walk(book.asks, book.bids, usd * 1e6)
        //  computed in another way: from the fills, level by level
        const gross =
          sells.reduce((sum, { bps, hundredths }) => sum + BigInt(bps * hundredths), 0n) -
          buys.reduce((sum, { bps, hundredths }) => sum + BigInt(bps * hundredths), 0n)
        const fees = orderFee(buyFees, buys, TABLE) + orderFee(sellFees, sells, TABLE)
        expect(edge.feesUsd).toBeGreaterThanOrEqual(0)
        expect(Math.round(edge.profitUsd * 1e6)).toBe(Number(gross) - fees * 10)
        expect(Math.abs(edge.profitUsd)).toBeLessThan(1e9)
        if (edge.edgeCents !== null)
          expect(edge.edgeCents).toBeCloseTo((edge.profitUsd / edge.contracts) * 100, 1)
      }),
    )
  })

  test('a larger size buys at least as much, and each contract of it is worth no more', () => {
    fc.assert(
      fc.property(books, budgets, budgets, ({ asks, bids }, one, other) => {
        const [small, large] = [
          walk(asks, bids, Math.min(one, other)),
          walk(asks, bids, Math.max(one, other)),
        ]
        expect(large.hundredths).toBeGreaterThanOrEqual(small.hundredths)
        if (small.hundredths === 0) return
        //  gross per contract, compared exactly by cross-multiplication
        const gross = ({ proceedsMicro, costMicro }: typeof small) => BigInt(proceedsMicro - costMicro)
        expect(gross(large) * BigInt(small.hundredths) <= gross(small) * BigInt(large.hundredths)).toBe(true)
      }),
    )
  })

  test('after fees too, but for what rounding up to the cent costs the smaller order', () => {
    fc.assert(
      fc.property(books, (book) => {
        const [ten, hundred, thousand] = [10, 100, 1_000].map((usd) => at(usd, book))
        for (const [small, large] of [
          [ten!, hundred!],
          [hundred!, thousand!],
        ] as const) {
          if (small.edgeCents === null || large.edgeCents === null) continue
          //  one cent an order (B), half a step a fill (A), and both figures rounded to two decimals
          const slack = (1 + 12 * 0.001) / small.contracts + 0.011
          expect(large.edgeCents).toBeLessThanOrEqual(small.edgeCents + slack)
        }
      }),
    )
  })
})
