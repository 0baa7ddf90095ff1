import type { Market } from '../../../ingest/contract/market.ts'

/** Does the newer state ask what the older one asked? Prices of fees, links and the like do not matter. */
export function asksTheSame(older: Market, newer: Market): boolean {
  return (
    older.title === newer.title &&
    older.eventTitle === newer.eventTitle &&
    older.eventId === newer.eventId &&
    older.outcome === newer.outcome &&
    older.rules === newer.rules &&
    older.closeMs === newer.closeMs &&
    older.gameMs === newer.gameMs &&
    older.openMs === newer.openMs &&
    (older.slug ?? older.marketSlug) === (newer.slug ?? newer.marketSlug) &&
    older.yesMeans === newer.yesMeans &&
    older.placeholder === newer.placeholder &&
    older.category === newer.category &&
    older.tags.length === newer.tags.length &&
    older.tags.every((tag, at) => tag === newer.tags[at]) &&
    older.strike?.type === newer.strike?.type &&
    older.strike?.floor === newer.strike?.floor &&
    older.strike?.cap === newer.strike?.cap
  )
}
