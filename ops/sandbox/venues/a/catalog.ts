import { z } from 'zod'
import { type Answer, type Ask, bytes, json, queryObject } from '../http/answer.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import { type Page, pageEvents } from '../http/paging.ts'
import { int, problem, text } from '../http/params.ts'
import { byteOut } from '../out.ts'
import type { WorldA } from '../world.ts'
import { filterParams, looksInside, type Seen } from './filters.ts'
import { eventSeen, type ListRequest, listEvents, listMarkets, marketSeen, spanOf } from './listing.ts'

const keyset = (most: number) =>
  z.object({
    ...filterParams,
    limit: int(1, most, 20),
    after_cursor: text,
    offset: z.never('is not supported, use after_cursor').optional(),
  })
const EventsKeyset = keyset(500)
const MarketsKeyset = keyset(100)
const Offset = z.object({ ...filterParams, limit: int(1, 500, 20), offset: int(0, 10_000_000, 0) })

/**
 * The catalogue of venue A (Gamma): listings by cursor or offset, single events and markets. A listing
 * that only says closed and limit is written straight from the world; any other filter, and `order`,
 * reads the objects back and so costs a multiple.
 */
export function catalogRoutes(world: WorldA): (ask: Ask) => Answer | null {
  const out = byteOut()

  /** The cheapest full sweep, as bytes. */
  const sweep = ({ nowMs }: Ask, { closed, cursor: from, limit }: ListRequest): Answer => {
    const span = spanOf(closed)
    const page = pageEvents({ world, nowMs, span, list: 'events', from, limit, passes: () => true })
    out.ascii('{"events":[')
    page.things.forEach((event, i) => {
      if (i > 0) out.ascii(',')
      event.write(out, true)
    })
    out.ascii(page.next === null ? ']}' : `],"next_cursor":"${encodeCursor(page.next)}"}`)
    return bytes(out.take())
  }

  const eventsKeyset = (ask: Ask): Answer => {
    const request = parseKeyset(ask, 'events', EventsKeyset)
    if ('status' in request) return request
    if (!looksInside(request)) return sweep(ask, request)
    return keysetAnswer('events', listEvents({ world, nowMs: ask.nowMs, list: 'events' }, request))
  }

  const marketsKeyset = (ask: Ask): Answer => {
    const request = parseKeyset(ask, 'markets', MarketsKeyset)
    if ('status' in request) return request
    return keysetAnswer('markets', listMarkets({ world, nowMs: ask.nowMs, list: 'markets' }, request))
  }

  const byOffset = (ask: Ask, list: typeof listEvents | typeof listMarkets): Answer => {
    const request = parseOffset(ask)
    if ('status' in request) return request
    return json(list({ world, nowMs: ask.nowMs, list: ask.path }, request).things)
  }

  const single = ({ path, nowMs }: Ask): Answer | null => {
    const [, kind, by = 'id', name = ''] = ONE.exec(path) ?? []
    if (kind === 'events') {
      const event = by === 'slug' ? world.eventBySlug(name, nowMs) : world.event(name, nowMs)
      return event === null ? unknown(by) : json(eventSeen(event, true))
    }
    if (kind === 'markets') {
      const found = by === 'slug' ? world.marketBy('slug', name, nowMs) : world.market(name, nowMs)
      return found === null ? unknown(by) : json(marketSeen(found))
    }
    return null
  }

  return (ask) => {
    switch (ask.path) {
      case '/events/keyset':
        return eventsKeyset(ask)
      case '/markets/keyset':
        return marketsKeyset(ask)
      case '/events':
        return byOffset(ask, listEvents)
      case '/markets':
        return byOffset(ask, listMarkets)
      default:
        return single(ask)
    }
  }
}

/** `/events/{id}`, `/events/slug/{slug}`, and the same of markets. */
const ONE = /^\/(events|markets)\/(?:(slug)\/)?([^/]*)$/

function parseKeyset(ask: Ask, list: string, schema: typeof EventsKeyset): ListRequest | Answer {
  const parsed = schema.safeParse(queryObject(ask.query))
  if (!parsed.success) return refuse(422, problem(parsed.error))
  const { after_cursor: after = '', offset: _, ...rest } = parsed.data
  const cursor = after === '' ? null : decodeCursor(list, after)
  if (after !== '' && cursor === null) return refuse(422, 'after_cursor: invalid')
  return { ...rest, cursor, offset: 0 }
}

function parseOffset(ask: Ask): ListRequest | Answer {
  const parsed = Offset.safeParse(queryObject(ask.query))
  return parsed.success ? { ...parsed.data, cursor: null } : refuse(422, problem(parsed.error))
}

const keysetAnswer = (name: string, { things, next }: Page<Seen>): Answer =>
  json({ [name]: things, ...(next === null ? {} : { next_cursor: encodeCursor(next) }) })

const refuse = (status: number, error: string): Answer =>
  json({ type: status === 404 ? 'not found error' : 'validation error', error }, status)

const unknown = (what: string): Answer => refuse(404, `${what} not found`)
