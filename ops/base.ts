/** Base, the chain on which we are paid, and its USDC; the sandbox's chain takes the same numbers, so that stock clients need no change. */
export const BASE_CHAIN_ID = 8453
export const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Base's test network. Its USDC is free for everybody and has another name, which is part of what is signed. */
export const BASE_SEPOLIA_CHAIN_ID = 84_532

/** USDC on a chain where we can be paid: its address, and the name and version of its EIP-712 domain. */
export const usdcOf = (chainId: number) =>
  chainId === BASE_SEPOLIA_CHAIN_ID
    ? ({ address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2' } as const)
    : ({ address: USDC_ON_BASE, name: 'USD Coin', version: '2' } as const)
