import type { Answer } from './exchange.ts'
import { insist, isGood } from './insist.ts'
import { PurchaseEnd } from './outcomes.ts'
import { ACCEPT, describeUnpaid } from './pay.ts'
import type { AttemptView, Tell } from './report.ts'
import { endOf } from './resend.ts'

/** Refusals that mean that the pass or the credit cannot pay any more. */
const USED_UP = new Set(['pass_unknown', 'pass_expired', 'pass_used_up', 'credit_refused', 'credit_short'])

/**
 * One GET that a pass or store credit pays for. An answer that says "not now", or got lost, is asked for again.
 * @param attempts filled as they are made.
 * @throws PurchaseEnd
 */
export async function spend(
  url: string,
  headers: Record<string, string>,
  options: { deadlineMs: number; tell: Tell; attempts: AttemptView[] },
): Promise<Answer> {
  const request = new Request(url, { headers: { ...ACCEPT, ...headers } })
  const { answer, attempt, view, arrived } = await insist(request, options)
  if (isGood(answer)) return answer
  const end = endOf(attempt, arrived)
  const why =
    answer === null ? `${new URL(url).origin} does not answer (${view.code})` : describeUnpaid(answer)
  if (end !== 'payment_refused') throw new PurchaseEnd(end, why)
  throw new PurchaseEnd(USED_UP.has(view.code ?? '') ? 'used_up' : 'refused', why)
}
