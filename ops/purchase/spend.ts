import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, exchange } from './exchange.ts'
import { PurchaseEnd } from './outcomes.ts'
import { ACCEPT, describeUnpaid, timeLeft } from './pay.ts'
import type { AttemptView, Tell } from './report.ts'
import { endOf, nextStep } from './resend.ts'

/** Refusals that say that the pass or the credit pays for nothing any more. */
const USED_UP = new Set(['pass_unknown', 'pass_expired', 'pass_used_up', 'credit_refused', 'credit_short'])

/**
 * One GET that a pass or store credit pays for. An answer that says "not now", or got lost, is asked for again.
 * @param attempts filled as they are made.
 * @throws PurchaseEnd
 */
export async function spend(
  url: string,
  headers: Record<string, string>,
  { deadlineMs, tell, attempts }: { deadlineMs: number; tell: Tell; attempts: AttemptView[] },
): Promise<Answer> {
  let mayHaveArrived = false
  for (;;) {
    const startMs = performance.now()
    const request = new Request(url, { headers: { ...ACCEPT, ...headers } })
    const { answer, attempt } = await exchange(request, timeLeft(deadlineMs))
    mayHaveArrived ||= attempt.kind === 'answered' || attempt.mayHaveArrived
    const next = nextStep(attempt, attempts.length + 1, deadlineMs - performance.now())
    const view: AttemptView = {
      status: attempt.kind === 'answered' ? attempt.status : null,
      code: attempt.kind === 'answered' ? attempt.code : attempt.reason,
      ms: performance.now() - startMs,
      resendAfterMs: next.act === 'resend' ? next.afterMs : null,
    }
    attempts.push(view)
    if (next.act === 'resend') {
      tell({ step: 'again', attempt: view })
      await sleep(next.afterMs)
      continue
    }
    if (answer !== null && answer.status >= 200 && answer.status <= 299) return answer
    const end = endOf(attempt, mayHaveArrived)
    const why =
      answer === null ? `${new URL(url).origin} does not answer (${view.code})` : describeUnpaid(answer)
    if (end !== 'payment_refused') throw new PurchaseEnd(end, why)
    throw new PurchaseEnd(USED_UP.has(view.code ?? '') ? 'used_up' : 'refused', why)
  }
}
