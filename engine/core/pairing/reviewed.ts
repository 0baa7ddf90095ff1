import { createHash } from 'node:crypto'
import type { Market } from '../../../ingest/contract/market.ts'

/**
 * A pair a person has read. It holds for exactly the texts that were read: when a venue edits one, `digest` no longer
 * matches, the entry is ignored and the pair is judged again.
 */
export type Reviewed = {
  a: string
  b: string
  verdict: 'identity' | 'inverted' | 'denied'
  why: string
  on: string //      date of the review, ISO day
  digest: string //  of both texts, see `textDigest`
}

/** The list in force. Take the digest of a pair from `npm run pairs -- --universe <recording> --json`. */
export const REVIEWED: readonly Reviewed[] = []

/** SHA-256 over what both venues say a market asks, first 16 hex digits. */
export function textDigest(a: Market, b: Market): string {
  const hash = createHash('sha256')
  for (const { eventTitle, title, outcome, rules } of [a, b])
    hash.update(JSON.stringify([eventTitle, title, outcome, rules]))
  return hash.digest('hex').slice(0, 16)
}

/** A person's verdict on this pair, or null when there is none for these texts. */
export function reviewOf(reviewed: ReadonlyMap<string, Reviewed>, a: Market, b: Market): Reviewed | null {
  const entry = reviewed.get(reviewKey(a.marketId, b.marketId))
  return entry !== undefined && entry.digest === textDigest(a, b) ? entry : null
}

export function reviewKey(a: string, b: string): string {
  return `${a}|${b}`
}
