import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EDGES_MAX, EdgeRow, EdgesBoard } from '../../../../engine/contract/edges.ts'
import type { Assessed } from '../../../../engine/core/boards/assess.ts'
import { DEPTH_MAX_AGE_MS } from '../../../../engine/core/boards/depth.ts'
import { bestEdges, createEdgeRows, edgeRow } from '../../../../engine/core/boards/edges.ts'
import { lockUp } from '../../../../engine/core/boards/lockUp.ts'
import { swapBook } from '../../../../engine/core/boards/walk.ts'
import { swapSides } from '../../../../engine/core/book.ts'
import { DAY, HOUR } from '../../../../ops/units.ts'
import { assessed, DEEP, FRESH, feesA, feesB, NO_BOOKS, NOW_MS, someBook, someEdge } from './support.ts'

const edge = someEdge
const charged = { marketA: { fees: feesA(0.05) }, marketB: { fees: feesB() } }

describe('design 3: edge is net minus the taker fees of both legs', () => {
  test('bought at 0.41 on A, sold at 0.45 on B', () => {
    //  A 0.05 × 0.41 × 0.59 = 1.2095 c, B 0.07 × 0.45 × 0.55 = 1.7325 c
    expect(edge(charged)).toMatchObject({
      netCents: 4,
      feeCents: { a: 1.2095, b: 1.7325 },
      edgeCents: 1.06,
      buyVenue: 'a',
      feeTableVersion: '2026-07-10',
      feesGuessed: false,
    })
  })

  test('the other way round each venue still charges its own fee at its own price', () => {
    const turned = { a: { bidBps: 4_500, askBps: 4_600 }, b: { bidBps: 4_000, askBps: 4_100 } }
    //  A sells at 0.45: 0.05 × 0.2475; B buys at 0.41: 0.07 × 0.2419
    expect(edge({ ...charged, ...turned })).toMatchObject({
      buyVenue: 'b',
      netCents: 4,
      feeCents: { a: 1.2375, b: 1.6933 },
      edgeCents: 1.07,
    })
  })

  test.each([
    ['no venue charges', {}, 4],
    ['only A charges', { marketA: charged.marketA }, 2.79],
    ['fees eat more than the net', { ...charged, b: { bidBps: 4_200, askBps: 4_300 } }, -1.91],
    ['a negative net becomes more negative', { ...charged, b: { bidBps: 4_000, askBps: 4_100 } }, -3.89],
  ])('%s', (_what, change, cents) => {
    expect(edge(change)?.edgeCents).toBe(cents)
  })

  test('a fee that changes at the venue changes the edge at once (VEN-21)', () => {
    const at = (rate: number) => edge({ ...charged, marketA: { fees: feesA(rate) } })?.edgeCents
    expect([at(0.03), at(0.05), at(0.07)]).toEqual([1.54, 1.06, 0.57])
  })

  test('the version is the one in force at the instant of the card (VEN-21)', () => {
    const nowMs = Date.UTC(2026, 6, 10) - 1
    expect(edge(charged, { books: NO_BOOKS, at: { ...FRESH, nowMs } })?.feeTableVersion).toBe('2026-03-30')
    expect(edge(charged, { books: NO_BOOKS, at: { ...FRESH, nowMs: nowMs + 1 } })?.feeTableVersion).toBe(
      '2026-07-10',
    )
  })

  test('fee terms we do not know are a guess, and said to be one', () => {
    const row = edge({ marketB: { fees: feesB(1, { flagged: true }) } })!
    expect([row.feesGuessed, row.riskFlags.includes('fees_guessed'), row.suggestedAction]).toEqual([
      true,
      true,
      'watch',
    ])
  })

  test('no row where there is no net', () => {
    expect(edge({ a: { bidBps: 4_200 } })).toBeNull()
  })
})

describe('ecosystem 4.2: executable edge by size', () => {
  test('all three sizes, with each venue’s rounding', () => {
    const row = edge(charged)!
    //  10 USD: 24.39 contracts, 0.97561… sold; A 24.39 × 0.012095 = 0.295 → 0.29500, B 0.42256 → 0.43
    expect(row.bySize).toMatchObject([
      {
        usd: 10,
        filled: true,
        contracts: 24.39,
        averageBuyBps: 4_100,
        averageSellBps: 4_500,
        feesUsd: 0.725,
        profitUsd: 0.2506,
        edgeCents: 1.03,
      },
      { usd: 100, filled: true, contracts: 243.9 },
      { usd: 1_000, filled: true, contracts: 2_439.02 },
    ])
    expect(row.depthSeenMs).toBe(NOW_MS)
  })

  test('depth that ends is told, for the sizes it does not reach', () => {
    const a = someBook('a', [], [[4_100, 100]])
    expect(
      edge({}, { books: { ...DEEP, a } })?.bySize?.map(({ filled, contracts }) => [filled, contracts]),
    ).toEqual([
      [true, 24.39],
      [false, 100],
      [false, 100],
    ])
  })

  test.each([
    ['no book of A', { ...DEEP, a: null }],
    ['no book of B', { ...DEEP, b: null }],
    ['a book older than a minute', { ...DEEP, b: { ...DEEP.b, seenMs: NOW_MS - DEPTH_MAX_AGE_MS - 1 } }],
    ['a book seen by a clock that was ahead (VEN-08)', { ...DEEP, b: { ...DEEP.b, seenMs: NOW_MS + 5_001 } }],
    ['the side that is needed is empty', { ...DEEP, a: { ...DEEP.a, asks: [] } }],
    ['a crossed book (VEN-06)', { ...DEEP, a: someBook('a', [[4_100, 9]], [[4_100, 9]]) }],
  ])('only the edge at the top: %s', (_what, books) => {
    const row = edge(charged, { books })!
    expect([row.bySize, row.depthSeenMs, row.edgeCents]).toEqual([null, null, 1.06])
    expect(row.riskFlags).toContain('depth_unknown')
  })

  test('a book exactly a minute old still counts, and the older of the two is named', () => {
    const seenMs = NOW_MS - DEPTH_MAX_AGE_MS
    expect(edge({}, { books: { ...DEEP, b: { ...DEEP.b, seenMs } } })?.depthSeenMs).toBe(seenMs)
  })

  test('turning B’s question round changes no figure', () => {
    const bps = fc.integer({ min: 1, max: 9_999 })
    fc.assert(
      fc.property(bps, bps, bps, bps, fc.integer({ min: 1, max: 5_000 }), (b1, b2, depth1, depth2, size) => {
        const [bid, ask] = [Math.min(b1, b2), Math.max(b1, b2)]
        const quote = { bidBps: bid, askBps: ask, bidSize: size, askSize: 3 }
        const [deepBid, deepAsk] = [Math.min(depth1, depth2), Math.max(depth1, depth2)]
        const book = someBook('b', [[deepBid, size]], [[deepAsk, size + 1]])
        const same = edge({ ...charged, b: quote }, { books: { ...DEEP, b: book } })
        const turned = edge(
          { ...charged, b: swapSides(quote), verdict: 'inverted' },
          { books: { ...DEEP, b: { ...book, ...swapBook(book) } } },
        )
        expect(turned === null).toBe(same === null)
        if (same === null || turned === null) return
        const { a: _a, b: _b, verdict: _v, buySide: _buy, sellSide: _sell, ...figures } = same
        expect(turned).toMatchObject(figures)
      }),
    )
  })
})

describe('ecosystem 4.2: capital is locked up until the later leg closes', () => {
  test.each([
    //  edge, days to close of A and B → days, percent a year on 100 c − edge
    [1, 10, 10, 10, 36.87],
    [1, 10, 365, 365, 1.01],
    [-2, 10, 10, 10, -71.57],
    [0, 10, 10, 10, 0],
    [1, 0.25, 0.25, 0.25, 368.69], //  never less than a day
    [1, -3, -3, 0, 368.69], //         past its close and still listed
  ])('%d c, closing in %d and %d days: %d days, %d %%', (cents, a, b, days, pct) => {
    expect(lockUp(cents, NOW_MS + a * DAY, NOW_MS + b * DAY, NOW_MS)).toEqual({
      lockUpDays: days,
      annualisedPct: pct,
      untilMs: expect.any(Number),
    })
  })

  test('reads the same until the instant it names, and otherwise right behind it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -DAY, max: 400 * DAY }), fc.nat(DAY), (left, later) => {
        const at = (nowMs: number) => lockUp(5, NOW_MS + left, NOW_MS, nowMs).lockUpDays
        const { lockUpDays, untilMs } = lockUp(5, NOW_MS + left, NOW_MS, NOW_MS)
        expect(at(Math.min(NOW_MS + later, untilMs - 1))).toBe(lockUpDays)
        if (Number.isFinite(untilMs)) expect(at(untilMs + 1)).toBeLessThan(lockUpDays!)
      }),
    )
  })

  test('unknown when a venue does not say when it closes', () => {
    const unknown = { lockUpDays: null, annualisedPct: null, untilMs: Number.POSITIVE_INFINITY }
    expect(lockUp(1, null, NOW_MS, NOW_MS)).toEqual(unknown)
    expect(lockUp(1, NOW_MS, null, NOW_MS)).toEqual(unknown)
  })
})

describe('board edges', () => {
  const edgesBoard = (assessed: readonly Assessed[], nowMs: number) => {
    const best = bestEdges()
    for (const each of assessed) best.add(each)
    const row = createEdgeRows()
    return { rows: best.best(assessed).map((each) => row(each, nowMs).value) }
  }
  const all = [
    assessed({ id: '1' })!, //                                                    4.00
    assessed({ id: '2', b: { bidBps: 4_900, askBps: 5_000 } })!, //               8.00
    assessed({ id: '3', b: { bidBps: 8_000, askBps: 8_100 } })!, //               39.00, suspicious
    assessed({ id: '4', a: { bidBps: 4_400, askBps: 4_600 } })!, //               −1.00
    assessed({ id: '0' })!,
    assessed({ id: '5', b: { bidBps: 5_000, askBps: 5_100 }, marketA: { closeMs: NOW_MS + 13 * DAY } })!, // 9.00, closes apart
  ]

  test('trades first, then what is to be watched, largest edge first, equal ones by pair, what is to be avoided last', () => {
    const board = edgesBoard(all, NOW_MS)
    expect(board.rows.map(({ edgeCents }) => edgeCents)).toEqual([8, 4, 4, 9, -1, 39])
    expect(board.rows.map(({ topic }) => topic.slice(-1))).toEqual(['2', '0', '1', '5', '4', '3'])
    expect(board.rows.map(({ executable }) => executable)).toEqual([true, true, true, false, true, true])
    expect(() => EdgesBoard.parse(board)).not.toThrow()
    expect(Object.keys(EdgeRow.shape).sort()).toEqual(Object.keys(board.rows[0]!).sort())
  })

  test('bounded: what is to be avoided goes first, then the smallest', () => {
    const many = Array.from({ length: EDGES_MAX }, (_, at) => ({ ...all[0]!, edgeCents: at, kept: null }))
    const kept = edgesBoard([...all, ...many], NOW_MS).rows
    expect(kept).toHaveLength(EDGES_MAX)
    expect(kept.some(({ suggestedAction }) => suggestedAction === 'avoid')).toBe(false)
    expect(kept.at(-1)!.edgeCents).toBe(3)
  })

  test('a row is the same object until the time that is left reads otherwise', () => {
    const rows = createEdgeRows()
    const row = (assessed: Assessed, nowMs: number) => rows(assessed, nowMs).value
    const first = row(all[0]!, NOW_MS)
    expect(row(all[0]!, NOW_MS + 1)).toBe(first)
    const later = row(all[0]!, NOW_MS + HOUR)
    expect(later).not.toBe(first)
    expect(later).toEqual(edgeRow(all[0]!, NOW_MS + HOUR))
  })

  test('whatever the clock does, what was kept reads as one made at that instant', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -30 * DAY, max: 30 * DAY }), { maxLength: 30 }), (offsets) => {
        const rows = createEdgeRows()
        for (const offset of offsets)
          expect(rows(all[5]!, NOW_MS + offset).value).toEqual(edgeRow(all[5]!, NOW_MS + offset))
      }),
    )
  })

  test('closing times do not matter to the edge itself', () => {
    const far = edge({ ...charged, marketA: { fees: feesA(0.05), closeMs: NOW_MS + 49 * HOUR } })!
    expect(far.edgeCents).toBe(1.06)
  })
})
