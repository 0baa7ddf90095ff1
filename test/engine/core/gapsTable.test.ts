import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GapRow } from '../../../engine/contract/gaps.ts'
import { gapOf, gapRow, type Listed } from '../../../engine/core/gapRow.ts'
import { byGap, GapsTable, type LivePairs } from '../../../engine/core/gapsTable.ts'
import { type Pair, pairIdOf } from '../../../engine/core/pairing/pairer.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { takeSome } from '../support/steps.ts'

const CLOSE = 2_000_000
const listedA = (id: string, bid: number | null, ask: number | null): Listed => ({
  market: marketA(id, `Will ${id} win?`, { closeMs: CLOSE }),
  quote: quote('a', id, bid, ask),
})
const listedB = (
  id: string,
  bid: number | null,
  ask: number | null,
  closeMs: number | null = CLOSE,
): Listed => ({ market: marketB(id, `Will ${id} win?`, { closeMs }), quote: quote('b', id, bid, ask) })
const pairOf = (a: string, b: string, verdict: Pair['verdict'] = 'identity'): Pair => ({
  pairId: pairIdOf(a, b),
  a,
  b,
  verdict,
  reasons: ['same_words'],
})
const FRESH = { a: true, b: true }
const rowOf = (...args: Parameters<typeof gapOf>) => {
  const gap = gapOf(...args)
  return gap === null ? null : gapRow(gap)
}

/** Markets and pairs as they are now. */
class Live implements LivePairs {
  readonly #listed = new Map<string, Listed>()
  readonly #pairs = new Map<string, Pair>()

  put(...all: Listed[]): void {
    for (const listed of all) this.#listed.set(listed.market.venue + listed.market.marketId, listed)
  }

  unlist(venue: 'a' | 'b', marketId: string): void {
    this.#listed.delete(venue + marketId)
  }

  pair(pair: Pair): void {
    this.#pairs.set(pair.pairId, pair)
  }

  unpair(pairId: string): void {
    this.#pairs.delete(pairId)
  }

  ids(): Iterable<string> {
    return this.#pairs.keys()
  }

  find(pairId: string) {
    const pair = this.#pairs.get(pairId)
    const [a, b] = [this.#listed.get(`a${pair?.a}`), this.#listed.get(`b${pair?.b}`)]
    return pair === undefined || a === undefined || b === undefined ? null : { pair, a, b }
  }
}

/** A new table, without any earlier knowledge. */
function tableOf(live: Live, fresh = FRESH, rows = byGap()): GapsTable {
  const table = new GapsTable(rows)
  table.setFresh(fresh)
  for (const pairId of live.ids()) table.touch(pairId)
  return table
}

test('the volumes of a row, and so of a card, have two decimals: the venues tell fractions of cents', () => {
  const [a, b] = [listedA('a', 4_000, 4_200), listedB('b', 5_000, 5_200)]
  const row = rowOf(
    pairOf('a', 'b'),
    { ...a, quote: { ...a.quote, volume24h: 1_234.567_891 } },
    { ...b, quote: { ...b.quote, volume24h: 0.005 } },
    FRESH,
  )
  expect([row?.a.volume24h, row?.b.volume24h]).toEqual([1_234.57, 0.01])
})

describe('one row of the board', () => {
  test('an identity compares the books as they are', () => {
    const row = rowOf(pairOf('1', 'KX-1'), listedA('1', 4_000, 4_100), listedB('KX-1', 4_500, 4_600), FRESH)
    expect(row).toMatchObject({
      gapCents: 5,
      netCents: 4,
      cheaperVenue: 'a',
      closesApartMs: 0,
      executable: true,
    })
    expect(GapRow.parse(row)).toEqual(row)
  })

  test('an inverted pair swaps the sides of B in every difference, and still shows what B shows', () => {
    //  a yes of A at 40–41 is a no of B at 55–60, that is a yes of B at 40–45
    const row = rowOf(
      pairOf('1', 'KX-1', 'inverted'),
      listedA('1', 4_000, 4_100),
      listedB('KX-1', 5_500, 6_000),
      FRESH,
    )
    expect(row).toMatchObject({ gapCents: 2, netCents: -1, cheaperVenue: 'a' })
    expect(row!.b).toMatchObject({ bidBps: 5_500, askBps: 6_000, midBps: 5_750 })
  })

  test('the cheaper venue of an inverted pair is that of the question as A words it, not of B’s own yes', () => {
    //  B's yes at 55–56 is dearer than A's at 50–51; its no, which is what A asks, is cheaper
    const inverted = pairOf('1', 'KX-1', 'inverted')
    const [a, b] = [listedA('1', 5_000, 5_100), listedB('KX-1', 5_500, 5_600)]
    expect(rowOf(inverted, a, b, FRESH)).toMatchObject({ gapCents: 6, netCents: 5, cheaperVenue: 'b' })
    expect(rowOf(pairOf('1', 'KX-1'), a, b, FRESH)).toMatchObject({ gapCents: 5, cheaperVenue: 'a' })
  })

  test.each<[string, Listed, Listed]>([
    ['A one-sided', listedA('1', null, 4_100), listedB('KX-1', 4_500, 4_600)],
    ['B crossed', listedA('1', 4_000, 4_100), listedB('KX-1', 4_700, 4_600)],
  ])('no row while a leg has no mid: %s', (_, a, b) => {
    expect(gapOf(pairOf('1', 'KX-1'), a, b, FRESH)).toBeNull()
  })
})

describe('board gaps: all live pairs with a mid on both sides, largest gap first', () => {
  const make = () => {
    const live = new Live()
    for (const [a, b, bid] of [
      ['1', 'KX-1', 4_500],
      ['2', 'KX-2', 6_000],
      ['3', 'KX-3', 4_000],
    ] as const) {
      live.put(listedA(a, 4_000, 4_100), listedB(b, bid, bid + 100))
      live.pair(pairOf(a, b))
    }
    const table = tableOf(live)
    return { live, table, ids: (nowMs = 0) => [...table.rows(live, nowMs)].map(({ a }) => a.marketId) }
  }

  test('in order', () => {
    expect(make().ids()).toEqual(['2', '1', '3'])
  })

  test('only what is touched is computed again; the others stay the same objects', () => {
    const { live, table, ids } = make()
    const before = [...table.rows(live, 0).rows()]
    live.put(listedB('KX-3', 9_000, 9_100))
    expect(ids()).toEqual(['2', '1', '3'])
    table.touch(pairIdOf('3', 'KX-3'))
    const after = [...table.rows(live, 0).rows()]
    expect(after.map(({ pair }) => pair.a)).toEqual(['3', '2', '1'])
    expect([after[1], after[2]]).toEqual([before[0], before[1]])
    expect(after[1]).toBe(before[0])
  })

  test('worked off ahead and moved again before anybody looked: one row, the newest', () => {
    const { live, table } = make()
    for (const bid of [9_000, 8_000]) {
      live.put(listedB('KX-3', bid, bid + 100))
      table.touch(pairIdOf('3', 'KX-3'))
      takeSome(table.approach(live, 0), 3)
    }
    expect([...table.rows(live, 0)].map(({ a, gapCents }) => [a.marketId, gapCents])).toEqual([
      ['3', 40],
      ['2', 20],
      ['1', 5],
    ])
  })

  test('a pair that ends leaves the board', () => {
    const { live, table, ids } = make()
    expect(ids()).toEqual(['2', '1', '3'])
    live.unpair(pairIdOf('2', 'KX-2'))
    table.touch(pairIdOf('2', 'KX-2'))
    expect(ids()).toEqual(['1', '3'])
  })

  test('made anew it goes on with the same rows: what is gone meanwhile leaves them', () => {
    const rows = byGap()
    const { live } = make()
    tableOf(live, FRESH, rows).rows(live, 0).settle()
    live.unpair(pairIdOf('1', 'KX-1'))
    const next = tableOf(live, FRESH, rows)
    expect([next.rows(live, 0), rows.count]).toEqual([rows, 2])
    expect([...rows].map(({ a }) => a.marketId)).toEqual(['2', '3'])
  })

  test('VEN-11 a market of B past its closing time is gone at that millisecond', () => {
    const { live, table, ids } = make()
    live.put(listedB('KX-1', 4_500, 4_600, 500))
    table.touch(pairIdOf('1', 'KX-1'))
    expect(ids(499)).toEqual(['2', '1', '3'])
    expect(ids(500)).toEqual(['2', '3'])
  })

  test('VEN-09 when a venue turns stale no row stays executable', () => {
    const { live, table } = make()
    expect([...table.rows(live, 0)].every(({ executable }) => executable)).toBe(true)
    table.setFresh({ a: true, b: false })
    expect([...table.rows(live, 0)].some(({ executable }) => executable)).toBe(false)
  })
})

test('whatever moves, comes, goes, closes or turns stale: the rows of a table made new at that instant', () => {
  const step = fc.record({
    kind: fc.constantFrom(
      'quote',
      'quote',
      'quote',
      'ahead',
      'ahead',
      'pair',
      'unpair',
      'fresh',
      'wait',
      'back',
      'unlist',
    ),
    id: fc.nat(3),
    bid: fc.option(fc.integer({ min: 4_000, max: 4_004 })),
    closeMs: fc.option(fc.integer({ min: 0, max: 9 })),
    fresh: fc.boolean(),
    approach: fc.nat(4), //  how many of its steps are taken
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const live = new Live()
      const kept = new GapsTable()
      let fresh = { a: true, b: true }
      let nowMs = 3
      for (const { kind, id, bid, closeMs, fresh: isFresh, approach } of steps) {
        const pair = pairOf(`${id}`, `KX-${id}`)
        if (kind === 'wait') nowMs += 2
        if (kind === 'back') nowMs -= 3
        if (kind === 'fresh') fresh = { a: isFresh, b: true }
        if (kind === 'pair') live.pair(pair)
        if (kind === 'unpair') live.unpair(pair.pairId)
        if (kind === 'quote')
          live.put(listedA(`${id}`, 4_000, 4_100), listedB(`KX-${id}`, bid, 4_200, closeMs))
        if (kind === 'unlist') live.unlist('b', `KX-${id}`)
        kept.touch(pair.pairId)
        kept.setFresh(fresh)
        if (kind === 'ahead') {
          takeSome(kept.approach(live, nowMs), approach)
          continue
        }
        expect([...kept.rows(live, nowMs)]).toEqual([...tableOf(live, fresh).rows(live, nowMs)])
      }
    }),
    { numRuns: 500 },
  )
})
