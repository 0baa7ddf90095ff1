import type { Market, Venue } from '../../../ingest/contract/market.ts'
import { TOPICS_MAX, type TopicRow, type TopicsBoard } from '../../contract/topics.ts'
import type { Pair } from '../pairing/pairer.ts'
import type { Listings } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { stepSort } from './stepSort.ts'

/** The pair a market is a leg of; null: of none. */
type PairOf = (venue: Venue, marketId: string) => Pick<Pair, 'pairId'> | null

/**
 * What `match` searches: the busiest markets of each venue, and every paired one however quiet. Made of all markets each
 * time, which happens rarely; in steps when there is time for it.
 */
export class TopicsTable {
  readonly #max: number
  #ahead: TopicsBoard | null = null

  constructor(max = TOPICS_MAX) {
    this.#max = max
  }

  /** Makes the next board ahead; what moves between its steps may be in it or not. */
  *approach(listings: Listings, pairOf: PairOf): Generator<void> {
    this.#ahead = null
    this.#ahead = yield* this.#make(listings, pairOf)
  }

  /** The one that was made ahead, if there is one. */
  board(listings: Listings, pairOf: PairOf): TopicsBoard {
    if (this.#ahead === null) for (const _ of this.approach(listings, pairOf));
    const board = this.#ahead!
    this.#ahead = null
    return board
  }

  *#make(listings: Listings, pairOf: PairOf): Generator<void, TopicsBoard> {
    const [a, b] = [yield* this.#rowsOf('a', listings, pairOf), yield* this.#rowsOf('b', listings, pairOf)]
    return { a, b, bound: this.#max, known: { a: listings.count('a'), b: listings.count('b') } }
  }

  *#rowsOf(venue: Venue, listings: Listings, pairOf: PairOf): Generator<void, TopicRow[]> {
    //  as they stand: who moves meanwhile is another object, and the order of these has to hold still
    const asked = listings.trading(venue).filter(({ market }) => !market.placeholder)
    yield
    const volumes = Float64Array.from(asked, ({ quote }) => quote.volume24h)
    const idOf = (at: number) => asked[at]!.market.marketId
    const byVolume = (x: number, y: number) => volumes[y]! - volumes[x]! || (idOf(x) < idOf(y) ? -1 : 1)
    const ranked = yield* stepSort(
      new Int32Array(asked.length).map((_, at) => at),
      byVolume,
    )
    const rows: TopicRow[] = []
    for (let rank = 0; rank < ranked.length; rank++) {
      const { market } = asked[ranked[rank]!]!
      const pairId = pairOf(venue, market.marketId)?.pairId ?? null
      if (rank < this.#max || pairId !== null) rows.push(rowOf(market, pairId))
      if (rank % STEP_ROWS === 0) yield
    }
    return rows
  }
}

//  Between two steps: their texts may have to be made.
const STEP_ROWS = 200

//  The same market says the same: one object, so that its text is written once.
const rows = new WeakMap<Market, TopicRow>()

function rowOf(market: Market, pairId: string | null): TopicRow {
  const known = rows.get(market)
  if (known !== undefined && known.pairId === pairId) return known
  const row = { venue: market.venue, marketId: market.marketId, topic: topicOfMarket(market), pairId }
  rows.set(market, row)
  return row
}
