import { MINUTE } from '../../ops/units.ts'
import { addDrops, countDrop, type DropCounts } from '../venues/drop.ts'
import { digest } from '../venues/text.ts'
import { isRead, type Page, type RawRow, type ReadEvent, type Refused } from '../venues/venue.ts'
import type { EventCache } from './eventCache.ts'
import { type Known, type KnownMarket, quoteFigures, yesBps } from './known.ts'

/** One market of a page that is new or differs from what is known; texts are JSON as they will be published. */
export type Change = {
  marketId: string
  market: string | null // null: its text is as it was published
  quote: string
  marketChanged: boolean
  quoteChanged: boolean
  next: KnownMarket
}

export type PagePlan = {
  changes: Change[]
  seen: { entry: KnownMarket; row: RawRow | null }[] // known and as before; row null: and older
  closed: string[] //     known, and no longer tradable
  drops: DropCounts
  rows: number
  clockMoved: boolean //  the venue's clock of some market moved on, even if nothing else did
  compared: number //     markets with a price before and now …
  jumped: number //       … and those whose price is now more than JUMP times higher or lower
}

/** Above this ratio a price has not moved, it has changed its unit (cents for dollars is 100). */
const JUMP = 4

/** A venue's caches may answer with a slightly older state; further back it is a new world, not an old page. */
const OLDER_WITHIN_MS = 10 * MINUTE

/**
 * Compares a page with what is known and says what to publish. Pure: nothing is changed until `commitPage`.
 * Rows of one market on one page or in one sweep: the latest by the venue's clock stays, the last one shown
 * when the clock does not tell (VEN-03). An older state never replaces a newer one (VEN-04).
 */
export function planPage(
  known: Known,
  { events }: Pick<Page, 'events'>,
  sweepId: number,
  seenMs: number,
): PagePlan {
  const plan: PagePlan = {
    changes: [],
    seen: [],
    closed: [],
    drops: {},
    rows: 0,
    clockMoved: false,
    compared: 0,
    jumped: 0,
  }
  for (const event of events) {
    if (isRead(event)) {
      plan.rows += event.rows.length
      continue
    }
    plan.rows += event.entries.length
    for (const count of Object.values(event.drops)) plan.rows += count
    addDrops(plan.drops, event.drops)
    for (const entry of event.entries) if (entry.yesBps !== null) plan.compared++
  }
  for (const row of withoutDuplicates(events, plan.drops))
    planRow(plan, known.get(row.marketId), row, sweepId, seenMs)
  return plan
}

function planRow(
  plan: PagePlan,
  before: KnownMarket | undefined,
  row: RawRow,
  sweepId: number,
  seenMs: number,
): void {
  if (row.drop !== null) {
    countDrop(plan.drops, row.drop)
    if (row.drop === 'not_tradable' && before !== undefined) plan.closed.push(row.marketId)
    return
  }
  if (before !== undefined) {
    const behindMs = (before.venueMs ?? 0) - (row.venueMs ?? before.venueMs ?? 0)
    const again = before.sweepId === sweepId
    if (again) countDrop(plan.drops, 'duplicate')
    if (behindMs > 0 && (again || behindMs <= OLDER_WITHIN_MS)) {
      if (!again) {
        countDrop(plan.drops, 'older')
        plan.seen.push({ entry: before, row: null })
      }
      return
    }
    if (row.venueMs !== null && row.venueMs !== before.venueMs) plan.clockMoved = true
    if (before.figures === row.figures && before.text === row.text) {
      if (before.yesBps !== null) plan.compared++
      plan.seen.push({ entry: before, row })
      return
    }
  }
  planChange(plan, before, row, sweepId, seenMs)
}

/** New, or its bytes differ in what we read. */
function planChange(
  plan: PagePlan,
  before: KnownMarket | undefined,
  row: RawRow,
  sweepId: number,
  seenMs: number,
): void {
  const quote = row.quote(seenMs)
  const market = before !== undefined && before.text === row.text ? null : row.market()
  if ('drop' in quote || (market !== null && 'drop' in market)) {
    countDrop(plan.drops, 'drop' in quote ? quote.drop : (market as Refused).drop)
    return
  }
  const marketJson = market === null ? null : JSON.stringify(market)
  const next: KnownMarket = {
    figures: row.figures,
    text: row.text,
    market: marketJson === null ? before!.market : digest(marketJson),
    quote: quoteFigures(quote),
    yesBps: yesBps(quote),
    venueMs: quote.venueMs,
    sweepId,
    gone: false,
  }
  comparePrices(plan, before, next)
  const marketChanged = before?.market !== next.market
  const quoteChanged = before?.quote !== next.quote
  if (before !== undefined && !marketChanged && !quoteChanged) {
    plan.seen.push({ entry: before, row })
    return
  }
  plan.changes.push({
    marketId: row.marketId,
    market: marketChanged ? marketJson : null,
    quote: JSON.stringify(quote),
    marketChanged,
    quoteChanged,
    next,
  })
}

function comparePrices(plan: PagePlan, before: KnownMarket | undefined, next: KnownMarket): void {
  const was = before?.yesBps ?? null
  if (was === null || next.yesBps === null) return
  plan.compared++
  if (Math.max(was, next.yesBps) > JUMP * Math.min(was, next.yesBps)) plan.jumped++
}

/** Applies what was published. */
export function commitPage(
  known: Known,
  { events }: Pick<Page, 'events'>,
  plan: PagePlan,
  sweepId: number,
  cache: EventCache,
): void {
  for (const { entry, row } of plan.seen) {
    entry.sweepId = sweepId
    if (row === null) continue
    entry.figures = row.figures
    entry.text = row.text
    entry.venueMs = row.venueMs ?? entry.venueMs
  }
  for (const { marketId, next } of plan.changes) {
    const entry = known.get(marketId)
    if (entry === undefined) known.set(marketId, next)
    else Object.assign(entry, next)
  }
  forget(known, plan.closed)
  for (const event of events) {
    if (isRead(event)) keepEvent(known, event, sweepId, cache)
    else {
      for (const entry of event.entries) entry.sweepId = sweepId
      cache.keep(event)
    }
  }
}

/** An event is recognised next time only if every row of it ended in a way that its bytes alone decide. */
function keepEvent(known: Known, event: ReadEvent, sweepId: number, cache: EventCache): void {
  if (!event.lasting) return
  const entries: KnownMarket[] = []
  const drops: DropCounts = {}
  for (const { marketId, drop, figures, text } of event.rows) {
    if (drop !== null) {
      countDrop(drops, drop)
      continue
    }
    const entry = known.get(marketId)
    if (entry?.sweepId !== sweepId || entry.figures !== figures || entry.text !== text) return
    entries.push(entry)
  }
  cache.keep({ id: event.id, crc: event.crc, length: event.length, entries, drops })
}

/** Markets that a complete sweep did not show, or showed only in rows that were refused. */
export function goneSince(known: Known, sweepId: number): string[] {
  const gone: string[] = []
  for (const [marketId, entry] of known) if (entry.sweepId !== sweepId) gone.push(marketId)
  return gone
}

export function forget(known: Known, marketIds: string[]): void {
  for (const marketId of marketIds) {
    const entry = known.get(marketId)
    if (entry !== undefined) entry.gone = true
    known.delete(marketId)
  }
}

function withoutDuplicates(events: Page['events'], drops: DropCounts): Iterable<RawRow> {
  const chosen = new Map<string, RawRow>()
  const nameless: RawRow[] = []
  for (const event of events)
    for (const row of isRead(event) ? event.rows : []) {
      if (row.marketId === '') {
        nameless.push(row)
        continue
      }
      const other = chosen.get(row.marketId)
      if (other !== undefined) countDrop(drops, 'duplicate')
      if (other?.venueMs != null && row.venueMs !== null && row.venueMs < other.venueMs) continue
      chosen.set(row.marketId, row)
    }
  return nameless.length === 0 ? chosen.values() : [...chosen.values(), ...nameless]
}
