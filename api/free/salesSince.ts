import type { Redis } from 'ioredis'
import { z } from 'zod'
import { JsonText } from '../../ops/jsonText.ts'
import { KEYS } from '../ledger/keys.ts'
import { REFUND_PATH } from '../payment/refundMark.ts'

/** What the audit may know of a sale; the payer only to count different ones. */
export type SeenSale = { sku: string; payer: string; purchasePath: string }

/** Sales delivered in [fromMs, untilMs) by the ledger's clock, in pages, oldest first. */
export type SalesSince = (fromMs: number, untilMs: number) => AsyncIterable<SeenSale[]>

const PAGE = 500
/** Most sales read of one hour, the oldest ones: the ledger's first duty is money. Sales beyond it are not counted. */
const SALES_PER_HOUR_MAX = 100_000

const Sold = JsonText.pipe(z.object({ sku: z.string(), payer: z.string(), purchasePath: z.string() }))

/** Reads the ledger's journal. An entry's id is the instant of delivery, so that a past hour never gets a new one. */
export function salesOf(redis: Redis): SalesSince {
  return async function* (fromMs, untilMs) {
    let start = String(fromMs)
    const end = String(untilMs - 1) //  without a sequence number: the whole of that millisecond
    for (let read = 0; read < SALES_PER_HOUR_MAX; read += PAGE) {
      const entries = await redis.xrange(KEYS.sales, start, end, 'COUNT', PAGE)
      yield entries.flatMap(([, fields]) => saleOf(fields))
      if (entries.length < PAGE) return
      start = `(${entries.at(-1)![0]}`
    }
  }
}

function saleOf(fields: string[]): SeenSale[] {
  const sale = Sold.safeParse(fields[fields.indexOf('sale') + 1])
  return sale.success && sale.data.purchasePath !== REFUND_PATH ? [sale.data] : []
}
