import type { ListedEvent, ListedMarket, Span, VenueWorld } from '../world.ts'
import type { Cursor } from './cursor.ts'

export type Row = { event: ListedEvent; market: ListedMarket }

export type PageRequest<Thing> = {
  world: VenueWorld
  nowMs: number
  span: Span
  list: string //         the name of the listing: a cursor is good for one only
  from: Cursor | null //  null: from the beginning
  limit: number
  passes(thing: Thing): boolean
}

/** The next `limit` things that pass; the cursor names the first one that did not fit. */
export type Page<Thing> = { things: Thing[]; next: Cursor | null }

/** Events in rank order. */
export function pageEvents(request: PageRequest<ListedEvent>): Page<ListedEvent> {
  const { list, limit, passes } = request
  const things: ListedEvent[] = []
  for (const event of eventsFrom(request)) {
    if (!passes(event)) continue
    if (things.length === limit) return { things, next: { list, key: event.key, index: 0 } }
    things.push(event)
  }
  return { things, next: null }
}

/** Markets through events in rank order; the cursor names event and place. */
export function pageMarkets(request: PageRequest<Row>): Page<Row> {
  const { list, from, limit, passes } = request
  const things: Row[] = []
  for (const event of eventsFrom(request)) {
    const first = from !== null && event.key === from.key ? from.index : 0
    for (let index = first; index < event.markets.length; index++) {
      const row = { event, market: event.markets[index]! }
      if (!passes(row)) continue
      if (things.length === limit) return { things, next: { list, key: event.key, index } }
      things.push(row)
    }
  }
  return { things, next: null }
}

type Start = Pick<PageRequest<never>, 'world' | 'nowMs' | 'span' | 'from'>

function* eventsFrom({ world, nowMs, span, from }: Start): Generator<ListedEvent> {
  const after = from === null ? null : before(from.key)
  for (const event of world.events(nowMs, after, span))
    if (from === null || event.key >= from.key) yield event
}

/** Ranks below this one, so that the event of the rank itself is met again. */
const before = (key: string) => key.slice(0, -1)
