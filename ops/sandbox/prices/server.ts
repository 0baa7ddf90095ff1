import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { type Answer, type JsonServer, serveJson } from '../jsonServer.ts'

/** Dollars as text, as the exchanges have them. */
const USD = { ETH: '3000.00', SOL: '150.00', BTC: '60000.00' } as const
type Asset = keyof typeof USD
const isAsset = (text: string): text is Asset => Object.hasOwn(USD, text)

const Change = z.strictObject({
  source: z.enum(['a', 'b']),
  asset: z.enum(['ETH', 'SOL', 'BTC']),
  usd: z.string().max(40).optional(),
  ageS: z.int().optional(), //       how old it says it is
  status: z.int().optional(), //     what it answers with
})
type Quote = { usd: string; ageS: number; status: number }

/**
 * Two exchanges' public tickers on one port: `/a/products/ETH-USD/ticker` as Coinbase Exchange has it,
 * `/b/ticker/ethusd/` as Bitstamp has it. `POST /__sandbox/price {source, asset, usd?, ageS?, status?}` changes one.
 */
export function servePrices({
  clock,
  host = '127.0.0.1',
  port = 0,
}: {
  clock: Clock
  host?: string
  port?: number
}): Promise<JsonServer> {
  const changed = new Map<string, Quote>()
  const quoteOf = (source: 'a' | 'b', asset: Asset): Quote =>
    changed.get(`${source} ${asset}`) ?? { usd: USD[asset], ageS: 0, status: 200 }

  function ticker(source: 'a' | 'b', symbol: string, form: (quote: Quote) => object): Answer {
    if (!isAsset(symbol)) return { status: 404, json: { message: 'NotFound' } }
    const quote = quoteOf(source, symbol)
    return { status: quote.status, json: quote.status === 200 ? form(quote) : { message: 'trouble' } }
  }

  return serveJson({
    host,
    port,
    answer({ method, path, json }) {
      if (method === 'POST' && path === '/__sandbox/price') {
        const { source, asset, ...change } = Change.parse(json)
        const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        changed.set(`${source} ${asset}`, { ...quoteOf(source, asset), ...given })
        return { status: 200, json: quoteOf(source, asset) }
      }
      const a = /^\/a\/products\/([A-Z]{3})-USD\/ticker$/.exec(path)
      if (a !== null)
        return ticker('a', a[1]!, ({ usd, ageS }) => ({
          trade_id: 1,
          price: usd,
          size: '0.01',
          bid: usd,
          ask: usd,
          volume: '1000.00',
          time: new Date(clock.nowMs() - ageS * 1_000).toISOString(),
        }))
      const b = /^\/b\/ticker\/([a-z]{3})usd\/$/.exec(path)
      if (b !== null)
        return ticker('b', b[1]!.toUpperCase(), ({ usd, ageS }) => ({
          last: usd,
          bid: usd,
          ask: usd,
          open: usd,
          high: usd,
          low: usd,
          vwap: usd,
          volume: '1000.0',
          timestamp: String(Math.floor(clock.nowMs() / 1_000) - ageS),
        }))
      return { status: 404, json: { message: 'NotFound' } }
    },
  })
}
