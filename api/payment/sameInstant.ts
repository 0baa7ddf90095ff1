import { andThen } from '../andThen.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Draft } from '../goods/good.ts'

/** A draft, and its result as JSON. */
export type Drawn = { draft: Draft; text: string }

/** Within a millisecond the same question to a good has one answer, computed and written as JSON once. Keeps one. */
export function createSameInstant(): (
  nowMs: number,
  question: string,
  answer: () => Draft | Problem | Promise<Draft | Problem>,
) => Promise<Drawn | Problem> | Drawn | Problem {
  let last: { nowMs: number; question: string; drawn: Drawn } | null = null
  return (nowMs, question, answer) => {
    if (last !== null && last.nowMs === nowMs && last.question === question) return last.drawn
    const keep = (draft: Draft | Problem) => {
      if (isProblem(draft)) return draft
      last = { nowMs, question, drawn: { draft, text: JSON.stringify(draft.result) } }
      return last.drawn
    }
    return andThen(answer(), keep)
  }
}
