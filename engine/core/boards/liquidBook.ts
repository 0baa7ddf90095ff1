import { BOOK_MAX, type BookBoard, type BookRow } from '../../contract/book.ts'
import { soundSide } from '../book.ts'
import type { Listed } from '../gapRow.ts'
import { collectBest } from './best.ts'
import { byId } from './byVolume.ts'
import { isTrading } from './livePair.ts'
import { topicOfMarket } from './marketWords.ts'

/** Highest 24 h volume of each venue with best bid and ask (spec 4.1 rule 6). What was not traded is not liquid. */
export function bookBoard(markets: { a: Iterable<Listed>; b: Iterable<Listed> }, nowMs: number): BookBoard {
  return { a: liquid(markets.a, nowMs), b: liquid(markets.b, nowMs) }
}

function liquid(markets: Iterable<Listed>, nowMs: number): BookRow[] {
  const best = collectBest(BOOK_MAX, byId)
  for (const listed of markets) {
    const { volume24h } = listed.quote
    if (volume24h > 0 && isTrading(listed, nowMs)) best.push(listed, volume24h)
  }
  return best.sorted().map(bookRow)
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
