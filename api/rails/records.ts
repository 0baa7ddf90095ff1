import type { RailId, RailRecord } from './rail.ts'

export type EvmChain = 'base' | 'ethereum' | 'polygon' | 'arbitrum'
export type RailChain = EvmChain | 'solana' | 'bitcoin'
export type PricedAsset = 'ETH' | 'SOL' | 'BTC'

/** What is fixed about a rail. Receivers and servers come from the configuration. */
export type RailSpec = Omit<RailRecord, 'receiverAddress' | 'alternateReceivers' | 'chain'> & {
  chain: RailChain
  decimals: number
  tagStep: bigint //  smallest step in which intents' amounts differ, in atomic units
} & (
    | { kind: 'token'; chain: EvmChain; token: `0x${string}` | null } // null: USDC_ADDRESS of the configuration
    | { kind: 'native'; chain: EvmChain; asset: 'ETH' }
    | { kind: 'solana'; asset: 'SOL' }
    | { kind: 'bitcoin'; asset: 'BTC' }
  )

const GWEI = 1_000_000_000n
const stable = { decimals: 6, tagStep: 1n, agentDefault: false, kind: 'token' } as const
const ether = { asset: 'ETH', decimals: 18, tagStep: GWEI, agentDefault: false, kind: 'native' } as const

const BASESCAN = 'https://basescan.org'
const ETHERSCAN = 'https://etherscan.io'

/**
 * The nine rails of spec 2.4. The token contracts are the issuers' own: a bridged coin of the same name
 * (USDbC, USDC.e) is another contract and so no money here (RAIL-01).
 */
export const RAIL_SPECS = {
  usdc_base: {
    ...stable,
    id: 'usdc_base',
    label: 'USDC on Base',
    chain: 'base',
    asset: 'USDC',
    agentDefault: true,
    explorer: BASESCAN,
    wallet: 'any EVM wallet on Base (chain id 8453)',
    token: null,
  },
  eth_base: {
    ...ether,
    id: 'eth_base',
    label: 'ETH on Base',
    chain: 'base',
    explorer: BASESCAN,
    wallet: 'an ordinary EVM account on Base; not a contract wallet',
  },
  eth_mainnet: {
    ...ether,
    id: 'eth_mainnet',
    label: 'ETH on Ethereum',
    chain: 'ethereum',
    explorer: ETHERSCAN,
    wallet: 'an ordinary EVM account on Ethereum; not a contract wallet',
  },
  usdc_eth: {
    ...stable,
    id: 'usdc_eth',
    label: 'USDC on Ethereum',
    chain: 'ethereum',
    asset: 'USDC',
    explorer: ETHERSCAN,
    wallet: 'any EVM wallet on Ethereum',
    token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  },
  usdt_eth: {
    ...stable,
    id: 'usdt_eth',
    label: 'USDT on Ethereum',
    chain: 'ethereum',
    asset: 'USDT',
    explorer: ETHERSCAN,
    wallet: 'any EVM wallet on Ethereum',
    token: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  usdc_polygon: {
    ...stable,
    id: 'usdc_polygon',
    label: 'USDC on Polygon',
    chain: 'polygon',
    asset: 'USDC',
    explorer: 'https://polygonscan.com',
    wallet: 'any EVM wallet on Polygon; native USDC, not USDC.e',
    token: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  },
  usdc_arbitrum: {
    ...stable,
    id: 'usdc_arbitrum',
    label: 'USDC on Arbitrum',
    chain: 'arbitrum',
    asset: 'USDC',
    explorer: 'https://arbiscan.io',
    wallet: 'any EVM wallet on Arbitrum One; native USDC, not USDC.e',
    token: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  },
  sol: {
    kind: 'solana',
    id: 'sol',
    label: 'SOL on Solana',
    chain: 'solana',
    asset: 'SOL',
    decimals: 9,
    tagStep: 1n,
    agentDefault: false,
    explorer: 'https://explorer.solana.com',
    wallet: 'any Solana wallet; native SOL only, no wrapped SOL and no tokens',
  },
  btc: {
    kind: 'bitcoin',
    id: 'btc',
    label: 'BTC on Bitcoin',
    chain: 'bitcoin',
    asset: 'BTC',
    decimals: 8,
    tagStep: 1n,
    agentDefault: false,
    explorer: 'https://mempool.space',
    wallet: 'any Bitcoin wallet, on chain; no Lightning',
  },
} as const satisfies { [id in RailId]: RailSpec & { id: id } }
