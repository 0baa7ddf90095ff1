import { describe, expect, test } from 'vitest'
import { Market } from '../../../ingest/contract/market.ts'
import { Book, Quote } from '../../../ingest/contract/quote.ts'
import { mapBookA } from '../../../ingest/venues/a/books.ts'
import { mapBookB } from '../../../ingest/venues/b/books.ts'
import { readSeriesB } from '../../../ingest/venues/b/series.ts'
import type { DropCounts } from '../../../ingest/venues/drop.ts'
import { eventsIn, haveRecordings, readRecording, replayFiles } from '../support/recorded.ts'
import { mapAll, readEventsA, readEventsB } from '../support/rows.ts'

/** Recorded pages of all eras: file, rows that must map, and what is refused for which reason. */
const RECORDED: [file: string, venue: 'a' | 'b', mapped: number, drops: DropCounts][] = [
  ['polymarket-dump-2025-05/events.jsonl.gz', 'a', 344, { not_tradable: 317 }],
  ['polymarket-dump-2025-06/events.json.gz', 'a', 213, { not_tradable: 130 }],
  ['btc-hourly-2025-11/gamma_events_by_slug.json', 'a', 1, {}],
  ['polymarket-sample-2026-01/gamma_events.json.gz', 'a', 3, { not_tradable: 7 }],
  ['nba-2026-01/poly_nba.json.gz', 'a', 520, { not_tradable: 218 }],
  ['polymarket-fedchair-2026-01/real-events.json.gz', 'a', 25, { not_tradable: 14 }],
  ['polymarket-dump-2026-02/polymarket_markets.json.gz', 'a', 500, {}],
  ['dump-2026-02/polymarket_active_markets.json.gz', 'a', 100, {}],
  ['iran-2026-03/polymarket_raw.json.gz', 'a', 19, { not_tradable: 223 }],
  ['polymarket-fed-2026-05/gamma-event.json', 'a', 5, {}],
  ['markets-sample-2026-06/polymarket_markets.json', 'a', 5, {}],
  ['polymarket-top-2026/poly_vol.json.gz', 'a', 10, {}],
  ['bank-of-canada-2026-07/polymarket-september-2026.json', 'a', 5, {}],
  ['single-market-2026-08/polymarket-market.json', 'a', 1, {}],
  ['kalshi-markets-2025-10/markets.json.gz', 'b', 0, { combo: 100 }],
  ['kalshi-golden-2026-01/event_single_response.json', 'b', 0, { bad_volume: 1 }], // counts as integers then
  ['kalshi-dump-2026-01/output.json.gz', 'b', 382, {}],
  ['dump-2026-02/kalshi_all_markets.json.gz', 'b', 0, { combo: 200 }],
  ['iran-2026-03/kalshi_raw.json.gz', 'b', 565, { not_tradable: 198 }],
  ['kalshi-markets-2026-03/data.json.gz', 'b', 46, {}],
  ['kalshi-mentions-2026-05/KXNBAMENTION-26MAY09OKCLAL.json.gz', 'b', 25, {}],
  ['kalshi-mlb-2026-06/kalshi_mlb_game_series_live_current_20260620T230203Z.json.gz', 'b', 485, {}],
  ['bank-of-canada-2026-07/kalshi-markets.json', 'b', 15, {}],
  ['kalshi-sports-2026-08/events_mlb_props_nested.json.gz', 'b', 259, {}],
  ['kalshi-sports-2026-08/events_sports_nested.json.gz', 'b', 245, {}],
  ['kalshi-sports-2026-08/markets_settled.json.gz', 'b', 0, { not_tradable: 44 }],
  ['events-sample-2026-08/kalshi_events.json', 'b', 10, { bad_price: 5, not_tradable: 1 }], // trimmed by its author
]

const readAll = (file: string, venue: 'a' | 'b') => {
  const events = eventsIn(readRecording(file))
  const rows = venue === 'a' ? readEventsA(events.a) : readEventsB(events.b)
  return mapAll(rows)
}

describe.skipIf(!haveRecordings)('recorded pages of every era map into the contract', () => {
  test.each(RECORDED)('%s, venue %s: %i markets', (file, venue, mapped, drops) => {
    const result = readAll(file, venue)
    expect(result.drops).toEqual(drops)
    expect(result.rows).toHaveLength(mapped)
    for (const { market, quote } of result.rows) {
      expect(Market.parse(market)).toEqual(market)
      expect(Quote.parse(quote)).toEqual(quote)
      expect(market.marketId).toBe(quote.marketId)
      if (quote.bidBps !== null && quote.askBps !== null) expect(quote.bidBps).toBeLessThan(quote.askBps)
    }
  })

  test('trap 3: not every market of venue A stands at 0.01 / 0.99', () => {
    const quotes = readAll('polymarket-dump-2026-02/polymarket_markets.json.gz', 'a').rows.map(
      (row) => row.quote,
    )
    const wide = quotes.filter(({ bidBps, askBps }) => bidBps === 100 && askBps === 9900)
    expect(wide.length).toBeLessThan(quotes.length / 20)
  })

  test('trap 6: in March 2026 every previous price of venue B was zero, so there is none', () => {
    const { rows } = readAll('iran-2026-03/kalshi_raw.json.gz', 'b')
    expect(rows.every(({ quote }) => quote.previousBps === null)).toBe(true)
  })

  test('a waiver-free series list gives unflagged fees', () => {
    const list = readRecording('kalshi-golden-2026-01/series_list_response.json.gz') as { response: unknown }
    const series = readSeriesB(list.response)
    expect(series.size).toBeGreaterThan(0)
    for (const terms of series.values())
      expect(terms).toMatchObject({ feeType: 'quadratic', feeMultiplier: 1 })
  })
})

describe.skipIf(!haveRecordings)('the hourly replay has no tokens, sizes and rules and is accepted', () => {
  test.each(['a', 'b'] as const)('venue %s, all 22 frames', (venue) => {
    const files = replayFiles('2026-08-22-hourly', venue)
    expect(files).toHaveLength(22)
    for (const file of files) {
      const page = readRecording(file) as unknown[]
      const { rows, drops } = mapAll(venue === 'a' ? readEventsA(page) : readEventsB(page))
      expect(drops).toEqual({})
      expect(rows.length).toBeGreaterThan(300)
      for (const { market, quote } of rows) {
        expect(Market.safeParse(market).success).toBe(true)
        expect(Quote.safeParse(quote).success).toBe(true)
        expect([quote.bidSize, quote.askSize, market.tokenId, market.rules]).toEqual([null, null, null, ''])
      }
    }
  })
})

describe.skipIf(!haveRecordings)('recorded order books', () => {
  test('venue A: best levels first whatever the order they came in', () => {
    const raw = readRecording('polymarket-fed-2026-05/clob-books.json.gz') as unknown[]
    const books = raw.map((book) => mapBookA(book, () => '1', 5)).filter((book) => book !== null)
    expect(books).toHaveLength(raw.length)
    for (const book of books) {
      expect(Book.parse(book)).toEqual(book)
      const bids = book.bids.map(([bps]) => bps)
      const asks = book.asks.map(([bps]) => bps)
      expect(bids).toEqual([...bids].sort((left, right) => right - left))
      expect(asks).toEqual([...asks].sort((left, right) => left - right))
      expect(book.venueMs).toBeGreaterThan(Date.UTC(2026, 0))
    }
  })
  test('venue B: a no bid of 0.99 is a yes ask of 0.01', () => {
    const raw = readRecording('kalshi-orderbook-2026-04/kalshi_orderbook_real_sample.json') as {
      ticker: string
      response: { orderbook_fp: unknown }
    }
    const book = mapBookB({ ticker: raw.ticker, ...raw.response }, new Set([raw.ticker]), 5)
    expect(book?.bids).toEqual([])
    expect(book?.asks.slice(0, 3)).toEqual([
      [100, 9999],
      [200, 341],
      [300, 5000],
    ])
    expect(Book.parse(book)).toEqual(book)
  })
})
