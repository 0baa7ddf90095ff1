import type { FeeTerms } from '../../../ingest/contract/market.ts'
import type { Book } from '../../../ingest/contract/quote.ts'
import { MICRO_PER_USDC, roundTo } from '../../../ops/units.ts'
import type { SizedEdge } from '../../contract/edges.ts'
import { orderFee } from './fees.ts'
import type { FeeTable } from './feeTable.ts'
import { walk } from './walk.ts'

/** Sizes at which every walked pair is reported, US dollars on the buying side. */
export const SIZES_USD = [10, 100, 1_000] as const

/** One leg of the trade: the book it takes from, and the fee terms of its market. */
export type TradedLeg = { book: Pick<Book, 'bids' | 'asks'>; fees: FeeTerms | null }

const MICRO_PER_USD = Number(MICRO_PER_USDC)
const MICRO_PER_E5 = 10

/** What is left of one size: walked, charged, and rounded once at the end. */
export function sizedEdge(usd: number, buy: TradedLeg, sell: TradedLeg, table: FeeTable): SizedEdge {
  const walked = walk(buy.book.asks, sell.book.bids, usd * MICRO_PER_USD)
  const feesE5 = orderFee(buy.fees, walked.buys, table) + orderFee(sell.fees, walked.sells, table)
  const profitMicro = walked.proceedsMicro - walked.costMicro - feesE5 * MICRO_PER_E5
  const perContract = (micro: number, digits: number) =>
    walked.hundredths === 0 ? null : roundTo(micro / walked.hundredths, digits)
  return {
    usd,
    filled: walked.filled,
    contracts: walked.hundredths / 100,
    averageBuyBps: perContract(walked.costMicro, 2),
    averageSellBps: perContract(walked.proceedsMicro, 2),
    feesUsd: feesE5 / 1e5,
    profitUsd: profitMicro / MICRO_PER_USD,
    edgeCents: perContract(profitMicro / 100, 2),
  }
}
