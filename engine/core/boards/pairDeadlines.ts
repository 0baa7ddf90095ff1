import { type Books, DEPTH_MAX_AGE_MS } from './depth.ts'
import type { Episode } from './episode.ts'
import { UNQUOTED_MS } from './episode.ts'
import { OPENINGS_WITHIN_MS } from './episodes.ts'
import type { LivePair } from './livePair.ts'
import { FLICKERING_OPENINGS, NEAR_RESOLUTION_MS, YOUNG_GAP_MS } from './riskFlags.ts'

/**
 * The next instant at which time alone may change what is said of a pair: a game starts, a contract comes near its end or
 * closes, a book grows too old, a gap is no longer young, no longer flickers, or is without a mid for too long.
 */
export function looksAgainMs(
  pair: LivePair,
  books: Books,
  gap: { episode: Episode; openings: readonly number[]; isQuoted: boolean } | null,
  nowMs: number,
): number {
  let nextMs = Number.POSITIVE_INFINITY
  const consider = (ms: number) => {
    //  at the instant itself it is not over yet
    if (ms >= nowMs) nextMs = Math.min(nextMs, Math.max(ms, nowMs + 1))
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
  if (gap === null) return nextMs
  const { episode, openings, isQuoted } = gap
  consider(episode.openedMs + YOUNG_GAP_MS)
  if (openings.length >= FLICKERING_OPENINGS) consider(openings[0]! + OPENINGS_WITHIN_MS)
  if (!isQuoted) consider(episode.lastMs + UNQUOTED_MS)
  return nextMs
}
