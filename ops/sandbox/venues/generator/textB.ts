import { DAY, HOUR, MINUTE } from '../../../units.ts'
import type { Grid } from '../book.ts'
import { closesOf } from './closes.ts'
import { mix } from './dice.ts'
import { gridB } from './figures.ts'
import type { Bone, Instance } from './instance.ts'
import { topicOf } from './plan.ts'
import { iso } from './textA.ts'
import { CATEGORIES, type Category, type EventB, type MarketB, type StrikeB, type Topic } from './topic.ts'

/** The words of the events of one instance on venue B, as pieces of JSON; as for venue A. */
export type TextB = {
  events: readonly Buffer[] //  open at the end
  markets: readonly Buffer[] // open at the end, in the order of the instance's markets
}

const quote = JSON.stringify
const stampB = (ms: number) => new Date(ms).toISOString().replace('Z', '294Z')

/** price_ranges is the truth about the grid; the name beside it is only a label. */
const RANGES: Record<Grid, Buffer> = {
  cent: Buffer.from(
    ',"price_level_structure":"linear_cent","price_ranges":[{"end":"1.0000","start":"0.0000","step":"0.0100"}]',
  ),
  deci: Buffer.from(
    ',"price_level_structure":"deci_cent","price_ranges":[{"end":"1.0000","start":"0.0000","step":"0.0010"}]',
  ),
  tapered: Buffer.from(
    ',"price_level_structure":"tapered_deci_cent","price_ranges":[{"end":"0.1000","start":"0.0000","step":"0.0010"},{"end":"0.9000","start":"0.1000","step":"0.0100"},{"end":"1.0000","start":"0.9000","step":"0.0010"}]',
  ),
}
const SOURCES: Record<Category, string> = {
  politics: '[{"name":"the Associated Press","url":"https://www.ap.org"}]',
  economics: '[{"name":"National statistics office","url":"https://stats.invalid"}]',
  crypto: '[{"name":"CF Benchmarks","url":"https://www.cfbenchmarks.com/"}]',
  sports: '[{"name":"the Governing League","url":"https://league.invalid/"}]',
  weather: '[{"name":"National Weather Service","url":"https://www.weather.gov/"}]',
  entertainment: '[{"name":"The Numbers","url":"https://www.the-numbers.com/"}]',
  companies: '[{"name":"Securities and Exchange Commission","url":"https://www.sec.gov/"}]',
}
const shardOf = (category: Category) => (category === 'crypto' ? 1 : 0)

export function textB(instance: Instance): TextB {
  const topic = topicOf(instance.slot, instance.generation)
  return {
    events: topic.b.events.map((event, number) => Buffer.from(eventText(instance, topic, event, number))),
    markets: instance.b.map((bone, index) =>
      Buffer.from(marketText(instance, topic, bone, topic.b.markets[index]!)),
    ),
  }
}

function eventText(instance: Instance, topic: Topic, event: EventB, number: number): string {
  const { key, openMs, decideMs, tickers } = instance
  // one event in fifty halves the fee of its series
  const override =
    mix(key, 0xfee + number) % 50 === 0
      ? ',"fee_type_override":"quadratic","fee_multiplier_override":0.5'
      : ''
  const meta =
    event.gameMs === undefined ? 'null' : `{"competition":${quote(topic.tags[1])},"competition_scope":"Game"}`
  return (
    `{"available_on_brokers":true,"category":"${CATEGORIES[topic.category].labelB}","collateral_return_type":"${event.exclusive ? 'MECNET' : ''}"` +
    `,"event_ticker":"${tickers[number]}","exchange_index":${shardOf(topic.category)},"last_updated_ts":"${stampB(openMs)}"` +
    `,"mutually_exclusive":${event.exclusive === true},"product_metadata":${meta},"series_ticker":"${event.series}"` +
    `,"settlement_sources":${SOURCES[topic.category]},"strike_date":"${iso(decideMs)}","strike_period":""` +
    `,"sub_title":${quote(event.sub)},"title":${quote(event.title)}${override}`
  )
}

function marketText(instance: Instance, topic: Topic, bone: Bone, market: MarketB): string {
  const { openMs, tickers } = instance
  const close = closesOf(instance.slot, bone.decideMs).b
  const event = topic.b.events[bone.event]!
  // one market in fifty is free of fees until an hour before its decision
  const waiver = mix(bone.key, 0xfee) % 50 === 0 ? `"${iso(bone.decideMs - HOUR)}"` : 'null'
  return (
    `{"ticker":"${bone.id}","event_ticker":"${tickers[bone.event]}","title":${quote(market.title)},"yes_sub_title":${quote(market.yes)},"no_sub_title":${quote(market.yes)}` +
    `,"close_time":"${iso(close)}","created_time":"${stampB(openMs - HOUR)}","exchange_index":${shardOf(topic.category)}` +
    `,"expected_expiration_time":"${iso(bone.decideMs)}","expiration_time":"${iso(close + 7 * DAY)}","latest_expiration_time":"${iso(close + 7 * DAY)}"` +
    `,"fee_waiver_expiration_time":${waiver},"open_time":"${iso(openMs)}","updated_time":"${stampB(openMs + MINUTE)}"` +
    (event.gameMs === undefined ? '' : `,"occurrence_datetime":"${iso(event.gameMs)}"`) +
    `,"rules_primary":${quote(market.rules)},"rules_secondary":${quote(event.extra ?? '')}${strikeText(market.strike)}`
  )
}

function strikeText(strike: StrikeB | undefined): string {
  if (strike === undefined) return ',"strike_type":"custom"'
  if ('custom' in strike)
    return `,"strike_type":"${strike.type}","custom_strike":${JSON.stringify(strike.custom)}`
  const floor = 'floor' in strike ? `,"floor_strike":${strike.floor}` : ''
  const cap = 'cap' in strike ? `,"cap_strike":${strike.cap}` : ''
  return `,"strike_type":"${strike.type}"${floor}${cap}`
}

export const gridText = (bone: Bone): Buffer => RANGES[gridB(bone.key)]
