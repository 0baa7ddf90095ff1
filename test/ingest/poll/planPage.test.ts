import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Batch as BatchContract } from '../../../ingest/contract/stream.ts'
import { batchChanges, batchClosed, MAX_BYTES, MAX_ROWS } from '../../../ingest/poll/batches.ts'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { commitPage, type PagePlan, planPage } from '../../../ingest/poll/planPage.ts'
import {
  eventA,
  eventB,
  marketA,
  marketB,
  pageOf,
  readEventsA,
  readEventsB,
  SEEN_MS,
} from '../support/rows.ts'

type Fields = Record<string, unknown>
const rowsA = (...markets: Fields[]) =>
  pageOf(readEventsA([eventA(markets.map((fields) => marketA(fields)))]))
const rowsB = (...markets: Fields[]) =>
  pageOf(readEventsB([eventB(markets.map((fields) => marketB(fields)))]))

/** Plans and commits a page of a sweep. */
function sweep(known: Known, sweepId: number, ...pages: ReturnType<typeof rowsA>[]): PagePlan[] {
  return pages.map((rows) => {
    const plan = planPage(known, rows, sweepId, SEEN_MS + sweepId)
    commitPage(known, rows, plan, sweepId, new EventCache())
    return plan
  })
}
const changed = (plan: PagePlan) =>
  plan.changes.map(({ marketId, market, quote }) => [marketId, market !== null, quote !== null])
const bidOf = (plan: PagePlan) => (JSON.parse(plan.changes[0]!.quote!) as { bidBps: number }).bidBps

describe('only what changed is published', () => {
  test('new, unchanged, figure, text', () => {
    const known = new Known()
    expect(changed(sweep(known, 1, rowsA({}))[0]!)).toEqual([['540816', true, true]])
    expect(changed(sweep(known, 2, rowsA({}))[0]!)).toEqual([])
    expect(changed(sweep(known, 3, rowsA({ bestBid: 0.41 }))[0]!)).toEqual([['540816', false, true]])
    expect(changed(sweep(known, 4, rowsA({ bestBid: 0.41, description: 'x' }))[0]!)).toEqual([
      ['540816', true, false],
    ])
    expect(changed(sweep(known, 5, rowsA({ bestBid: 0.41, description: 'x' }))[0]!)).toEqual([])
  })
  test('a quote that differs in its clocks only is no change, but the venue’s clock has moved: VEN-07', () => {
    const known = new Known()
    sweep(known, 1, rowsA({}))
    const [same] = sweep(known, 2, rowsA({}))
    expect([same!.changes, same!.clockMoved]).toEqual([[], false])
    const [later] = sweep(known, 3, rowsA({ updatedAt: '2026-08-22T01:12:25Z' }))
    expect([later!.changes, later!.clockMoved]).toEqual([[], true])
  })
  test('VEN-15 a new market beyond the most that are kept is left out until one has gone', () => {
    const known = new Known(2)
    const ids = (...list: string[]) => rowsA(...list.map((id) => ({ id })))
    const [first, further] = sweep(known, 1, ids('1', '2', '3'), ids('4'))
    expect([changed(first!).map(([id]) => id), changed(further!)]).toEqual([['1', '2'], []])
    expect([first!.drops, further!.drops]).toEqual([{ too_many: 1 }, { too_many: 1 }])
    expect(changed(sweep(known, 2, rowsA({ id: '2', bestBid: 0.41 }))[0]!)).toEqual([['2', false, true]])
    for (const id of known.notSeenIn(2)) known.delete(id)
    expect(changed(sweep(known, 3, rowsA({ id: '2', bestBid: 0.41 }, { id: '3' }))[0]!)).toEqual([
      ['3', true, true],
    ])
  })
  test('text we read but that maps to the same market is no change', () => {
    const known = new Known()
    sweep(known, 1, rowsA({ question: 'Will it rain?' }))
    expect(changed(sweep(known, 2, rowsA({ question: ' Will it rain? ' }))[0]!)).toEqual([])
  })
})

describe('VEN-03: duplicates end deterministically', () => {
  const early = '2026-08-22T01:12:10Z'
  const late = '2026-08-22T01:12:20Z'
  test.each([
    [
      'within a page, later last',
      [
        [
          { bestBid: 0.1, updatedAt: early },
          { bestBid: 0.2, updatedAt: late },
        ],
      ],
      2000,
    ],
    [
      'within a page, later first',
      [
        [
          { bestBid: 0.2, updatedAt: late },
          { bestBid: 0.1, updatedAt: early },
        ],
      ],
      2000,
    ],
    [
      'same instant: the last shown',
      [
        [
          { bestBid: 0.2, updatedAt: late },
          { bestBid: 0.1, updatedAt: late },
        ],
      ],
      1000,
    ],
    [
      'between pages, later last',
      [[{ bestBid: 0.1, updatedAt: early }], [{ bestBid: 0.2, updatedAt: late }]],
      2000,
    ],
    [
      'between pages, later first',
      [[{ bestBid: 0.2, updatedAt: late }], [{ bestBid: 0.1, updatedAt: early }]],
      2000,
    ],
    [
      'between pages, an hour older last: in one sweep there is no other world',
      [[{ bestBid: 0.2, updatedAt: late }], [{ bestBid: 0.1, updatedAt: '2026-08-22T00:12:10Z' }]],
      2000,
    ],
  ])('%s', (_, pages, bid) => {
    const known = new Known()
    const plans = sweep(known, 1, ...(pages as Fields[][]).map((page) => rowsA(...page)))
    expect(
      plans
        .filter((plan) => plan.changes.length > 0)
        .map(bidOf)
        .at(-1),
    ).toBe(bid)
    expect(plans.reduce((sum, plan) => sum + (plan.drops.duplicate ?? 0), 0)).toBe(1)
  })
  test('a venue without a clock: the last shown', () => {
    const known = new Known()
    const [plan] = sweep(known, 1, rowsB({ yes_bid_dollars: '0.1000' }, { yes_bid_dollars: '0.2000' }))
    expect(bidOf(plan!)).toBe(2000)
    expect(plan!.drops).toEqual({ duplicate: 1 })
  })
})

describe('VEN-03: a market that stands as it stood, and a second time on the same page', () => {
  test.each([
    ['ten minutes older', -600_000, 'older'],
    ['an hour older: no other world, since the page shows the newer one too', -3_600_000, 'duplicate'],
  ])('%s', (_, byMs, drop) => {
    const known = new Known()
    sweep(known, 1, rowsA({ updatedAt: new Date(SEEN_MS).toISOString() }))
    const updatedAt = new Date(SEEN_MS + byMs).toISOString()
    const second = rowsA({ bestBid: 0.11, updatedAt }).events[0]!
    const piece = { slot: known.find('540816')!, drop: null, crc: 0, length: 0, terms: 0 }
    const first = { ...second, rows: [], kept: [{ at: 0, piece }] }
    const plan = planPage(known, { events: [first, second] } as ReturnType<typeof rowsA>, 2, SEEN_MS + 2)
    expect([plan.changes, plan.drops]).toEqual([[], { [drop]: 1 }])
    const alone = planPage(known, { events: [second] }, 2, SEEN_MS + 2)
    expect(alone.changes).toHaveLength(drop === 'older' ? 0 : 1)
  })
})

describe('VEN-04: an older state of the venue never replaces a newer one', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 7, 22, 1, 12, 20) + seconds * 1_000).toISOString()
  test.each([
    [-1, 'older', 0],
    [-600, 'older', 0], //   ten minutes: still a stale cache
    [-601, undefined, 1], // further back it is another world
    [0, undefined, 1],
    [1, undefined, 1],
  ])('%i s against what is known', (seconds, drop, changes) => {
    const known = new Known()
    sweep(known, 1, rowsA({ updatedAt: at(0) }))
    const [plan] = sweep(known, 2, rowsA({ bestBid: 0.4, updatedAt: at(seconds) }))
    expect(plan!.changes).toHaveLength(changes)
    expect(plan!.drops.older).toBe(drop === 'older' ? 1 : undefined)
    expect(known.notSeenIn(2)).toEqual([]) // it was seen
  })
})

describe('what leaves the listing', () => {
  test('VEN-11: no longer tradable is closed at once, gone after the sweep', () => {
    const known = new Known()
    sweep(known, 1, rowsA({}, { id: '2' }, { id: '3' }))
    const [plan] = sweep(known, 2, rowsA({ acceptingOrders: false }, { id: '2' }))
    expect(plan!.closed).toEqual(['540816'])
    expect(known.notSeenIn(2)).toEqual(['3'])
    expect([...known.ids()]).toEqual(['2', '3'])
  })
  test('a market shown only in a refused row is not seen: its old price must not look fresh', () => {
    const known = new Known()
    sweep(known, 1, rowsA({}))
    const [plan] = sweep(known, 2, rowsA({ bestBid: 1.01 }))
    expect(plan!.drops).toEqual({ bad_price: 1 })
    expect(known.notSeenIn(2)).toEqual(['540816'])
  })
  test('an event without an id closes nothing: its markets are refused, not over', () => {
    const known = new Known()
    sweep(known, 1, rowsA({}))
    const [plan] = sweep(known, 2, pageOf(readEventsA([eventA([marketA()], { id: '' })])))
    expect([plan!.drops, plan!.closed, [...known.ids()]]).toEqual([{ bad_event: 1 }, [], ['540816']])
    expect(known.notSeenIn(2)).toEqual(['540816'])
  })
  test('nothing is changed before the commit', () => {
    const known = new Known()
    sweep(known, 1, rowsA({}))
    const state = () =>
      [...known.ids()]
        .map((id) => known.find(id)!)
        .map((slot) => [slot, known.quoteOf(slot), known.sweepOf(slot)])
    const before = state()
    planPage(known, rowsA({ bestBid: 0.3 }, { id: '2' }), 2, SEEN_MS)
    expect(state()).toEqual(before)
  })
})

describe('batches', () => {
  const changesOf = (count: number, fields: Fields = {}) =>
    planPage(
      new Known(),
      rowsA(...Array.from({ length: count }, (_, at) => ({ id: String(at), ...fields }))),
      1,
      SEEN_MS,
    ).changes
  test.each([
    [0, 0],
    [1, 1],
    [MAX_ROWS, 1],
    [MAX_ROWS + 1, 2],
    [3 * MAX_ROWS, 3],
  ])('%i markets: %i batches, in order', (count, expected) => {
    const changes = changesOf(count)
    const batches = batchChanges('a', changes)
    expect(batches).toHaveLength(expected)
    expect(batches.flatMap(({ rows }) => rows.map(({ marketId }) => marketId))).toEqual(
      changes.map(({ marketId }) => marketId),
    )
    for (const { head, rows, tail } of batches) {
      const parts = [rows.map(({ market }) => market), rows.map(({ quote }) => quote)]
      const json = `${head},"markets":[${parts[0]}],"quotes":[${parts[1]}],${tail}`
      expect(BatchContract.safeParse(JSON.parse(json)).success).toBe(true)
    }
  })
  test('what is no news is left out', () => {
    const known = new Known()
    const news = (plan: PagePlan) =>
      batchChanges('a', plan.changes).flatMap(({ rows }) =>
        rows.map(({ market, quote }) => [market !== '', quote !== '']),
      )
    expect(news(sweep(known, 1, rowsA({}))[0]!)).toEqual([[true, true]])
    expect(news(sweep(known, 2, rowsA({ bestBid: 0.41 }))[0]!)).toEqual([[false, true]])
    expect(news(sweep(known, 3, rowsA({ bestBid: 0.41, description: 'x' }))[0]!)).toEqual([[true, false]])
  })
  test('long rules: about a megabyte at most', () => {
    const batches = batchChanges('a', changesOf(400, { description: 'ü'.repeat(8_000) }))
    expect(batches.length).toBeGreaterThan(5)
    for (const { rows } of batches) {
      const bytes = rows.reduce((sum, { market, quote }) => sum + Buffer.byteLength(market + quote), 0)
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
    }
  })
  test('closed ids are cut as well', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000 }), (count) => {
        const ids = Array.from({ length: count }, (_, at) => String(at))
        const batches = batchClosed('b', ids)
        expect(batches.flatMap(({ remove }) => remove)).toEqual(ids)
        for (const { head, remove } of batches) {
          const batch = BatchContract.parse(JSON.parse(head))
          expect(batch).toEqual({ kind: 'changes', venue: 'b', markets: [], quotes: [], closed: remove })
          expect(remove.length).toBeLessThanOrEqual(MAX_ROWS)
        }
      }),
      { numRuns: 20 },
    )
  })
})
