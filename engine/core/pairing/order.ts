import type { Token } from './tokens.ts'
import type { Word } from './words.ts'

/** In which order a question says what it compares; a word counts where it stands first. */
export type Order = {
  names: readonly number[]
  numbers: readonly number[] //     other than those of dates
  score: readonly number[] //       two different numbers next to each other: 2 - 1
  before: ReadonlySet<number> //    words before the score, or else before "than", "before" or "after" …
  behind: ReadonlySet<number> //    … and behind it
}

const PIVOT = /^(?:than|before|after)$/

/** @param used words that are part of a date. @param tokens all of the question, in its order. */
export function readOrder(words: readonly Word[], used: Uint8Array, tokens: readonly Token[]): Order {
  const numbers = words.flatMap((word, at) =>
    isNumber(word) && used[at] === 0 ? [{ at, value: word.value! }] : [],
  )
  const score = numbers.findIndex(({ at, value }, nth) => {
    const next = numbers[nth + 1]
    return next?.at === at + 1 && next.value !== value
  })
  const pivot = numbers[score]?.at ?? words.findIndex((_, at) => used[at] === 0 && isPivot(words, at))
  const first = tokens.filter(({ id }, nth) => tokens.findIndex((token) => token.id === id) === nth)
  const ids = (wanted: (token: Token) => boolean) => new Set(first.filter(wanted).map(({ id }) => id))
  return {
    names: first.filter(({ cap }) => cap).map(({ id }) => id),
    numbers: [...new Set(numbers.map(({ value }) => value))],
    score: score === -1 ? [] : numbers.slice(score, score + 2).map(({ value }) => value),
    before: ids(({ at }) => at < pivot),
    behind: ids(({ at }) => pivot !== -1 && at > pivot),
  }
}

const isNumber = ({ value, unit }: Word): boolean => value !== null && unit !== 'ordinal'

/** "More than 5" compares with a number only; "$150k before $80k" relates two. */
const isPivot = (words: readonly Word[], at: number): boolean =>
  PIVOT.test(words[at]!.text) && (words[at]!.text !== 'than' || (words[at + 1]?.value ?? null) === null)

/** The same words, but with the sides of a comparison, the numbers of a score or two thresholds turned round. */
export function isTurned(a: Order, b: Order): boolean {
  const crossed = crosses(a.before, b.behind) && crosses(a.behind, b.before)
  if (a.score.length > 0 && b.score.length > 0) return turns(a.score, b.score) !== crossed
  return crossed || (!turns(a.names, b.names) && turns(a.numbers, b.numbers))
}

const crosses = (x: ReadonlySet<number>, y: ReadonlySet<number>): boolean => [...x].some((id) => y.has(id))

/** Do the first two that both have come in the other order? */
function turns(x: readonly number[], y: readonly number[]): boolean {
  const [first, second] = x.filter((value) => y.includes(value))
  return second !== undefined && y.indexOf(first!) > y.indexOf(second)
}
