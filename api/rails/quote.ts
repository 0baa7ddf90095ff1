import type { Clock } from '../../ops/clock.ts'
import { MINUTE } from '../../ops/units.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Prices } from './prices/prices.ts'
import type { RailQuote } from './rail.ts'
import type { PricedAsset } from './records.ts'

const QUOTE_VALID_MS = 15 * MINUTE

const MICRO_DECIMALS = 6n
const PRICE_SCALE = 10n ** 8n

/** A stable coin is taken one to one. */
export function stableQuote(amountMicroUsdc: bigint, decimals: number, nowMs: number): RailQuote {
  const atomic = amountMicroUsdc * 10n ** (BigInt(decimals) - MICRO_DECIMALS)
  return { atomic, validUntilMs: nowMs + QUOTE_VALID_MS, source: null }
}

/** Rounded up to the asset's smallest unit. Wei does not fit a double: `bigint` throughout (RAIL-05). */
export function atomicFor(amountMicroUsdc: bigint, usdE8: bigint, decimals: number): bigint {
  const paid = amountMicroUsdc * 10n ** BigInt(decimals) * PRICE_SCALE
  const each = usdE8 * 10n ** MICRO_DECIMALS
  return (paid + each - 1n) / each
}

/** @param smallest atomic units below which the network does not carry a payment. */
export async function pricedQuote(
  amountMicroUsdc: bigint,
  { asset, decimals, smallest }: { asset: PricedAsset; decimals: number; smallest: bigint },
  { prices, clock }: { prices: Prices; clock: Clock },
): Promise<RailQuote | Problem> {
  const price = await prices.priceOf(asset)
  if (isProblem(price)) return price
  const atomic = atomicFor(amountMicroUsdc, price, decimals)
  if (atomic < smallest)
    return {
      problem: 'amount_too_small',
      detail: `${asset}: this is ${atomic} of its smallest units, and its network carries no payment below ${smallest}.`,
    }
  return { atomic, validUntilMs: clock.nowMs() + QUOTE_VALID_MS, source: prices.sources }
}
