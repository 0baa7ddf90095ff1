import type { Fingerprint } from './fingerprint.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'

/** An event of one venue as the index knows it. */
export type IndexedEvent = {
  key: number
  eventId: string
  markets: readonly Fingerprint[] //       in the order they came
  words: Map<number, number> | null // word → in how many of its markets; null: few enough to be asked
  sport: boolean | null //                 null: its markets do not all say the same, so it may be asked about either
  telling: Map<string | number, Fingerprint[]> | null // what tells its outcomes apart, see outcomes.ts; null: not read yet
}

//  One query touches at most this many postings: rare words come first, common ones only if there is room. With twice as
//  many, common words brought in so many wordy events that one question in sixty lost its place.
const POSTINGS_PER_QUERY = 6_000
//  A word in more events than this proposes nothing by itself.
const COMMON = 6_000
//  A shared game day makes it likelier that two events belong together than words alone suggest.
const SAME_DAY = 4
const MOST_PROPOSALS = 8
const MOST_PROPOSALS_WIDE = 30
//  Besides those that share most, this many of those that leave least unanswered.
const MOST_TERSE = 6
//  An event with this many outcomes has many look-alikes (top 5, top 10, winner), so it gets more proposals.
const WIDE = 10
//  In the second ranking an unanswered word takes away twice what a shared one gives.
const UNANSWERED = 2

//  A list this short is replaced by a fitting one (concat): a list that grows keeps room for sixteen more.
const FEW = 8

//  What the scan reads of an event, as plain numbers: a query looks at thousands of events.
const SPORT = { unknown: 0, no: 1, yes: 2 } as const
const NO_DAY = -1
const SEVERAL_DAYS = -2

/**
 * Events of one venue, indexed by their words. Proposes for an event of the other venue those that share the rarest
 * words (inverse document frequency), so that only likely pairs are compared.
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
  #heads = new Float32Array(0) //  summed rarity of the words all its outcomes have; NaN: not summed yet

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  add(market: Fingerprint): IndexedEvent {
    let event = this.events.get(market.eventId)
    const known = event?.markets.find(({ marketId }) => marketId === market.marketId)
    if (known !== undefined) this.remove(known)
    event = this.events.get(market.eventId) ?? this.#open(market.eventId)
    for (const word of this.wordsOf(market)) {
      if (!says(event, word)) this.#post(word, event.key)
      if (event.words !== null) event.words.set(word, (event.words.get(word) ?? 0) + 1)
    }
    event.sport = event.markets.length === 0 || event.sport === market.sport ? market.sport : null
    event.markets = event.markets.concat(market)
    if (event.words === null && event.markets.length > FEW) event.words = this.#countWords(event)
    event.telling = null
    this.#note(event)
    return event
  }

  remove(market: Fingerprint): void {
    const event = this.events.get(market.eventId)
    if (event === undefined || !event.markets.includes(market)) return
    event.markets = event.markets.filter((other) => other !== market)
    event.sport ??= commonSport(event.markets)
    event.telling = null
    for (const word of this.wordsOf(market)) {
      if (event.words !== null) {
        const count = event.words.get(word)! - 1
        if (count > 0) event.words.set(word, count)
        else event.words.delete(word)
      }
      if (!says(event, word)) this.#unpost(word, event.key)
    }
    this.#note(event)
    if (event.markets.length > 0) return
    this.events.delete(event.eventId)
    this.#byKey[event.key] = null
  }

  #open(eventId: string): IndexedEvent {
    const key = this.#byKey.length
    const event: IndexedEvent = { key, eventId, markets: [], words: null, sport: null, telling: null }
    this.events.set(eventId, event)
    this.#byKey.push(event)
    this.#grow()
    return event
  }

  #countWords({ markets }: IndexedEvent): Map<number, number> {
    const words = new Map<number, number>()
    for (const market of markets)
      for (const word of this.wordsOf(market)) words.set(word, (words.get(word) ?? 0) + 1)
    return words
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
    const mostExtra = days.size === 0 ? 0 : SAME_DAY
    const [scores, keys, sports, heads] = [this.#scores, this.#touched, this.#sports, this.#heads]
    let [toBeat, toBeatTerse] = [best.least, terse.least]
    for (let at = 0; at < touched; at++) {
      const key = keys[at]!
      const shared = scores[key]!
      scores[key] = 0
      //  nearly all events end here, whatever their day; one whose head is still NaN does only if no head would help it
      const most = shared + mostExtra
      if (
        most <= toBeat &&
        (most <= toBeatTerse || most - UNANSWERED * (heads[key]! - shared) <= toBeatTerse)
      )
        continue
      if (sports[key] === otherSport) continue
      const score = mostExtra > 0 && this.#sharesDay(key, days) ? most : shared
      if (score <= toBeat && score - UNANSWERED * (heads[key]! - shared) <= toBeatTerse) continue
      const event = this.#byKey[key]
      if (event == null) continue
      best.offer(event, score)
      terse.offer(event, score - UNANSWERED * this.#unanswered(event, shared))
      toBeat = best.least
      toBeatTerse = terse.least
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
   * Rarity of the words that all outcomes of the event have and the query lacks. Where every name is a common one, a
   * wordy event shares more words by chance than the terse event that is meant, so both rankings are used.
   */
  #unanswered(event: IndexedEvent, shared: number): number {
    let head = this.#heads[event.key]!
    if (Number.isNaN(head)) {
      head = 0
      for (const word of this.wordsOf(event.markets[0]!))
        if (isSaidByAll(event, word)) head += this.#rarity(this.#postings.get(word)!)
      this.#heads[event.key] = head
    }
    return Math.max(0, head - shared)
  }

  #sharesDay(key: number, days: ReadonlySet<number>): boolean {
    if (days.size === 0) return false
    const day = this.#days[key]!
    if (day !== SEVERAL_DAYS) return day !== NO_DAY && days.has(day)
    return this.#byKey[key]!.markets.some(({ timing }) => timing.gameDay !== null && days.has(timing.gameDay))
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
    //  neither holds anything between two queries
    ;[this.#scores, this.#touched] = [new Float32Array(size), new Int32Array(size)]
  }

  #note({ key, sport, markets }: IndexedEvent): void {
    this.#sports[key] = sport === null ? SPORT.unknown : sport ? SPORT.yes : SPORT.no
    this.#days[key] = oneDay(markets)
    this.#heads[key] = Number.NaN
  }

  static isWide(event: IndexedEvent): boolean {
    return event.markets.length >= WIDE
  }

  /** The words by which a market is found: all that are not soft, and who meets whom. */
  wordsOf(market: Fingerprint): number[] {
    const words: number[] = []
    for (const word of market.context)
      if ((this.#vocabulary.weight(word) & WEIGHT.soft) === 0) words.push(word)
    if (market.meeting !== null) words.push(market.meeting)
    return words
  }

  /** The words of several markets, each once. */
  wordsOfAll(markets: readonly Fingerprint[]): Iterable<number> {
    return markets.length === 1
      ? this.wordsOf(markets[0]!)
      : new Set(markets.flatMap((market) => this.wordsOf(market)))
  }

  #post(word: number, key: number): void {
    const postings = this.#postings.get(word)
    if (postings === undefined) this.#postings.set(word, [key])
    else if (postings.length < FEW) this.#postings.set(word, postings.concat(key))
    else postings.push(key)
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

/** Does one of the event's markets have this word among those by which it is found? */
export function says({ markets, words }: IndexedEvent, word: number): boolean {
  return words === null ? markets.some((market) => isOf(market, word)) : words.has(word)
}

function isSaidByAll({ markets, words }: IndexedEvent, word: number): boolean {
  return words === null ? markets.every((market) => isOf(market, word)) : words.get(word) === markets.length
}

function isOf({ context, meeting }: Fingerprint, word: number): boolean {
  return word === meeting || context.includes(word)
}

function commonSport(markets: readonly Fingerprint[]): boolean | null {
  const sport = markets[0]?.sport ?? null
  return sport !== null && markets.every((market) => market.sport === sport) ? sport : null
}

function oneDay(markets: readonly Fingerprint[]): number {
  let found = NO_DAY
  for (const { timing } of markets) {
    if (timing.gameDay === null || timing.gameDay === found) continue
    if (found !== NO_DAY) return SEVERAL_DAYS
    found = timing.gameDay
  }
  return found
}

/** The best few, best first; ties go by age of the event, so that the same input gives the same proposals. */
class Top {
  readonly #most: number
  readonly #events: IndexedEvent[] = []
  readonly #scores: number[] = []
  /** Score to beat. */
  least = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.#most = most
  }

  offer(event: IndexedEvent, score: number): void {
    const [events, scores] = [this.#events, this.#scores]
    const isFull = events.length === this.#most
    if (isFull && score <= this.least) return
    let at = isFull ? events.length - 1 : events.length
    for (; at > 0 && isBefore(score, event, scores[at - 1]!, events[at - 1]!); at--) {
      events[at] = events[at - 1]!
      scores[at] = scores[at - 1]!
    }
    events[at] = event
    scores[at] = score
    if (events.length === this.#most) this.least = scores.at(-1)!
  }

  events(): readonly IndexedEvent[] {
    return this.#events
  }
}

function isBefore(score: number, event: IndexedEvent, other: number, otherEvent: IndexedEvent): boolean {
  return score > other || (score === other && event.key < otherEvent.key)
}
