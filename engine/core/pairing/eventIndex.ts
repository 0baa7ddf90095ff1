import type { Fingerprint } from './fingerprint.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'

/** An event of one venue as the index knows it. */
export type IndexedEvent = {
  key: number
  eventId: string
  markets: Map<string, Fingerprint>
  words: Map<number, number> //  word → in how many of its markets
  sport: boolean | null
  days: Map<number, number> //   game day → in how many of its markets
  telling: Map<string | number, Fingerprint[]> | null // what tells its outcomes apart, see outcomes.ts; null: not read yet
}

//  One query touches at most this many postings: rare words come first, common ones only if there is room.
const POSTINGS_PER_QUERY = 4_000
//  A word in more events than this proposes nothing by itself.
const COMMON = 4_000
//  Two events that share a game day belong together more likely than words alone say.
const SAME_DAY = 4
const MOST_PROPOSALS = 12
const MOST_PROPOSALS_WIDE = 30
//  An event of so many outcomes meets many look-alikes (top 5, top 10, winner), so it is shown more of them.
const WIDE = 10

/**
 * Events of one venue by their words. Proposes for an event of the other venue those that share the rarest
 * words (inverse document frequency), so that a pair is compared only when it may be one.
 */
export class EventIndex {
  readonly events = new Map<string, IndexedEvent>()
  readonly #byKey: (IndexedEvent | null)[] = []
  readonly #postings = new Map<number, number[]>()
  readonly #vocabulary: Vocabulary
  #scores = new Float32Array(0)
  #touched = new Int32Array(0)

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  add(market: Fingerprint): IndexedEvent {
    let event = this.events.get(market.eventId)
    if (event === undefined) {
      event = {
        key: this.#byKey.length,
        eventId: market.eventId,
        markets: new Map(),
        words: new Map(),
        sport: null,
        days: new Map(),
        telling: null,
      }
      this.events.set(market.eventId, event)
      this.#byKey.push(event)
    }
    event.markets.set(market.marketId, market)
    event.telling = null
    event.sport ??= market.sport
    const day = market.timing.gameDay
    if (day !== null) event.days.set(day, (event.days.get(day) ?? 0) + 1)
    for (const word of this.#wordsOf(market)) {
      const count = event.words.get(word) ?? 0
      event.words.set(word, count + 1)
      if (count > 0) continue
      const postings = this.#postings.get(word)
      if (postings === undefined) this.#postings.set(word, [event.key])
      else postings.push(event.key)
    }
    return event
  }

  remove(market: Fingerprint): void {
    const event = this.events.get(market.eventId)
    if (event === undefined || !event.markets.delete(market.marketId)) return
    event.telling = null
    for (const word of this.#wordsOf(market)) {
      const count = (event.words.get(word) ?? 1) - 1
      if (count > 0) event.words.set(word, count)
      else {
        event.words.delete(word)
        this.#unpost(word, event.key)
      }
    }
    const day = market.timing.gameDay
    if (day !== null) {
      const count = (event.days.get(day) ?? 1) - 1
      if (count > 0) event.days.set(day, count)
      else event.days.delete(day)
    }
    if (event.markets.size > 0) return
    this.events.delete(event.eventId)
    this.#byKey[event.key] = null
  }

  /** Events that may be the one asked about, most promising first. */
  propose(
    query: Iterable<number>,
    { wide, sport, days }: { wide: boolean; sport: boolean | null; days: ReadonlySet<number> },
  ): IndexedEvent[] {
    const rare = [...query]
      .map((word) => this.#postings.get(word) ?? [])
      .filter((postings) => postings.length > 0 && postings.length <= COMMON)
      .sort((x, y) => x.length - y.length)
    const touched = this.#score(rare)
    const found: { event: IndexedEvent; score: number }[] = []
    const most = wide ? MOST_PROPOSALS_WIDE : MOST_PROPOSALS
    let least = 0 //  score to beat once `found` is full
    for (let at = 0; at < touched; at++) {
      const key = this.#touched[at]!
      const event = this.#byKey[key]
      const score = this.#scores[key]!
      this.#scores[key] = 0
      if (event == null || (sport !== null && event.sport !== null && sport !== event.sport)) continue
      const full = score + (days.size > 0 && sharesDay(event, days) ? SAME_DAY : 0)
      if (found.length === most && full <= least) continue
      insert(found, { event, score: full }, most)
      least = found.at(-1)!.score
    }
    return found.map(({ event }) => event)
  }

  /** Adds up the rarity of shared words per event, rarest first, within the budget. @returns how many were touched. */
  #score(rare: readonly (readonly number[])[]): number {
    if (this.#scores.length < this.#byKey.length) {
      this.#scores = new Float32Array(this.#byKey.length * 2)
      this.#touched = new Int32Array(this.#byKey.length * 2)
    }
    let touched = 0
    let budget = POSTINGS_PER_QUERY
    for (const postings of rare) {
      if (budget < postings.length && touched > 0) break
      budget -= postings.length
      const weight = Math.log(1 + this.events.size / postings.length)
      for (const key of postings) {
        if (this.#scores[key] === 0) this.#touched[touched++] = key
        this.#scores[key]! += weight
      }
    }
    return touched
  }

  static isWide(event: IndexedEvent): boolean {
    return event.markets.size >= WIDE
  }

  #wordsOf(market: Fingerprint): Iterable<number> {
    const words: number[] = []
    for (const word of market.context)
      if ((this.#vocabulary.weight(word) & WEIGHT.soft) === 0) words.push(word)
    return words
  }

  #unpost(word: number, key: number): void {
    const postings = this.#postings.get(word)
    const at = postings?.indexOf(key) ?? -1
    if (postings === undefined || at === -1) return
    postings[at] = postings.at(-1)!
    postings.pop()
    if (postings.length === 0) this.#postings.delete(word)
  }
}

/** Keeps the `most` best, best first; ties by age of the event, so that the same input proposes the same. */
function insert(
  found: { event: IndexedEvent; score: number }[],
  entry: { event: IndexedEvent; score: number },
  most: number,
): void {
  let at = found.length
  while (
    at > 0 &&
    (found[at - 1]!.score < entry.score ||
      (found[at - 1]!.score === entry.score && found[at - 1]!.event.key > entry.event.key))
  )
    at--
  found.splice(at, 0, entry)
  if (found.length > most) found.pop()
}

function sharesDay(event: IndexedEvent, days: ReadonlySet<number>): boolean {
  for (const day of days) if (event.days.has(day)) return true
  return false
}
