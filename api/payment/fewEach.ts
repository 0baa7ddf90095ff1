import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'

/** Look-ups one payer may have under way: a quarter of the bound for the whole process. */
const MOST = 16

const underWay = new Map<string, number>()

/**
 * Gives every payer a fair share of the look-ups for which others (name servers) are asked. Their total is bounded, and
 * a failed one costs its buyer nothing: with names that no server answers for, the holder of one pass or a cent of
 * credit could occupy all of them, forever.
 * @param payer whose share: a pass, account, wallet, transfer or purchase; all requests for a classic offer share one.
 */
export function fewEach<Answer>(
  payer: string,
  { asksOthers = false }: Pick<Sellable<unknown>, 'asksOthers'>,
  work: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> | Problem {
  if (!asksOthers) return work()
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
