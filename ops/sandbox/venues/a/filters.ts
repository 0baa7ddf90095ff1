import { z } from 'zod'
import { flag, instant, list, number, text } from '../http/params.ts'

/** Query parameters of both listings that look at the objects themselves. */
export const filterParams = {
  closed: flag,
  active: flag,
  archived: flag,
  id: list,
  slug: list,
  tag_id: text,
  tag_slug: text,
  exclude_tag_id: list,
  series_id: text,
  liquidity_min: number,
  liquidity_max: number,
  volume_min: number,
  volume_max: number,
  liquidity_num_min: number,
  liquidity_num_max: number,
  volume_num_min: number,
  volume_num_max: number,
  start_date_min: instant,
  start_date_max: instant,
  end_date_min: instant,
  end_date_max: instant,
  condition_ids: list,
  clob_token_ids: list,
  question_ids: list,
  game_id: text,
  sports_market_types: list,
  uma_resolution_status: text,
  title_search: text,
  order: list,
  ascending: flag,
}
const Filters = z.object(filterParams)
export type Filters = z.infer<typeof Filters>

/** A served object, read back. */
export type Seen = Record<string, unknown>

const amount = (object: Seen, name: string) => Number(object[name] ?? 0) //  a missing number is 0
const timeOf = (object: Seen, name: string) =>
  typeof object[name] === 'string' ? Date.parse(object[name]) : null
const among = (wanted: readonly string[] | undefined, value: unknown) =>
  wanted === undefined || (typeof value === 'string' && wanted.includes(value))
const within = (value: number, min: number | undefined, max: number | undefined) =>
  (min === undefined || value >= min) && (max === undefined || value <= max)
const during = (ms: number | null, min: number | undefined, max: number | undefined) =>
  (min === undefined && max === undefined) || (ms !== null && within(ms, min, max))

type Tag = { id?: unknown; slug?: unknown }
const tagsOf = (event: Seen): Tag[] => (Array.isArray(event.tags) ? event.tags : [])

/** Which filters need the object; the listing is much faster without any of them. */
export const looksInside = (filters: Filters): boolean => INSIDE.some((name) => filters[name] !== undefined)
const OUTSIDE: readonly string[] = ['closed', 'ascending']
const INSIDE = (Object.keys(filterParams) as (keyof Filters)[]).filter((name) => !OUTSIDE.includes(name))

/** Filters that events and markets share, plus those of the event alone. */
export function eventPasses(event: Seen, filters: Filters): boolean {
  return (
    commonPasses(event, filters) &&
    within(amount(event, 'liquidity'), filters.liquidity_min, filters.liquidity_max) &&
    within(amount(event, 'volume'), filters.volume_min, filters.volume_max) &&
    tagPasses(event, filters) &&
    (filters.title_search === undefined ||
      String(event.title).toLowerCase().includes(filters.title_search.toLowerCase())) &&
    (filters.series_id === undefined ||
      (Array.isArray(event.series) &&
        event.series.some((series: Seen) => String(series.id) === filters.series_id)))
  )
}

/** @param event the market's event, whose tags count for it. */
export function marketPasses(market: Seen, event: Seen, filters: Filters): boolean {
  return (
    commonPasses(market, filters) &&
    within(amount(market, 'liquidityNum'), filters.liquidity_num_min, filters.liquidity_num_max) &&
    within(amount(market, 'volumeNum'), filters.volume_num_min, filters.volume_num_max) &&
    tagPasses(event, filters) &&
    among(filters.condition_ids, market.conditionId) &&
    among(filters.question_ids, market.questionID) &&
    among(filters.sports_market_types, market.sportsMarketType) &&
    (filters.clob_token_ids === undefined ||
      filters.clob_token_ids.some((token) => String(market.clobTokenIds ?? '').includes(`"${token}"`))) &&
    (filters.game_id === undefined || String(market.gameId) === filters.game_id) &&
    (filters.uma_resolution_status === undefined ||
      market.umaResolutionStatus === filters.uma_resolution_status)
  )
}

const tagPasses = (event: Seen, filters: Filters) => {
  const tags = tagsOf(event)
  return (
    (filters.tag_id === undefined || tags.some((tag) => String(tag.id) === filters.tag_id)) &&
    (filters.tag_slug === undefined || tags.some((tag) => tag.slug === filters.tag_slug)) &&
    !tags.some((tag) => filters.exclude_tag_id?.includes(String(tag.id)))
  )
}

const commonPasses = (object: Seen, filters: Filters) =>
  (filters.active === undefined || object.active === filters.active) &&
  (filters.archived === undefined || object.archived === filters.archived) &&
  among(filters.id, object.id) &&
  among(filters.slug, object.slug) &&
  during(timeOf(object, 'startDate'), filters.start_date_min, filters.start_date_max) &&
  during(timeOf(object, 'endDate'), filters.end_date_min, filters.end_date_max)

/** Rising order over a list of fields; a missing number is 0. */
export const compareBy =
  (fields: readonly string[]) =>
  (x: Seen, y: Seen): number => {
    for (const field of fields) {
      const [left, right] = [x[field] ?? 0, y[field] ?? 0]
      const order =
        typeof left === 'string' && typeof right === 'string'
          ? left.localeCompare(right, 'en', { numeric: true })
          : Number(left) - Number(right)
      if (order !== 0) return order
    }
    return 0
  }
