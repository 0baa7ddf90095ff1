import type { Problem } from '../errors.ts'

/** Answers under way at once for one pass, or one account, or all who ask for a classic offer: a quarter of the look-ups that a process has under way for all. */
const MOST = 16

const underWay = new Map<string, number>()

/**
 * Answers that take time are bounded for all together, and one that fails costs its buyer nothing: with names that no server
 * answers for, who has one pass or a cent of credit could have all of them, for ever. So everybody has a share. What is
 * answered at once is not counted.
 */
export function fewEach<Answer>(
  payer: string,
  work: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> | Problem {
  const mine = underWay.get(payer) ?? 0
  if (mine >= MOST) return { problem: 'busy', retryAfterS: 1 }
  const answer = work()
  if (!(answer instanceof Promise)) return answer
  underWay.set(payer, mine + 1)
  return answer.finally(() => {
    const left = underWay.get(payer)! - 1
    if (left === 0) underWay.delete(payer)
    else underWay.set(payer, left)
  })
}
