import fc from 'fast-check'
import type { Listing, Shown } from './listing.ts'
import {
  date,
  decimal,
  kept,
  keptOrNull,
  labelOrNull,
  micro,
  nearest,
  number,
  type Spelled,
  segment,
  Token,
  text,
} from './spelling.ts'

const maybe = (max: number): fc.Arbitrary<string | null | undefined> =>
  fc.oneof({ weight: 5, arbitrary: text(max) }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) })

const spelled = <Meaning>(units: fc.Arbitrary<bigint>, digits: number, means: (units: bigint) => Meaning) =>
  units.chain((value) =>
    number(value, digits).map((wire): Spelled<Meaning> => ({ wire, means: means(value) })),
  )

const price = <Meaning>(means: (micro: bigint) => Meaning) => spelled(micro, 6, means)
const inside = (bps: bigint): number | null => (bps <= 0n || bps >= 10_000n ? null : Number(bps))
export const bidOf = (units: bigint): number | null => inside(units / 100n)
export const askOf = (units: bigint): number | null => inside((units + 99n) / 100n)
export const lastOf = (units: bigint): number | null => (units === 0n ? null : nearest(units, 100n))
const change = spelled(
  fc.oneof(
    fc.bigInt({ min: -1_000_000n, max: 1_000_000n }),
    fc.constantFrom(0n, -50n, 50n, -49n, 150n, -1_000_000n),
  ),
  6,
  (units) => nearest(units, 100n),
)
const volume = spelled(
  fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.constantFrom(0n, 49n, 50n, 10n ** 14n)),
  2,
  (cents) => cents,
)

const figures = fc
  .record({
    bestBid: price(bidOf),
    bestAsk: price(askOf),
    lastTradePrice: price(lastOf),
    oneHourPriceChange: change,
    oneDayPriceChange: change,
    oneWeekPriceChange: change,
    volume24hr: volume,
    yes: fc.option(micro, { nil: null }),
  })
  .map(({ yes, ...fields }) => {
    const wire = Object.fromEntries(Object.entries(fields).map(([name, { wire: token }]) => [name, token]))
    const prices = yes === null ? null : JSON.stringify([decimal(yes, 6), decimal(1_000_000n - yes, 6)])
    return {
      wire: { ...wire, outcomePrices: prices },
      means: {
        bid_bps: fields.bestBid.means,
        ask_bps: fields.bestAsk.means,
        bid_size: null,
        ask_size: null,
        last_bps: fields.lastTradePrice.means,
        previous_bps: null,
        change_hour_bps: fields.oneHourPriceChange.means,
        change_day_bps: fields.oneDayPriceChange.means,
        change_week_bps: fields.oneWeekPriceChange.means,
        volume_24h: nearest(fields.volume24hr.means, 100n),
      },
      exactVolume: `${fields.volume24hr.means}`,
    }
  })

const fees = fc.oneof(
  fc.constantFrom(
    { wire: {}, means: null },
    { wire: { feesEnabled: false, feeSchedule: { rate: 0.05, exponent: 1 } }, means: null },
    { wire: { feesEnabled: true, feeSchedule: null }, means: null },
    { wire: { feesEnabled: true, feeSchedule: { rate: 0, exponent: 1 } }, means: null },
    { wire: { feesEnabled: true, feeSchedule: { rate: 'high' } }, means: [0.07, 1, true] as const },
  ),
  fc.integer({ min: 1, max: 1_000 }).map((mills) => ({
    wire: {
      feesEnabled: true,
      feeSchedule: { rate: new Token(decimal(BigInt(mills), 3)), exponent: new Token('1.50') },
    },
    means: [mills / 1_000, 1.5, false] as const,
  })),
)

const texts = fc
  .record({
    question: text(500).map((more) => `Q${more}`),
    slug: maybe(300),
    groupItemTitle: fc.oneof(
      { weight: 6, arbitrary: maybe(300) },
      { weight: 1, arbitrary: fc.constantFrom('Other', 'Person A') },
    ),
    description: maybe(8_000),
    labels: fc.constantFrom(
      ['Yes', 'No'],
      ['yes', 'NO'],
      ['Up', 'Down'],
      ['A "quoted"\nteam', '\ud800, \\N'],
    ),
    token: fc.constantFrom('1', '7'.repeat(77), 'none', undefined),
    startDate: date,
    endDate: date,
    gameStartTime: date,
    negRisk: fc.constantFrom(true, false, null, undefined),
    negRiskOther: fc.constantFrom(true, false, null, undefined),
    fees,
  })
  .map(({ labels, token, startDate, endDate, gameStartTime, fees: charged, ...plain }) => {
    const { question, slug, groupItemTitle, description, negRisk, negRiskOther } = plain
    const isPlain = labels[0]!.toLowerCase() === 'yes'
    const outcome = keptOrNull(groupItemTitle, 300)
    return {
      wire: {
        ...plain,
        ...charged.wire,
        outcomes: JSON.stringify(labels),
        clobTokenIds: token && JSON.stringify([token, '2']),
        startDate: startDate.wire,
        endDate: endDate.wire,
        gameStartTime: gameStartTime.wire,
      },
      means: {
        title: kept(question, 500),
        outcome,
        yes_means: isPlain ? null : keptOrNull(labels[0], 300),
        no_means: isPlain ? null : keptOrNull(labels[1], 300),
        placeholder: negRiskOther === true || outcome === 'Other' || outcome === 'Person A',
        rules: kept(description ?? '', 8_000),
        strike_type: null,
        strike_floor: null,
        strike_cap: null,
        market_slug: keptOrNull(slug, 300),
        token_id: token === 'none' ? null : (token ?? null),
        open_at: startDate.means,
        close_at: endDate.means,
        expected_at: null,
        game_at: gameStartTime.means,
        fee_rate: charged.means?.[0] ?? null,
        fee_exponent: charged.means?.[1] ?? null,
        fee_rounding: charged.means === null ? null : 'a_five_decimals',
        fee_flagged: charged.means?.[2] ?? null,
      },
      exclusive: negRisk === true,
    }
  })

const event = fc
  .record({
    slug: maybe(300),
    title: maybe(500),
    category: maybe(100),
    negRisk: fc.constantFrom(true, false, null, undefined),
    tags: fc.option(fc.array(fc.record({ label: maybe(100) }), { maxLength: 24 }), { nil: null }),
  })
  .map((wire) => {
    const slug = keptOrNull(wire.slug, 300)
    const path = segment(slug)
    return {
      wire,
      means: {
        series_id: null,
        event_title: kept(wire.title ?? '', 500),
        category: labelOrNull(wire.category, 100),
        tags: (wire.tags ?? [])
          .map(({ label }) => kept(label ?? '', 100))
          .filter((label) => label !== '')
          .slice(0, 20),
        slug,
        url: path === null ? 'https://polymarket.com/' : `https://polymarket.com/event/${path}`,
      },
      exclusive: wire.negRisk === true,
    }
  })

export const venueA: Listing = {
  venue: 'a',
  event,
  texts,
  figures,
  eventText: (id, { wire }, markets) => ({ id, ...wire, markets }),
  marketText: (id, shown: Shown, updated) => ({
    note: '}]{["\\',
    id,
    ...shown.texts.wire,
    ...shown.figures.wire,
    active: true,
    closed: shown.isClosed,
    acceptingOrders: true,
    enableOrderBook: true,
    updatedAt: updated?.wire,
  }),
}
