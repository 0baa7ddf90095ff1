import type { Fingerprint } from './fingerprint.ts'
import { areComplements } from './numbers.ts'
import type { Vocabulary } from './vocabulary.ts'
import { areNeighbours, inSteps, stepOf } from './wholes.ts'

/**
 * Words of a threshold that is crossed at some time: above 45 and below 45 can both come true within one window, or one
 * day.
 */
const CROSSED = new Set(
  'qualify hit go goes dip touch cross surpass exceed top peak rise fall drop climb sink slip plunge jump spike print trade ever time'.split(
    ' ',
  ),
)
/**
 * Words that ask about several readings. About "some", one reading can lie above and another below; about "all",
 * neither need be true.
 */
const SOME = /\b(?:some|any|each|every|all|both|either|once|intraday|at (?:one|a) point)\b|\bwill an? /i
/** Statistics with one print per month. */
const PRINTED_MONTHLY = new Set('cpi ppi pce inflation unemployment payroll nonfarm job'.split(' '))

/**
 * Is the one threshold what the other leaves over, so that exactly one of the two questions comes true? Only where a
 * single number is read: on a day, of a game, one print of a statistic, the seats an election gave.
 */
export function areOpposite(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): boolean {
  if (a.facts === b.facts || a.facts.length === 0 || b.facts.length === 0) return false
  const step = stepOf(a, b, vocabulary)
  const [factsA, factsB] = [inSteps(a.facts, step), inSteps(b.facts, step)]
  if (!areComplements(factsA, factsB, (x, y) => areNeighbours(x, y, step))) return false
  const says = (words: ReadonlySet<string>) =>
    [...a.core, ...b.core].some((id) => words.has(vocabulary.words[id]!))
  if (says(CROSSED) || SOME.test(a.market.title) || SOME.test(b.market.title)) return false
  if (b.ticker?.isGame === true || says(SEATS)) return true
  const kinds = [a, b].map(({ timing }) => timing.limit?.kind)
  if (kinds.every((kind) => kind === 'on')) return true
  return kinds.every((kind) => kind === 'month') && says(PRINTED_MONTHLY)
}

const SEATS = new Set(['seat'])
