import { tokenKindOf } from '../entitlements/issue.ts'
import type { Good } from '../goods/good.ts'
import { CHEAP_MICRO_USDC } from './legacyTimes.ts'

/** What nobody takes much trouble to have on another's money: it costs cents, and nothing of it can be spent later. */
export const isCheapLook = (good: Good<unknown>): boolean =>
  tokenKindOf(good) === null && good.priceMicroUsdc <= CHEAP_MICRO_USDC
