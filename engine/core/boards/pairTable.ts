import type { Book } from '../../../ingest/contract/quote.ts'
import type { EdgeRow } from '../../contract/edges.ts'
import { FEED_TOPICS } from '../../contract/feed.ts'
import type { GapCard, Unqualified } from '../../contract/gapCards.ts'
import type { NetRow } from '../../contract/nets.ts'
import { type Assessed, assess } from './assess.ts'
import { Deadlines } from './deadlines.ts'
import { bestEdges, createEdgeRows } from './edges.ts'
import { type GapSample, lifeOf } from './episode.ts'
import { type Ended, type Episodes, OpenGaps, type SeenEpisodes } from './episodes.ts'
import { FeedFold, feedEvents, type News, opens, type Told } from './feedEvents.ts'
import { type FeeTable, feeTableAt } from './feeTable.ts'
import { bestCards, byRank, CardSketch, createCards, refuseCard } from './gapCards.ts'
import type { At, LivePair } from './livePair.ts'
import { bestNets } from './nets.ts'
import { agesMs, looksAgainMs } from './pairDeadlines.ts'
import { Pending } from './pending.ts'
import { isNet, type Net, type Priced, price } from './priced.ts'
import type { RankedRows } from './rankedRows.ts'
import { WaitingCards } from './waitingCards.ts'

/** What has to be remembered when a table is made anew. */
export type PairMemory = { episodes: Episodes; told: Told }

export type PairBoards = {
  nets: RankedRows<Net, NetRow>
  edges: { rows: readonly EdgeRow[] }
  gapCards: { cards: readonly GapCard[]; unqualified: Record<string, number> }
  events: News[]
  ended: Ended[]
  refusedGaps: number //   gaps that found no room among the open ones
}

/** Where a table finds the newest state. */
export type PairSources = {
  pair(pairId: string): LivePair | null
  book(venue: 'a' | 'b', marketId: string): Book | null
}

type Entry = {
  priced: Priced
  assessed: Assessed | null
  sketch: CardSketch | null
  reason: Unqualified | null // why the pair has no card
}

/**
 * Most gaps re-judged in one look because they are no longer young. After a cold start all gaps open in one look, and a
 * minute later they would make one look take seconds. The others are called young for some seconds longer.
 */
export const AGEING_AT_ONCE = 250

/**
 * All boards of pairs, kept current pair by pair, in the order they depend on each other: prices, lives of gaps, edges
 * with their flags, cards, feed. A look works out the pairs that were touched since the last one and those that time
 * changes; the result is what a table made anew from the same memory would give. While a venue's data is stale the
 * lives and the feed are left as they are: nothing is known, so nothing is announced as opened or closed.
 */
export class PairTable {
  readonly #entries = new Map<string, Entry>()
  readonly #gaps: OpenGaps
  readonly #told: FeedFold
  readonly #touched = new Pending<string>()
  #unsampled = new Map<string, GapSample | null>() // moved pairs not yet stepped in the lives of gaps
  readonly #due = new Deadlines<string>()
  readonly #ages = new Deadlines<string>()
  readonly #nets: RankedRows<Net, NetRow>
  readonly #edges = bestEdges()
  readonly #cards = bestCards()
  //  for the feed
  #judged = new Set<string>() // since the last announcement
  readonly #waiting = { gaps: new WaitingCards(), edges: new WaitingCards() } // cards that open a topic, unannounced
  readonly #unqualified = new Map<Unqualified, number>()
  readonly #edgeRow = createEdgeRows()
  readonly #cardOf = createCards(this.#edgeRow, (pairId, nowMs) => {
    const episode = this.#gaps.get(pairId)
    return episode === undefined ? null : lifeOf(episode, nowMs)
  })
  #last: { at: At; fees: FeeTable } | null = null

  /** @param nets where the net rows are kept; it is emptied and reused, so that its publications continue. */
  constructor({ episodes, told }: PairMemory, nets = bestNets()) {
    this.#gaps = new OpenGaps(episodes)
    this.#told = new FeedFold(told)
    nets.clear()
    this.#nets = nets
    for (const pairId of episodes.open.keys()) this.#touched.add(pairId)
    for (const topic of FEED_TOPICS) for (const pairId of told[topic].keys()) this.#judged.add(pairId)
  }

  get memory(): PairMemory {
    return { episodes: this.#gaps.state(), told: this.#told }
  }

  /** The gaps that are open now; later changes do not affect what is being read. */
  openGaps(): SeenEpisodes {
    return this.#gaps.look()
  }

  /** A pair came, went, or something of its markets moved. */
  touch(pairId: string): void {
    this.#touched.add(pairId)
  }

  /**
   * Works off the touched pairs, one per step: a look afterwards gives the same result with less left to do. A pair
   * whose gap is open is left to the look, which steps the gap's life before judging the pair.
   */
  *approach(sources: PairSources, at: At): Generator<void> {
    this.#touchByTime(at)
    for (const pairId of this.#touched.take()) {
      if (this.#gaps.get(pairId) !== undefined) this.#touched.add(pairId)
      else {
        this.#price(pairId, sources, at)
        this.#judge(pairId, sources, at)
      }
      yield
    }
  }

  look(sources: PairSources, at: At): PairBoards {
    const { nowMs, fresh } = at
    const known = fresh.a && fresh.b
    this.#touchByTime(at)
    const touched = new Set(this.#touched.take())
    for (const pairId of touched) this.#price(pairId, sources, at)
    const lives = known ? this.#stepGaps(nowMs, touched) : { ended: [], refused: 0 }
    for (const pairId of touched) this.#judge(pairId, sources, at)
    const cardOf = (sketch: CardSketch) => this.#cardOf(sketch, nowMs).value.card
    const events = known ? this.#tell(nowMs, cardOf) : []
    const edges = this.#edges.best(this.#all(({ assessed }) => assessed))
    return {
      nets: this.#nets.sort(),
      edges: { rows: edges.map((each) => this.#edgeRow(each, nowMs).value) },
      gapCards: {
        cards: this.#cards.best(this.#all(({ sketch }) => sketch)).map(cardOf),
        unqualified: Object.fromEntries([...this.#unqualified].filter(([, count]) => count > 0)),
      },
      events,
      ended: lives.ended,
      refusedGaps: lives.refused,
    }
  }

  #touchByTime(at: At): void {
    const fees = feeTableAt(at.nowMs)
    for (const pairId of this.#due.due(at.nowMs)) this.#touched.add(pairId)
    let room = AGEING_AT_ONCE
    for (const pairId of this.#ages.due(at.nowMs)) {
      this.#touched.add(pairId)
      if (--room === 0) break
    }
    const last = this.#last
    this.#last = { at, fees }
    if (
      last !== null &&
      last.at.fresh.a === at.fresh.a &&
      last.at.fresh.b === at.fresh.b &&
      last.fees === fees &&
      last.at.nowMs <= at.nowMs
    )
      return
    for (const pairId of this.#entries.keys()) this.#touched.add(pairId)
  }

  #price(pairId: string, sources: PairSources, at: At): void {
    const pair = sources.pair(pairId)
    const before = this.#entries.get(pairId)
    if (before !== undefined) {
      if (isNet(before.priced)) this.#nets.delete(before.priced)
      this.#takeOut(before)
    }
    this.#judged.add(pairId)
    if (pair === null) {
      this.#entries.delete(pairId)
      this.#unsampled.set(pairId, null)
      return
    }
    const priced = price(pair, at)
    if (isNet(priced)) this.#nets.add(priced)
    this.#entries.set(pairId, { priced, assessed: null, sketch: null, reason: null })
    this.#unsampled.set(pairId, priced.trading ? priced : null)
  }

  /** @param touched gets the pairs whose gaps opened, went on or ended. */
  #stepGaps(nowMs: number, touched: Set<string>) {
    const stepped = this.#gaps.step({
      nowMs,
      moved: this.#unsampled,
      all: () => this.#all(({ priced }) => (priced.trading ? priced : null)),
    })
    if (stepped.isTaken) {
      //  also the pairs that moved while the clock was behind the last step: they were judged then, but their gaps are
      //  stepped only now.
      for (const pairId of this.#unsampled.keys()) if (this.#gaps.get(pairId)) touched.add(pairId)
      this.#unsampled = new Map() //  a new one, as in Pending
    }
    for (const pairId of stepped.opened) touched.add(pairId)
    for (const { episode } of stepped.ended) touched.add(episode.pair.pairId)
    return stepped
  }

  #judge(pairId: string, { book }: PairSources, at: At): void {
    const entry = this.#entries.get(pairId)
    if (entry === undefined) return
    //  the life of a gap may have begun or ended without a move of its prices
    this.#takeOut(entry)
    this.#judged.add(pairId)
    const { nowMs } = at
    const { pair, gapCents } = entry.priced
    const books = { a: book('a', pair.a.market.marketId), b: book('b', pair.b.market.marketId) }
    const episode = this.#gaps.get(pairId)
    const openings = this.#gaps.openings(pairId, nowMs)
    const age = episode && { ageMs: nowMs - episode.openedMs, openings: openings.length }
    entry.assessed = assess(entry.priced, books, age ?? null, at)
    entry.reason = refuseCard(entry.priced, at)
    if (entry.reason === null && entry.assessed !== null && gapCents !== null)
      entry.sketch = new CardSketch(entry.assessed, episode ?? null)
    this.#putIn(entry)
    const gap = episode ? { episode, isQuoted: gapCents !== null } : null
    this.#due.set(looksAgainMs(pair, books, gap, nowMs), pairId)
    if (episode) this.#ages.set(agesMs(episode, openings, nowMs), pairId)
  }

  #putIn({ assessed, sketch, reason }: Entry): void {
    if (assessed !== null) this.#edges.add(assessed)
    if (sketch !== null) {
      this.#cards.add(sketch)
      for (const topic of FEED_TOPICS) this.#wait(topic, sketch)
    }
    if (reason !== null) this.#unqualified.set(reason, (this.#unqualified.get(reason) ?? 0) + 1)
  }

  #takeOut(entry: Entry): void {
    const { assessed, sketch, reason } = entry
    if (assessed !== null) this.#edges.delete(assessed)
    if (sketch !== null) {
      this.#cards.delete(sketch)
      for (const topic of FEED_TOPICS) this.#waiting[topic].delete(sketch)
    }
    if (reason !== null) this.#unqualified.set(reason, this.#unqualified.get(reason)! - 1)
    entry.assessed = entry.sketch = entry.reason = null
  }

  *#all<T>(of: (entry: Entry) => T | null): Generator<T> {
    for (const entry of this.#entries.values()) {
      const each = of(entry)
      if (each !== null) yield each
    }
  }

  #tell(nowMs: number, cardOf: (sketch: CardSketch) => GapCard): News[] {
    const events = feedEvents<CardSketch>(
      this.#told,
      {
        moved: this.#judged,
        get: (pairId) => this.#entries.get(pairId)?.sketch ?? undefined,
        waiting: (topic, max) => this.#waiting[topic].best(max),
        order: byRank,
      },
      { nowMs, cardOf },
    )
    this.#told.take(events)
    this.#judged = new Set()
    for (const { topic, card } of events) {
      const sketch = this.#entries.get(card.pairId)?.sketch
      if (sketch != null) this.#wait(topic, sketch)
    }
    return events
  }

  #wait(topic: keyof Told, sketch: CardSketch): void {
    const isWaiting = opens(topic, sketch) && !this.#told[topic].has(sketch.pairId)
    if (isWaiting) this.#waiting[topic].add(sketch)
    else this.#waiting[topic].delete(sketch)
  }
}
