import { MINUTE } from '../../../ops/units.ts'
import type { FeedCard } from '../../contract/feed.ts'
import { continueEpisode, type Episode, openEpisode } from './episode.ts'
import { episodeIdOf } from './episodeRow.ts'
import { type Episodes, MAX_OPENINGS, NO_EPISODES } from './episodes.ts'

/** Clocks of two machines differ; what lies further ahead was remembered under another clock. */
const MAX_AHEAD_MS = 1 * MINUTE

/**
 * The open gaps a new leader continues with. The saved ones are some seconds old: those that ended since are left out,
 * those that opened since are taken from their cards, which were announced when it happened, and of those that went on
 * nothing is taken back that was told of them since. A memory from the future (the market clock was set back) is
 * ignored: its gaps open anew.
 * @param told cards of topic `gaps`: as they were announced since, in that order, then those that are open.
 * @param ended ids of episodes whose end was announced after the memory was saved.
 */
export function recallEpisodes(
  saved: Episodes,
  told: Iterable<FeedCard>,
  ended: ReadonlySet<string>,
  nowMs: number,
): Episodes {
  const isAhead = (ms: number) => ms > nowMs + MAX_AHEAD_MS
  const from = isAhead(saved.atMs ?? 0) ? NO_EPISODES : saved
  const open = new Map<string, Episode>()
  for (const [pairId, episode] of from.open)
    if (!ended.has(episodeIdOf(pairId, episode.openedMs))) open.set(pairId, episode)
  const openings = new Map(from.openings)
  let atMs = from.atMs
  for (const card of told) {
    if (card.life === null) continue
    const episode = episodeOf(card, card.life)
    const known = open.get(card.pairId)
    if (isAhead(episode.lastMs) || ended.has(card.cardId)) continue
    if (known !== undefined && known.openedMs > episode.openedMs) continue
    atMs = Math.max(atMs ?? 0, episode.lastMs)
    if (known?.openedMs === episode.openedMs) {
      open.set(card.pairId, upToTold(known, episode))
      continue
    }
    open.set(card.pairId, episode)
    const lately = [...(openings.get(card.pairId) ?? []), episode.openedMs]
    openings.set(card.pairId, lately.slice(-MAX_OPENINGS))
  }
  return { atMs, open, openings: new Map([...openings].sort(byLastOpening)) }
}

/**
 * The saved episode as far as its card tells it on. A card lacks the instant of a peak that came after the save: the
 * instant it was told stands in, and the wait for the half begins anew.
 */
function upToTold(saved: Episode, told: Episode): Episode {
  const { lastCents, lastMs, everExecutable, peakCents } = told
  const episode = lastMs > saved.lastMs ? continueEpisode(saved, lastCents, everExecutable, lastMs) : saved
  return peakCents > episode.peakCents ? { ...episode, peakCents, peakMs: lastMs, halfMs: null } : episode
}

/** Needed because cards come in any order, and may bring pairs that stand further forward in the saved order. */
const byLastOpening = ([, x]: [string, readonly number[]], [, y]: [string, readonly number[]]): number =>
  (x.at(-1) ?? 0) - (y.at(-1) ?? 0)

/**
 * The episode a card describes. The card lacks the gap at opening and the instant of a past peak: its own gap and the
 * opening instant stand in.
 */
function episodeOf(card: FeedCard, { openedMs, peakCents, everExecutable }: NonNullable<FeedCard['life']>) {
  const pair = {
    pairId: card.pairId,
    topic: card.topic,
    category: card.category,
    verdict: card.verdict,
    a: card.a.marketId,
    b: card.b.marketId,
  }
  const episode = openEpisode(pair, card.gapCents, everExecutable, openedMs)
  return { ...episode, peakCents, lastMs: card.toldMs }
}
