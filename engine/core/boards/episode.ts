import { MINUTE } from '../../../ops/units.ts'
import { type GapLife, gapAge } from '../../contract/gapCards.ts'
import type { LivePair } from './livePair.ts'

/**
 * A gap opens at the first distance of the mids and closes at the second, so that it does not flutter around one line.
 */
export const OPENS_AT_CENTS = 2
export const CLOSES_AT_CENTS = 1

/** A leg without a mid for longer than this ends the episode: what the gap did meanwhile is unknown. */
export const UNQUOTED_MS = 5 * MINUTE

/** Why an episode ended. */
export type EndReason =
  | 'narrowed' //  the gap closed
  | 'unquoted' //  a leg had no mid for UNQUOTED_MS
  | 'gone' //      the pair no longer exists: a market closed, or its text was edited, be it into the opposite
  | 'unwatched' // we did not look: no fresh data, or no engine

/** The life of one gap so far. Instants are market clock. */
export type Episode = {
  pair: { pairId: string; topic: string; category: string | null; verdict: string; a: string; b: string }
  openedMs: number
  openCents: number
  peakCents: number
  peakMs: number //            the first instant of the highest gap
  halfMs: number | null //     when it first was at most half of the peak; null: not yet
  lastCents: number
  lastMs: number //            when it was last seen with both mids
  everExecutable: boolean
  samples: number //           times it was looked at
}

/** A pair as it is seen now. `gapCents` null: a leg has no mid. */
export type GapSample = { pair: LivePair; gapCents: number | null; executable: boolean }

/** @param pair as it is named in the history. */
export function openEpisode(
  pair: Episode['pair'],
  gapCents: number,
  executable: boolean,
  nowMs: number,
): Episode {
  return {
    pair,
    openedMs: nowMs,
    openCents: gapCents,
    peakCents: gapCents,
    peakMs: nowMs,
    halfMs: null,
    lastCents: gapCents,
    lastMs: nowMs,
    everExecutable: executable,
    samples: 1,
  }
}

/** A higher gap is a new peak and starts the wait for its half anew. */
export function continueEpisode(
  episode: Episode,
  gapCents: number,
  executable: boolean,
  nowMs: number,
): Episode {
  const higher = gapCents > episode.peakCents
  const peakCents = higher ? gapCents : episode.peakCents
  const halved = !higher && gapCents * 2 <= peakCents
  return {
    ...episode,
    peakCents,
    peakMs: higher ? nowMs : episode.peakMs,
    halfMs: higher ? null : (episode.halfMs ?? (halved ? nowMs : null)),
    lastCents: gapCents,
    lastMs: nowMs,
    everExecutable: episode.everExecutable || executable,
    samples: episode.samples + 1,
  }
}

export function lifeOf(episode: Episode, nowMs: number): GapLife {
  const { openedMs, peakCents, everExecutable } = episode
  //  the clock of a new leader may be a little behind that of the last one
  const { ageMs } = gapAge(Math.max(0, nowMs - openedMs))
  return { openedMs, ageMs, peakCents, everExecutable }
}
