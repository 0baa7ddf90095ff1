import type { Problem } from '../../errors.ts'
import { NOT_FRESH } from './freshness.ts'

/** The problems of a read that sells a fixed number of rows. */
export const NOT_FRESH_OR_ENOUGH = [...NOT_FRESH, 'not_enough_data'] as const

const RETRY_S = 30

/** @param what is counted, in plural. */
export const notEnough = (what: string, needed: number, available: number): Problem => ({
  problem: 'not_enough_data',
  retryAfterS: RETRY_S,
  detail: `${available} of ${needed} ${what} qualify now.`,
  extra: { needed, available },
})
