import type { Address } from 'viem'

/** Where the real contracts stand on Base; the sandbox puts its own code there so that stock clients need no change. */
export const USDC: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
export const BASE_CHAIN_ID = 8453
