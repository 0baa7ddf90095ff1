import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'

/** Slow answers one payer may have under way: a quarter of what the whole process looks up, or has threads work out. */
const MOST = 16

const underWay = new Map<string, number>()

/**
 * Gives every payer a fair share of the answers that wait for name servers or for a thread. Their total is bounded, and
 * one that is not taken costs its buyer nothing: with names that no server answers for, the holder of one pass or a cent
 * of credit could occupy all of them, forever; with long texts a pass kept everybody else's waiting for seconds.
 * @param payer whose share: a pass, account, wallet, transfer or purchase; all requests for a classic offer share one.
 */
export function fewEach<Answer>(
  payer: string,
  good: Pick<Sellable<unknown>, 'isSlow'>,
  input: unknown,
  work: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> | Problem {
  if (!(good.isSlow?.(input) ?? false)) return work()
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
