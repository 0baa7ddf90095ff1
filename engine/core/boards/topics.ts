import type { Market, Venue } from '../../../ingest/contract/market.ts'
import { TOPICS_MAX, type TopicRow, type TopicsBoard } from '../../contract/topics.ts'
import type { Listed } from '../gapRow.ts'
import type { Pair } from '../pairing/pairer.ts'
import { byId } from './byId.ts'
import { type Counted, countAll, type Listings, type ListingTable } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { TopList } from './topList.ts'

type Legs = Pick<Pair, 'pairId' | 'a' | 'b'>

/** What `match` searches: the busiest markets of each venue, and every paired one however quiet. */
export function topicsBoard(
  markets: { a: Iterable<Listed>; b: Iterable<Listed> },
  pairs: Iterable<Legs>,
  nowMs: number,
  max = TOPICS_MAX,
): TopicsBoard {
  const table = new TopicsTable(max)
  const listings = countAll(markets, nowMs, table)
  for (const pair of pairs) table.addPair(pair)
  return table.board(listings)
}

/** The same, kept current market by market and pair by pair; which pairs are quiet is looked up when asked. */
export class TopicsTable implements ListingTable {
  readonly #max: number
  readonly #busiest: Record<Venue, TopList<Listed>>
  readonly #pairs = new Map<string, Legs>()
  readonly #pairOf = { a: new Map<string, string>(), b: new Map<string, string>() }

  constructor(max = TOPICS_MAX) {
    this.#max = max
    this.#busiest = { a: busiest(max), b: busiest(max) }
  }

  add(counted: Counted): void {
    if (isAsking(counted)) this.#busiest[counted.listed.market.venue].add(counted.listed)
  }

  remove(counted: Counted): void {
    if (isAsking(counted)) this.#busiest[counted.listed.market.venue].delete(counted.listed)
  }

  addPair(pair: Legs): void {
    this.#pairs.set(pair.pairId, pair)
    for (const venue of VENUES) this.#pairOf[venue].set(pair[venue], pair.pairId)
  }

  removePair(pairId: string): void {
    const pair = this.#pairs.get(pairId)
    if (pair === undefined) return
    this.#pairs.delete(pairId)
    for (const venue of VENUES)
      if (this.#pairOf[venue].get(pair[venue]) === pairId) this.#pairOf[venue].delete(pair[venue])
  }

  /** Works out what the busiest markets ask, one a step; the board behind it has little left to do. */
  *approach(listings: Listings): Generator<void> {
    for (const venue of VENUES)
      for (const { market } of this.#busiest[venue].best(asking(listings, venue))) {
        topicOfMarket(market)
        yield
      }
  }

  board(listings: Listings): TopicsBoard {
    return {
      rows: VENUES.flatMap((venue) => this.#rows(venue, listings)),
      bound: this.#max,
      known: { a: listings.count('a'), b: listings.count('b') },
    }
  }

  #rows(venue: Venue, listings: Listings): TopicRow[] {
    const busy = this.#busiest[venue].best(asking(listings, venue))
    const last = busy.length < this.#max ? undefined : busy.at(-1)
    const isBusy = (counted: Counted) =>
      isAsking(counted) && (last === undefined || byVolume(counted.listed, last) <= 0)
    const quiet: Listed[] = []
    for (const pair of this.#pairs.values()) {
      const counted = listings.find(venue, pair[venue])
      if (counted?.trading === true && !isBusy(counted)) quiet.push(counted.listed)
    }
    return [...busy, ...quiet.sort(byVolume)].map(({ market }) =>
      rowOf(market, this.#pairOf[venue].get(market.marketId) ?? null),
    )
  }
}

const VENUES = ['a', 'b'] as const

/** Among markets of one venue: the higher volume, then by id. */
const byVolume = (x: Listed, y: Listed) => y.quote.volume24h - x.quote.volume24h || byId(x, y)

const busiest = (max: number) => new TopList<Listed>(max, ({ quote }) => quote.volume24h, byId)

const isAsking = ({ listed, trading }: Counted): boolean => trading && !listed.market.placeholder

function* asking(listings: Listings, venue: Venue): Generator<Listed> {
  for (const counted of listings.all(venue)) if (isAsking(counted)) yield counted.listed
}

//  The same market says the same: one object, so that its text is written once.
const rows = new WeakMap<Market, TopicRow>()

function rowOf(market: Market, pairId: string | null): TopicRow {
  const known = rows.get(market)
  if (known !== undefined && known.pairId === pairId) return known
  const row = { venue: market.venue, marketId: market.marketId, topic: topicOfMarket(market), pairId }
  rows.set(market, row)
  return row
}
