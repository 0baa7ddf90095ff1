import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  eventsA,
  eventsB,
  getJson,
  type Json,
  marketsA,
  marketsB,
  nested,
  venueServers,
} from './venuesClient.ts'

const RECORDINGS = new URL('../../../../shared/venues', import.meta.url).pathname
const recorded = (path: string): Json => {
  const bytes = readFileSync(join(RECORDINGS, path))
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
}
const there = existsSync(RECORDINGS)

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Types of every field over many objects. */
function typesOf(objects: Json[]): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>()
  for (const object of objects)
    for (const [name, value] of Object.entries(object))
      types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)))
  return types
}
const always = (objects: Json[]) =>
  Object.keys(objects[0]).filter((name) => objects.every((object) => name in object))

const servers = venueServers()
let a: { events: Json[]; markets: Json[] }
let b: { events: Json[]; markets: Json[] }
let aUrl: string
let bUrl: string

beforeAll(async () => {
  const venues = await servers.generated(3_000, 12)
  aUrl = venues.aUrl
  bUrl = venues.bUrl
  const pagesA = await eventsA(aUrl)
  const pagesB = await eventsB(bUrl)
  a = { events: pagesA.flat(), markets: nested(pagesA) }
  b = { events: pagesB.flat(), markets: nested(pagesB) }
})
afterAll(() => servers.closeAll())

/** Fields a recording has in every object but which say nothing in a world of our own. */
const NOT_OURS = new Set(['series', 'seriesSlug', 'eventMetadata', 'sortBy', 'clobRewards', 'featuredOrder'])

describe.skipIf(!there)('wire.md 1.4, 2.4: fields and their types are those of recorded objects', () => {
  const check = (ours: Json[], theirs: Json[], optional: ReadonlySet<string> = new Set()) => {
    const known = typesOf(theirs)
    const made = typesOf(ours)
    for (const [name, types] of made) {
      expect(known.has(name), `${name} is unknown to the recordings`).toBe(true)
      for (const type of types) expect([...known.get(name)!], name).toContain(type)
    }
    for (const name of always(theirs)) if (!optional.has(name)) expect([...made.keys()]).toContain(name)
  }

  test('venue A markets', () => {
    const theirs = [
      ...recorded('polymarket-fed-2026-05/gamma-event.json').markets,
      ...recorded('single-market-2026-08/polymarket-market.json'),
      recorded('polymarket-wire-samples/gamma_market_sports_market_money_line.json'),
      recorded('polymarket-wire-samples/gamma_market_sports_market_map_handicap.json'),
      recorded('polymarket-wire-samples/gamma_market.json'),
      ...recorded('replay/2026-03-01-raw/venue-a/events.json.gz').flatMap((event: Json) => event.markets),
    ]
    check(a.markets, theirs, NOT_OURS)
  })

  test('venue A events', () => {
    const theirs = [
      recorded('polymarket-fed-2026-05/gamma-event.json'),
      recorded('polymarket-wire-samples/gamma_market_sports_market_money_line.json').events[0],
      recorded('polymarket-wire-samples/gamma_event.json'),
      ...recorded('replay/2026-03-01-raw/venue-a/events.json.gz'),
    ].flat()
    check(a.events, theirs, NOT_OURS)
  })

  test('venue A: what every open recorded market carries, each of ours carries', () => {
    const theirs = recorded('polymarket-fed-2026-05/gamma-event.json').markets
    const zeros = new Set(['bestBid', 'lastTradePrice'])
    const figures = /^(volume|liquidity|one\w+PriceChange)/
    const negRisk = new Set(['negRiskMarketID', 'groupItemTitle', 'groupItemThreshold', 'feeSchedule'])
    const wanted = always(theirs).filter(
      (name) =>
        !zeros.has(name) &&
        !figures.test(name) &&
        !negRisk.has(name) &&
        !['endDate', 'endDateIso'].includes(name),
    )
    for (const market of a.markets) expect(Object.keys(market)).toEqual(expect.arrayContaining(wanted))
  })

  test('venue B markets and events: dollars-only form of August 2026', () => {
    const events = recorded('kalshi-sports-2026-08/events_sports_nested.json.gz')
    const theirs = [
      ...events.flatMap((event: Json) => event.markets),
      recorded('single-market-2026-08/kalshi-market.json').market,
      ...recorded('kalshi-sports-2026-08/markets_settled.json.gz').markets,
      { cap_strike: 1, fee_waiver_expiration_time: '2026-01-01T00:00:00Z' }, // documented, not recorded
      { fee_waiver_expiration_time: null },
    ]
    check(b.markets, theirs)
    const wanted = always(events.flatMap((event: Json) => event.markets))
    for (const market of b.markets) expect(Object.keys(market)).toEqual(expect.arrayContaining(wanted))
    check(
      b.events,
      [
        ...events,
        {
          fee_type_override: 'quadratic',
          fee_multiplier_override: 1,
          strike_date: '',
          product_metadata: null,
        },
      ],
      new Set(),
    )
    for (const event of b.events) expect(Object.keys(event)).toEqual(expect.arrayContaining(always(events)))
  })

  test('combinations', async () => {
    const theirs = recorded('kalshi-sports-2026-08/combo_priced_markets.json.gz').combos
    const { markets } = await getJson(`${bUrl}/markets?mve_filter=only&limit=100`)
    check(markets, theirs)
  })

  test('order books of both venues', async () => {
    const book = recorded('single-market-2026-08/polymarket-book.json')
    const [token] = JSON.parse(a.markets.find((market) => market.bestBid > 0.1).clobTokenIds)
    const ours = await getJson(`${aUrl}/book?token_id=${token}`)
    expect(Object.keys(ours).sort()).toEqual(Object.keys(book).sort())
    check([ours], [book])
    const { ticker } = b.markets.find((market) => Number(market.yes_bid_size_fp) > 0)
    const bookB = await getJson(`${bUrl}/markets/${ticker}/orderbook`)
    expect(Object.keys(bookB.orderbook_fp).sort()).toEqual(['no_dollars', 'yes_dollars'])
    expect(bookB.orderbook_fp.yes_dollars[0]).toEqual([
      expect.stringMatching(/^0\.\d{4}$/),
      expect.stringMatching(/^\d+\.\d{2}$/),
    ])
  })

  test('series, fee changes, exchange status', async () => {
    const theirs = recorded('kalshi-golden-2026-01/series_single_response.json').response.series
    const { series } = await getJson(`${bUrl}/series`)
    expect(series.length).toBeGreaterThan(20)
    check(series, [theirs])
    expect(await getJson(`${bUrl}/series/${series[0].ticker}`)).toEqual({ series: series[0] })
    const status = recorded('kalshi-golden-2026-01/exchange_status_response.json').response
    check([await getJson(`${bUrl}/exchange/status`)], [status])
    expect(await getJson(`${bUrl}/series/fee_changes`)).toEqual({ series_fee_change_arr: [] })
    const past = await getJson(`${bUrl}/series/fee_changes?show_historical=true`)
    expect(past.series_fee_change_arr[0]).toMatchObject({
      fee_type: 'quadratic_with_maker_fees',
      fee_multiplier: 1,
    })
  })
})

describe('wire.md: the form of values', () => {
  test('venue A: lists are JSON in strings, prices add up to one, tokens have 77 digits', () => {
    for (const market of a.markets) {
      expect(JSON.parse(market.outcomes)).toHaveLength(2)
      const [yes, no] = JSON.parse(market.outcomePrices).map(Number)
      expect(yes + no).toBeCloseTo(1, 9)
      for (const token of JSON.parse(market.clobTokenIds)) expect(token).toMatch(/^[1-9]\d{76}$/)
      expect(market.conditionId).toMatch(/^0x[0-9a-f]{64}$/)
      if (market.gameStartTime) expect(market.gameStartTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/)
    }
    expect(a.markets.some((market) => market.outcomes === '["Yes", "No"]')).toBe(true)
    expect(a.markets.some((market) => market.outcomes === '["Up", "Down"]')).toBe(true)
  })

  test('venue A: fees by category, none where fees are off', () => {
    const rates = new Set(a.markets.map((market) => `${market.feeType} ${market.feeSchedule?.rate}`))
    expect(rates).toEqual(
      new Set([
        'politics_fees 0.04',
        'economics_fees 0.05',
        'crypto_fees_v2 0.07',
        'sports_fees_v2 0.05',
        'weather_fees 0.05',
        'general_fees 0.05',
        'null undefined',
      ]),
    )
    for (const market of a.markets) expect(market.feesEnabled).toBe(market.feeType !== null)
  })

  test('venue B: no integer cents, strings of four and two decimals', () => {
    const gone = [
      'yes_bid',
      'yes_ask',
      'no_bid',
      'no_ask',
      'last_price',
      'volume',
      'open_interest',
      'tick_size',
    ]
    for (const market of b.markets) {
      for (const name of gone) expect(market).not.toHaveProperty(name)
      for (const [name, value] of Object.entries(market)) {
        if (name.endsWith('_dollars')) expect(value).toMatch(/^\d\.\d{4}$/)
        if (name.endsWith('_fp')) expect(value).toMatch(/^\d+\.\d{2}$/)
      }
    }
  })

  test('venue B: prices lie on the grid of price_ranges', () => {
    const onGrid = (market: Json, text: string) => {
      const price = Number(text)
      return market.price_ranges.some(({ start, end, step }: Json) => {
        const steps = (price - Number(start)) / Number(step)
        return price >= Number(start) && price <= Number(end) && Math.abs(steps - Math.round(steps)) < 1e-6
      })
    }
    const structures = new Set(b.markets.map((market) => market.price_level_structure))
    expect(structures).toEqual(new Set(['linear_cent', 'deci_cent', 'tapered_deci_cent']))
    for (const market of b.markets)
      for (const name of ['yes_bid_dollars', 'yes_ask_dollars', 'no_bid_dollars', 'no_ask_dollars'])
        expect(onGrid(market, market[name]), `${market.ticker} ${name} ${market[name]}`).toBe(true)
  })

  test('venue B: strikes stand in fields', () => {
    const types = new Set(b.markets.map((market) => market.strike_type))
    for (const type of [
      'greater',
      'greater_or_equal',
      'less',
      'less_or_equal',
      'between',
      'custom',
      'structured',
    ])
      expect(types).toContain(type)
    for (const market of b.markets) {
      if (market.strike_type === 'between') expect(market.cap_strike).toBeGreaterThan(market.floor_strike)
      if (market.strike_type === 'greater') expect(market.floor_strike).toEqual(expect.any(Number))
    }
  })

  test('the same market reads the same in every place that shows it', async () => {
    const [byMarket] = await marketsA(aUrl, 100, 'closed=false')
    for (const market of byMarket!) {
      const { events, ...rest } = market
      expect(rest).toEqual(a.markets.find((one) => one.id === market.id))
      expect(events).toHaveLength(1)
      expect(events[0]).not.toHaveProperty('markets')
    }
    const [listed] = await marketsB(bUrl, 50)
    for (const market of listed!.slice(0, 10)) {
      expect(market).toEqual(b.markets.find((one) => one.ticker === market.ticker))
      expect((await getJson(`${bUrl}/markets/${market.ticker}`)).market).toEqual(market)
    }
  })
})
