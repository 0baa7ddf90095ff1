import { HOUR, MINUTE } from '../../../ops/units.ts'
import {
  CLOSES_AT_CENTS,
  continueEpisode,
  type EndReason,
  type Episode,
  type GapSample,
  OPENS_AT_CENTS,
  openEpisode,
  UNQUOTED_MS,
} from './episode.ts'

/** Gaps open at once; the largest new ones go first, the others wait for room. */
export const MAX_OPEN = 20_000
/** Pairs whose openings are remembered; the ones that opened longest ago are forgotten. */
export const MAX_REMEMBERED = 20_000
/** Openings are remembered this long, and at most so many of a pair. */
export const OPENINGS_WITHIN_MS = 1 * HOUR
export const MAX_OPENINGS = 10
/** Not looking for longer than this ends every episode where it was last seen. */
export const MAX_HOLE_MS = 5 * MINUTE

/** All open gaps by pair, and when pairs opened lately, oldest first. Plain data, never changed in place. */
export type Episodes = {
  atMs: number | null //  of the last step; null before the first
  open: ReadonlyMap<string, Episode>
  openings: ReadonlyMap<string, readonly number[]>
}

export type Ended = { episode: Episode; closedMs: number; why: EndReason }

export const NO_EPISODES: Episodes = { atMs: null, open: new Map(), openings: new Map() }

/**
 * Takes every live pair as it is at an instant. To be called with fresh data only: what is not known is not judged,
 * and too long a hole ends the episodes. A clock that goes back changes nothing.
 * @returns the next state, the episodes that ended, and how many gaps found no room.
 */
export function stepEpisodes(
  state: Episodes,
  { nowMs, samples }: { nowMs: number; samples: Iterable<GapSample> },
): { state: Episodes; ended: Ended[]; refused: number } {
  if (state.atMs !== null && nowMs < state.atMs) return { state, ended: [], refused: 0 }
  const unwatched = state.atMs !== null && nowMs - state.atMs > MAX_HOLE_MS
  const before: Episodes['open'] = unwatched ? new Map() : state.open
  const ended: Ended[] = unwatched
    ? [...state.open.values()].map((episode) => lostSight(episode, 'unwatched'))
    : []
  const open = new Map<string, Episode>()
  const opening: { sample: GapSample; gapCents: number }[] = []
  const met = new Set<string>()

  for (const sample of samples) {
    const { pairId } = sample.pair
    const known = before.get(pairId)
    const { gapCents } = sample
    if (known === undefined) {
      if (gapCents !== null && gapCents >= OPENS_AT_CENTS) opening.push({ sample, gapCents })
      continue
    }
    met.add(pairId)
    if (gapCents === null) {
      if (nowMs - known.lastMs <= UNQUOTED_MS) open.set(pairId, known)
      else ended.push(lostSight(known, 'unquoted'))
      continue
    }
    const next = continueEpisode(known, gapCents, sample.executable, nowMs)
    if (gapCents > CLOSES_AT_CENTS) open.set(pairId, next)
    else ended.push({ episode: next, closedMs: nowMs, why: 'narrowed' })
  }
  for (const [pairId, episode] of before)
    if (!met.has(pairId)) ended.push({ episode, closedMs: nowMs, why: 'gone' })

  const room = Math.max(0, MAX_OPEN - open.size)
  if (opening.length > room) opening.sort((x, y) => y.gapCents - x.gapCents)
  const admitted = opening.slice(0, room)
  for (const { sample, gapCents } of admitted)
    open.set(sample.pair.pairId, openEpisode(namesOf(sample.pair), gapCents, sample.executable, nowMs))
  const openings = rememberOpenings(
    state.openings,
    admitted.map(({ sample }) => sample.pair.pairId),
    nowMs,
  )
  return { state: { atMs: nowMs, open, openings }, ended, refused: opening.length - admitted.length }
}

/** How often the pair opened within the last hour, at most MAX_OPENINGS. */
export function openingsOf({ openings }: Episodes, pairId: string, nowMs: number): number {
  return (openings.get(pairId) ?? []).filter((openedMs) => nowMs - openedMs < OPENINGS_WITHIN_MS).length
}

const namesOf = ({ pairId, topic, category, verdict, a, b }: GapSample['pair']): Episode['pair'] => ({
  ...{ pairId, topic, category, verdict },
  ...{ a: a.market.marketId, b: b.market.marketId },
})

/** What the gap did since it was last seen nobody knows: it ends there. */
const lostSight = (episode: Episode, why: EndReason): Ended => ({ episode, closedMs: episode.lastMs, why })

/** The map stays in the order of the last opening, so what can be forgotten stands in front. */
function rememberOpenings(
  known: Episodes['openings'],
  opened: readonly string[],
  nowMs: number,
): Episodes['openings'] {
  const isOld = (openedMs: number | undefined) =>
    openedMs !== undefined && nowMs - openedMs >= OPENINGS_WITHIN_MS
  const [first] = known.values()
  if (opened.length === 0 && !isOld(first?.at(-1))) return known
  const next = new Map(known)
  for (const pairId of opened) {
    const lately = (next.get(pairId) ?? []).filter((openedMs) => !isOld(openedMs))
    next.delete(pairId)
    next.set(pairId, [...lately, nowMs].slice(-MAX_OPENINGS))
  }
  for (const [pairId, times] of next) {
    if (next.size <= MAX_REMEMBERED && !isOld(times.at(-1))) break
    next.delete(pairId)
  }
  return next
}
