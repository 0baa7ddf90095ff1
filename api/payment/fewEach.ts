import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'

/** A quarter of the look-ups that a process has under way for all. */
const MOST = 16

const underWay = new Map<string, number>()

/**
 * A share for everybody of the answers that others are asked for. They are bounded for all together, and one that fails costs its
 * buyer nothing: with names that no server answers for, who has one pass or a cent of credit could have all of them, for ever.
 * @param payer whose share: a pass, account, wallet, transfer or purchase; all who ask for a classic offer have one.
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
