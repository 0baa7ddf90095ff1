import { assert, UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { type IssuePorts, issueWith } from '../entitlements/issue.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import type { Claim, Delivery } from '../ledger/ledger.ts'
import type { FinalityGate } from '../settlement/finalityGate.ts'
import { type AnswerPorts, composeDelivery, revealToken } from './answer.ts'
import { isOutdatedClaim, OutdatedError } from './outdated.ts'

export type DeliverPorts = IssuePorts & {
  answers: AnswerPorts
  finality: FinalityGate
  faultPoint: FaultPoint
}

/** Attempts to store an answer: others spending from the same account may move it in between as often as this. */
const TRIES = 20

/**
 * Composes and stores the answer of a settled claim, or fetches the stored one: the first stored answer is the answer.
 * @throws UnavailableError('settlement_pending') while the payment is not as deep in the chain as its value requires,
 *   and OutdatedError if its data has grown too old and there is no fresher draft.
 * @param fresher a draft from a newer snapshot than the claim's, if there is one.
 */
export async function deliverClaim(
  claim: Claim,
  fresher: Draft | null,
  ports: DeliverPorts,
): Promise<{ body: string; paymentResponse: string }> {
  const { answers } = ports
  const good = sellableOfSku(claim.sku)
  const shown = ({ body, paymentResponse }: { body: string; paymentResponse: string }) => ({
    body: revealToken(body, claim, good, answers.secret),
    paymentResponse,
  })
  if (claim.answer !== null) return shown(claim.answer)
  assert(claim.settled !== null, 'only settled claims are delivered')
  assert(good !== undefined, 'every good that was ever sold is still known')
  if (!(await ports.finality.reached(claim)))
    throw new UnavailableError('settlement_pending', 'the payment waits for confirmations')
  const draft = fresher ?? (JSON.parse(claim.draft) as Draft)
  if (fresher === null && (await isOutdatedClaim(claim, draft, ports.ledger))) throw new OutdatedError()
  return shown(await storeAnswer(claim, good, draft, (delivery) => delivery, ports))
}

/**
 * Composes an answer and stores it together with what it issues; composes it again if the credited account moved
 * meanwhile.
 * @param finish turns the composed delivery into the one that is stored.
 * @throws UnavailableError if the settlement is undone, or the account keeps moving: a later call may succeed.
 */
export async function storeAnswer(
  claim: Claim,
  good: Sellable<unknown>,
  draft: Draft,
  finish: (delivery: Delivery) => Delivery,
  ports: DeliverPorts,
): Promise<{ body: string; paymentResponse: string }> {
  const { settled } = claim
  assert(settled !== null, 'only settled claims are answered')
  for (let tries = 0; tries < TRIES; tries++) {
    const issued = await issueWith(claim, good, ports)
    ports.faultPoint('CP9')
    const delivery = composeDelivery({ ...claim, settled }, good, draft, issued, ports.answers)
    ports.faultPoint('CP10')
    const stored = await ports.ledger.deliver(claim.key, finish(delivery))
    if (stored === 'not_settled')
      throw new UnavailableError('settlement_pending', 'a reorganisation has undone the settlement')
    if (stored !== 'moved') return stored
  }
  throw new UnavailableError('ledger_unavailable', 'the account of this credit moves all the time')
}
