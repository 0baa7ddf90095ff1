import { z } from 'zod'
import { type Answer, type Ask, bytes, json, queryObject } from '../http/answer.ts'
import { type Cursor, decodeCursor, encodeCursor } from '../http/cursor.ts'
import { pageEvents, pageMarkets, type Row } from '../http/paging.ts'
import { int, problem, text } from '../http/params.ts'
import { byteOut, type Out, written } from '../out.ts'
import type { ListedEvent, Span, WorldA } from '../world.ts'
import {
  compareBy,
  eventPasses,
  type Filters,
  filterParams,
  looksInside,
  marketPasses,
  type Seen,
} from './filters.ts'

const refuse = (status: number, error: string): Answer =>
  json({ type: status === 404 ? 'not found error' : 'validation error', error }, status)
const unknown = (what: string) => refuse(404, `${what} not found`)

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

type Request = Filters & { limit: number; cursor: Cursor | null; offset: number }

const seen = (write: (out: Out) => void): Seen => JSON.parse(written(write))
const eventSeen = (event: ListedEvent, nested: boolean) => seen((out) => event.write(out, nested))
/** A market of a listing carries its event. */
const marketSeen = ({ event, market }: Row): Seen => ({
  ...seen(market.write),
  events: [eventSeen(event, false)],
})
const spanOf = (closed: boolean | undefined): Span =>
  closed === undefined ? 'all' : closed ? 'past' : 'current'

/**
 * The catalogue of venue A (Gamma): listings by cursor or offset, single events and markets. A listing
 * that only says closed and limit is written straight from the world; any other filter, and `order`,
 * reads the objects back and so costs a multiple.
 */
export function catalogRoutes(world: WorldA): (ask: Ask) => Answer | null {
  const out = byteOut()

  const parse = (ask: Ask, list: string, schema: typeof EventsKeyset): Request | Answer => {
    const parsed = schema.safeParse(queryObject(ask.query))
    if (!parsed.success) return refuse(422, problem(parsed.error))
    const { after_cursor: after, offset: _, ...rest } = parsed.data
    const cursor = after === undefined || after === '' ? null : decodeCursor(list, after)
    if (after !== undefined && after !== '' && cursor === null) return refuse(422, 'after_cursor: invalid')
    return { ...rest, cursor, offset: 0 }
  }
  const parseOffset = (ask: Ask): Request | Answer => {
    const parsed = Offset.safeParse(queryObject(ask.query))
    return parsed.success ? { ...parsed.data, cursor: null } : refuse(422, problem(parsed.error))
  }

  /** Objects of a listing that is filtered or sorted: [objects, next]. Sorted, the cursor counts rows. */
  const select = <Thing>(
    request: Request,
    list: string,
    page: (limit: number, cursor: Cursor | null) => { things: Thing[]; next: Cursor | null },
    see: (thing: Thing) => Seen,
  ): [Seen[], Cursor | null] => {
    if (request.order === undefined) {
      const { things, next } = page(request.limit + request.offset, request.cursor)
      return [things.slice(request.offset).map(see), next]
    }
    const rising = request.ascending ?? true
    const all = page(Number.POSITIVE_INFINITY, null).things.map(see)
    all.sort(compareBy(request.order))
    if (!rising) all.reverse()
    const from = (request.cursor?.index ?? 0) + request.offset
    const end = from + request.limit
    return [all.slice(from, end), end < all.length ? { list, key: '', index: end } : null]
  }

  const events = (ask: Ask, request: Request, list: string): [Seen[], Cursor | null] =>
    select(
      request,
      list,
      (limit, cursor) => {
        const passes = (event: ListedEvent) => eventPasses(eventSeen(event, false), request)
        const span = spanOf(request.closed)
        const page = pageEvents(world, ask.nowMs, span, list, cursor, limit, passes)
        return { things: page.events, next: page.next }
      },
      (event) => eventSeen(event, true),
    )

  const markets = (ask: Ask, request: Request, list: string): [Seen[], Cursor | null] => {
    const closed = request.closed ?? false
    return select(
      request,
      list,
      (limit, cursor) => {
        const passes = (row: Row) =>
          row.market.closed === closed &&
          (!looksInside(request) ||
            marketPasses(seen(row.market.write), eventSeen(row.event, false), request))
        const span = closed ? 'all' : 'current'
        const page = pageMarkets(world, ask.nowMs, span, list, cursor, limit, passes)
        return { things: page.rows, next: page.next }
      },
      marketSeen,
    )
  }

  /** The cheapest full sweep, as bytes. */
  const sweep = (ask: Ask, request: Request, list: string): Answer => {
    const span = spanOf(request.closed)
    const page = pageEvents(world, ask.nowMs, span, list, request.cursor, request.limit, () => true)
    out.ascii('{"events":[')
    page.events.forEach((event, i) => {
      if (i > 0) out.ascii(',')
      event.write(out, true)
    })
    out.ascii(page.next === null ? ']}' : `],"next_cursor":"${encodeCursor(page.next)}"}`)
    return bytes(out.take())
  }

  const keysetAnswer = (name: string, [rows, next]: [Seen[], Cursor | null]): Answer =>
    json({ [name]: rows, ...(next === null ? {} : { next_cursor: encodeCursor(next) }) })

  return (ask) => {
    const { path, nowMs } = ask
    if (path === '/events/keyset') {
      const request = parse(ask, 'events', EventsKeyset)
      if ('status' in request) return request
      return looksInside(request)
        ? keysetAnswer('events', events(ask, request, 'events'))
        : sweep(ask, request, 'events')
    }
    if (path === '/markets/keyset') {
      const request = parse(ask, 'markets', MarketsKeyset)
      return 'status' in request ? request : keysetAnswer('markets', markets(ask, request, 'markets'))
    }
    if (path === '/events' || path === '/markets') {
      const request = parseOffset(ask)
      if ('status' in request) return request
      return json((path === '/events' ? events : markets)(ask, request, path)[0])
    }
    const [, kind, ...rest] = path.split('/')
    if (kind !== 'events' && kind !== 'markets') return null
    const bySlug = rest.length === 2 && rest[0] === 'slug'
    if (!bySlug && rest.length !== 1) return null
    const name = rest.at(-1)!
    if (kind === 'events') {
      const event = bySlug ? world.eventBySlug(name, nowMs) : world.event(name, nowMs)
      return event === null ? unknown(bySlug ? 'slug' : 'id') : json(eventSeen(event, true))
    }
    const found = bySlug ? world.marketBy('slug', name, nowMs) : world.market(name, nowMs)
    return found === null ? unknown(bySlug ? 'slug' : 'id') : json(marketSeen(found))
  }
}
