import type { Market, Venue } from '../../../ingest/contract/market.ts'
import { TOPICS_MAX, type TopicRow } from '../../contract/topics.ts'
import type { Pair } from '../pairing/pairer.ts'
import { higherFirst } from './higherFirst.ts'
import { inOrder } from './inOrder.ts'
import type { Counted, Listings, ListingTable } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { RankedRows } from './rankedRows.ts'

/** The pair a market is a leg of; null when it is in none. */
type PairOf = (venue: Venue, marketId: string) => Pick<Pair, 'pairId'> | null

/** A market as it is ranked. */
type Topic = { market: Market; volume24h: number; pairId: string | null }

export type TopicLists = Record<Venue, RankedRows<Topic, TopicRow>>

export type Topics = TopicLists & { bound: number; known: Record<Venue, number> }

/** How many markets are put in order between two steps. */
const AT_ONCE = 500

/**
 * What `match` searches: the busiest markets of each venue, and every paired market however quiet. It notes what moved
 * and puts that in order only before a board: every trade changes a rank, and boards are made seldom.
 */
export class TopicsTable implements ListingTable {
  readonly #lists: TopicLists
  readonly #pairOf: PairOf
  readonly #max: number
  readonly #topics = { a: new Map<string, Topic>(), b: new Map<string, Topic>() }
  readonly #moved: Record<Venue, string[]> = { a: [], b: [] } // ids, some more than once

  /**
   * @param lists where the rows are kept, each with at most `max` that are in no pair; they are emptied and reused, so
   * that their publications continue.
   * @param pairOf asked when a market is ranked: a market whose pair came or went has to be counted again.
   */
  constructor(pairOf: PairOf, max = TOPICS_MAX, lists = topicLists(max)) {
    for (const list of [lists.a, lists.b]) list.clear()
    this.#lists = lists
    this.#pairOf = pairOf
    this.#max = max
  }

  add(counted: Counted): void {
    this.#note(counted)
  }

  remove(counted: Counted): void {
    this.#note(counted)
  }

  /** Puts in order what moved, some at a time: the next board has less left to do, and says the same. */
  *approach(listings: Listings): Generator<void> {
    for (const venue of ['a', 'b'] as const) {
      const moved = this.#moved[venue]
      for (let looked = 1; moved.length > 0; looked++) {
        const marketId = moved.pop()!
        this.#rank(venue, marketId, listings.get(venue, marketId))
        if (looked % AT_ONCE !== 0) continue
        this.#lists[venue].sort()
        yield
      }
    }
  }

  board(listings: Listings): Topics {
    for (const _ of this.approach(listings));
    const { a, b } = this.#lists
    const known = { a: listings.count('a'), b: listings.count('b') }
    return { a: a.sort(), b: b.sort(), bound: this.#max, known }
  }

  /** A market that moves is removed and added: its id is noted once for both. */
  #note({ listed: { market } }: Counted): void {
    const moved = this.#moved[market.venue]
    if (moved.at(-1) !== market.marketId) moved.push(market.marketId)
  }

  #rank(venue: Venue, marketId: string, counted: Counted | null): void {
    const before = this.#topics[venue].get(marketId)
    const topic = counted === null ? null : this.#topicOf(counted)
    if (before !== undefined && topic !== null && isSame(before, topic)) return
    if (before !== undefined) this.#lists[venue].delete(before)
    if (topic === null) {
      this.#topics[venue].delete(marketId)
      return
    }
    this.#topics[venue].set(marketId, topic)
    this.#lists[venue].add(topic)
  }

  /** Null when the market should not be found. */
  #topicOf({ listed: { market, quote }, trading }: Counted): Topic | null {
    if (!trading || market.placeholder) return null
    const pairId = this.#pairOf(market.venue, market.marketId)?.pairId ?? null
    return { market, volume24h: quote.volume24h, pairId }
  }
}

const saysTheSame = (x: Topic, y: Topic): boolean => x.market === y.market && x.pairId === y.pairId

const isSame = (x: Topic, y: Topic): boolean => saysTheSame(x, y) && x.volume24h === y.volume24h

export const topicLists = (max = TOPICS_MAX): TopicLists => ({ a: byVolume(max), b: byVolume(max) })

/** Highest volume first, equal volumes by id. */
const byVolume = (max: number) =>
  new RankedRows<Topic, TopicRow>({
    idOf: ({ market }) => market.marketId,
    compare: (x, y) => higherFirst(x.volume24h, y.volume24h) || inOrder(x.market.marketId, y.market.marketId),
    toldOf: ({ market, pairId }) => ({
      venue: market.venue,
      marketId: market.marketId,
      topic: topicOfMarket(market),
      pairId,
    }),
    saysTheSame,
    max,
    isAlwaysTold: ({ pairId }) => pairId !== null,
  })
