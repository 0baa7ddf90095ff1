import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GapRow } from '../../../engine/contract/gaps.ts'
import { gapRow, type Listed } from '../../../engine/core/gapRow.ts'
import { byGap, GapsTable } from '../../../engine/core/gapsTable.ts'
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

describe('one row of the board', () => {
  test('an identity compares the books as they are', () => {
    const row = gapRow(pairOf('1', 'KX-1'), listedA('1', 4_000, 4_100), listedB('KX-1', 4_500, 4_600), FRESH)
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
    const row = gapRow(
      pairOf('1', 'KX-1', 'inverted'),
      listedA('1', 4_000, 4_100),
      listedB('KX-1', 5_500, 6_000),
      FRESH,
    )
    expect(row).toMatchObject({ gapCents: 2, netCents: -1, cheaperVenue: 'a' })
    expect(row!.b).toMatchObject({ bidBps: 5_500, askBps: 6_000, midBps: 5_750 })
  })

  test.each<[string, Listed, Listed]>([
    ['A one-sided', listedA('1', null, 4_100), listedB('KX-1', 4_500, 4_600)],
    ['B crossed', listedA('1', 4_000, 4_100), listedB('KX-1', 4_700, 4_600)],
  ])('no row while a leg has no mid: %s', (_, a, b) => {
    expect(gapRow(pairOf('1', 'KX-1'), a, b, FRESH)).toBeNull()
  })
})

describe('board gaps: all live pairs with a mid on both sides, largest gap first', () => {
  const world = new Map<string, Listed>()
  const put = (entry: Listed) => world.set(entry.market.venue + entry.market.marketId, entry)
  const listed = (venue: 'a' | 'b', id: string) => world.get(venue + id) ?? null
  const make = () => {
    world.clear()
    const table = new GapsTable()
    table.setFresh(FRESH)
    for (const [a, b, bid] of [
      ['1', 'KX-1', 4_500],
      ['2', 'KX-2', 6_000],
      ['3', 'KX-3', 4_000],
    ] as const) {
      put(listedA(a, 4_000, 4_100))
      put(listedB(b, bid, bid + 100))
      table.addPair(pairOf(a, b))
    }
    return table
  }
  const ids = (table: GapsTable, nowMs = 0) => [...table.rows(listed, nowMs)].map(({ a }) => a.marketId)

  test('in order', () => {
    expect(ids(make())).toEqual(['2', '1', '3'])
  })

  test('only what is touched is computed again; the others stay the same objects', () => {
    const table = make()
    const before = [...table.rows(listed, 0)]
    put(listedB('KX-3', 9_000, 9_100))
    expect(ids(table)).toEqual(['2', '1', '3'])
    expect(table.touch('b', 'KX-3')).toBe(true)
    expect(table.touch('b', 'KX-9')).toBe(false)
    const after = [...table.rows(listed, 0)]
    expect(after.map(({ a }) => a.marketId)).toEqual(['3', '2', '1'])
    expect([after[1], after[2]]).toEqual([before[0], before[1]])
    expect(after[1]).toBe(before[0])
  })

  test('worked off ahead and moved again before anybody looked: one row, the newest', () => {
    const table = make()
    for (const bid of [9_000, 8_000]) {
      put(listedB('KX-3', bid, bid + 100))
      table.touch('b', 'KX-3')
      takeSome(table.approach(listed, 0), 3)
    }
    expect([...table.rows(listed, 0)].map(({ a, gapCents }) => [a.marketId, gapCents])).toEqual([
      ['3', 40],
      ['2', 20],
      ['1', 5],
    ])
  })

  test('a pair that ends leaves the board', () => {
    const table = make()
    table.removePair(pairIdOf('2', 'KX-2'))
    expect(ids(table)).toEqual(['1', '3'])
  })

  test('made anew it goes on with the same rows: what is gone meanwhile leaves them', () => {
    const rows = byGap()
    const table = new GapsTable(rows)
    for (const [a, b] of [
      ['1', 'KX-1'],
      ['2', 'KX-2'],
    ] as const) {
      put(listedA(a, 4_000, 4_100))
      put(listedB(b, 4_500, 4_600))
      table.addPair(pairOf(a, b))
    }
    table.rows(listed, 0).settle()
    const next = new GapsTable(rows)
    next.addPair(pairOf('2', 'KX-2'))
    expect([next.rows(listed, 0), rows.count]).toEqual([rows, 1])
    expect([...rows].map(({ a }) => a.marketId)).toEqual(['2'])
  })

  test('VEN-11 a market of B past its closing time is gone at that millisecond', () => {
    const table = make()
    put(listedB('KX-1', 4_500, 4_600, 500))
    table.touch('b', 'KX-1')
    expect(ids(table, 499)).toEqual(['2', '1', '3'])
    expect(ids(table, 500)).toEqual(['2', '3'])
  })

  test('VEN-09 when a venue turns stale no row stays executable', () => {
    const table = make()
    expect([...table.rows(listed, 0)].every(({ executable }) => executable)).toBe(true)
    table.setFresh({ a: true, b: false })
    expect([...table.rows(listed, 0)].some(({ executable }) => executable)).toBe(false)
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
    approach: fc.nat(4), //  steps of it
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new Map<string, Listed>()
      const pairs = new Map<string, Pair>()
      const listed = (venue: 'a' | 'b', id: string) => world.get(venue + id) ?? null
      const kept = new GapsTable()
      let fresh = { a: true, b: true }
      let nowMs = 3
      for (const { kind, id, bid, closeMs, fresh: isFresh, approach } of steps) {
        const pair = pairOf(`${id}`, `KX-${id}`)
        if (kind === 'wait') nowMs += 2
        if (kind === 'back') nowMs -= 3
        if (kind === 'fresh') fresh = { a: isFresh, b: true }
        if (kind === 'pair' && !pairs.has(pair.pairId)) {
          pairs.set(pair.pairId, pair)
          kept.addPair(pair)
        }
        if (kind === 'unpair' && pairs.delete(pair.pairId)) kept.removePair(pair.pairId)
        if (kind === 'quote') {
          world.set(`a${id}`, listedA(`${id}`, 4_000, 4_100))
          world.set(`bKX-${id}`, listedB(`KX-${id}`, bid, 4_200, closeMs))
        }
        if (kind === 'unlist') world.delete(`bKX-${id}`)
        kept.touch('b', `KX-${id}`)
        kept.touch('a', `${id}`)
        kept.setFresh(fresh)
        if (kind === 'ahead') {
          takeSome(kept.approach(listed, nowMs), approach)
          continue
        }
        const alone = new GapsTable()
        alone.setFresh(fresh)
        for (const each of pairs.values()) alone.addPair(each)
        expect([...kept.rows(listed, nowMs)]).toEqual([...alone.rows(listed, nowMs)])
      }
    }),
    { numRuns: 500 },
  )
})
