import type { Market, Venue } from '../../../ingest/contract/market.ts'
import { TOPICS_MAX, type TopicRow } from '../../contract/topics.ts'
import type { Pair } from '../pairing/pairer.ts'
import type { Counted, Listings, ListingTable } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { RankedRows } from './rankedRows.ts'

/** The pair a market is a leg of; null: of none. */
type PairOf = (venue: Venue, marketId: string) => Pick<Pair, 'pairId'> | null

/** A market as it was counted. */
type Topic = { market: Market; volume24h: number; pairId: string | null }

export type TopicLists = Record<Venue, RankedRows<Topic, TopicRow>>

export type Topics = TopicLists & { bound: number; known: Record<Venue, number> }

/**
 * What `match` searches: the busiest markets of each venue, and every paired one however quiet. Kept current market by market;
 * the order, which every trade changes, is put right at a look.
 */
export class TopicsTable implements ListingTable {
  readonly #lists: TopicLists
  readonly #pairOf: PairOf
  readonly #topics = { a: new Map<string, Topic>(), b: new Map<string, Topic>() }
  readonly #max: number

  /**
   * @param lists where its rows are kept, of at most `max` that are in no pair; emptied, so that what is published of them
   * goes on.
   * @param pairOf asked when a market is counted: one whose pair came or went is to be counted again.
   */
  constructor(pairOf: PairOf, max = TOPICS_MAX, lists = topicLists(max)) {
    for (const list of [lists.a, lists.b]) list.clear()
    this.#lists = lists
    this.#pairOf = pairOf
    this.#max = max
  }

  add({ listed: { market, quote }, trading }: Counted): void {
    if (!trading || market.placeholder) return
    const { venue, marketId } = market
    const pairId = this.#pairOf(venue, marketId)?.pairId ?? null
    const topic = { market, volume24h: quote.volume24h, pairId }
    this.#topics[venue].set(marketId, topic)
    this.#lists[venue].add(topic)
  }

  remove({ listed: { market } }: Counted): void {
    const { venue, marketId } = market
    const topic = this.#topics[venue].get(marketId)
    if (topic === undefined) return
    this.#topics[venue].delete(marketId)
    this.#lists[venue].delete(topic)
  }

  board(listings: Listings): Topics {
    const { a, b } = this.#lists
    const known = { a: listings.count('a'), b: listings.count('b') }
    return { a: a.sort(), b: b.sort(), bound: this.#max, known }
  }
}

export const topicLists = (max = TOPICS_MAX): TopicLists => ({ a: byVolume(max), b: byVolume(max) })

/** Highest volume first, those of one volume by id. */
const byVolume = (max: number) =>
  new RankedRows<Topic, TopicRow>({
    idOf: ({ market }) => market.marketId,
    compare: (x, y) => y.volume24h - x.volume24h || (x.market.marketId < y.market.marketId ? -1 : 1),
    toldOf: ({ market, pairId }) => ({
      venue: market.venue,
      marketId: market.marketId,
      topic: topicOfMarket(market),
      pairId,
    }),
    saysTheSame: (x, y) => x.market === y.market && x.pairId === y.pairId,
    max,
    isAlwaysTold: ({ pairId }) => pairId !== null,
  })
