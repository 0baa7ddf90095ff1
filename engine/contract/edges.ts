import { z } from 'zod'
import { NetRow } from './nets.ts'
import { RiskFlag } from './riskFlags.ts'

/** What is left of a trade of one size after walking both books and paying both takers' fees. */
export const SizedEdge = z.object({
  usd: z.int(), //                       size asked for, on the buying side: 10, 100 or 1000
  filled: z.boolean(), //                false: the books we have are not deep enough
  contracts: z.number(), //              what can be bought and sold for at most `usd`
  averageBuyBps: z.number().nullable(),
  averageSellBps: z.number().nullable(),
  feesUsd: z.number(),
  profitUsd: z.number(), //              may be negative
  edgeCents: z.number().nullable(), //   profit per contract, two decimals
})
export type SizedEdge = z.infer<typeof SizedEdge>

/** One pair's net after the published taker fees of both venues. */
export const EdgeRow = NetRow.extend({
  edgeCents: z.number(), //              per contract at the top of both books, after fees; may be negative
  feeCents: z.object({ a: z.number(), b: z.number() }), // per contract
  feeTableVersion: z.string(),
  feesGuessed: z.boolean(), //           a venue named a fee type we do not know
  bySize: z.array(SizedEdge).nullable(), // null: no depth known for one of the legs
  depthSeenMs: z.int().nullable(), //    older of the two books that were walked
  lockUpDays: z.number().nonnegative().nullable(), // until the later leg closes; null: a venue does not say
  annualisedPct: z.number().nullable(), // simple annual return on the capital locked up, over at least one day
  riskFlags: z.array(RiskFlag), //       gravest first
  suggestedAction: z.enum(['buy_a_sell_b', 'buy_b_sell_a', 'watch', 'avoid']),
})
export type EdgeRow = z.infer<typeof EdgeRow>

/**
 * Board `edges`: those that suggest a trade, then those to watch, then those to avoid; among them the larger edge first.
 * At most EDGES_MAX rows, the last are cut.
 */
export const EdgesBoard = z.object({ rows: z.array(EdgeRow) })
export type EdgesBoard = z.infer<typeof EdgesBoard>

export const EDGES = 'edges'
export const EDGES_MAX = 1_000
