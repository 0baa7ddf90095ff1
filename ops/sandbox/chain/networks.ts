import { type Address, type Chain, defineChain } from 'viem'
import { BASE_CHAIN_ID, BASE_SEPOLIA_CHAIN_ID, usdcOf } from '../../base.ts'
import { MULTICALL3, USDC } from './addresses.ts'

/** A chain of the sandbox: its id, and the tokens deployed on it at their real addresses. */
export type SandboxNetwork = {
  chain: Chain
  tokens: readonly { address: Address; contract: 'Token' | 'Tether' }[]
}

/** As far as a client of the local node must know it; `viem/chains` would load every chain there is. */
const network = (id: number, name: string, tokens: SandboxNetwork['tokens']): SandboxNetwork => ({
  chain: defineChain({
    id,
    name: `${name} (sandbox)`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: MULTICALL3 } },
  }),
  tokens,
})

export const NETWORKS = {
  base: network(BASE_CHAIN_ID, 'Base', [{ address: USDC, contract: 'Token' }]),
  ethereum: network(1, 'Ethereum', [
    { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', contract: 'Token' },
    { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', contract: 'Tether' },
  ]),
  polygon: network(137, 'Polygon', [
    { address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', contract: 'Token' },
  ]),
  arbitrum: network(42_161, 'Arbitrum', [
    { address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', contract: 'Token' },
  ]),
} satisfies Record<string, SandboxNetwork>

/** Base's test network, for tests: the sandbox itself is always Base. */
export const BASE_SEPOLIA = network(BASE_SEPOLIA_CHAIN_ID, 'Base Sepolia', [
  { address: usdcOf(BASE_SEPOLIA_CHAIN_ID).address, contract: 'Token' },
])
