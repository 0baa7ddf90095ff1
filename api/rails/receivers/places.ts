import type { Config } from '../../../ops/config.ts'
import type { RailChain } from '../records.ts'
import { refuseBitcoinAddress, refuseEvmAddress, refuseSolanaAddress } from './refuseReceiver.ts'

/** Where to read a chain, and our receivers there; the first one is the default. */
export type Place = { url: string; receivers: readonly string[]; chainId: number | null }

/** null: not configured, so nothing on that chain is offered. */
export function placesOf(config: Config): Record<RailChain, Place | null> {
  const place = (url: string, receivers: string[], chainId: number | null = null): Place | null =>
    url === '' || receivers[0] === '' ? null : { url, receivers: receivers.filter(Boolean), chainId }
  return {
    base: place(config.BASE_RPC_URL, [config.RECEIVER_ADDRESS], config.CHAIN_ID),
    ethereum: place(config.ETHEREUM_RPC_URL, [config.ETHEREUM_RECEIVER], 1),
    polygon: place(config.POLYGON_RPC_URL, [config.POLYGON_RECEIVER], 137),
    arbitrum: place(config.ARBITRUM_RPC_URL, [config.ARBITRUM_RECEIVER], 42_161),
    solana: place(config.SOLANA_RPC_URL, [config.SOLANA_RECEIVER, config.SOLANA_ALTERNATE_RECEIVER]),
    bitcoin: place(config.BITCOIN_API_URL, [config.BITCOIN_RECEIVER]),
  }
}

const EVM_ADDRESSES = [
  ...(['RECEIVER_ADDRESS', 'ETHEREUM_RECEIVER', 'POLYGON_RECEIVER', 'ARBITRUM_RECEIVER'] as const),
  'SOL_BASE_RECEIVER',
  'SOL_BASE_TOKEN',
] as const
const SOLANA_RECEIVERS = ['SOLANA_RECEIVER', 'SOLANA_ALTERNATE_RECEIVER'] as const
/** A rail is offered whole or not at all: one of the two alone is a mistake. */
const PAIRS = [
  ['ETHEREUM_RPC_URL', 'ETHEREUM_RECEIVER'],
  ['POLYGON_RPC_URL', 'POLYGON_RECEIVER'],
  ['ARBITRUM_RPC_URL', 'ARBITRUM_RECEIVER'],
  ['SOLANA_RPC_URL', 'SOLANA_RECEIVER'],
  ['BITCOIN_API_URL', 'BITCOIN_RECEIVER'],
] as const

/** Everything wrong with the receivers, by key and never by value (RAIL-12). */
export function refuseReceivers(config: Config): string[] {
  const refused = (key: keyof Config, refuse: (address: string) => string | null): string[] => {
    const address = config[key]
    const why = typeof address === 'string' && address !== '' ? refuse(address) : null
    return why === null ? [] : [`${key}: ${why}`]
  }
  const network = config.MODE === 'live' ? 'mainnet' : 'test'
  const { SOLANA_RECEIVER: first, SOLANA_ALTERNATE_RECEIVER: second } = config
  return [
    ...EVM_ADDRESSES.flatMap((key) => refused(key, refuseEvmAddress)),
    ...SOLANA_RECEIVERS.flatMap((key) => refused(key, refuseSolanaAddress)),
    ...refused('BITCOIN_RECEIVER', (address) => refuseBitcoinAddress(address, network)),
    ...PAIRS.filter(([url, receiver]) => (config[url] === '') !== (config[receiver] === '')).map((pair) => {
      const [missing, given] = config[pair[0]] === '' ? pair : [pair[1], pair[0]]
      return `${missing}: is missing (${given} is set)`
    }),
    ...(second !== '' && (first === '' || first === second)
      ? ['SOLANA_ALTERNATE_RECEIVER: must differ from SOLANA_RECEIVER, which must be set']
      : []),
    ...depositProblems(config),
  ]
}

function depositProblems({ SOL_BASE_RECEIVER, SOL_BASE_TOKEN, USDC_ADDRESS }: Config): string[] {
  if (SOL_BASE_TOKEN === '') return []
  if (SOL_BASE_RECEIVER === '') return ['SOL_BASE_RECEIVER: is missing (SOL_BASE_TOKEN is set)']
  return SOL_BASE_TOKEN.toLowerCase() === USDC_ADDRESS.toLowerCase()
    ? ['SOL_BASE_TOKEN: is USDC, which buys']
    : []
}
