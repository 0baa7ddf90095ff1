import { z } from 'zod'
import { shortDollars } from '../book.ts'
import { digits, mixText } from '../generator/dice.ts'
import { type Answer, type Ask, json } from '../http/answer.ts'
import type { BookA, WorldA } from '../world.ts'

const MOST_BOOKS = 500
const Wanted = z.array(z.object({ token_id: z.string() }))

/** Best levels last on both sides: bids rise, asks fall. */
function bookJson(book: BookA) {
  const level = ([bps, size]: readonly [number, number]) => ({
    price: shortDollars(bps),
    size: String(size / 100),
  })
  return {
    market: book.conditionId,
    asset_id: book.tokenId,
    timestamp: String(book.atMs),
    hash: digits(mixText(book.atMs % 4_294_967_296, book.tokenId), 40, 16),
    bids: book.levels.bids.map(level).reverse(),
    asks: book.levels.asks.map(level).reverse(),
    min_order_size: '5',
    tick_size: shortDollars(book.tickBps),
    neg_risk: book.negRisk,
    last_trade_price: book.lastBps === 0 ? '' : shortDollars(book.lastBps),
  }
}

/** The order books of venue A (CLOB). Its paths share no first word with the catalogue: one port serves both. */
export function clobRoutes(world: WorldA): (ask: Ask) => Answer | null {
  return ({ method, path, query, body, nowMs }) => {
    if (path === '/time') return json(Math.floor(nowMs / 1_000))
    if (path === '/book') {
      const token = query.get('token_id') ?? ''
      if (!/^\d+$/.test(token)) return json({ error: 'Invalid token id' }, 400)
      const book = world.book(token, nowMs)
      return book === null
        ? json({ error: 'No orderbook exists for the requested token id' }, 404)
        : json(bookJson(book))
    }
    if (path === '/books') {
      if (method !== 'POST') return json({ error: 'Method not allowed' }, 405)
      let wanted: z.infer<typeof Wanted>
      try {
        wanted = Wanted.parse(JSON.parse(body))
      } catch {
        return json({ error: 'Invalid payload' }, 400)
      }
      if (wanted.length > MOST_BOOKS) return json({ error: 'Payload exceeds the limit' }, 400)
      const books = wanted.map(({ token_id }) => world.book(token_id, nowMs))
      return json(books.filter((book) => book !== null).map(bookJson))
    }
    return null
  }
}
