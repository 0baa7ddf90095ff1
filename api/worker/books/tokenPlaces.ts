import type { Address } from 'viem'
import type { Config } from '../../../ops/config.ts'
import type { DepositAddress } from '../../rails/index.ts'
import type { RailId } from '../../rails/rail.ts'
import { placesOf } from '../../rails/receivers/places.ts'
import { type EvmChain, RAIL_SPECS, type RailSpec } from '../../rails/records.ts'

/** A rail, or a deposit address, what of it arrives buys nothing (RAIL-14). */
export type BookId = RailId | DepositAddress['id']

/**
 * A token that arrives at our receivers, and the node to ask about it. Amounts are in its smallest unit: micro-USDC, and
 * billionths of a SOL at a deposit address.
 */
export type TokenPlace = {
  rail: BookId
  rpcUrl: string
  chainId: number
  asset: Address
  receivers: Address[]
  hour: bigint //  an hour of its blocks
}

export const DEPOSIT: DepositAddress['id'] = 'sol_base'
/** Every id that there can be books of. */
export const BOOK_IDS: readonly BookId[] = [
  ...Object.values(RAIL_SPECS).flatMap(({ kind, id }) => (kind === 'token' ? [id] : [])),
  DEPOSIT,
]
/** What amounts of its books are counted in. */
export const unitOf = (rail: BookId): { asset: string; decimals: number } =>
  rail === DEPOSIT ? RAIL_SPECS.sol : RAIL_SPECS[rail]

const HOUR_OF_BLOCKS: Record<EvmChain, bigint> = {
  base: 1_800n,
  polygon: 1_800n,
  arbitrum: 14_400n,
  ethereum: 300n,
}

/**
 * Every token rail that is fully configured, USDC on Base first, and the deposit address if its token is known. Coins and
 * other chains list no transfers by block.
 */
export function tokenPlaces(config: Config): TokenPlace[] {
  const places = placesOf(config)
  const rails = Object.values(RAIL_SPECS).flatMap((spec: RailSpec) => {
    const place = places[spec.chain]
    if (spec.kind !== 'token' || place === null) return []
    return [
      {
        rail: spec.id,
        rpcUrl: place.url,
        chainId: place.chainId!,
        hour: HOUR_OF_BLOCKS[spec.chain],
        asset: lower(spec.token ?? config.USDC_ADDRESS),
        receivers: place.receivers.map(lower),
      },
    ]
  })
  const { base } = places
  const { SOL_BASE_RECEIVER: deposit, SOL_BASE_TOKEN: token } = config
  if (base === null || deposit === '' || token === '') return rails
  const known = { rpcUrl: base.url, chainId: base.chainId!, hour: HOUR_OF_BLOCKS.base }
  return [...rails, { rail: DEPOSIT, ...known, asset: lower(token), receivers: [lower(deposit)] }]
}

const lower = (address: string): Address => address.toLowerCase() as Address
