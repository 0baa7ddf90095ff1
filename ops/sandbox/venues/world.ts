import type { Levels } from './book.ts'
import type { Out } from './out.ts'

/**
 * What the two servers need from a world, be it a recording or the generator. Time comes in with every
 * call: a world keeps no clock. Objects leave as JSON in the venue's own form.
 */
export type World = {
  name: string
  recorded: boolean
  a: WorldA
  b: WorldB
  /** Every pair whose relation the world knows, both sides open now; null: it knows none. */
  truth(nowMs: number): TruthRow[] | null
}

export type TruthRow = {
  aMarketId: string
  bTicker: string
  label: 'same' | 'inverted' | 'not'
  reason: string //  equivalent, opposite_side, or why it is not the same question
  family: string
  closesWithin48h: boolean | null // null: venue A states no close
}

/** Which events a listing runs over: the current ones, those before them, or both. */
export type Span = 'current' | 'past' | 'all'

export type ListedMarket = {
  id: string //       a: id, b: ticker
  open: boolean //    can be traded now
  closed: boolean //  a: closed; b: settled
  status: string //   b: the status in the object; a: ''
  write(out: Out): void
}

export type ListedEvent = {
  /** Rank in the listing, compared as text: rises, and stays with the event or its place. */
  key: string
  id: string //       a: id, b: event_ticker
  series: string //   b: series_ticker; a: ''
  closed: boolean
  markets: readonly ListedMarket[]
  write(out: Out, nested: boolean): void
}

export type Found = { event: ListedEvent; market: ListedMarket }

export type VenueWorld = {
  /** Events ranked after `after` (null: all), lazily, rank rising. */
  events(nowMs: number, after: string | null, span: Span): Iterable<ListedEvent>
  event(id: string, nowMs: number): ListedEvent | null
  market(id: string, nowMs: number): Found | null
}

export type BookA = {
  conditionId: string
  tokenId: string
  levels: Levels //  of this token: best first
  tickBps: number
  negRisk: boolean
  lastBps: number
  atMs: number
}

export type WorldA = VenueWorld & {
  eventBySlug(slug: string, nowMs: number): ListedEvent | null
  marketBy(key: 'slug' | 'token' | 'condition', value: string, nowMs: number): Found | null
  /** null: no book exists for the token, the documented 404. */
  book(tokenId: string, nowMs: number): BookA | null
}

export type SeriesB = {
  ticker: string
  title: string
  category: string
  frequency: string
  feeType: string
  feeMultiplier: number
}

export type WorldB = VenueWorld & {
  /** Combinations of other markets: they flood every listing that does not exclude them. */
  combos(nowMs: number, after: string | null): Iterable<ListedMarket & { key: string }>
  /** null: no such market. */
  book(ticker: string, nowMs: number): Levels | null
  series(nowMs: number): readonly SeriesB[]
  feeChanges(nowMs: number): readonly {
    id: string
    series: string
    feeType: string
    feeMultiplier: number
    atMs: number
  }[]
}
