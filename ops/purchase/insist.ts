import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../units.ts'
import { type Answer, exchange } from './exchange.ts'
import type { AttemptView, Tell } from './report.ts'
import { type Attempt, nextStep } from './resend.ts'

/** One attempt may wait as long as a service waits for a block or two; then the same request goes out again. */
const ATTEMPT_TIMEOUT_MS = 30 * SECOND

export const timeLeft = (deadlineMs: number): number =>
  Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, Math.round(deadlineMs - performance.now())))

/** What came of it: the last attempt, its answer (null: lost), and whether any attempt may have reached the service. */
export type Insisted = { answer: Answer | null; attempt: Attempt; view: AttemptView; arrived: boolean }

/**
 * Sends the very same request until there is an answer that is not "not now", or the time is up.
 * @param deadlineMs of performance.now()
 * @param attempts filled as they are made
 */
export async function insist(
  request: Request,
  { deadlineMs, tell, attempts }: { deadlineMs: number; tell: Tell; attempts: AttemptView[] },
): Promise<Insisted> {
  let arrived = false
  for (;;) {
    const startMs = performance.now()
    const { answer, attempt } = await exchange(request.clone(), timeLeft(deadlineMs))
    arrived ||= attempt.kind === 'answered' || attempt.mayHaveArrived
    const next = nextStep(attempt, attempts.length + 1, deadlineMs - performance.now())
    const view: AttemptView = {
      status: attempt.kind === 'answered' ? attempt.status : null,
      code: attempt.kind === 'answered' ? attempt.code : attempt.reason,
      ms: performance.now() - startMs,
      resendAfterMs: next.act === 'resend' ? next.afterMs : null,
    }
    attempts.push(view)
    if (next.act !== 'resend') return { answer, attempt, view, arrived }
    tell({ step: 'again', attempt: view })
    await sleep(next.afterMs)
  }
}

export const isGood = (answer: Answer | null): answer is Answer =>
  answer !== null && answer.status >= 200 && answer.status <= 299
