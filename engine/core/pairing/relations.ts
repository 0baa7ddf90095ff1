import type { Token } from './tokens.ts'
import { type Judgement, refuse } from './verdict.ts'
import type { Word } from './words.ts'

/** How a question relates two things: which is more, which comes first, both or either. */
export type Relations = {
  kinds: number //              bits of KIND, other than those of dates and thresholds
  names: readonly number[] //   in the order in which they are related, each once
}

const KIND = { up: 1, down: 2, before: 4, after: 8, against: 16, and: 32, or: 64 } as const
const KIND_OF: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ above: KIND.up, over: KIND.up, more: KIND.up, greater: KIND.up, higher: KIND.up },
    ...{ below: KIND.down, under: KIND.down, less: KIND.down, fewer: KIND.down },
    ...{ before: KIND.before, after: KIND.after, than: KIND.against, against: KIND.against },
    ...{ and: KIND.and, or: KIND.or },
  }),
)
/** Who is named first matters. */
const ORDERS = KIND.up | KIND.down | KIND.before | KIND.after | KIND.against
/** Each excludes the other where only one of them is said. */
const OPPOSITES = [
  [KIND.up, KIND.down, 'negation'],
  [KIND.before, KIND.after, 'negation'],
  [KIND.and, KIND.or, 'conjunction'],
] as const

/** @param used words of dates. @returns bits of KIND. */
export function readKinds(words: readonly Word[], used: Uint8Array): number {
  let kinds = 0
  for (let at = 0; at < words.length; at++) {
    const kind = used[at] === 1 ? undefined : KIND_OF.get(words[at]!.text)
    if (kind !== undefined && !isOfNumber(words, at)) kinds |= kind
  }
  return kinds
}

/** "over 3", "more than 3", "3 or more", "between 3 and 5": a threshold, which is compared as a number. */
function isOfNumber(words: readonly Word[], at: number): boolean {
  const isNumber = (place: number) => (words[place]?.value ?? null) !== null
  const text = (place: number) => words[place]?.text
  if (isNumber(at + 1) || (text(at + 1) === 'than' && isNumber(at + 2))) return true
  return text(at) === 'or' || text(at) === 'and'
    ? isNumber(at - 1)
    : text(at - 1) === 'or' && isNumber(at - 2)
}

/** @param outcome words of the outcome, of those that were read: it names who does what the title asks. */
export function readRelations(
  kinds: number,
  tokens: readonly Token[],
  outcome: { from: number; to: number },
): Relations | null {
  if (kinds === 0) return null
  const isOutcome = ({ at }: Token) => at >= outcome.from && at < outcome.to
  const ordered = [...tokens.filter(isOutcome), ...tokens.filter((token) => !isOutcome(token))]
  return { kinds, names: [...new Set(ordered.filter(({ cap }) => cap).map(({ id }) => id))] }
}

/** The same words in another relation: above against below, before against after, or whose turn it is turned round. */
export function refuseRelations(a: Relations | null, b: Relations | null): Judgement | null {
  if (a === null || b === null) return null
  for (const [one, other, reason] of OPPOSITES)
    if ((only(a, one, other) && only(b, other, one)) || (only(a, other, one) && only(b, one, other)))
      return refuse('related', reason)
  if ((a.kinds & b.kinds & ORDERS) === 0) return null
  const [namesA, namesB] = [
    a.names.filter((id) => b.names.includes(id)),
    b.names.filter((id) => a.names.includes(id)),
  ]
  return namesA.join() === namesB.join() ? null : refuse('related', 'roles_swapped')
}

const only = ({ kinds }: Relations, wanted: number, other: number): boolean =>
  (kinds & wanted) !== 0 && (kinds & other) === 0
