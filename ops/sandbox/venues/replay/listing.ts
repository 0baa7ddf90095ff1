import type { Found, ListedEvent, ListedMarket, Span } from '../world.ts'
import type { Recorded } from './recording.ts'

/** One venue's objects of one frame, ranked and findable. Objects are served as they were recorded. */
export type Listing = {
  events: readonly ListedEvent[] // by rank
  byId: ReadonlyMap<string, ListedEvent>
  markets: ReadonlyMap<string, Found & { object: Recorded }>
  /** Recorded event objects by listed id. */
  objects: ReadonlyMap<string, Recorded>
}

const childrenOf = (event: Recorded): Recorded[] =>
  Array.isArray(event.markets) ? (event.markets as Recorded[]) : []
const text = (value: unknown) => (typeof value === 'string' ? value : '')

const marketA = (market: Recorded): ListedMarket => ({
  id: text(market.id),
  open: market.active === true && market.closed !== true && market.acceptingOrders !== false,
  closed: market.closed === true,
  status: '',
  write: (out) => out.text(JSON.stringify(market)),
})

const marketB = (market: Recorded): ListedMarket => ({
  id: text(market.ticker),
  open: market.status === 'active',
  closed: market.status === 'finalized',
  status: text(market.status),
  write: (out) => out.text(JSON.stringify(market)),
})

/** Ids of digits rank by number, others as text; a second event of the same id ranks after the first. */
const rank = (id: string, copy: number) =>
  `${/^\d+$/.test(id) ? id.padStart(20, '0') : id}${copy === 0 ? '' : `~${copy}`}.`

export function listingOf(venue: 'a' | 'b', recorded: readonly Recorded[]): Listing {
  const copies = new Map<string, number>()
  const byId = new Map<string, ListedEvent>()
  const objects = new Map<string, Recorded>()
  const markets = new Map<string, Found & { object: Recorded }>()
  const events = recorded.map((event) => {
    const id = text(venue === 'a' ? event.id : event.event_ticker)
    const copy = copies.get(id) ?? 0
    copies.set(id, copy + 1)
    const children = childrenOf(event)
    const listed = children.map(venue === 'a' ? marketA : marketB)
    const { markets: _, ...alone } = event
    const one: ListedEvent = {
      key: rank(id, copy),
      id,
      series: venue === 'a' ? '' : text(event.series_ticker) || id.split('-')[0]!,
      closed: venue === 'a' ? event.closed === true : listed.every((market) => market.closed),
      markets: listed,
      write: (out, nested) => out.text(JSON.stringify(nested ? event : alone)),
    }
    if (!byId.has(id)) {
      byId.set(id, one)
      objects.set(id, event)
    }
    listed.forEach((market, i) => {
      if (!markets.has(market.id)) markets.set(market.id, { event: one, market, object: children[i]! })
    })
    return one
  })
  events.sort((x, y) => (x.key < y.key ? -1 : 1))
  return { events, byId, markets, objects }
}

/** Recorded events have no generations: past means closed. */
export function* ranked(listing: Listing, after: string | null, span: Span): Iterable<ListedEvent> {
  for (const event of listing.events) {
    if (after !== null && event.key <= after) continue
    if (span === 'all' || event.closed === (span === 'past')) yield event
  }
}
