import type { Clock } from '../../ops/clock.ts'
import { type Config, ConfigError } from '../../ops/config.ts'
import { depthFor, type FinalityPolicy, parseFinality } from '../../ops/finalityPolicy.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { tellContradictions } from '../settlement/contradictions.ts'
import { bitcoinRail } from './bitcoin/rail.ts'
import { createBitcoinServer } from './bitcoin/server.ts'
import { ANY_SUM_MICRO } from './confirmations.ts'
import { nativeRail } from './evm/native.ts'
import { createEvmNetwork, type EvmNetwork } from './evm/network.ts'
import { tokenRail } from './evm/token.ts'
import { createPrices } from './prices/prices.ts'
import { RAIL_IDS, type Rail, type RailId, type RailRecord } from './rail.ts'
import { type Place, placesOf, refuseReceivers } from './receivers/places.ts'
import { type EvmChain, RAIL_SPECS, type RailSpec } from './records.ts'
import { createSolanaNode } from './solana/node.ts'
import { solanaRail } from './solana/rail.ts'

/** A known rail that cannot be used to pay here, as published. */
export type UnavailableRail = Pick<RailRecord, 'id' | 'label' | 'chain' | 'asset'> & { available: false }
/** SOL bridged to Base: an address of ours. What arrives there pays no intent; an operator looks at it. */
export type DepositAddress = { id: 'sol_base'; chain: 'base'; asset: 'SOL'; receiverAddress: string }

export type Rails = {
  rails: readonly Rail[] //  usable ones, in the order of spec 2.4; the first is the default
  unavailable: readonly UnavailableRail[]
  deposits: readonly DepositAddress[]
  find(id: string): Rail | null
  close(): Promise<void>
}

/**
 * The rails that are fully configured. Opens no connection before the first question.
 * @throws ConfigError naming every invalid receiver, and every rail that is only half configured.
 */
export function createRails({
  config,
  clock,
  log,
  metrics,
}: {
  config: Config
  clock: Clock
  log: Log
  metrics?: Metrics
}): Rails {
  const problems = refuseReceivers(config)
  if (problems.length > 0) throw new ConfigError(problems)
  const places = placesOf(config)
  const prices = createPrices({ urlA: config.PRICE_A_URL, urlB: config.PRICE_B_URL, clock, log })
  const networks = new Map<EvmChain, EvmNetwork>()
  const closers: (() => Promise<void>)[] = [() => prices.close()]
  const mainnet = config.MODE === 'live'
  const policy = parseFinality(config.FINALITY)

  function networkOf(chain: EvmChain, { url, chainId }: Place): EvmNetwork {
    const known = networks.get(chain)
    if (known !== undefined) return known
    const network = createEvmNetwork({
      rpcUrl: url,
      chainId: chainId!,
      log,
      onContradiction: metrics && tellContradictions(metrics, log, chainId!),
    })
    networks.set(chain, network)
    closers.push(() => network.close())
    return network
  }

  function open(spec: RailSpec & { id: RailId }, place: Place): Rail {
    const { id, label, chain, asset, explorer, wallet, agentDefault, decimals } = spec
    const [receiverAddress, ...alternateReceivers] = place.receivers as [string, ...string[]]
    const record: RailRecord = {
      id,
      label,
      chain,
      asset,
      receiverAddress,
      alternateReceivers,
      explorer,
      wallet,
      agentDefault,
    }
    const shared = { record, decimals, clock, prices }
    if (spec.kind === 'token')
      return tokenRail({
        ...shared,
        chain: spec.chain,
        network: networkOf(spec.chain, place),
        token: spec.token ?? (config.USDC_ADDRESS as `0x${string}`),
        log,
      })
    if (spec.kind === 'native')
      return nativeRail({ ...shared, chain: spec.chain, network: networkOf(spec.chain, place) })
    if (spec.kind === 'solana') {
      const node = createSolanaNode({ rpcUrl: place.url, mainnet, log })
      closers.push(() => node.close())
      return solanaRail({ ...shared, node })
    }
    const server = createBitcoinServer({ url: place.url, mainnet, log })
    closers.push(() => server.close())
    return bitcoinRail({ ...shared, server })
  }

  const specs = RAIL_IDS.map((id): RailSpec & { id: RailId } => RAIL_SPECS[id])
  const rails = specs.flatMap((spec) => {
    const place = places[spec.chain]
    if (place === null) return []
    const rail = open(spec, place)
    return [spec.chain === 'base' ? { ...rail, confirmationsFor: atLeast(policy, rail) } : rail]
  })
  return {
    rails,
    unavailable: specs
      .filter(({ chain }) => places[chain] === null)
      .map(({ id, label, chain, asset }) => ({ id, label, chain, asset, available: false })),
    deposits:
      config.SOL_BASE_RECEIVER === ''
        ? []
        : [{ id: 'sol_base', chain: 'base', asset: 'SOL', receiverAddress: config.SOL_BASE_RECEIVER }],
    find: (id) => rails.find((rail) => rail.id === id) ?? null,
    close: async () => {
      await Promise.all(closers.map((close) => close()))
    },
  }
}

/** On the chain of x402 payments a transfer lies at least as deep as those: one sum is as final as another. */
const atLeast =
  (policy: FinalityPolicy, { confirmationsFor }: Pick<Rail, 'confirmationsFor'>) =>
  (amountMicroUsdc: bigint): number => {
    const depth = depthFor(policy, amountMicroUsdc)
    const blocks = depth === 'finalized' ? confirmationsFor(ANY_SUM_MICRO) : depth
    return Math.max(blocks, confirmationsFor(amountMicroUsdc))
  }
