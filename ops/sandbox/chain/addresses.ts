import { type Address, defineChain } from 'viem'

/** Where the real contracts stand on Base; the sandbox puts its own code there so that stock clients need no change. */
export const USDC: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Base as far as a client of the local node must know it; `viem/chains` would load every chain there is. */
export const BASE = defineChain({
  id: 8453,
  name: 'Base (sandbox)',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
  contracts: { multicall3: { address: MULTICALL3 } },
})
