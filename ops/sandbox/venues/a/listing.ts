import type { Cursor } from '../http/cursor.ts'
import { type Page, pageEvents, pageMarkets, type Row } from '../http/paging.ts'
import { type Out, written } from '../out.ts'
import type { ListedEvent, Span, WorldA } from '../world.ts'
import { compareBy, eventPasses, type Filters, looksInside, marketPasses, type Seen } from './filters.ts'

export type ListRequest = Filters & { limit: number; cursor: Cursor | null; offset: number }

/** What is listed: which world, at which instant, under which name. */
export type Listing = { world: WorldA; nowMs: number; list: string }

/** Objects of venue A's listings, read back so that they can be filtered by any field and sorted by any. */
export function listEvents({ world, nowMs, list }: Listing, request: ListRequest): Page<Seen> {
  const span = spanOf(request.closed)
  const passes = (event: ListedEvent) => eventPasses(eventSeen(event, false), request)
  return select(
    request,
    list,
    (limit, from) => pageEvents({ world, nowMs, span, list, from, limit, passes }),
    (event) => eventSeen(event, true),
  )
}

export function listMarkets({ world, nowMs, list }: Listing, request: ListRequest): Page<Seen> {
  const closed = request.closed ?? false
  const span = closed ? 'all' : 'current'
  const looks = looksInside(request)
  const passes = ({ event, market }: Row) =>
    market.closed === closed && (!looks || marketPasses(seen(market.write), eventSeen(event, false), request))
  return select(
    request,
    list,
    (limit, from) => pageMarkets({ world, nowMs, span, list, from, limit, passes }),
    marketSeen,
  )
}

/** Sorted, everything is read and the cursor counts rows. */
function select<Thing>(
  { order, ascending, limit, offset, cursor }: ListRequest,
  list: string,
  page: (limit: number, from: Cursor | null) => Page<Thing>,
  see: (thing: Thing) => Seen,
): Page<Seen> {
  if (order === undefined) {
    const { things, next } = page(limit + offset, cursor)
    return { things: things.slice(offset).map(see), next }
  }
  const all = page(Number.POSITIVE_INFINITY, null).things.map(see)
  all.sort(compareBy(order))
  if (ascending === false) all.reverse()
  const from = (cursor?.index ?? 0) + offset
  const end = from + limit
  return { things: all.slice(from, end), next: end < all.length ? { list, key: '', index: end } : null }
}

export const spanOf = (closed: boolean | undefined): Span => {
  if (closed === undefined) return 'all'
  return closed ? 'past' : 'current'
}

const seen = (write: (out: Out) => void): Seen => JSON.parse(written(write))

export const eventSeen = (event: ListedEvent, nested: boolean): Seen =>
  seen((out) => event.write(out, nested))

/** A market of a listing carries its event. */
export const marketSeen = ({ event, market }: Row): Seen => ({
  ...seen(market.write),
  events: [eventSeen(event, false)],
})
