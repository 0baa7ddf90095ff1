import fc from 'fast-check'
import type { Listing, Shown } from './listing.ts'
import { date, kept, keptOrNull, labelOrNull, micro, nearest, numeral, segment, text } from './spelling.ts'
import { askOf, bidOf, lastOf } from './venueA.ts'

const maybe = (max: number): fc.Arbitrary<string | null | undefined> =>
  fc.oneof({ weight: 5, arbitrary: text(max) }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) })

const price = micro.chain((units) =>
  fc.record({ units: fc.constant(units), wire: numeral(units, 6), other: numeral(1_000_000n - units, 6) }),
)
const hundredths = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }),
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc.constantFrom(0n, 1n, 10n ** 14n - 1n),
)
const count = hundredths.chain((units) => fc.record({ units: fc.constant(units), wire: numeral(units, 2) }))

const figures = fc
  .record({
    bid: price,
    ask: price,
    last: price,
    previous: fc.option(price, { nil: null }),
    bidSize: fc.option(count, { nil: null }),
    askSize: fc.option(count, { nil: null }),
    volume: count,
    mirror: fc.constantFrom('stated', 'null', 'absent'),
  })
  .map(({ bid, ask, last, previous, bidSize, askSize, volume, mirror }) => {
    const said = (other: string) => (mirror === 'stated' ? other : mirror === 'null' ? null : undefined)
    const bidBps = bidSize?.units === 0n ? null : bidOf(bid.units)
    const askBps = askSize?.units === 0n ? null : askOf(ask.units)
    return {
      wire: {
        yes_bid_dollars: bid.wire,
        yes_ask_dollars: ask.wire,
        no_bid_dollars: said(ask.other),
        no_ask_dollars: said(bid.other),
        yes_bid_size_fp: bidSize?.wire,
        yes_ask_size_fp: askSize?.wire,
        last_price_dollars: last.wire,
        previous_price_dollars: previous?.wire,
        volume_24h_fp: volume.wire,
      },
      means: {
        bid_bps: bidBps,
        ask_bps: askBps,
        bid_size: bidBps === null || bidSize === null ? null : Number(bidSize.units) / 100,
        ask_size: askBps === null || askSize === null ? null : Number(askSize.units) / 100,
        last_bps: lastOf(last.units),
        previous_bps: previous === null ? null : lastOf(previous.units),
        change_hour_bps: null,
        change_day_bps: null,
        change_week_bps: null,
        volume_24h: nearest(volume.units, 100n),
      },
      exactVolume: `${volume.units}`,
    }
  })

const strike = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 4.35, 1e308, 5e-324, 123_456.789, null, undefined),
)

const texts = fc
  .record({
    title: text(500).map((more) => `Q${more}`),
    yes_sub_title: fc.oneof(
      { weight: 6, arbitrary: maybe(300) },
      { weight: 1, arbitrary: fc.constantFrom('Target price: TBD', 'other') },
    ),
    rules_primary: maybe(8_000),
    rules_secondary: maybe(100),
    strike_type: fc.constantFrom('greater', 'between', 'structured', null, undefined),
    floor_strike: strike,
    cap_strike: strike,
    open_time: date,
    close_time: date,
    expected_expiration_time: date,
  })
  .map(({ open_time, close_time, expected_expiration_time, ...plain }) => {
    const { title, yes_sub_title, rules_primary, rules_secondary, strike_type } = plain
    const [floor, cap] = [plain.floor_strike ?? null, plain.cap_strike ?? null]
    const outcome = keptOrNull(yes_sub_title, 300)
    const type = strike_type === 'greater' || strike_type === 'between' ? strike_type : 'other'
    return {
      wire: {
        ...plain,
        open_time: open_time.wire,
        close_time: close_time.wire,
        expected_expiration_time: expected_expiration_time.wire,
      },
      means: {
        title: kept(title, 500),
        outcome,
        yes_means: null,
        no_means: null,
        placeholder: outcome === 'Target price: TBD' || outcome === 'other',
        rules: kept(
          [rules_primary, rules_secondary].filter((part) => part != null && part !== '').join('\n\n'),
          8_000,
        ),
        strike_type: floor === null && cap === null ? null : type,
        strike_floor: floor === null ? null : floor + 0,
        strike_cap: cap === null ? null : cap + 0,
        market_slug: null,
        token_id: null,
        open_at: open_time.means,
        close_at: close_time.means,
        expected_at: expected_expiration_time.means,
        game_at: null,
      },
      exclusive: false,
    }
  })

/** Series of the venue's list; the third is not on it. */
export const SERIES_B = [
  {
    ticker: 'KXONE',
    category: 'A "b",\n\\N c',
    tags: ['x', "it's", '', 'a,b'],
    fee_type: 'quadratic',
    fee_multiplier: 0.5,
  },
  { ticker: 'KXTWO', category: null, tags: null, fee_type: 'new', fee_multiplier: 0.123457 },
]

const event = fc
  .record({
    series_ticker: fc.constantFrom('KXONE', 'KXTWO', 'KXTHREE', 'kx "x"/..'),
    title: maybe(500),
    category: maybe(100),
    mutually_exclusive: fc.constantFrom(true, false, null, undefined),
    fee_multiplier_override: fc.constantFrom(undefined, null, 0, 2, 0.333333),
  })
  .map((wire) => {
    const series = SERIES_B.find(({ ticker }) => ticker === wire.series_ticker)
    const multiplier = wire.fee_multiplier_override ?? series?.fee_multiplier ?? null
    const flagged = series?.fee_type !== 'quadratic' || multiplier === null
    const millionths = multiplier === null ? 1_000_000 : Math.round(multiplier * 1_000_000)
    const rate = nearest(BigInt(millionths) * 7n, 100n) / 1_000_000
    const isCharged = rate !== 0 || flagged
    return {
      wire,
      means: {
        series_id: wire.series_ticker,
        event_title: kept(wire.title ?? '', 500),
        category: labelOrNull(series?.category, 100) ?? labelOrNull(wire.category, 100),
        tags: (series?.tags ?? []).filter((tag) => tag !== ''),
        slug: null,
        url: `https://kalshi.com/markets/${segment(wire.series_ticker.toLowerCase())}`,
        fee_rate: isCharged ? rate : null,
        fee_exponent: isCharged ? 1 : null,
        fee_rounding: isCharged ? 'b_cent_up' : null,
        fee_flagged: isCharged ? flagged : null,
      },
      exclusive: wire.mutually_exclusive === true,
    }
  })

export const venueB: Listing = {
  venue: 'b',
  event,
  texts,
  figures,
  eventText: (id, { wire }, markets) => ({ event_ticker: id, ...wire, markets }),
  marketText: (id, shown: Shown) => ({
    note: '}]{["\\',
    ticker: id,
    market_type: 'binary',
    status: shown.isClosed ? 'closed' : 'active',
    ...shown.texts.wire,
    ...shown.figures.wire,
  }),
}
