import { MINUTE } from '../../ops/units.ts'
import { countDrop, type Drop, type DropCounts } from '../venues/drop.ts'
import { digest } from '../venues/text.ts'
import { isRead, type Page, type RawRow, type ReadEvent, type Refused, type Size } from '../venues/venue.ts'
import type { EventCache, Piece } from './eventCache.ts'
import { type Known, type KnownMarket, quoteFigures, type Slot, yesBps } from './known.ts'

/** One market of a page that is new or differs from what is known: JSON as it will be published, null where it already is. */
export type Change = {
  marketId: string
  market: string | null
  quote: string | null
  next: KnownMarket
}

export type PagePlan = {
  changes: Change[]
  seen: { slot: Slot; row: RawRow | null }[] // known and unchanged; row null: the page shows an older state
  closed: string[] //     known, and no longer tradable
  drops: DropCounts
  rows: number
  added: number //        changes of markets that were not known
  clockMoved: boolean //  the venue's clock of some market moved on, even if nothing else did
  compared: number //     markets with a price before and now …
  jumped: number //       … and those whose price is now more than JUMP times higher or lower
}

/** Above this ratio a price has not moved, it has changed its unit (cents for dollars is 100). */
const JUMP = 4

/**
 * A venue's caches may answer with a slightly older state; if it is older than this, it is not an old page but a new
 * state.
 */
const OLDER_WITHIN_MS = 10 * MINUTE

/**
 * Compares a page with what is known and plans what to publish. Pure: nothing changes until `commitPage`. Of several
 * rows of one market on a page or in a sweep, the latest by the venue's clock is kept, or the last one shown when the
 * clock does not tell (VEN-03). An older state never replaces a newer one (VEN-04).
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
    added: 0,
    clockMoved: false,
    compared: 0,
    jumped: 0,
  }
  for (const event of events) {
    if (isRead(event)) plan.rows += event.rows.length
    for (const piece of standing(event)) {
      plan.rows++
      if (piece.drop !== null) countDrop(plan.drops, piece.drop)
      else if (known.yesBpsOf(piece.slot) !== null) plan.compared++
    }
  }
  const standsHere = (slot: Slot) =>
    events.some((event) => standing(event).some((piece) => piece.slot === slot))
  for (const row of withoutDuplicates(events, plan.drops))
    planRow(plan, known, row, { sweepId, seenMs, standsHere })
  return plan
}

/** The unchanged markets of an event. */
const standing = (event: Page['events'][number]): Piece[] =>
  isRead(event) ? event.kept.map(({ piece }) => piece) : event.pieces

/** @property standsHere whether the page shows that market a second time, unchanged. */
type Look = { sweepId: number; seenMs: number; standsHere(slot: Slot): boolean }

function planRow(plan: PagePlan, known: Known, row: RawRow, { sweepId, seenMs, standsHere }: Look): void {
  const slot = known.find(row.marketId)
  if (row.drop !== null) {
    countDrop(plan.drops, row.drop)
    if (row.drop === 'not_tradable' && slot !== undefined) plan.closed.push(row.marketId)
    return
  }
  if (slot !== undefined) {
    const venueMs = known.venueMsOf(slot)
    const behindMs = (venueMs ?? 0) - (row.venueMs ?? venueMs ?? 0)
    const isFarBehind = behindMs > OLDER_WITHIN_MS //  seldom true, so that the search of the whole page is seldom made
    const again = known.sweepOf(slot) === sweepId || (isFarBehind && standsHere(slot))
    if (again) countDrop(plan.drops, 'duplicate')
    if (behindMs > 0 && (again || !isFarBehind)) {
      if (!again) {
        countDrop(plan.drops, 'older')
        plan.seen.push({ slot, row: null })
      }
      return
    }
    if (row.venueMs !== null && row.venueMs !== venueMs) plan.clockMoved = true
    if (known.figuresOf(slot) === row.figures && known.textOf(slot) === row.text) {
      if (known.yesBpsOf(slot) !== null) plan.compared++
      plan.seen.push({ slot, row })
      return
    }
  } else if (known.size + plan.added >= known.most) {
    countDrop(plan.drops, 'too_many')
    return
  }
  planChange(plan, known, slot, row, seenMs)
}

/** New, or its bytes differ in what we read. */
function planChange(plan: PagePlan, known: Known, slot: Slot | undefined, row: RawRow, seenMs: number): void {
  const quote = row.quote(seenMs)
  const sameText = slot !== undefined && known.textOf(slot) === row.text
  const market = sameText ? null : row.market()
  if ('drop' in quote || (market !== null && 'drop' in market)) {
    countDrop(plan.drops, 'drop' in quote ? quote.drop : (market as Refused).drop)
    return
  }
  const marketJson = market === null ? null : JSON.stringify(market)
  const next: KnownMarket = {
    figures: row.figures,
    text: row.text,
    market: marketJson === null ? known.marketOf(slot!) : digest(marketJson),
    quote: digest(quoteFigures(quote)),
    yesBps: yesBps(quote),
    venueMs: quote.venueMs,
  }
  comparePrices(plan, slot === undefined ? null : known.yesBpsOf(slot), next.yesBps)
  const marketChanged = slot === undefined || known.marketOf(slot) !== next.market
  const quoteChanged = slot === undefined || known.quoteOf(slot) !== next.quote
  if (slot !== undefined && !marketChanged && !quoteChanged) {
    plan.seen.push({ slot, row })
    return
  }
  if (slot === undefined) plan.added++
  plan.changes.push({
    marketId: row.marketId,
    market: marketChanged ? marketJson : null,
    quote: quoteChanged ? JSON.stringify(quote) : null,
    next,
  })
}

function comparePrices(plan: PagePlan, was: number | null, is: number | null): void {
  if (was === null || is === null) return
  plan.compared++
  if (Math.max(was, is) > JUMP * Math.min(was, is)) plan.jumped++
}

/** Updates what is known after the plan was published. */
export function commitPage(
  known: Known,
  { events }: Pick<Page, 'events'>,
  plan: PagePlan,
  sweepId: number,
  cache: EventCache,
): void {
  for (const event of events)
    for (const { slot } of standing(event)) {
      if (slot === null || known.isGone(slot)) continue
      if (known.sweepOf(slot) === sweepId) cache.doubt(slot)
      known.seen(slot, sweepId)
    }
  for (const { slot, row } of plan.seen) {
    known.seen(slot, sweepId)
    if (row !== null) known.touch(slot, row.figures, row.text, row.venueMs)
  }
  for (const { marketId, next } of plan.changes) {
    const slot = known.find(marketId)
    if (slot !== undefined && known.sweepOf(slot) === sweepId) cache.doubt(slot)
    known.set(marketId, next, sweepId)
  }
  for (const marketId of plan.closed) known.delete(marketId)
  for (const event of events) {
    if (isRead(event)) keepRead(known, event, sweepId, cache)
    else cache.keep(event)
  }
}

function keepRead(known: Known, event: ReadEvent, sweepId: number, cache: EventCache): void {
  const pieces = piecesOf(known, event, sweepId)
  const { id, text, untilMs, crc, length, terms } = event
  if (pieces !== null) cache.keepRead({ id, text, untilMs, crc, length, terms, pieces })
  else
    for (const { marketId } of event.rows) {
      const slot = known.find(marketId)
      if (slot !== undefined) cache.doubt(slot)
    }
}

/**
 * The pieces of an event; null unless every row of it ended in a way that its bytes alone decide: only then is it
 * recognised next time.
 */
function piecesOf(known: Known, { untilMs, rows, sizes, kept }: ReadEvent, sweepId: number): Piece[] | null {
  if (untilMs === 0 || sizes === null) return null
  //  allocated at its final size: a list that grows keeps room for sixteen more
  const pieces: Piece[] = Array(kept.length + rows.length)
  for (const { at, piece } of kept) pieces[at] = piece
  let at = 0
  for (const [index, { marketId, drop, figures, text }] of rows.entries()) {
    while (pieces[at] !== undefined) at++
    const size = sizes[index]
    if (size === undefined) return null
    if (drop !== null) {
      pieces[at] = pieceOf(size, null, drop)
      continue
    }
    const slot = known.find(marketId)
    if (slot === undefined || known.sweepOf(slot) !== sweepId) return null
    if (known.figuresOf(slot) !== figures || known.textOf(slot) !== text) return null
    pieces[at] = pieceOf(size, slot, null)
  }
  return pieces
}

/**
 * Spelled out, not spread from the size: fields added later are stored separately, which costs half as much memory
 * again.
 */
const pieceOf = ({ crc, length, terms }: Size, slot: Slot | null, drop: Drop | null) =>
  ({ crc, length, terms, slot, drop }) as Piece

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
