import type { Address } from 'viem'
import type { Config } from '../../../ops/config.ts'
import type { RailId } from '../../rails/rail.ts'
import { placesOf } from '../../rails/receivers/places.ts'
import { type EvmChain, RAIL_SPECS, type RailSpec } from '../../rails/records.ts'

/** A token that arrives at our receivers, and the node to ask about it. Amounts are in micro-USDC. */
export type TokenPlace = {
  rail: RailId
  rpcUrl: string
  chainId: number
  asset: Address
  receivers: Address[]
  hour: bigint //  an hour of its blocks
}

const HOUR_OF_BLOCKS: Record<EvmChain, bigint> = {
  base: 1_800n,
  polygon: 1_800n,
  arbitrum: 14_400n,
  ethereum: 300n,
}

/** Every token rail that is fully configured, USDC on Base first. Coins and other chains list no transfers by block. */
export function tokenPlaces(config: Config): TokenPlace[] {
  const places = placesOf(config)
  return Object.values(RAIL_SPECS).flatMap((spec: RailSpec) => {
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
}

const lower = (address: string): Address => address.toLowerCase() as Address
