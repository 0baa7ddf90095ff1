import { readDates } from './dates.ts'
import type { Fingerprint } from './fingerprint.ts'
import { PEOPLES, STATE_NAMES } from './peoples.ts'
import { readSeats, readTokens } from './tokens.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'
import { readTitle } from './words.ts'

/** States, as compared, to their postal codes. */
const CODES: ReadonlyMap<string, string> = new Map(
  [...STATE_NAMES].map(([state, code]) => [state.replace('_', ''), code]),
)
/** States and countries. Venue B leaves out the United States where they are meant. */
const PLACES: ReadonlySet<string> = new Set([
  ...[...PEOPLES.values()].filter((country) => country !== 'us'),
  ...CODES.keys(),
  ...'southkorea northkorea southafrica newzealand hongkong northernireland saudiarabia'.split(' '),
])

/** Words of every list of outcomes: winner, champion, award, most seats. */
const SAYS_LITTLE = WEIGHT.soft | WEIGHT.scheduled | WEIGHT.prize

/**
 * Do the events show that two questions of the same words are about different things? "Will Labor win the most seats?"
 * leaves it to its event which election is meant. They do when each event names something the other market does not, or
 * when one names a place the other market does not mention.
 */
export function areOtherEvents(a: Fingerprint, b: Fingerprint, vocabulary: Vocabulary): boolean {
  const [ofA, ofB] = [namesOfEvent(a, b, vocabulary), namesOfEvent(b, a, vocabulary)]
  return (ofA.length > 0 && ofB.length > 0) || [...ofA, ...ofB].some((name) => PLACES.has(name))
}

/** Names in an event's title that the other market's texts do not have. Read for pairs only: few come that far. */
function namesOfEvent({ market, league }: Fingerprint, other: Fingerprint, vocabulary: Vocabulary): string[] {
  const words = readTitle(market.eventTitle)
  const used = new Uint8Array(words.length)
  const seats = readSeats(words, used, vocabulary)
  readDates(words, used)
  return [...seats, ...readTokens(words, used, vocabulary, league)]
    .filter(
      ({ id, cap }) => cap && (vocabulary.weight(id) & SAYS_LITTLE) === 0 && !other.context.includes(id),
    )
    .map(({ id }) => vocabulary.words[id]!)
    .filter((name) => !hasSeatIn(name, other, vocabulary))
}

/** TX-18 is in Texas. */
function hasSeatIn(name: string, { context }: Fingerprint, vocabulary: Vocabulary): boolean {
  const code = CODES.get(name)
  return code !== undefined && context.some((id) => vocabulary.words[id]!.startsWith(`seat:${code}`))
}
