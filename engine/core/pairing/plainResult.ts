import type { Side } from './sides.ts'
import { isSinglePlayer, type Sport } from './sports.ts'
import { readWords } from './words.ts'

/**
 * All words that may stand around a game whose result is asked: sports and kinds of players. Parts of a game are
 * removed before.
 */
const PLAIN: ReadonlySet<string> = new Set(
  `
  winner winners moneyline match game fight bout of who will win wins the in on regular regulation reg time end a draw tie
  vs at to yes st college between beat beats defeat defeats professional pro women womens men mens
  mma ufc boxing football basketball baseball hockey cricket rugby tennis soccer
  cs2 cs counter strike csgo lol valorant dota overwatch rainbow six siege rocket`
    .trim()
    .split(/\s+/),
)

/** A part of the game, or which of two games on one day, with its number; any other number asks something more. */
const PARTS =
  /\b(?:set|map) \d\b|\bgame \d(?= winner)|\(game \d\)|\b(?:[1-4](?:st|nd|rd|th)|first|second|third|fourth) (?:half|quarter|period|5 innings|inning)\b|\b[12]h\b/gi
/** Numbers and days that say which game it is, or which one is played. */
const NUMBERED =
  /\b\d{4}-\d{2}-\d{2}\b|\b(?:scheduled for|on) [a-z]{3,9}\.? \d{1,2}(?:, \d{4})?|\bbo ?\d\b|\bbest of \d\b|\b(?:dota|cs|counter-strike) ?2\b|\bleague of legends\b/gi

/** The text around a game: what stands before and after the names, the title where it names no game, the outcome. */
export type Around = { prefix: string; tail: string; title: string; outcome: string }

/**
 * Is more asked than who wins: by how much, in which way, in which part? Any word that is not known to be dress asks
 * more.
 * @param sport null where an outcome may name a side in its own way, as on venue A.
 */
export function asksMore(
  { prefix, tail, title, outcome }: Around,
  sides: readonly [Side, Side],
  sport: Sport | null,
): boolean {
  const names = new Set(sides.flatMap(({ raw, words }) => [...raw, ...words]))
  const hasMore = (text: string, mayName: boolean) =>
    readWords(text.replace(NUMBERED, ' ').replace(PARTS, ' ')).some(
      (word) => !PLAIN.has(word.text) && !names.has(word.text) && !(mayName && word.cap),
    )
  //  people are named by the surname alone where they play, in full where they win
  const ofPeople = sport === null || isSinglePlayer(sport)
  const parts = [prefix, tail, title, outcome].join(' | ').toLowerCase().match(PARTS) ?? []
  return (
    new Set(parts).size > 1 ||
    hasMore(tail, false) ||
    hasMore(withoutSubject(title), true) ||
    hasMore(outcome, ofPeople) ||
    //  a tournament may be called anything; a part of the game is named in known words
    (prefix.search(PARTS) !== -1 && hasMore(withoutSubject(prefix), false))
  )
}

/** "Will Jelena Ostapenko win": the name has been read already. */
function withoutSubject(text: string): string {
  return text.replace(/^\s*(?:will|does|is) (?:the )?.+? (?:win|beat|defeat|advance|qualify)\b/i, ' ')
}

const ADVANCE = /\b(?:team )?(?:to )?(?:advances?|qualif(?:y|ies))\b(?: to the next round)?/gi

/** "Team to Advance": which of the two is left after extra time and penalties. */
export const asksWhoAdvances = (asked: string): boolean => asked.search(ADVANCE) !== -1

/** What else is asked: "by penalties", "to the final". */
export const withoutAdvance = (text: string): string => text.replace(ADVANCE, ' ')
