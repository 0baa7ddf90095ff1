import { MICRO_PER_USDC } from '../../ops/units.ts'
import type { RailChain } from './records.ts'

/** Depth required for values below the limit, the transfer's own block included; the last step has no limit. */
type Step = { belowUsd: bigint | null; depth: number }

/**
 * How deep a transfer must lie, by its value (CHN-06, RAIL-08). A rollup's block is final once Ethereum has finalised
 * it, about a quarter of an hour; for small sums the sequencer's word is enough. Polygon and Ethereum have
 * reorganisations of their own. On Solana nothing is seen before it is rooted, 32 votes deep.
 */
const DEPTHS: Record<RailChain, readonly Step[]> = {
  base: steps([1, 30, 450]), //           2 s blocks: at once, a minute, a quarter of an hour
  arbitrum: steps([1, 240, 3_600]), //    0.25 s blocks: the same
  polygon: steps([16, 64, 256]), //       2 s blocks
  ethereum: steps([3, 12, 64]), //        12 s blocks; 64: two epochs, finalised
  solana: steps([32, 32, 32]),
  bitcoin: steps([1, 2, 6]),
}

/** More than anything sold here costs: at the depth for this sum transfers stay. */
export const ANY_SUM_MICRO = 1_000_000n * MICRO_PER_USDC

function steps([small, middle, large]: [number, number, number]): readonly Step[] {
  return [
    { belowUsd: 100n, depth: small },
    { belowUsd: 1_000n, depth: middle },
    { belowUsd: null, depth: large },
  ]
}

export function confirmationsFor(chain: RailChain, amountMicroUsdc: bigint): number {
  const step = DEPTHS[chain].find(
    ({ belowUsd }) => belowUsd === null || amountMicroUsdc < belowUsd * MICRO_PER_USDC,
  )
  return step!.depth
}

/** Blocks from a transfer's own to the newest one, both counted. A node that is behind itself still shows one. */
export const depthOf = (head: bigint, block: bigint): number => Number(head > block ? head - block + 1n : 1n)
