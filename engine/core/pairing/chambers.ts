import { fold } from './fold.ts'

/**
 * The words in which questions ask about the two chambers of Congress and their parties; any other word names another
 * place or subject.
 */
export const OF_CHAMBERS: ReadonlySet<string> = new Set(
  'house senate president democratic republican d r control balance power win congress us combination combo sweep split outcome'.split(
    ' ',
  ),
)

/** Which party has which chamber, for questions that combine two or three of them. */
export type Chambers = { house: Party | null; senate: Party | null; president: Party | null }
type Party = 'democratic' | 'republican'

const PARTY = '(democrats?|democratic|dems?|d|republicans?|gop|r)'
const CHAMBER = '(house|senate|president(?:cy)?)'
const BEFORE = new RegExp(String.raw`\b${PARTY}(?: party)?[- ]${CHAMBER}\b`, 'gi')
const AFTER = new RegExp(
  String.raw`\b${CHAMBER}(?: control| winner)?(?: (?:will be|be|is|to be))? ${PARTY}\b`,
  'gi',
)

/**
 * "D Senate, D House", "House Control be Democratic AND Senate Control be Republican", "D-House, R-Senate".
 * Null when fewer than two chambers with their parties are named: then it is no combination.
 */
export function readChambers(text: string): Chambers | null {
  const plain = fold(text)
  const chambers: Chambers = { house: null, senate: null, president: null }
  let named = 0
  const set = (chamber: string, party: string) => {
    const key = /^p/i.test(chamber) ? 'president' : (chamber.toLowerCase() as 'house' | 'senate')
    if (chambers[key] === null) named++
    chambers[key] = /^d/i.test(party) ? 'democratic' : 'republican'
  }
  for (const [, party, chamber] of plain.matchAll(BEFORE)) set(chamber!, party!)
  if (named < 2) for (const [, chamber, party] of plain.matchAll(AFTER)) set(chamber!, party!)
  return named >= 2 ? chambers : null
}

export function sameChambers(a: Chambers, b: Chambers): boolean {
  return a.house === b.house && a.senate === b.senate && a.president === b.president
}
