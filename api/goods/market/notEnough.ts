import type { Problem } from '../../errors.ts'

const RETRY_S = 30

/** @param what is counted, in plural. */
export const notEnough = (what: string, needed: number, available: number): Problem => ({
  problem: 'not_enough_data',
  retryAfterS: RETRY_S,
  detail: `${available} of ${needed} ${what} qualify now.`,
  extra: { needed, available },
})
