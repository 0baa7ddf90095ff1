import { assert, UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { type IssuePorts, issueWith } from '../entitlements/issue.ts'
import type { Draft } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import type { Claim } from '../ledger/ledger.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'
import { type AnswerPorts, composeDelivery, revealToken } from './answer.ts'

export type DeliverPorts = IssuePorts & {
  answers: AnswerPorts
  finality: FinalityGate
  faultPoint: FaultPoint
}

/**
 * Composes and stores the answer of a settled claim, or fetches the one that is stored: the first stored
 * answer is the answer.
 * @throws UnavailableError('settlement_pending') while its payment is not as deep in the chain as its value asks for.
 * @param fresher a draft from a newer snapshot than the one the claim was made with, if there is one.
 */
export async function deliverClaim(
  claim: Claim,
  fresher: Draft | null,
  ports: DeliverPorts,
): Promise<{ body: string; paymentResponse: string }> {
  const { ledger, answers, faultPoint } = ports
  const good = sellableOfSku(claim.sku)
  const shown = ({ body, paymentResponse }: { body: string; paymentResponse: string }) => ({
    body: revealToken(body, claim, good, answers.secret),
    paymentResponse,
  })
  if (claim.answer !== null) return shown(claim.answer)
  const { settled } = claim
  assert(settled !== null, 'only settled claims are delivered')
  assert(good !== undefined, 'every good that was ever sold is still known')
  if (!(await ports.finality.reached(claim)))
    throw new UnavailableError('settlement_pending', 'the payment waits for confirmations')
  const draft = fresher ?? (JSON.parse(claim.draft) as Draft)
  const issued = await issueWith(claim, good, ports)
  faultPoint('CP9')
  const delivery = composeDelivery({ ...claim, settled }, good, draft, issued, answers)
  faultPoint('CP10')
  const stored = await ledger.deliver(claim.key, delivery)
  if (stored === 'not_settled')
    throw new UnavailableError('settlement_pending', 'a reorganisation has undone the settlement')
  return shown(stored)
}
