import type { Market } from '../../../ingest/contract/market.ts'
import { type Pair, Pairer } from './pairer.ts'

/** Pairs two whole venues at once. */
export function pairAll(
  marketsA: Iterable<Market>,
  marketsB: Iterable<Market>,
): { pairs: Pair[]; refusedCounts: Record<string, number> } {
  const pairer = new Pairer()
  for (const market of marketsA) pairer.load(market)
  for (const market of marketsB) pairer.load(market)
  for (const _ of pairer.pairLoaded());
  return { pairs: [...pairer.pairs.values()], refusedCounts: pairer.refusedCounts() }
}
