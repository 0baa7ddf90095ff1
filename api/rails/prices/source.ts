import { z } from 'zod'
import { SECOND } from '../../../ops/units.ts'
import type { PricedAsset } from '../records.ts'

/** US dollars per whole coin, times 10^8, and when the exchange says it was so. */
export type Price = { usdE8: bigint; atMs: number }

/** An exchange's public ticker: where to ask and how to read it. Neither needs a key. */
export type PriceSource = {
  name: string
  path(asset: PricedAsset): string
  /** @returns null for an answer of another shape, and for a price that is none: zero, negative, not a number. */
  read(json: unknown): Price | null
}

const Ticker = z.object({ price: z.string(), time: z.iso.datetime({ offset: true }) })
/** `GET /products/BTC-USD/ticker` → {"price":"64000.12","time":"2024-05-01T10:00:00.123456Z",…}. */
export const coinbase: PriceSource = {
  name: 'coinbase-exchange',
  path: (asset) => `/products/${asset}-USD/ticker`,
  read: (json) => {
    const found = Ticker.safeParse(json)
    return found.success ? priceOf(found.data.price, Date.parse(found.data.time)) : null
  },
}

const Last = z.object({ last: z.string(), timestamp: z.string().regex(/^\d{1,12}$/) })
/** `GET /ticker/btcusd/` → {"last":"64000","timestamp":"1714557600",…}. */
export const bitstamp: PriceSource = {
  name: 'bitstamp',
  path: (asset) => `/ticker/${asset.toLowerCase()}usd/`,
  read: (json) => {
    const found = Last.safeParse(json)
    return found.success ? priceOf(found.data.last, Number(found.data.timestamp) * SECOND) : null
  },
}

const DIGITS = 8

/** Digit by digit: no binary float touches a price. What is beyond the eighth decimal is cut off. */
function priceOf(text: string, atMs: number): Price | null {
  const match = /^(\d{1,12})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return null
  const usdE8 = BigInt(match[1]! + (match[2] ?? '').slice(0, DIGITS).padEnd(DIGITS, '0'))
  return usdE8 === 0n ? null : { usdE8, atMs }
}
