import { isAhead } from '../../../ops/clock.ts'
import { HOUR, MINUTE } from '../../../ops/units.ts'
import { collectBest } from './best.ts'
import { byPair } from './byPair.ts'
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
/** Most pairs whose openings are remembered; the pair whose last opening is oldest is forgotten first. */
export const MAX_REMEMBERED = 20_000
/** Openings are remembered for this long, and at most MAX_OPENINGS of a pair. */
export const OPENINGS_WITHIN_MS = 1 * HOUR
export const MAX_OPENINGS = 10
/** If no step was taken for longer than this, every episode ends at the instant it was last seen. */
export const MAX_HOLE_MS = 5 * MINUTE

/** All open gaps by pair, and when pairs opened lately, oldest first. Plain data, never changed in place. */
export type Episodes = {
  atMs: number | null //  of the last step; null before the first
  open: ReadonlyMap<string, Episode>
  openings: ReadonlyMap<string, readonly number[]>
}

/** The same state, as iterables that can be read once. */
export type SeenEpisodes = {
  atMs: number | null
  open: Iterable<Episode>
  openings: Iterable<readonly [string, readonly number[]]>
}

export type Ended = { episode: Episode; closedMs: number; why: EndReason }

export const NO_EPISODES: Episodes = { atMs: null, open: new Map(), openings: new Map() }

/** @param moved pairs that may have changed since the last step; null: the pair no longer exists. */
type Step = {
  nowMs: number
  moved: ReadonlyMap<string, GapSample | null>
  all(): Iterable<GapSample> // every live pair; read after a hole
}

type Stepped = {
  isTaken: boolean //      false: the clock went back, and the step was ignored
  ended: Ended[]
  opened: string[] //      ids of pairs
  refused: number //       gaps that wait for room
}

/**
 * @param looks the look up to which `episode` is counted. `isQuoted`: each later look that finds it unchanged adds a
 * sample.
 */
type Open = { episode: Episode; looks: number; isQuoted: boolean }

/**
 * All open gaps, kept from step to step. Only pairs that moved are looked at; a gap that did not move has one more
 * sample per step, which is added when it is read. Step it with fresh data only: without fresh data nothing is judged,
 * and too long a break between steps ends the episodes. A clock that goes back slightly changes nothing; one that is
 * corrected by more counts as such a break.
 */
export class OpenGaps {
  readonly #open = new Map<string, Open>()
  #atMs: number | null
  readonly #openings: Map<string, readonly number[]> // in order of the last opening: what can be forgotten comes first
  readonly #waiting = new Map<string, Opening>() // gaps waiting for room
  #looks = 0

  constructor({ atMs, open, openings }: Episodes) {
    this.#atMs = atMs
    this.#openings = new Map(openings)
    for (const [pairId, episode] of open) this.#open.set(pairId, { episode, looks: 0, isQuoted: false })
  }

  /** The state as plain data. */
  state(): Episodes {
    const { atMs, open, openings } = this.look()
    const byPair = new Map<string, Episode>()
    for (const episode of open) byPair.set(episode.pair.pairId, episode)
    return { atMs, open: byPair, openings: new Map(openings) }
  }

  /** The state as of now: steps taken while it is read do not change it. */
  look(): SeenEpisodes {
    const [open, openings] = [[...this.#open.values()], [...this.#openings.keys()]]
    const times = [...this.#openings.values()]
    const [looks, atMs] = [this.#looks, this.#atMs]
    return {
      atMs,
      open: mapEach(open, (each) => upToDate(each, looks, atMs)),
      openings: mapEach(openings, (pairId, at) => [pairId, times[at]!] as const),
    }
  }

  /** The open episode of a pair. Everything except `samples` and `lastMs` is current. */
  get(pairId: string): Episode | undefined {
    return this.#open.get(pairId)?.episode
  }

  /** When the pair opened within the last hour, oldest first, at most MAX_OPENINGS. */
  openings(pairId: string, nowMs: number): number[] {
    return openingsWithin(this.#openings, pairId, nowMs)
  }

  step({ nowMs, moved, all }: Step): Stepped {
    const before = this.#atMs
    const isHole = before !== null && (nowMs - before > MAX_HOLE_MS || isAhead(before, nowMs))
    if (before !== null && nowMs < before && !isHole)
      return { isTaken: false, ended: [], opened: [], refused: 0 }
    const ended: Ended[] = []
    if (isHole) {
      if (nowMs < before) this.#openings.clear()
      for (const each of this.#open.values())
        ended.push(lostSight(upToDate(each, this.#looks, before), 'unwatched'))
      this.#open.clear()
    }
    const look = this.#looks + 1
    for (const [pairId, sample] of isHole ? everything(moved, all) : moved) {
      this.#waiting.delete(pairId)
      const known = this.#open.get(pairId)
      const episode = known && upToDate(known, this.#looks, before)
      if (sample === null) {
        if (episode !== undefined) ended.push({ episode, closedMs: nowMs, why: 'gone' })
        this.#open.delete(pairId)
        continue
      }
      const { gapCents } = sample
      const isAnother = episode !== undefined && episode.pair.verdict !== sample.pair.verdict
      if (isAnother) {
        ended.push({ episode, closedMs: nowMs, why: 'gone' })
        this.#open.delete(pairId)
      }
      if (episode === undefined || isAnother) {
        if (gapCents !== null && gapCents >= OPENS_AT_CENTS) this.#waiting.set(pairId, { sample, gapCents })
        continue
      }
      const over = endOf(episode, sample, nowMs)
      if (over === null) {
        const longer =
          gapCents === null ? episode : continueEpisode(episode, gapCents, sample.executable, nowMs)
        this.#open.set(pairId, { episode: longer, looks: look, isQuoted: gapCents !== null })
        continue
      }
      ended.push(over)
      this.#open.delete(pairId)
    }
    const opened = this.#admit(look, nowMs)
    this.#looks = look
    this.#atMs = nowMs
    rememberOpenings(this.#openings, opened, nowMs)
    return { isTaken: true, ended, opened, refused: this.#waiting.size }
  }

  /** @returns the pairs that found room: the largest gaps, when there is not room for all. */
  #admit(looks: number, nowMs: number): string[] {
    const room = Math.max(0, MAX_OPEN - this.#open.size)
    return largest(this.#waiting, room).map(({ sample, gapCents }) => {
      const { pairId } = sample.pair
      const episode = openEpisode(namesOf(sample.pair), gapCents, sample.executable, nowMs)
      this.#open.set(pairId, { episode, looks, isQuoted: true })
      this.#waiting.delete(pairId)
      return pairId
    })
  }
}

/** The episode including the looks that found it unchanged. */
function upToDate({ episode, looks, isQuoted }: Open, looksNow: number, atMs: number | null): Episode {
  const since = looksNow - looks
  if (!isQuoted || since === 0) return episode
  return { ...episode, samples: episode.samples + since, lastMs: atMs! }
}

function* mapEach<From, To>(all: readonly From[], to: (each: From, at: number) => To): Generator<To> {
  for (let at = 0; at < all.length; at++) yield to(all[at]!, at)
}

type Opening = { sample: GapSample; gapCents: number }

/** The largest openings that fit; all of them, in any order, when there is room. */
function largest(waiting: ReadonlyMap<string, Opening>, room: number): Opening[] {
  if (waiting.size <= room) return [...waiting.values()]
  if (room === 0) return []
  const best = collectBest<Opening>(room, (x, y) => byPair(x.sample.pair, y.sample.pair))
  for (const each of waiting.values()) best.push(each, each.gapCents)
  return best.sorted()
}

/** Every live pair, plus the moved pairs that no longer exist. */
function everything(moved: Step['moved'], all: Step['all']): Map<string, GapSample | null> {
  const samples = new Map<string, GapSample | null>()
  for (const [pairId, sample] of moved) if (sample === null) samples.set(pairId, null)
  for (const sample of all()) samples.set(sample.pair.pairId, sample)
  return samples
}

/** How an episode ends given the current sample; null: it continues. */
function endOf(before: Episode, { gapCents, executable }: GapSample, nowMs: number): Ended | null {
  if (gapCents === null) return nowMs - before.lastMs <= UNQUOTED_MS ? null : lostSight(before, 'unquoted')
  if (gapCents > CLOSES_AT_CENTS) return null
  const episode = continueEpisode(before, gapCents, executable, nowMs)
  return { episode, closedMs: nowMs, why: 'narrowed' }
}

const openingsWithin = (openings: Episodes['openings'], pairId: string, nowMs: number): number[] =>
  (openings.get(pairId) ?? []).filter((openedMs) => nowMs - openedMs < OPENINGS_WITHIN_MS)

const namesOf = ({ pairId, topic, category, verdict, a, b }: GapSample['pair']): Episode['pair'] => ({
  pairId,
  topic,
  category,
  verdict,
  a: a.market.marketId,
  b: b.market.marketId,
})

/** An episode that was lost from sight ends where it was last seen: what the gap did since is unknown. */
const lostSight = (episode: Episode, why: EndReason): Ended => ({ episode, closedMs: episode.lastMs, why })

/** Changes the map. */
function rememberOpenings(
  openings: Map<string, readonly number[]>,
  opened: readonly string[],
  nowMs: number,
): void {
  const isOld = (openedMs: number | undefined) =>
    openedMs !== undefined && nowMs - openedMs >= OPENINGS_WITHIN_MS
  for (const pairId of opened) {
    const lately = (openings.get(pairId) ?? []).filter((openedMs) => !isOld(openedMs))
    openings.delete(pairId)
    openings.set(pairId, [...lately, nowMs].slice(-MAX_OPENINGS))
  }
  for (const [pairId, times] of openings) {
    if (openings.size <= MAX_REMEMBERED && !isOld(times.at(-1))) break
    openings.delete(pairId)
  }
}
