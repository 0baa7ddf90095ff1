import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { SECOND } from '../../ops/units.ts'
import type { Draft } from '../goods/good.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import { isRefundedHere } from './refundMark.ts'

/**
 * What an answer says about the age of its data when it was made, see goods/market/shapes.ts. A recording does not age.
 */
const Aged = z.object({
  ageMs: z.object({ a: z.number(), b: z.number() }),
  maxAgeMs: z.number(),
  recorded: z.literal(false),
})

/** Whether market data drafted that long ago is older now than may be sold; exactly the limit is still sold. */
export const isOutdated = (draft: Draft, sinceMs: number): boolean => sinceMs > lastsMs(draft)

/** How long after it was made a draft may be sold. */
function lastsMs({ result, snapshotVersion }: Draft): number {
  const aged = Aged.safeParse(result)
  if (snapshotVersion === null || !aged.success) return Number.POSITIVE_INFINITY
  const { ageMs, maxAgeMs } = aged.data
  return maxAgeMs - Math.max(ageMs.a, ageMs.b)
}

/** A process that stood still for less than this since the draft is held to the draft's own age. */
const STOOD_STILL_MS = 1 * SECOND

/** Whether this process stood still or waited since the draft, for so long that its data is too old to be sold (I17). */
export function isOutdatedSince(draft: Draft, draftedMs: number): boolean {
  const sinceMs = Date.now() - draftedMs
  return sinceMs >= STOOD_STILL_MS && isOutdated(draft, sinceMs)
}

/** The last ms before a draft is outdated by that rule, on the clock of `draftedMs`; undefined: it does not age. */
export function soldUntilMs(draft: Draft, draftedMs: number): number | undefined {
  const forMs = lastsMs(draft)
  return Number.isFinite(forMs) ? draftedMs + Math.max(forMs, STOOD_STILL_MS - 1) : undefined
}

/**
 * The claim's data grew too old while its payment settled: a later request gets fresh data, or the price is given back.
 */
export class OutdatedError extends UnavailableError {
  constructor() {
    super('settlement_pending', 'its data is older than it may be sold')
  }
}

/** Only for purchases whose price the worker gives back as store credit (design 4). */
export async function isOutdatedClaim(
  claim: Claim,
  draft: Draft,
  ledger: Pick<Ledger, 'nowMs'>,
): Promise<boolean> {
  if (draft.snapshotVersion === null || !isRefundedHere(claim)) return false
  return isOutdated(draft, (await ledger.nowMs()) - claim.createdMs)
}
