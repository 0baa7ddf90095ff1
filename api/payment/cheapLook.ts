import { tokenKindOf } from '../entitlements/issue.ts'
import type { Good } from '../goods/good.ts'
import { CHEAP_MICRO_USDC } from './legacyTimes.ts'

/**
 * Whether a good is not worth stealing with somebody else's payment: it costs cents, and leaves nothing to spend later.
 */
export const isCheapLook = (good: Good<unknown>): boolean =>
  tokenKindOf(good) === null && good.priceMicroUsdc <= CHEAP_MICRO_USDC
