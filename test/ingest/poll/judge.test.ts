import { describe, expect, test } from 'vitest'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { judgePage, judgeSweep, MAX_EVENTS, MAX_PAGES, Progress } from '../../../ingest/poll/judge.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { commitPage, planPage } from '../../../ingest/poll/planPage.ts'
import type { Page } from '../../../ingest/venues/venue.ts'
import { eventB, marketB, pageOf, readEventsB, SEEN_MS } from '../support/rows.ts'

const page = (ids: string[], next: string | null): Page => ({
  bytes: 0,
  events: ids.map((id) => ({
    id,
    rows: [],
    kept: [],
    sizes: null,
    text: 0,
    untilMs: null,
    crc: 0,
    length: 0,
    terms: 0,
  })),
  next,
})

describe('VEN-02: a listing whose cursor does not lead anywhere is not complete', () => {
  const follow = (pages: Page[]) => {
    const progress = new Progress()
    return pages.map((one) => progress.problem(one))
  }
  test('an ordinary listing', () => {
    expect(follow([page(['1'], 'x'), page(['2'], 'y'), page(['3'], null)])).toEqual([null, null, null])
  })
  test('the cursor is ignored: the first page for ever, with the same cursor', () => {
    expect(follow([page(['1'], 'x'), page(['1'], 'x')])).toEqual([null, 'cursor_cycle'])
  })
  test('the first page for ever, with new cursors', () => {
    expect(follow([page(['1'], 'x'), page(['1'], 'y'), page(['1'], 'z')])).toEqual([
      null,
      null,
      'no_progress',
    ])
  })
  test('empty pages for ever', () => {
    expect(follow([page([], 'x'), page([], 'y')])).toEqual([null, 'no_progress'])
  })
  test('a cycle of three', () => {
    expect(follow([page(['1'], 'x'), page(['2'], 'y'), page(['3'], 'x')])).toEqual([
      null,
      null,
      'cursor_cycle',
    ])
  })
  test('one page of known events is passed over, now and then, and an ending page may be one', () => {
    const pages = [page(['1'], 'v'), page(['1'], 'w'), page(['2'], 'x'), page(['2'], 'y'), page(['3'], 'z')]
    expect(follow([...pages, page(['3'], null)])).toEqual(Array(6).fill(null))
  })
  test('more pages than any listing has', () => {
    const progress = new Progress()
    let problem = null
    for (let at = 0; problem === null; at++) problem = progress.problem(page([`${at}`], `${at}`))
    expect([problem, progress.pages]).toEqual(['page_cap', MAX_PAGES])
  })
  test('more events than any listing has, on few pages', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `${at}`)
    expect(follow([page(ids(MAX_EVENTS), 'x'), page(ids(MAX_EVENTS + 1), 'y')])).toEqual([null, 'page_cap'])
  })
})

describe('VEN-05: the unit of prices changes', () => {
  const rows = (count: number, price: (at: number) => number) =>
    readEventsB([
      eventB(
        Array.from({ length: count }, (_, at) => {
          const bid = price(at).toFixed(4)
          const ask = (price(at) + 0.0001).toFixed(4)
          return marketB({ ticker: `T-${at}`, yes_bid_dollars: bid, yes_ask_dollars: ask })
        }),
      ),
    ])
  const judged = (before: (at: number) => number, after: (at: number) => number, count = 20) => {
    const known = new Known()
    const first = pageOf(rows(count, before))
    commitPage(known, first, planPage(known, first, 1, SEEN_MS), 1, new EventCache())
    return judgePage(planPage(known, pageOf(rows(count, after)), 2, SEEN_MS))
  }
  const dollars = (at: number) => 0.3 + at / 100
  test.each([
    ['nothing moved', dollars, null],
    ['all moved a little', (at: number) => dollars(at) + 0.05, null],
    ['all divided by 100', (at: number) => dollars(at) / 100, 'unit_change'],
    ['all in cents: refused one by one', (at: number) => dollars(at) * 100, 'mass_refusal'],
    ['half divided', (at: number) => (at % 2 === 0 ? dollars(at) / 100 : dollars(at)), null],
    [
      'half and one',
      (at: number) => (at % 2 === 0 || at === 1 ? dollars(at) / 100 : dollars(at)),
      'unit_change',
    ],
  ] as const)('%s: %s', (_, after, problem) => {
    expect(judged(dollars, after)).toBe(problem)
  })
  test('a multiplied price alarms as well, even if it stays below a dollar', () => {
    expect(judged((at) => dollars(at) / 100, dollars)).toBe('unit_change')
  })
  test.each([
    ['0.41', 0], // four times the price it had
    ['0.4102', 1],
  ])('0.10 before, 0.39 and %s now: %d jumped', (ask, jumped) => {
    const known = new Known()
    const priced = (bid: string, ask: string) =>
      pageOf(readEventsB([eventB([marketB({ yes_bid_dollars: bid, yes_ask_dollars: ask })])]))
    const before = priced('0.09', '0.11')
    commitPage(known, before, planPage(known, before, 1, SEEN_MS), 1, new EventCache())
    expect(planPage(known, priced('0.39', ask), 2, SEEN_MS)).toMatchObject({ compared: 1, jumped })
  })
  test.each([
    [7, null],
    [8, 'unit_change'],
  ] as const)('a handful of markets may do what it likes: of %d, %s', (count, problem) => {
    expect(judged(dollars, (at) => dollars(at) / 100, count)).toBe(problem)
  })
})

/** As many rows of a page, and in how many of them something is wrong. */
const MOST_OF_A_PAGE = [
  [20, 10, false],
  [20, 11, true],
  [7, 7, false], // too few to judge
  [8, 8, true],
] as const

describe('VEN-05: a page of which most rows are refused', () => {
  test.each(MOST_OF_A_PAGE)('of %d rows %d: %s', (rows, refused, is) => {
    const plan = planPage(new Known(), { events: [] }, 1, SEEN_MS)
    expect(judgePage({ ...plan, rows, drops: { bad_price: refused } })).toBe(is ? 'mass_refusal' : null)
  })
})

describe('VEN-04: a page of which most rows are older than what is known', () => {
  test.each(MOST_OF_A_PAGE)('of %d rows %d: %s', (rows, older, is) => {
    const plan = planPage(new Known(), { events: [] }, 1, SEEN_MS)
    expect(judgePage({ ...plan, rows, drops: { older } })).toBe(is ? 'went_back' : null)
  })
})

describe('VEN-01, VEN-02: what a complete sweep must have', () => {
  const sweep = { markets: 100, gone: 0, rows: 100, drops: {}, sinceMs: 5_000, shrunkBefore: 0 }
  test.each([
    [{}, null],
    [{ markets: 0, rows: 0 }, 'empty'],
    [{ markets: 0, rows: 0, sinceMs: null }, 'empty'],
    [{ markets: 90, gone: 10 }, null], //                       a tenth is still believed
    [{ markets: 89, gone: 11 }, 'shrunk'],
    [{ markets: 1_000, gone: 200 }, 'shrunk'], //               whatever came in exchange
    [{ markets: 89, gone: 11, shrunkBefore: 1 }, 'shrunk'],
    [{ markets: 89, gone: 11, shrunkBefore: 2 }, null], //      the third time in a row is believed
    [{ markets: 3, gone: 16 }, null], //                        too few to judge
    [{ markets: 4, gone: 16 }, 'shrunk'],
    [{ markets: 5, gone: 95, sinceMs: null }, null], //         nothing to compare with
    [{ markets: 5, gone: 95, sinceMs: 600_000 }, 'shrunk'],
    [{ markets: 5, gone: 95, sinceMs: 600_001 }, null], //      much can happen in ten minutes
    [{ markets: 5, gone: 95, sinceMs: -1 }, null], //           a world that was started again
    [{ rows: 100, drops: { bad_price: 50 } }, null],
    [{ rows: 100, drops: { bad_price: 30, bad_row: 21 } }, 'mass_refusal'],
    [{ rows: 100, drops: { not_tradable: 90, combo: 5 } }, null], // ordinary
    [{ rows: 2, drops: { bad_event: 2 }, markets: 0 }, 'mass_refusal'],
  ])('%j: %s', (differs, problem) => {
    expect(judgeSweep({ ...sweep, ...differs })).toBe(problem)
  })
})
