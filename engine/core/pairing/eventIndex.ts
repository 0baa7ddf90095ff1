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
const POSTINGS_PER_QUERY = 12_000
//  A word in more events than this proposes nothing by itself.
const COMMON = 6_000
//  Two events that share a game day belong together more likely than words alone say.
const SAME_DAY = 4
const MOST_PROPOSALS = 8
const MOST_PROPOSALS_WIDE = 30
//  Beside those that share most, so many of those that leave least unanswered.
const MOST_TERSE = 6
//  An event of so many outcomes meets many look-alikes (top 5, top 10, winner), so it is shown more of them.
const WIDE = 10
//  In the second ranking an unanswered word takes away twice what a shared one gives.
const UNANSWERED = 2

//  What the scan reads of an event, as numbers in a row: a query looks at thousands of events.
const SPORT = { unknown: 0, no: 1, yes: 2 } as const
const NO_DAY = -1
const SEVERAL_DAYS = -2

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
  //  the next three by event key; they grow together
  #sports = new Uint8Array(0)
  #days = new Int32Array(0)
  #heads = new Float32Array(0) //  rarity of the words all its outcomes have; NaN: to be added up

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
      this.#grow()
    }
    event.markets.set(market.marketId, market)
    event.telling = null
    event.sport ??= market.sport
    const day = market.timing.gameDay
    if (day !== null) event.days.set(day, (event.days.get(day) ?? 0) + 1)
    for (const word of this.wordsOf(market)) {
      const count = event.words.get(word) ?? 0
      event.words.set(word, count + 1)
      if (count > 0) continue
      const postings = this.#postings.get(word)
      if (postings === undefined) this.#postings.set(word, [event.key])
      else postings.push(event.key)
    }
    this.#note(event)
    return event
  }

  remove(market: Fingerprint): void {
    const event = this.events.get(market.eventId)
    if (event === undefined || !event.markets.delete(market.marketId)) return
    event.telling = null
    for (const word of this.wordsOf(market)) {
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
    this.#note(event)
    if (event.markets.size > 0) return
    this.events.delete(event.eventId)
    this.#byKey[event.key] = null
  }

  /** Events that may be the one asked about, most promising first. */
  propose(
    query: Iterable<number>,
    { wide, sport, days }: { wide: boolean; sport: boolean | null; days: ReadonlySet<number> },
  ): IndexedEvent[] {
    const rare: number[][] = []
    for (const word of query) {
      const postings = this.#postings.get(word)
      if (postings !== undefined && postings.length <= COMMON) rare.push(postings)
    }
    rare.sort((x, y) => x.length - y.length)
    const touched = this.#score(rare)
    const best = new Top(wide ? MOST_PROPOSALS_WIDE : MOST_PROPOSALS)
    const terse = new Top(MOST_TERSE)
    const otherSport = sport === null ? -1 : sport ? SPORT.no : SPORT.yes
    const [scores, sports, heads] = [this.#scores, this.#sports, this.#heads]
    for (let at = 0; at < touched; at++) {
      const key = this.#touched[at]!
      const shared = scores[key]!
      scores[key] = 0
      if (sports[key] === otherSport) continue
      const score = this.#sharesDay(key, days) ? shared + SAME_DAY : shared
      const head = heads[key]!
      //  NaN, a head still unknown, is not smaller either
      if (score <= best.least && score - UNANSWERED * (head - shared) <= terse.least) continue
      const event = this.#byKey[key]
      if (event == null) continue
      best.offer(event, score)
      terse.offer(event, score - UNANSWERED * this.#unanswered(event, shared))
    }
    return [...new Set([...best.events(), ...terse.events()])]
  }

  /** Adds up the rarity of shared words per event, rarest first, within the budget. @returns how many were touched. */
  #score(rare: readonly (readonly number[])[]): number {
    const [scores, touchedKeys] = [this.#scores, this.#touched]
    let touched = 0
    let budget = POSTINGS_PER_QUERY
    for (const postings of rare) {
      if (budget < postings.length && touched > 0) break
      budget -= postings.length
      const weight = this.#rarity(postings)
      for (let at = 0; at < postings.length; at++) {
        const key = postings[at]!
        const score = scores[key]!
        if (score === 0) touchedKeys[touched++] = key
        scores[key] = score + weight
      }
    }
    return touched
  }

  #rarity(postings: readonly number[]): number {
    return Math.log(1 + this.events.size / postings.length)
  }

  /**
   * Rarity of what all outcomes of the event say and the query does not. Where every name is a common one, wordy
   * events share more by chance than a terse one that is meant: so both rankings count.
   */
  #unanswered(event: IndexedEvent, shared: number): number {
    let head = this.#heads[event.key]!
    if (Number.isNaN(head)) {
      head = 0
      for (const [word, count] of event.words)
        if (count === event.markets.size) head += this.#rarity(this.#postings.get(word)!)
      this.#heads[event.key] = head
    }
    return Math.max(0, head - shared)
  }

  #sharesDay(key: number, days: ReadonlySet<number>): boolean {
    if (days.size === 0) return false
    const day = this.#days[key]!
    if (day !== SEVERAL_DAYS) return day !== NO_DAY && days.has(day)
    const known = this.#byKey[key]?.days
    for (const each of days) if (known?.has(each)) return true
    return false
  }

  #grow(): void {
    const needed = this.#byKey.length
    if (needed <= this.#scores.length) return
    const size = Math.max(1_024, 2 * needed)
    const [sports, days, heads] = [new Uint8Array(size), new Int32Array(size), new Float32Array(size)]
    sports.set(this.#sports)
    days.set(this.#days)
    heads.set(this.#heads)
    ;[this.#sports, this.#days, this.#heads] = [sports, days, heads]
    //  between two queries these two hold nothing
    ;[this.#scores, this.#touched] = [new Float32Array(size), new Int32Array(size)]
  }

  #note({ key, sport, days }: IndexedEvent): void {
    this.#sports[key] = sport === null ? SPORT.unknown : sport ? SPORT.yes : SPORT.no
    this.#days[key] = days.size === 0 ? NO_DAY : days.size === 1 ? [...days.keys()][0]! : SEVERAL_DAYS
    this.#heads[key] = Number.NaN
  }

  static isWide(event: IndexedEvent): boolean {
    return event.markets.size >= WIDE
  }

  /** The words by which a market is found: those that weigh something, and who meets whom. */
  wordsOf(market: Fingerprint): number[] {
    const words: number[] = []
    for (const word of market.context)
      if ((this.#vocabulary.weight(word) & WEIGHT.soft) === 0) words.push(word)
    if (market.meeting !== null) words.push(market.meeting)
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

/** The best few, best first; ties by age of the event, so that the same input proposes the same. */
class Top {
  readonly #found: { event: IndexedEvent; score: number }[] = []
  readonly #most: number
  /** Score to beat. */
  least = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.#most = most
  }

  offer(event: IndexedEvent, score: number): void {
    const found = this.#found
    if (found.length === this.#most && score <= this.least) return
    let at = found.length
    while (at > 0 && isBefore(score, event, found[at - 1]!)) at--
    found.splice(at, 0, { event, score })
    if (found.length > this.#most) found.pop()
    if (found.length === this.#most) this.least = found.at(-1)!.score
  }

  events(): IndexedEvent[] {
    return this.#found.map(({ event }) => event)
  }
}

function isBefore(
  score: number,
  event: IndexedEvent,
  other: { event: IndexedEvent; score: number },
): boolean {
  return score > other.score || (score === other.score && event.key < other.event.key)
}
