import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'

/** Answers of one good under way at once for one pass, account, wallet, transfer or classic purchase, or all who ask for a classic offer: a quarter of the look-ups that a process has under way for all. */
const MOST = 16

const underWay = new Map<string, number>()

/**
 * Answers that take time are bounded for all together, and one that fails costs its buyer nothing: with names that no server
 * answers for, who has one pass or a cent of credit could have all of them, for ever. So everybody has a share, of each good
 * apart: what is answered at once is not counted, nor refused because another good takes its time.
 */
export function fewEach<Answer>(
  payer: string,
  { sku }: Pick<Sellable<unknown>, 'sku'>,
  work: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> | Problem {
  const share = `${sku} ${payer}`
  const mine = underWay.get(share) ?? 0
  if (mine >= MOST) return { problem: 'busy', retryAfterS: 1 }
  const answer = work()
  if (!(answer instanceof Promise)) return answer
  underWay.set(share, mine + 1)
  return answer.finally(() => {
    const left = underWay.get(share)! - 1
    if (left === 0) underWay.delete(share)
    else underWay.set(share, left)
  })
}
