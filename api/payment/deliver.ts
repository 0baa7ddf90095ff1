import { assert } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Draft } from '../goods/good.ts'
import { goodOfSku } from '../goods/index.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import { type AnswerPorts, composeDelivery } from './answer.ts'

/**
 * Composes and stores the answer of a settled claim, or fetches the one that is stored: the first stored
 * answer is the answer.
 * @param fresher a draft from a newer snapshot than the one the claim was made with, if there is one.
 */
export async function deliverClaim(
  claim: Claim,
  fresher: Draft | null,
  { ledger, answers, faultPoint }: { ledger: Ledger; answers: AnswerPorts; faultPoint: FaultPoint },
): Promise<{ body: string; paymentResponse: string }> {
  if (claim.answer !== null) return claim.answer
  const { settled } = claim
  const good = goodOfSku(claim.sku)
  assert(settled !== null && good !== undefined, 'only settled claims of goods we sell are delivered')
  const draft = fresher ?? (JSON.parse(claim.draft) as Draft)
  faultPoint('CP9')
  const delivery = composeDelivery({ ...claim, settled }, good, draft, answers)
  faultPoint('CP10')
  const stored = await ledger.deliver(claim.key, delivery)
  assert(stored !== 'not_settled', 'a settled claim stays settled')
  return stored
}
