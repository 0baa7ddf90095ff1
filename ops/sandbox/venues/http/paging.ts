import type { ListedEvent, ListedMarket, Span, VenueWorld } from '../world.ts'
import type { Cursor } from './cursor.ts'

export type EventPage = { events: ListedEvent[]; next: Cursor | null }
export type Row = { event: ListedEvent; market: ListedMarket }
export type MarketPage = { rows: Row[]; next: Cursor | null }

/** Ranks below this one, so that the event of the rank itself is met again. */
const before = (key: string) => key.slice(0, -1)

/** The next `limit` events that pass; the cursor names the first one that did not fit. */
export function pageEvents(
  world: VenueWorld,
  nowMs: number,
  span: Span,
  list: string,
  from: Cursor | null,
  limit: number,
  passes: (event: ListedEvent) => boolean,
): EventPage {
  const events: ListedEvent[] = []
  for (const event of world.events(nowMs, from === null ? null : before(from.key), span)) {
    if (from !== null && event.key < from.key) continue
    if (!passes(event)) continue
    if (events.length === limit) return { events, next: { list, key: event.key, index: 0 } }
    events.push(event)
  }
  return { events, next: null }
}

/** The next `limit` markets that pass, through events in rank order; the cursor names event and place. */
export function pageMarkets(
  world: VenueWorld,
  nowMs: number,
  span: Span,
  list: string,
  from: Cursor | null,
  limit: number,
  passes: (row: Row) => boolean,
): MarketPage {
  const rows: Row[] = []
  for (const event of world.events(nowMs, from === null ? null : before(from.key), span)) {
    if (from !== null && event.key < from.key) continue
    const first = from !== null && event.key === from.key ? from.index : 0
    for (let index = first; index < event.markets.length; index++) {
      const row = { event, market: event.markets[index]! }
      if (!passes(row)) continue
      if (rows.length === limit) return { rows, next: { list, key: event.key, index } }
      rows.push(row)
    }
  }
  return { rows, next: null }
}
