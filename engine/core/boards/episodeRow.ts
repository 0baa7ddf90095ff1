import { instant } from '../../../ops/instant.ts'
import type { EpisodeRow } from '../../contract/episodes.ts'
import type { Ended } from './episodes.ts'

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
