import { describe, expect, test } from 'vitest'
import type { Series } from '../../../../ingest/venues/b/fees.ts'
import { readEventB } from '../../../../ingest/venues/b/map.ts'
import { readSeriesB } from '../../../../ingest/venues/b/series.ts'
import { eventB, mapOne, marketB, readEventsB, SEEN_MS } from '../../support/rows.ts'

const QUADRATIC: Series = { category: 'Economics', tags: ['Fed'], feeType: 'quadratic', feeMultiplier: 1 }
const read = (
  market: Record<string, unknown>,
  event: Record<string, unknown> = {},
  series: Series | null = QUADRATIC,
) => readEventsB([eventB([market], event)], () => series, SEEN_MS)
const map = (...args: Parameters<typeof read>) => mapOne(read(...args))
const good = (...args: Parameters<typeof read>) => {
  const row = map(...args)
  if (typeof row === 'string') throw new Error(`refused: ${row}`)
  return row
}

describe('prices are decimal texts, read digit by digit', () => {
  test('all figures', () => {
    expect(good(marketB()).quote).toEqual({
      venue: 'b',
      marketId: 'KXFEDDECISION-26DEC-C25',
      bidBps: 4100,
      askBps: 4300,
      bidSize: 1200,
      askSize: 88.5,
      lastBps: 4200,
      previousBps: 4000,
      changeHourBps: null,
      changeDayBps: null,
      changeWeekBps: null,
      volume24h: 10250.25,
      venueMs: null, // updated_time is metadata only
      seenMs: SEEN_MS,
    })
  })
  test.each([
    ['0.123450', 1234, 1235],
    ['0.000099', null, 1],
    ['0.999901', 9999, null],
  ])('%s is rounded away from a better price', (price, bidBps, askBps) => {
    expect(good(marketB({ yes_bid_dollars: price })).quote.bidBps).toBe(bidBps)
    expect(good(marketB({ yes_ask_dollars: price })).quote.askBps).toBe(askBps)
  })
})

describe('wire.md 2.4: a size above 0 is the test for a side; without sizes an empty side reads 0 or 1', () => {
  const unsized = { yes_bid_size_fp: undefined, yes_ask_size_fp: undefined }
  test.each([
    [
      { yes_bid_dollars: '0.0000', yes_bid_size_fp: '0.00' },
      { bidBps: null, bidSize: null },
    ],
    [
      { yes_ask_dollars: '1.0000', yes_ask_size_fp: '0.00' },
      { askBps: null, askSize: null },
    ],
    [{ yes_ask_dollars: '0.0000', yes_ask_size_fp: '0.00' }, { askBps: null }],
    [{ yes_bid_dollars: '0.4100', yes_bid_size_fp: '0.00' }, { bidBps: null }],
    [{ yes_ask_dollars: '0.4300', yes_ask_size_fp: '0.00' }, { askBps: null }],
    [{ yes_bid_size_fp: '0.01' }, { bidBps: 4100, bidSize: 0.01 }],
    [{ ...unsized }, { bidBps: 4100, askBps: 4300, bidSize: null, askSize: null }],
    [{ ...unsized, yes_bid_dollars: '0.0000' }, { bidBps: null }],
    [{ ...unsized, yes_ask_dollars: '1.0000' }, { askBps: null }],
    [{ ...unsized, yes_ask_dollars: '0.0000' }, { askBps: null }],
  ])('%j', (fields, expected) => {
    expect(good(marketB(fields)).quote).toMatchObject(expected)
  })
})

describe('VEN-06: yes and no of one order make a dollar; a row that contradicts itself has no price', () => {
  const mirrored = { no_bid_dollars: '0.5700', no_ask_dollars: '0.5900' } // of 0.41 and 0.43
  const emptyAsk = { yes_ask_dollars: '1.0000', yes_ask_size_fp: '0.00', no_bid_dollars: '0.0000' }
  const emptyToo = { ...emptyAsk, yes_ask_dollars: '0.0000' }
  const emptyBid = { yes_bid_dollars: '0.0000', yes_bid_size_fp: '0.00', no_ask_dollars: '0.0000' }
  const unstated = { no_bid_dollars: null, no_ask_dollars: null }
  test.each([
    mirrored,
    {},
    unstated,
    { ...mirrored, ...emptyAsk },
    { ...mirrored, ...emptyToo }, // what says nothing contradicts nothing
    { ...mirrored, ...emptyBid },
  ])('sold: %j', (fields) => {
    expect(map(marketB(fields))).toHaveProperty('quote')
  })
  test.each([
    { ...mirrored, no_bid_dollars: '0.5701' }, // no's bid asks less for yes than yes does
    { ...mirrored, no_bid_dollars: '0.5699' },
    { ...mirrored, no_ask_dollars: '0.5899' },
    { ...mirrored, no_ask_dollars: '0.59000001' },
    { no_bid_dollars: '0.6000' }, // 0.40 for yes below its bid: crossed
    { no_ask_dollars: 0.59 },
  ])('refused: %j', (fields) => {
    expect(map(marketB(fields))).toBe('bad_price')
  })
})

describe('wire.md trap 6 and VEN-12: a previous price of 0 is none', () => {
  test.each([
    ['0.0000', null],
    [undefined, null],
    ['0.0100', 100],
  ])('%s', (previous, previousBps) => {
    expect(good(marketB({ previous_price_dollars: previous })).quote.previousBps).toBe(previousBps)
  })
  test('a last price of 0 was never traded', () => {
    expect(good(marketB({ last_price_dollars: '0.0000' })).quote.lastBps).toBeNull()
  })
})

describe('VEN-05: what is not as documented drops the row', () => {
  const prices = ['yes_bid_dollars', 'yes_ask_dollars', 'last_price_dollars', 'previous_price_dollars']
  test.each(prices)('%s', (name) => {
    for (const value of ['-0.0100', '1.0100', '45', 'NaN', '', '1e-20', ' 0.5', '0x1', null, 0.5])
      expect(map(marketB({ [name]: value }))).toBe('bad_price')
    expect(map(marketB({ [name]: '0.00000001' }))).toBe('price_too_fine')
    for (const value of ['0', '1', '1.0000', '0.5', '0.000001'])
      expect(map(marketB({ [name]: value }))).toHaveProperty('quote')
  })
  test.each([
    [{ yes_bid_dollars: undefined }, 'bad_price'],
    [{ yes_bid_size_fp: '-1.00' }, 'bad_size'],
    [{ yes_ask_size_fp: 5 }, 'bad_size'],
    [{ volume_24h_fp: undefined }, 'bad_volume'],
    [{ volume_24h_fp: '1.234' }, 'bad_volume'],
    [{ title: null }, 'bad_title'],
    [{ ticker: 'KX TEST' }, 'bad_id'],
    [{ market_type: 'scalar' }, 'not_binary'],
    [{ floor_strike: '5' }, 'bad_row'],
    [{ status: 'finalized' }, 'not_tradable'],
    [{ status: 'initialized' }, 'not_tradable'],
    [{ status: undefined }, 'not_tradable'],
    [{ ticker: 'KXMVESPORTS-S1' }, 'combo'],
    [{ mve_collection_ticker: 'KXMVE-R' }, 'combo'],
  ])('%j: %s', (fields, drop) => {
    expect(map(marketB(fields))).toBe(drop)
  })
})

describe('fees: wire.md 3.2', () => {
  const fees = (
    event: Record<string, unknown>,
    series: Series | null,
    market: Record<string, unknown> = {},
  ) => good(marketB(market), event, series).market.fees
  test.each([
    ['the series', {}, QUADRATIC, 0.07, false],
    ['a multiplier', {}, { ...QUADRATIC, feeMultiplier: 0.5 }, 0.035, false],
    ['makers do not matter', {}, { ...QUADRATIC, feeType: 'quadratic_with_maker_fees' }, 0.07, false],
    ['combos neither', {}, { ...QUADRATIC, feeType: 'quadratic_with_combo_maker_fees' }, 0.07, false],
    ['no multiplier, a flagged guess', {}, { ...QUADRATIC, feeMultiplier: null }, 0.07, true],
    ['an override wins', { fee_multiplier_override: 2 }, QUADRATIC, 0.14, false],
    [
      'an override of the type wins',
      { fee_type_override: 'quadratic' },
      { ...QUADRATIC, feeType: 'new' },
      0.07,
      false,
    ],
    ['an unknown type is flagged', {}, { ...QUADRATIC, feeType: 'cubic' }, 0.07, true],
    ['flat is not the formula', {}, { ...QUADRATIC, feeType: 'flat' }, 0.07, true],
    [
      'flat without a multiplier is a guess, not free',
      {},
      { ...QUADRATIC, feeType: 'flat', feeMultiplier: 0 },
      0,
      true,
    ],
    ['no series, a flagged guess', {}, null, 0.07, true],
  ])('%s', (_, event, series, rate, flagged) => {
    expect(fees(event, series)).toEqual({ rate, exponent: 1, rounding: 'b_cent_up', flagged })
  })
  test('a known type with multiplier 0 is free, and no guess', () => {
    expect(fees({}, { ...QUADRATIC, feeMultiplier: 0 })).toBeNull()
  })
  test.each([
    ['2026-08-22T01:12:20Z', false], // ended a second ago
    ['2026-08-22T01:12:21Z', false], // ends now
    ['2026-08-22T01:12:22Z', true],
    ['never', false],
    [null, false],
  ])('a waiver until %s holds: %s', (until, waived) => {
    expect(fees({}, QUADRATIC, { fee_waiver_expiration_time: until }) === null).toBe(waived)
  })
  test('of several waivers of an event the first to end counts: its bytes mean something else from then on', () => {
    const waived = (ticker: string, until: string) => marketB({ ticker, fee_waiver_expiration_time: until })
    const markets = [waived('KXT-1', '2026-08-22T01:12:25Z'), waived('KXT-2', '2026-08-22T01:12:23Z')]
    expect(readEventB(eventB(markets), () => QUADRATIC, SEEN_MS).untilMs).toBe(SEEN_MS + 2_000)
    expect(readEventB(eventB(markets), () => QUADRATIC, SEEN_MS + 2_000).untilMs).toBe(SEEN_MS + 4_000)
  })
  test('a waiver that ends changes the fingerprint though the page is the same', () => {
    const page = [eventB([marketB({ fee_waiver_expiration_time: '2026-08-22T01:12:22Z' })])]
    const at = (nowMs: number) => readEventsB(page, () => QUADRATIC, nowMs)[0]!.text
    expect(at(SEEN_MS)).toBe(at(SEEN_MS + 999))
    expect(at(SEEN_MS)).not.toBe(at(SEEN_MS + 1_000))
    const until = (nowMs: number) => readEventB(page[0], () => QUADRATIC, nowMs).untilMs
    expect([until(SEEN_MS), until(SEEN_MS + 999), until(SEEN_MS + 1_000)]).toEqual([
      SEEN_MS + 1_000,
      SEEN_MS + 1_000,
      null,
    ])
  })
})

describe('the market', () => {
  test('texts, times and terms', () => {
    const { market } = good(
      marketB({
        rules_primary: 'First.',
        rules_secondary: 'Second.',
        strike_type: 'greater',
        floor_strike: 3.5,
        expected_expiration_time: '2026-12-09T19:05:00Z',
      }),
    )
    expect(market).toMatchObject({
      eventId: 'KXFEDDECISION-26DEC',
      seriesId: 'KXFEDDECISION',
      outcome: 'Cut 25bps',
      exclusive: true,
      rules: 'First.\n\nSecond.',
      category: 'Economics',
      tags: ['Fed'],
      strike: { type: 'greater', floor: 3.5, cap: null },
      url: 'https://kalshi.com/markets/kxfeddecision',
      closeMs: Date.parse('2026-12-09T18:59:00Z'),
      expectedMs: Date.parse('2026-12-09T19:05:00Z'),
      gameMs: null,
    })
  })
  test.each([
    [{ strike_type: 'custom' }, null],
    [
      { strike_type: 'functional', floor_strike: 1 },
      { type: 'other', floor: 1, cap: null },
    ],
    [
      { strike_type: 'between', floor_strike: 1, cap_strike: 2 },
      { type: 'between', floor: 1, cap: 2 },
    ],
  ])('strike of %j', (fields, strike) => {
    expect(good(marketB(fields)).market.strike).toEqual(strike)
  })
  test('an old event without its series has it in its ticker', () => {
    expect(good(marketB(), { series_ticker: undefined }).market.seriesId).toBe('KXFEDDECISION')
  })
  test('VEN-14: a series cannot leave its segment', () => {
    expect(good(marketB(), { series_ticker: '../Evil' }).market.url).toBe(
      'https://kalshi.com/markets/..%2Fevil',
    )
  })
  test.each([
    ['Target price: TBD', true],
    ['Cut 25bps', false],
  ])('%s is a placeholder: %s', (name, placeholder) => {
    expect(good(marketB({ yes_sub_title: name })).market.placeholder).toBe(placeholder)
  })
})

describe('GET /series', () => {
  test('unreadable series are left out, the rest is used', () => {
    const byTicker = readSeriesB({
      series: [
        { ticker: 'KXA', fee_type: 'quadratic', fee_multiplier: 0.5, category: 'Financials', tags: null },
        { ticker: 7 },
        null,
        { ticker: 'KXB', fee_multiplier: -1 },
      ],
    })
    expect([...byTicker.keys()]).toEqual(['KXA'])
    expect(byTicker.get('KXA')).toEqual({
      category: 'Financials',
      tags: [],
      feeType: 'quadratic',
      feeMultiplier: 0.5,
    })
  })
  test.each([[[]], [null], ['x'], [{}]])('%j is no list of series', (answer) => {
    expect(() => readSeriesB(answer)).toThrow('series')
  })
})

test('VEN-13 a category, which is shown as it is, is one line of what prints', () => {
  expect(good(marketB({}), { category: 'Pol\u202eitics\u0000' }, null).market.category).toBe('Pol itics')
  const series = {
    ticker: 'KXA',
    fee_type: null,
    fee_multiplier: null,
    category: '\u001b[1mSports',
    tags: [],
  }
  expect(readSeriesB({ series: [series] }).get('KXA')?.category).toBe('[1mSports')
})

test('the category of its series comes before that of its event; a row without a type is binary', () => {
  const fields = marketB({ market_type: undefined })
  expect(good(fields, { category: 'Politics' }, QUADRATIC).market.category).toBe('Economics')
  expect(good(fields, { category: 'Politics' }, null).market.category).toBe('Politics')
})
