/** Base, the chain on which we are paid, and its USDC; the sandbox's chain takes the same numbers, so that stock clients need no change. */
export const BASE_CHAIN_ID = 8453
export const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
