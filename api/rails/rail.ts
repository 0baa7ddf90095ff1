import type { Problem } from '../errors.ts'

/** The nine rails of spec 2.4, in the order they are listed. */
export const RAIL_IDS = [
  'usdc_base',
  'eth_base',
  'eth_mainnet',
  'usdc_eth',
  'usdt_eth',
  'usdc_polygon',
  'usdc_arbitrum',
  'sol',
  'btc',
] as const
export type RailId = (typeof RAIL_IDS)[number]

/** What is published of a rail (spec 2.4). */
export type RailRecord = {
  id: RailId
  label: string
  chain: string //              'base', 'ethereum', 'polygon', 'arbitrum', 'solana', 'bitcoin'
  asset: string //              'USDC', 'USDT', 'ETH', 'SOL', 'BTC'
  receiverAddress: string
  alternateReceivers: readonly string[]
  explorer: string
  wallet: string
  agentDefault: boolean
}

/** An amount in the asset's smallest unit, good until `validUntilMs`. */
export type RailQuote = { atomic: bigint; validUntilMs: number; source: string | null } // of the price; null: 1:1

/**
 * One output of one transaction that paid one of the rail's receivers. `key` names it permanently and across all rails
 * (`tx:8453:0x…:log3`, `solana:<signature>:<account index>`, `bitcoin:<txid>:<output>`): the registry of spent
 * transfers holds it. In lower case wherever the chain's own spelling allows it.
 */
export type RailTransfer = {
  key: string
  formerKey?: string //         its key when logs were counted within the block; rows and intents may hold it
  rail: RailId
  tx: string
  index: number
  from: string | null //        null where the chain names no single sender
  to: string
  atomic: bigint
  confirmations: number //      0: seen, not in a block
  atMs: number //               block time, or when it was first seen
  byAuthorization: boolean //   an x402 settlement (EIP-3009), which never pays an intent
}

/** @property untilMs up to when all of them are here: an EVM chain's newest block says it, not our clock. */
export type LookedThrough = { transfers: RailTransfer[]; untilMs: number }

/** Reports what the chain says without judging it; every call has a deadline and throws UnavailableError beyond it. */
export type Rail = RailRecord & {
  decimals: number
  /** Whether a transfer can be found without its hash (stable coins and SOL, spec 4.2). */
  discovers: boolean
  quote(amountMicroUsdc: bigint): Promise<RailQuote | Problem>
  /**
   * All transfers of a transaction to our receivers. 'unknown': the chain does not know it (yet); 'failed': it moved
   * nothing.
   * @param told further receivers: those the buyer was told to pay before they changed.
   */
  byHash(tx: string, told?: readonly string[]): Promise<RailTransfer[] | 'unknown' | 'failed'>
  /**
   * Whether the server knows the blocks of that time with all that is in them: it is not behind them, and has not
   * forgotten them. Only then does 'unknown' mean that a transfer which was there is gone.
   */
  covers(atMs: number): Promise<boolean>
  /**
   * All transfers to our receivers since then, newest last, of the last day at most; too many to keep are an outage. Only
   * where `discovers`.
   */
  since(fromMs: number): Promise<RailTransfer[]>
  /**
   * The same from any time on, for a search that goes on where it ended: an answer may end early, and says where. Time
   * that the server has forgotten is an outage. Only where `discovers`.
   */
  lookThrough(fromMs: number): Promise<LookedThrough>
  /** How deep a transfer of this value must lie before it counts. */
  confirmationsFor(amountMicroUsdc: bigint): number
}
