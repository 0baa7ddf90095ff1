import { BOOK_MAX, type BookBoard, type BookRow } from '../../contract/book.ts'
import { soundSide } from '../book.ts'
import type { Listed } from '../gapRow.ts'
import { byVolume } from './byVolume.ts'
import { isTrading } from './livePair.ts'
import { topicOfMarket } from './marketWords.ts'

/** Highest 24 h volume of each venue with best bid and ask (spec 4.1 rule 6). What was not traded is not liquid. */
export function bookBoard(markets: { a: Iterable<Listed>; b: Iterable<Listed> }, nowMs: number): BookBoard {
  const rows = (listed: Iterable<Listed>) => byVolume(liquid(listed, nowMs), BOOK_MAX).map(bookRow)
  return { a: rows(markets.a), b: rows(markets.b) }
}

function* liquid(markets: Iterable<Listed>, nowMs: number): Generator<Listed> {
  for (const listed of markets) if (listed.quote.volume24h > 0 && isTrading(listed, nowMs)) yield listed
}

/** Prices as the venue states them, a crossed book too; a side with nothing behind it is no side. */
const bookRow = ({ market, quote }: Listed): BookRow => ({
  venue: market.venue,
  marketId: market.marketId,
  topic: topicOfMarket(market),
  url: market.url,
  bidBps: soundSide(quote.bidBps, quote.bidSize),
  askBps: soundSide(quote.askBps, quote.askSize),
  bidSize: quote.bidSize,
  askSize: quote.askSize,
  volume24h: quote.volume24h,
  volumeUnit: market.venue === 'a' ? 'usd' : 'contracts',
  seenMs: quote.seenMs,
})
