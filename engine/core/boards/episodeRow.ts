import type { Ended } from './episodes.ts'

/**
 * A finished gap as history keeps it; `episode_id` is the id its cards had. Instants are `YYYY-MM-DD hh:mm:ss.mmm`,
 * UTC, market clock.
 */
export type EpisodeRow = {
  episode_id: string
  pair_id: string
  topic: string
  category: string | null
  verdict: string
  market_a: string
  market_b: string
  opened_at: string
  peak_at: string
  closed_at: string
  open_cents: number
  peak_cents: number
  last_cents: number
  half_life_ms: number | null //  from the peak to half of it; null: it ended before
  ever_executable: boolean
  samples: number
  why_closed: string
}

export const episodeIdOf = (pairId: string, openedMs: number): string => `${pairId}@${openedMs}`

export function episodeRow({ episode, closedMs, why }: Ended): EpisodeRow {
  const { pair, peakMs, halfMs } = episode
  return {
    episode_id: episodeIdOf(pair.pairId, episode.openedMs),
    pair_id: pair.pairId,
    topic: pair.topic,
    category: pair.category,
    verdict: pair.verdict,
    market_a: pair.a,
    market_b: pair.b,
    opened_at: instant(episode.openedMs),
    peak_at: instant(peakMs),
    closed_at: instant(closedMs),
    open_cents: episode.openCents,
    peak_cents: episode.peakCents,
    last_cents: episode.lastCents,
    half_life_ms: halfMs === null ? null : halfMs - peakMs,
    ever_executable: episode.everExecutable,
    samples: episode.samples,
    why_closed: why,
  }
}

const instant = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)
