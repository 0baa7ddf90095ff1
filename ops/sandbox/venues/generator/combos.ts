import type { ListedMarket } from '../world.ts'
import { digits, mix } from './dice.ts'

/** One leg of a combination, as it stands in its own market. */
export type Leg = { eventTicker: string; marketTicker: string; title: string }

/** Combinations: half as many as there are markets, at most this many. */
const MOST_COMBOS = 10_000
export const comboCount = (size: number): number => Math.min(MOST_COMBOS, Math.ceil(size / 2))

/** A combination is listed for the UTC day it is made on. */
const comboDay = (nowMs: number): number => Math.floor(nowMs / 86_400_000)

/**
 * A market on several others at once, in the shape in which users of venue B mint them: no yes bid, at most a no bid,
 * and a title that lists its legs.
 */
export function combo(
  seed: number,
  number: number,
  nowMs: number,
  legs: readonly Leg[],
): ListedMarket & { key: string } {
  const day = comboDay(nowMs)
  const key = mix(mix(seed, number), day)
  const event = `KXMVESPORTSMULTIGAMEEXTENDED-S${digits(key, 12, 16).toUpperCase()}`
  const ticker = `${event}-${digits(mix(key, 1), 11, 16).toUpperCase()}`
  const opened = new Date(day * 86_400_000).toISOString().replace('.000Z', 'Z')
  const closes = new Date((day + 3) * 86_400_000).toISOString().replace('.000Z', 'Z')
  const title = legs.map((leg) => `yes ${leg.title}`).join(',')
  const quoted = mix(key, 2) % 3 === 0
  const noBid = quoted ? (1_000 + (mix(key, 3) % 8_000)) / 10_000 : 0
  return {
    key: `0${String(number).padStart(6, '0')}`,
    id: ticker,
    open: true,
    closed: false,
    status: 'active',
    write: (out) =>
      out.text(
        JSON.stringify({
          can_close_early: true,
          close_time: closes,
          created_time: opened,
          custom_strike: {
            'Associated Events': legs.map((leg) => leg.eventTicker).join(','),
            'Associated Market Sides': legs.map(() => 'yes').join(','),
            'Associated Markets': legs.map((leg) => leg.marketTicker).join(','),
          },
          event_ticker: event,
          exchange_index: 0,
          expected_expiration_time: closes,
          expiration_time: closes,
          expiration_value: '',
          is_provisional: true,
          last_price_dollars: '0.0000',
          latest_expiration_time: closes,
          liquidity_dollars: '0.0000',
          market_type: 'binary',
          mve_collection_ticker: 'KXMVESPORTSMULTIGAMEEXTENDED-R',
          mve_selected_legs: legs.map((leg) => ({
            event_ticker: leg.eventTicker,
            market_ticker: leg.marketTicker,
            side: 'yes',
          })),
          no_ask_dollars: '1.0000',
          no_bid_dollars: noBid.toFixed(4),
          no_sub_title: title,
          notional_value_dollars: '1.0000',
          open_interest_fp: '0.00',
          open_time: opened,
          previous_price_dollars: '0.0000',
          previous_yes_ask_dollars: '0.0000',
          previous_yes_bid_dollars: '0.0000',
          price_level_structure: 'deci_cent',
          price_ranges: [{ end: '1.0000', start: '0.0000', step: '0.0010' }],
          result: '',
          rules_primary: '',
          rules_secondary: '',
          settlement_timer_seconds: 5,
          status: 'active',
          strike_type: 'custom',
          ticker,
          title,
          updated_time: opened,
          volume_24h_fp: '0.00',
          volume_fp: '0.00',
          yes_ask_dollars: quoted ? (1 - noBid).toFixed(4) : '0.0000',
          yes_ask_size_fp: quoted ? '2475.00' : '0.00',
          yes_bid_dollars: '0.0000',
          yes_bid_size_fp: '0.00',
          yes_sub_title: title,
        }),
      ),
  }
}
