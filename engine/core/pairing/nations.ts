import { PHRASES } from './phrases.ts'

/** Countries by another name of one word; those of several words are among the phrases of questions. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['usa', 'us'],
  ['turkiye', 'turkey'],
  ['holland', 'netherlands'],
])

const NAMED_BY_PHRASE: ReadonlySet<string> = new Set(
  `us uk southkorea northkorea ivorycoast caboverde iran drcongo czechia bosnia ireland uae`.split(' '),
)

/**
 * The country a team is named after, as one word, where its name is nothing but that country and the country has
 * several names: Cabo Verde and Cape Verde, USA and United States. Otherwise null.
 * @param raw folded words of the name.
 */
export function nationOf(raw: readonly string[]): readonly string[] | null {
  const first = raw[0] ?? ''
  const other = raw.length === 1 ? OTHER_NAMES.get(first) : undefined
  if (other !== undefined) return [other]
  const whole = PHRASES.get(first)?.find(
    ({ words, becomes }) =>
      words.length === raw.length &&
      NAMED_BY_PHRASE.has(becomes) &&
      words.every((word, at) => word === raw[at]),
  )
  return whole === undefined ? null : [whole.becomes]
}
