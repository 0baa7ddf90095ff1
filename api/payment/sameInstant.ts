import { isProblem, type Problem } from '../errors.ts'
import type { Draft } from '../goods/good.ts'

/**
 * Answers of one good to the same question within the same millisecond are one answer: it is worked out and written as
 * JSON once. Holds one answer.
 */
export function createSameInstant(): (
  nowMs: number,
  question: string,
  answer: () => Draft | Problem | Promise<Draft | Problem>,
) => Promise<string | Problem> | string | Problem {
  let last: { nowMs: number; question: string; text: string } | null = null
  return (nowMs, question, answer) => {
    if (last !== null && last.nowMs === nowMs && last.question === question) return last.text
    const keep = (draft: Draft | Problem) => {
      if (isProblem(draft)) return draft
      last = { nowMs, question, text: JSON.stringify(draft.result) }
      return last.text
    }
    const draft = answer()
    return draft instanceof Promise ? draft.then(keep) : keep(draft)
  }
}
