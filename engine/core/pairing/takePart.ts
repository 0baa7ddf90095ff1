import { askedText, type Fingerprint } from './fingerprint.ts'
import { WEIGHT } from './vocabulary.ts'

/**
 * "Make the World Series", "get to the Super Bowl", "be at the Oscars", "choose the champion"; "be at least" is no such
 * phrase.
 */
const TAKES_PART =
  /\b(?:ma(?:kes?|de)|go(?:es)? to|(?:be|is|are|gets?|got)(?: (?:named|selected|chosen|listed|scheduled))? (?:to|into|in|at(?! least| most)|on|for|among|against)|(?:choose|select)s?)\b/
/** "Super Bowl matchup", "where will the Super Bowl be held", unless winning is mentioned as well. */
const IS_PLAYED = /\b(?:between|matchups?|teams|held|where|which (?:city|venue|stadium))\b/
const WON = /\b(?:wins?|won|winners?|winning|champions?)\b/
/** "Will the Oscar for Best Actor go to Ola Berg": a prize that goes to somebody is won. */
const GOES_TO = /\b(?:award|trophy|prize|medal|oscar|grammy|emmy|bafta|tony|globe)s?\b.* go(?:es)? to\b/

/**
 * Where a prize stands for winning it, does only one of the two ask about taking part? Two teams play for the Stanley
 * Cup, so here the small words that otherwise say nothing make it another question.
 */
export function onlyOneTakesPart(a: Fingerprint, b: Fingerprint): boolean {
  if (((a.weights | b.weights) & (WEIGHT.prize | WEIGHT.namedPrize)) === 0) return false
  return takesPart(a) !== takesPart(b)
}

function takesPart(market: Fingerprint): boolean {
  const asked = askedText(market)
  if (IS_PLAYED.test(asked) && !WON.test(asked)) return true
  return TAKES_PART.test(asked) && !GOES_TO.test(asked)
}
