import type { Venue } from '../../../ingest/contract/market.ts'
import { BOOK_MAX, type BookBoard, type BookRow } from '../../contract/book.ts'
import { shownSides } from '../book.ts'
import type { Listed } from '../gapRow.ts'
import { inOrder } from './inOrder.ts'
import type { Counted, Listings, ListingTable } from './listings.ts'
import { topicOfMarket } from './marketWords.ts'
import { perListed } from './perListed.ts'
import { TopList } from './topList.ts'

/**
 * The markets with the highest 24 h volume of each venue, with best bid and ask (spec 4.1 rule 6), kept current market
 * by market. A market without trades is not liquid.
 */
export class BookTable implements ListingTable {
  readonly #best = { a: busiest(), b: busiest() }
  readonly #row = perListed(bookRow)

  add(counted: Counted): void {
    if (isLiquid(counted)) this.#best[counted.listed.market.venue].add(counted.listed)
  }

  remove(counted: Counted): void {
    if (isLiquid(counted)) this.#best[counted.listed.market.venue].delete(counted.listed)
  }

  board(listings: Listings): BookBoard {
    const rows = (venue: Venue) => this.#best[venue].best(liquid(listings, venue)).map(this.#row)
    return { a: rows('a'), b: rows('b') }
  }
}

/** Of one venue; equal volumes by id. */
const busiest = () =>
  new TopList<Listed>(
    BOOK_MAX,
    ({ quote }) => quote.volume24h,
    (x, y) => inOrder(x.market.marketId, y.market.marketId),
  )

function* liquid(listings: Listings, venue: Venue): Generator<Listed> {
  for (const counted of listings.all(venue)) if (isLiquid(counted)) yield counted.listed
}

const isLiquid = ({ listed, trading }: Counted): boolean => trading && listed.quote.volume24h > 0

/** Prices as the venue states them; a side with no size behind it counts as absent, and so do sides that contradict. */
const bookRow = ({ market, quote }: Listed): BookRow => ({
  venue: market.venue,
  marketId: market.marketId,
  topic: topicOfMarket(market),
  url: market.url,
  ...shownSides(quote),
  bidSize: quote.bidSize,
  askSize: quote.askSize,
  volume24h: quote.volume24h,
  volumeUnit: market.venue === 'a' ? 'usd' : 'contracts',
  venueMs: quote.venueMs,
  seenMs: quote.seenMs,
})
