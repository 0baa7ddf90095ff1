import { askedText, type Fingerprint } from './fingerprint.ts'
import { fold } from './fold.ts'
import type { RulesFacts } from './rules.ts'

/**
 * Verbs that the comparison folds into one because rules often do, although they name different acts: someone removed
 * has left, but someone who left need not have been removed; troops that enter do not visit; agreeing to a deal is not
 * having it.
 */
const SENSES: readonly (readonly RegExp[])[] = [
  [
    /\b(?:out|leav(?:e|es|ing)|left|exit(?:s|ed)?|depart(?:s|ed|ure)?|ceas(?:e|es|ed|ing))\b/,
    /\b(?:remov(?:e|es|ed|al|ing)|oust(?:s|ed|ing)?)\b/,
    /\bstep(?:s|ped|ping)? down\b/,
  ],
  [/\bagree(?:s|d|ing)?\b/, /\b(?:deal|agreement|accord|pact)s?\b/],
  [/\bvisit(?:s|ed|ing)?\b/, /\bent(?:er(?:s|ed|ing)?|ry)\b/, /\btravel(?:s|ed|led|ing|ling)?\b/],
]

/**
 * Questions about somebody's party or team, or a team from a place, not about the person; "the men's team" is not
 * meant.
 */
const WHOSE = /(?<!\b(?:wo)?men)'s (?:party|candidate|team|club)\b|\b(?:team|club|player) from\b/i

/** Does only one of the two ask about somebody's party, candidate or team? */
export const areOfOthers = (a: Fingerprint, b: Fingerprint): boolean => isOfOthers(a) !== isOfOthers(b)

const isOfOthers = ({ market }: Fingerprint): boolean => WHOSE.test(fold(market.title))

const STEMS =
  'out leav left exit depart ceas remov oust step agree deal accord pact visit enter entry travel'.split(' ')

/**
 * What every text with one of these verbs has: hardly any market has one, and reading its words takes longer. In words
 * that have been read O.U.T. is out, and _agree_ agree.
 */
const ANY_SENSE = new RegExp(
  `(?<![a-z0-9])(?:${STEMS.map((stem) => [...stem].join("['.]?")).join('|')})`,
  'i',
)

/**
 * Do the two name different acts by such a verb, while the rules of neither ask exactly what the other's title does?
 */
export function tellOtherActs(
  a: Fingerprint,
  b: Fingerprint,
  rulesOf: (market: Fingerprint) => RulesFacts,
): boolean {
  if (!mayTellAct(a) || !mayTellAct(b)) return false
  const [askedA, askedB] = [askedText(a), askedText(b)]
  return SENSES.some((senses) => {
    const [senseA, senseB] = [senseOf(askedA, senses), senseOf(askedB, senses)]
    if (senseA === 0 || senseB === 0 || senseA === senseB) return false
    const ruled = (market: Fingerprint) => senseOf(rulesOf(market).asked.toLowerCase(), senses)
    return ruled(a) !== senseB && ruled(b) !== senseA
  })
}

const mayTellAct = ({ market }: Fingerprint): boolean =>
  ANY_SENSE.test(fold(`${market.title} | ${market.eventTitle} | ${market.outcome ?? ''}`))

/** The senses a text has, as bits. */
const senseOf = (text: string, senses: readonly RegExp[]): number =>
  senses.reduce((found, pattern, at) => (pattern.test(text) ? found | (1 << at) : found), 0)
