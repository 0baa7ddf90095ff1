import { z } from 'zod'
import { type Answer, type Ask, bytes, json, queryObject } from '../http/answer.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import { pageEvents } from '../http/paging.ts'
import { flag, int, list, number, problem, text } from '../http/params.ts'
import { byteOut, type Out, written } from '../out.ts'
import type { ListedEvent, WorldB } from '../world.ts'
import { STATUSES, spanOf, status } from './markets.ts'
import { badRequest, notFound } from './problem.ts'

const LIST = 'events'
const Params = z.object({
  limit: int(1, 200, 200),
  cursor: text,
  status,
  series_ticker: text,
  tickers: list,
  with_nested_markets: flag,
  with_milestones: flag,
  min_close_ts: number,
  min_updated_ts: number,
})

const object = (write: (out: Out) => void): Record<string, unknown> => JSON.parse(written(write))

/** GET /events and /events/{ticker}. Combinations are never in here. */
export function eventRoutes(world: WorldB): (ask: Ask) => Answer | null {
  const out = byteOut()

  const listing = (ask: Ask): Answer => {
    const parsed = Params.safeParse(queryObject(ask.query))
    if (!parsed.success) return badRequest(problem(parsed.error))
    const { limit, cursor = '', status: word, series_ticker: series, tickers, ...rest } = parsed.data
    const from = cursor === '' ? null : decodeCursor(LIST, cursor)
    if (cursor !== '' && from === null) return badRequest('cursor: invalid')
    const wanted = word === undefined ? null : STATUSES[word]!
    const lateEnough = (event: ListedEvent) =>
      rest.min_close_ts === undefined ||
      event.markets.some(
        (market) => Date.parse(String(object(market.write).close_time)) / 1_000 >= rest.min_close_ts!,
      )
    const updated = (event: ListedEvent) =>
      rest.min_updated_ts === undefined ||
      Date.parse(String(object((to) => event.write(to, false)).last_updated_ts)) / 1_000 >=
        rest.min_updated_ts
    const passes = (event: ListedEvent) =>
      (wanted === null || event.markets.some((market) => wanted.includes(market.status))) &&
      (series === undefined || event.series === series) &&
      (tickers === undefined || tickers.includes(event.id)) &&
      lateEnough(event) &&
      updated(event)
    const { nowMs } = ask
    const span = spanOf(word)
    const { things: events, next } = pageEvents({ world, nowMs, span, list: LIST, from, limit, passes })
    out.ascii('{"events":[')
    events.forEach((event, i) => {
      if (i > 0) out.ascii(',')
      event.write(out, rest.with_nested_markets === true)
    })
    out.ascii(
      `]${rest.with_milestones === true ? ',"milestones":[]' : ''},"cursor":"${next === null ? '' : encodeCursor(next)}"}`,
    )
    return bytes(out.take())
  }

  return (ask) => {
    if (ask.path === '/events') return listing(ask)
    const ticker = /^\/events\/([^/]+)$/.exec(ask.path)?.[1]
    if (ticker === undefined) return null
    const event = world.event(ticker, ask.nowMs)
    if (event === null) return notFound()
    const nested = ask.query.get('with_nested_markets') === 'true'
    const body = { event: object((to) => event.write(to, nested)) }
    return json(nested ? body : { ...body, markets: event.markets.map(({ write }) => object(write)) })
  }
}
