import { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import type { Draft } from '../goods/good.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import { isRefundedHere } from './refundMark.ts'

/** What an answer says of the age of its data when it was made, see goods/market/shapes.ts. A recording stands still. */
const Aged = z.object({
  ageMs: z.object({ a: z.number(), b: z.number() }),
  maxAgeMs: z.number(),
  recorded: z.literal(false),
})

/** Is market data that was drafted so long ago older now than it may be sold? The limit itself is not. */
export function isOutdated({ result, snapshotVersion }: Draft, sinceMs: number): boolean {
  const aged = Aged.safeParse(result)
  if (snapshotVersion === null || !aged.success) return false
  const { ageMs, maxAgeMs } = aged.data
  return Math.max(ageMs.a, ageMs.b) + sinceMs > maxAgeMs
}

/** The data of a claim has grown old while its payment settled: it is delivered fresh to whoever asks again, or given back. */
export class OutdatedError extends UnavailableError {
  constructor() {
    super('settlement_pending', 'its data is older than it may be sold')
  }
}

/** Of purchases whose price the worker gives back as store credit (design 4). */
export async function isOutdatedClaim(
  claim: Claim,
  draft: Draft,
  ledger: Pick<Ledger, 'nowMs'>,
): Promise<boolean> {
  if (draft.snapshotVersion === null || !isRefundedHere(claim)) return false
  return isOutdated(draft, (await ledger.nowMs()) - claim.createdMs)
}
