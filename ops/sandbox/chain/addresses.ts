import { type Address, defineChain } from 'viem'
import { BASE_CHAIN_ID, USDC_ON_BASE } from '../../base.ts'

/**
 * Addresses of the real contracts on Base; the sandbox puts its own code there so that stock clients need no change.
 */
export const USDC: Address = USDC_ON_BASE
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Base as far as a client of the local node must know it; `viem/chains` would load every chain there is. */
export const BASE = defineChain({
  id: BASE_CHAIN_ID,
  name: 'Base (sandbox)',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
  contracts: { multicall3: { address: MULTICALL3 } },
})
