import { type Books, DEPTH_MAX_AGE_MS } from './depth.ts'
import type { Episode } from './episode.ts'
import { UNQUOTED_MS } from './episode.ts'
import { OPENINGS_WITHIN_MS } from './episodes.ts'
import type { LivePair } from './livePair.ts'
import { FLICKERING_OPENINGS, NEAR_RESOLUTION_MS, YOUNG_GAP_MS } from './riskFlags.ts'

/**
 * The next instant at which time alone may change what is said of a pair, but for the age of its gap: a game starts, a contract
 * comes near its end or closes, a book grows too old, a gap is without a mid for too long.
 */
export function looksAgainMs(
  pair: LivePair,
  books: Books,
  gap: { episode: Episode; isQuoted: boolean } | null,
  nowMs: number,
): number {
  let nextMs = Number.POSITIVE_INFINITY
  const consider = (ms: number) => {
    nextMs = Math.min(nextMs, behind(ms, nowMs))
  }
  for (const venue of ['a', 'b'] as const) {
    const { gameMs, closeMs, expectedMs } = pair[venue].market
    if (gameMs !== null) consider(gameMs)
    if (closeMs !== null) {
      consider(closeMs)
      consider(closeMs - NEAR_RESOLUTION_MS)
    }
    if (expectedMs !== null) consider(expectedMs - NEAR_RESOLUTION_MS)
    const book = books[venue]
    if (book !== null) consider(book.seenMs + DEPTH_MAX_AGE_MS)
  }
  if (gap !== null && !gap.isQuoted) consider(gap.episode.lastMs + UNQUOTED_MS)
  return nextMs
}

/** The next instant at which an open gap is no longer young, or no longer flickers. */
export function agesMs({ openedMs }: Episode, openings: readonly number[], nowMs: number): number {
  const calmMs =
    openings.length < FLICKERING_OPENINGS ? Number.POSITIVE_INFINITY : openings[0]! + OPENINGS_WITHIN_MS
  return Math.min(behind(openedMs + YOUNG_GAP_MS, nowMs), behind(calmMs, nowMs))
}

/** Something that ends at exactly `ms` is over only a millisecond later; an instant in the past does not count. */
const behind = (ms: number, nowMs: number): number =>
  ms < nowMs ? Number.POSITIVE_INFINITY : Math.max(ms, nowMs + 1)
