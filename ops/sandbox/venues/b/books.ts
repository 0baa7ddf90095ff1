import { fixedCount, fixedDollars, type Levels } from '../book.ts'
import { type Answer, type Ask, json } from '../http/answer.ts'
import type { WorldB } from '../world.ts'
import { badRequest, notFound } from './problem.ts'

const MOST_BOOKS = 100

/**
 * Bids only, both sides rising, best last: an ask of the yes side at p is a bid of the no side at 1 - p.
 * @param depth levels a side, counted from the best; 0: all.
 */
function bookJson({ bids, asks }: Levels, depth: number) {
  const best = <T>(levels: T[]) => (depth === 0 ? levels : levels.slice(0, depth))
  return {
    yes_dollars: best(bids)
      .map(([bps, size]) => [fixedDollars(bps), fixedCount(size)])
      .reverse(),
    no_dollars: best(asks)
      .map(([bps, size]) => [fixedDollars(10_000 - bps), fixedCount(size)])
      .reverse(),
  }
}

/** GET /markets/{ticker}/orderbook and the batch form. A combination has a book nobody fills. */
export function bookRoutes(world: WorldB): (ask: Ask) => Answer | null {
  const find = (ticker: string, nowMs: number): Levels | null =>
    ticker.startsWith('KXMVE') ? { bids: [], asks: [] } : world.book(ticker, nowMs)

  return ({ path, query, nowMs }) => {
    if (path === '/markets/orderbooks') {
      const tickers = query.getAll('tickers').flatMap((part) => part.split(','))
      if (tickers.length === 0 || tickers.includes('')) return badRequest('tickers: required')
      if (tickers.length > MOST_BOOKS) return badRequest(`tickers: at most ${MOST_BOOKS}`)
      const books = tickers.flatMap((ticker) => {
        const book = find(ticker, nowMs)
        return book === null ? [] : [{ ticker, orderbook_fp: bookJson(book, 0) }]
      })
      return json({ orderbooks: books })
    }
    const ticker = /^\/markets\/([^/]+)\/orderbook$/.exec(path)?.[1]
    if (ticker === undefined) return null
    const depth = Number(query.get('depth') ?? 0)
    if (!Number.isInteger(depth) || depth < 0 || depth > 100) return badRequest('depth: 0 to 100')
    const book = find(ticker, nowMs)
    return book === null ? notFound() : json({ orderbook_fp: bookJson(book, depth) })
  }
}
