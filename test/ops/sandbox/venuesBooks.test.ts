import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { floorToGrid, type Grid, levels, mirrored, stepAt } from '../../../ops/sandbox/venues/book.ts'
import { eventsA, eventsB, getJson, type Json, nested, post, venueServers } from './venuesClient.ts'

const servers = venueServers()
let aUrl: string
let bUrl: string
let marketsOfA: Json[]
let marketsOfB: Json[]

beforeAll(async () => {
  const venues = await servers.generated(1_200, 17)
  aUrl = venues.aUrl
  bUrl = venues.bUrl
  marketsOfA = nested(await eventsA(aUrl)).filter((market) => market.acceptingOrders)
  marketsOfB = nested(await eventsB(bUrl)).filter((market) => market.status === 'active')
})
afterAll(() => servers.closeAll())

const token = (market: Json, outcome: 0 | 1): string => JSON.parse(market.clobTokenIds)[outcome]

async function booksOfA(outcome: 0 | 1): Promise<Map<string, Json>> {
  const books = new Map<string, Json>()
  for (let i = 0; i < marketsOfA.length; i += 500) {
    const body = marketsOfA.slice(i, i + 500).map((market) => ({ token_id: token(market, outcome) }))
    for (const book of (await (await post(`${aUrl}/books`, body)).json()) as Json[])
      books.set(book.asset_id, book)
  }
  return books
}

describe('venue A: the book agrees with the listing (wire.md 1.5, trap 3)', () => {
  test('best levels come last and are the best bid and ask of the listing', async () => {
    const books = await booksOfA(0)
    let filled = 0
    let gone = 0
    for (const market of marketsOfA) {
      const book = books.get(token(market, 0))!
      const prices = (side: Json[]) => side.map((level) => Number(level.price))
      expect(prices(book.bids)).toEqual(prices(book.bids).toSorted((x, y) => x - y))
      expect(prices(book.asks)).toEqual(prices(book.asks).toSorted((x, y) => y - x))
      expect([...book.bids, ...book.asks].every((level) => Number(level.size) > 0)).toBe(true)
      if (book.bids.length === 0 && book.asks.length === 0) {
        if (market.bestBid !== undefined) gone += 1
        continue
      }
      filled += 1
      expect(prices(book.bids).at(-1)).toBe(market.bestBid)
      expect(prices(book.asks).at(-1) ?? 1).toBe(market.bestAsk)
    }
    expect(filled).toBeGreaterThan(marketsOfA.length * 0.8)
    expect(gone).toBeGreaterThan(0) //  a listing is a cached copy: some books are empty though it shows quotes
  })

  test('the no book is the mirror of the yes book', async () => {
    const [yes, no] = [await booksOfA(0), await booksOfA(1)]
    for (const market of marketsOfA.slice(0, 300)) {
      const mirror = (side: Json[]) =>
        side.map(({ price, size }) => [Number((1 - Number(price)).toFixed(4)), size])
      const plain = (side: Json[]) => side.map(({ price, size }) => [Number(price), size])
      const [left, right] = [yes.get(token(market, 0))!, no.get(token(market, 1))!]
      expect(plain(right.asks)).toEqual(mirror(left.bids))
      expect(plain(right.bids)).toEqual(mirror(left.asks))
    }
  })

  test.each([
    ['/book?token_id=123', 404, { error: 'No orderbook exists for the requested token id' }],
    [`/book?token_id=${'9'.repeat(77)}`, 404, { error: 'No orderbook exists for the requested token id' }],
    ['/book?token_id=abc', 400, { error: 'Invalid token id' }],
    ['/book', 400, { error: 'Invalid token id' }],
    ['/books', 405, { error: 'Method not allowed' }],
  ])('%s → %d', async (path, status, body) => {
    const response = await fetch(`${aUrl}${path}`)
    expect([response.status, await response.json()]).toEqual([status, body])
  })

  test('batches: 500 are answered, 501 refused, unknown tokens left out, junk refused', async () => {
    const known = token(marketsOfA[0], 0)
    const some = (count: number) => Array.from({ length: count }, () => ({ token_id: known }))
    expect(await (await post(`${aUrl}/books`, some(500))).json()).toHaveLength(500)
    expect((await post(`${aUrl}/books`, some(501))).status).toBe(400)
    expect(await (await post(`${aUrl}/books`, [{ token_id: '1' }, { token_id: known }])).json()).toHaveLength(
      1,
    )
    expect((await post(`${aUrl}/books`, { token_id: known })).status).toBe(400)
  })
})

describe('venue B: bids only, both sides rising (wire.md 2.5, trap 4)', () => {
  test('the best yes bid and the mirrored best no bid are those of the listing, with their sizes', async () => {
    let checked = 0
    for (let i = 0; i < marketsOfB.length; i += 100) {
      const some = marketsOfB.slice(i, i + 100)
      const query = some.map((market) => `tickers=${market.ticker}`).join('&')
      const { orderbooks } = await getJson(`${bUrl}/markets/orderbooks?${query}`)
      expect(orderbooks).toHaveLength(some.length)
      for (const { ticker, orderbook_fp: book } of orderbooks) {
        const market = some.find((one) => one.ticker === ticker)
        for (const side of [book.yes_dollars, book.no_dollars]) {
          const prices = side.map(([price]: [string]) => Number(price))
          expect(prices).toEqual(prices.toSorted((x: number, y: number) => x - y))
        }
        if (book.yes_dollars.length + book.no_dollars.length === 0) continue
        checked += 1
        if (book.yes_dollars.length > 0)
          expect(book.yes_dollars.at(-1)).toEqual([market.yes_bid_dollars, market.yes_bid_size_fp])
        else expect(market.yes_bid_size_fp).toBe('0.00')
        if (book.no_dollars.length > 0)
          expect(book.no_dollars.at(-1)).toEqual([market.no_bid_dollars, market.yes_ask_size_fp])
        else expect(market.yes_ask_size_fp).toBe('0.00')
      }
    }
    expect(checked).toBeGreaterThan(marketsOfB.length * 0.8)
  })

  test('depth cuts from the best level; 101 tickers, unknown ones and bad depths', async () => {
    const { ticker } = marketsOfB.find((market) => Number(market.yes_bid_size_fp) > 0)
    const url = `${bUrl}/markets/${ticker}/orderbook`
    const whole = (await getJson(url)).orderbook_fp
    const top = (await getJson(`${url}?depth=1`)).orderbook_fp
    expect(top.yes_dollars).toEqual(whole.yes_dollars.slice(-1))
    expect((await fetch(`${url}?depth=101`)).status).toBe(400)
    expect((await fetch(`${bUrl}/markets/KXNOPE-1/orderbook`)).status).toBe(404)
    const many = Array.from({ length: 101 }, () => `tickers=${ticker}`).join('&')
    expect((await fetch(`${bUrl}/markets/orderbooks?${many}`)).status).toBe(400)
    expect((await fetch(`${bUrl}/markets/orderbooks`)).status).toBe(400)
    expect(
      (await getJson(`${bUrl}/markets/orderbooks?tickers=KXNOPE-1&tickers=${ticker}`)).orderbooks,
    ).toHaveLength(1)
  })
})

describe('levels', () => {
  const grid = fc.constantFrom<Grid>('cent', 'deci', 'tapered')

  test('property: the first level is the top, all lie on the grid, away from it, inside the price range', () => {
    fc.assert(
      fc.property(
        grid,
        fc.integer({ min: 10, max: 9_800 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 4_294_967_295 }),
        (kind, price, depth, key) => {
          const bid = floorToGrid(kind, price)
          const ask = bid + stepAt(kind, bid)
          const book = levels({ bid: bid === 0 ? null : bid, bidSize: 7, ask, askSize: 9 }, kind, key, depth)
          if (bid > 0) expect(book.bids[0]).toEqual([bid, 7])
          else expect(book.bids).toEqual([])
          expect(book.asks[0]).toEqual([ask, 9])
          for (const side of [book.bids, book.asks]) {
            expect(side.length).toBeLessThanOrEqual(depth)
            for (const [at, size] of side) {
              expect(floorToGrid(kind, at)).toBe(at)
              expect(at > 0 && at < 10_000 && size > 0).toBe(true)
            }
          }
          expect(book.bids.map(([at]) => at)).toEqual(book.bids.map(([at]) => at).toSorted((x, y) => y - x))
          expect(book.asks.map(([at]) => at)).toEqual(book.asks.map(([at]) => at).toSorted((x, y) => x - y))
          expect(mirrored(mirrored(book))).toEqual(book)
        },
      ),
    )
  })

  test.each([
    ['cent', 6_500, 100],
    ['deci', 6_500, 10],
    ['tapered', 990, 10],
    ['tapered', 1_000, 100],
    ['tapered', 8_900, 100],
    ['tapered', 9_000, 10],
  ] as const)('%s: from %d the next price is %d bps up', (kind, price, step) => {
    expect(stepAt(kind, price)).toBe(step)
  })
})
