import { isProblem, type Problem } from '../errors.ts'
import type { Draft } from '../goods/good.ts'

/** Within a millisecond the same question to a good has one answer, computed and written as JSON once. Keeps one. */
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
