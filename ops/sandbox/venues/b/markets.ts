import { z } from 'zod'
import { type Answer, type Ask, bytes, json, queryObject } from '../http/answer.ts'
import { type Cursor, decodeCursor, encodeCursor } from '../http/cursor.ts'
import { pageMarkets } from '../http/paging.ts'
import { int, list, number, problem, text } from '../http/params.ts'
import { byteOut, written } from '../out.ts'
import type { ListedMarket, Span, WorldB } from '../world.ts'
import { badRequest, notFound } from './problem.ts'

/** Filter words and the statuses in the objects they mean. */
export const STATUSES: Record<string, readonly string[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed', 'amended'],
  settled: ['finalized'],
}
export const status = z.enum(['unopened', 'open', 'paused', 'closed', 'settled']).optional()

/** Without a filter everything is listed; settled markets are past, or belong to events with open ones. */
export const spanOf = (word: string | undefined): Span =>
  word === undefined || word === 'settled' ? 'all' : 'current'

const Params = z.object({
  limit: int(1, 1_000, 100),
  cursor: text,
  status,
  event_ticker: text,
  series_ticker: text,
  tickers: list,
  mve_filter: z.enum(['exclude', 'only']).optional(),
  min_created_ts: number,
  max_created_ts: number,
  min_close_ts: number,
  max_close_ts: number,
  min_settled_ts: number,
  max_settled_ts: number,
  min_updated_ts: number,
})
type Params = z.infer<typeof Params>

/** The status that each pair of time filters may be combined with, besides none; and the field it looks at. */
const TIMES = [
  ['min_created_ts', 'max_created_ts', 'created_time', ['unopened', 'open']],
  ['min_close_ts', 'max_close_ts', 'close_time', ['closed']],
  ['min_settled_ts', 'max_settled_ts', 'settlement_ts', ['settled']],
] as const

function refuse(params: Params): string | null {
  for (const [min, max, , allowed] of TIMES) {
    if (params[min] === undefined && params[max] === undefined) continue
    if (params.status !== undefined && !allowed.some((word) => word === params.status))
      return `${min} and ${max} go with status ${allowed.join(' or ')} or none`
  }
  if (params.min_updated_ts !== undefined && (params.status ?? params.event_ticker ?? params.tickers))
    return 'min_updated_ts goes with mve_filter and series_ticker only'
  return null
}

const object = (market: ListedMarket): Record<string, unknown> => JSON.parse(written(market.write))

/** Time filters, in Unix seconds. */
function timesPass(params: Params, market: ListedMarket): boolean {
  const wanted = TIMES.filter(([min, max]) => params[min] !== undefined || params[max] !== undefined)
  if (wanted.length === 0 && params.min_updated_ts === undefined) return true
  const seen = object(market)
  const seconds = (field: string) => Date.parse(String(seen[field])) / 1_000
  if (params.min_updated_ts !== undefined && !(seconds('updated_time') >= params.min_updated_ts)) return false
  return wanted.every(([min, max, field]) => {
    const at = seconds(field)
    return at >= (params[min] ?? at) && at <= (params[max] ?? at)
  })
}

/** What a listing is asked for, whichever objects it goes through. */
type Wanted = { from: Cursor | null; limit: number; fits(market: ListedMarket): boolean }

const LIST = 'markets'
const COMBOS = 'combos'

/** GET /markets and /markets/{ticker}. Combinations come first and fill the first pages, unless excluded. */
export function marketRoutes(world: WorldB): (ask: Ask) => Answer | null {
  const out = byteOut()

  const answer = (markets: readonly ListedMarket[], next: Cursor | null): Answer => {
    out.ascii('{"markets":[')
    markets.forEach((market, i) => {
      if (i > 0) out.ascii(',')
      market.write(out)
    })
    out.ascii(`],"cursor":"${next === null ? '' : encodeCursor(next)}"}`)
    return bytes(out.take())
  }

  const named = (tickers: readonly string[], nowMs: number, { limit, fits }: Wanted): Answer => {
    const found = tickers.map((ticker) => find(ticker, nowMs))
    const fitting = found.filter((market): market is ListedMarket => market !== null && fits(market))
    return answer(fitting.slice(0, limit), null)
  }

  const ofEvent = (ticker: string, nowMs: number, { from, limit, fits }: Wanted): Answer => {
    const event = world.event(ticker, nowMs)
    const rows = event === null ? [] : event.markets.map((market, index) => ({ event, market, index }))
    const left = rows.filter(({ market, index }) => index >= (from?.index ?? 0) && fits(market))
    const over = left[limit]
    const next = over === undefined ? null : { list: LIST, key: over.event.key, index: over.index }
    const fitting = left.slice(0, limit).map(({ market }) => market)
    return answer(fitting, next)
  }

  /** @returns one more than the limit, when there are more. */
  const combosOf = (nowMs: number, from: Cursor | null, { limit, fits }: Wanted): ListedMarket[] => {
    const combos: ListedMarket[] = []
    for (const combo of world.combos(nowMs, from === null ? null : from.key)) {
      if (combos.length > limit) break
      if (fits(combo)) combos.push(combo)
    }
    return combos
  }

  const listing = (ask: Ask): Answer => {
    const parsed = Params.safeParse(queryObject(ask.query))
    if (!parsed.success) return badRequest(problem(parsed.error))
    const params = parsed.data
    const contradiction = refuse(params)
    if (contradiction !== null) return badRequest(contradiction)
    const { limit, cursor = '', series_ticker: series } = params
    const inCombos = decodeCursor(COMBOS, cursor)
    const from = decodeCursor(LIST, cursor)
    if (cursor !== '' && inCombos === null && from === null) return badRequest('cursor: invalid')
    const statuses = params.status === undefined ? null : STATUSES[params.status]!
    const fits = (market: ListedMarket) =>
      (statuses === null || statuses.includes(market.status)) && timesPass(params, market)
    const wanted: Wanted = { from, limit, fits }
    const { nowMs } = ask
    if (params.tickers !== undefined) return named(params.tickers, nowMs, wanted)
    if (params.event_ticker !== undefined) return ofEvent(params.event_ticker, nowMs, wanted)

    const hasCombos = series === undefined && params.mve_filter !== 'exclude' && from === null
    const combos = hasCombos ? combosOf(nowMs, inCombos, wanted) : []
    if (combos.length > limit) {
      const first = combos.slice(0, limit)
      return answer(first, { list: COMBOS, key: lastKey(first), index: 0 })
    }
    if (params.mve_filter === 'only') return answer(combos, null)
    const { things: rows, next } = pageMarkets({
      world,
      nowMs,
      span: spanOf(params.status),
      list: LIST,
      from,
      limit: limit - combos.length,
      passes: ({ event, market }) => (series === undefined || event.series === series) && fits(market),
    })
    return answer([...combos, ...rows.map(({ market }) => market)], next)
  }

  const find = (ticker: string, nowMs: number): ListedMarket | null => {
    if (ticker.startsWith('KXMVE'))
      for (const combo of world.combos(nowMs, null)) if (combo.id === ticker) return combo
    return world.market(ticker, nowMs)?.market ?? null
  }

  return (ask) => {
    if (ask.path === '/markets') return listing(ask)
    const ticker = /^\/markets\/([^/]+)$/.exec(ask.path)?.[1]
    if (ticker === undefined || ticker === 'orderbooks' || ticker === 'trades') return null
    const market = find(ticker, ask.nowMs)
    return market === null ? notFound() : json({ market: object(market) })
  }
}

/** Combinations carry their rank. */
const lastKey = (combos: readonly ListedMarket[]): string => {
  const last = combos.at(-1)
  return last !== undefined && 'key' in last && typeof last.key === 'string' ? last.key : ''
}
