import type { Address } from 'viem'
import { USDC_ON_BASE } from '../../base.ts'

/**
 * Addresses of the real contracts on Base; the sandbox puts its own code there so that stock clients need no change.
 */
export const USDC: Address = USDC_ON_BASE
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
