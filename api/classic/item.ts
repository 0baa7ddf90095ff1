import { parseScaled } from '../../ops/units.ts'
import { agentPricing } from '../catalog/pricing.ts'
import type { AgentPricing } from '../catalog/record.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import { TIP_MAX_MICRO_USDC, TIP_MIN_MICRO_USDC, tip } from '../goods/services/tip.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import type { Intent } from './intent.ts'

/** What is bought and for how much. */
export type Item = { good: Sellable<unknown>; priceMicro: bigint; pricing: AgentPricing }

const MICRO_DIGITS = 6

/** The item of a SKU at its price; for a tip, at the price the buyer names. */
export function itemOf(sku: string, tipUsdc: number | undefined): Item | Problem {
  const good = sellableOfSku(sku)
  if (good === undefined) return { problem: 'sku_unknown' }
  if (good.sku !== tip.sku) {
    if (tipUsdc !== undefined)
      return { problem: 'invalid_parameter', detail: `options.tipUsdc: is for ${tip.sku} only.` }
    return { good, priceMicro: good.priceMicroUsdc, pricing: agentPricing(good) }
  }
  const micro = tipUsdc === undefined ? null : parseScaled(String(tipUsdc), MICRO_DIGITS)
  if (micro === null || micro < TIP_MIN_MICRO_USDC || micro > TIP_MAX_MICRO_USDC)
    return { problem: 'invalid_parameter', detail: 'options.tipUsdc: 0.01 to 1000, at most 6 decimals.' }
  const priceMicro = BigInt(micro)
  return {
    good,
    priceMicro,
    pricing: agentPricing({ listPriceMicroUsdc: priceMicro, priceMicroUsdc: priceMicro }),
  }
}

/**
 * The good's input from a payload, an object keyed by the good's parameter names. Numbers and booleans are read as
 * text, as a query would carry them.
 */
export function inputOf(
  good: Sellable<unknown>,
  payload: Record<string, unknown>,
): { input: unknown } | Problem {
  const { payload: _, ...known } = payload //  the name of the header of paid GETs
  const read = Object.fromEntries(
    Object.entries(known).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  )
  const parsed = good.input.safeParse(read, IN_WORDS)
  return parsed.success
    ? { input: parsed.data }
    : { problem: 'invalid_parameter', detail: `payload.${firstIssue(parsed.error)}` }
}

/** Added to texts that send a buyer to /fulfill: the input it needs, else learned only after paying. '' if none. */
export function askForInput({ sku, input, claimed }: Pick<Intent, 'sku' | 'input' | 'claimed'>): string {
  const good = input === null && !claimed ? sellableOfSku(sku) : undefined
  const read = good === undefined ? null : inputOf(good, {})
  return isProblem(read)
    ? ` Send the payload of this item with /fulfill: ${read.detail?.replace(': ', ' ')}.`
    : ''
}
