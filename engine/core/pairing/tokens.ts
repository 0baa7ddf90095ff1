import { STATE_CODES, STATE_NAMES } from './peoples.ts'
import { PHRASES, type Phrase } from './phrases.ts'
import { inPhrase } from './phrasing.ts'
import { LEAGUE_WORDS, leagueOfWord, readCodedTeam, readTeam } from './teams.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'
import { textAt, type Word } from './words.ts'

/** A word as compared, and where it stood. */
export type Token = { id: number; cap: boolean; quoted: boolean; at: number }

/**
 * Words to tokens: phrases joined, inflections and peoples folded, stop words and numbers left out. Words
 * that a date or another typed fact has used are passed over.
 * @param league when known, teams are read as teams, so that "Los Angeles C" is the Chargers.
 */
export function readTokens(
  words: readonly Word[],
  used: Uint8Array,
  vocabulary: Vocabulary,
  league: string | null = null,
): Token[] {
  const tokens: Token[] = []
  const raw = league === null ? [] : words.map(({ text }) => text)
  for (let at = 0; at < words.length; at++) {
    if (used[at] === 1) continue
    const word = words[at]!
    const team =
      league === null
        ? null
        : (readTeam(league, raw, at) ?? (word.cap ? readCodedTeam(league, raw, at) : null))
    if (team !== null) {
      tokens.push({ id: vocabulary.id(team.id), cap: true, quoted: false, at })
      at += team.length - 1
      continue
    }
    const phrase = phraseAt(words, at, used)
    if (phrase !== null) {
      tokens.push({ id: vocabulary.id(phrase.becomes), cap: word.cap, quoted: word.quoted, at })
      used.fill(1, at, at + phrase.words.length) //  numbers in it are not numbers of the question
      at += phrase.words.length - 1
      continue
    }
    if (word.value !== null || belongsToNumber(words, at)) continue
    const meant = inPhrase(words, at) ?? letterOf(words, at)
    const id = meant === null ? vocabulary.idAsRead(word.text) : vocabulary.id(meant)
    if ((vocabulary.weight(id) & WEIGHT.stop) === 0)
      tokens.push({ id, cap: word.cap, quoted: word.quoted, at })
  }
  return tokens
}

/** The longest phrase that begins here, none of whose words but the first may have been used. */
function phraseAt(words: readonly Word[], at: number, used: Uint8Array): Phrase | null {
  const phrases = PHRASES.get(words[at]!.text)
  if (phrases === undefined) return null
  return (
    phrases.find((phrase) =>
      phrase.words.every((part, nth) => words[at + nth]?.text === part && used[at + nth] !== 1),
    ) ?? null
  )
}

/**
 * Words followed by a distinguishing letter: Group A is not Group I, though either letter is a word of grammar
 * elsewhere.
 */
const LETTERED = new Set(['group', 'pool', 'part', 'division', 'class', 'category', 'type', 'serie'])

function letterOf(words: readonly Word[], at: number): string | null {
  const { text, cap } = words[at]!
  return text.length === 1 && cap && LETTERED.has(words[at - 1]?.text ?? '') ? `letter:${text}` : null
}

/** "or lower", "at most 3", "at least 3", "O/U 25.5": part of a threshold, which is compared as a number. */
function belongsToNumber(words: readonly Word[], at: number): boolean {
  const { text } = words[at]!
  return (
    (text === 'lower' && textAt(words, at - 1) === 'or') ||
    ((text === 'most' || text === 'least') && textAt(words, at - 1) === 'at') ||
    (text === 'o' && textAt(words, at + 1) === 'u') ||
    (text === 'u' && textAt(words, at - 1) === 'o')
  )
}

/** Congressional seats: TX-06, UT-1 and "Texas's 6th Congressional District" become `seat:tx6`; their words count as used. */
export function readSeats(words: readonly Word[], used: Uint8Array, vocabulary: Vocabulary): Token[] {
  const seats: Token[] = []
  for (let at = 0; at + 1 < words.length; at++) {
    const named = readDistrict(words, at)
    if (named !== null) {
      seats.push({ id: vocabulary.id(named.seat), cap: true, quoted: false, at: named.from })
      used.fill(1, named.from, at + 3)
    }
    const [state, number] = [words[at]!, words[at + 1]!]
    if (!state.cap || !number.dash || !STATE_CODES.has(state.text)) continue
    const district =
      number.text === 'al'
        ? '0'
        : number.value !== null && number.value <= 60 && number.unit === ''
          ? number.text
          : null
    if (district === null) continue
    seats.push({ id: vocabulary.id(`seat:${state.text}${district}`), cap: true, quoted: false, at })
    used.fill(1, at, at + 2)
  }
  return seats
}

/** "New Jersey's 7th Congressional District", whose number stands at `at`. */
function readDistrict(words: readonly Word[], at: number): { seat: string; from: number } | null {
  if (words[at]!.unit !== 'ordinal' || words[at + 1]!.text !== 'congressional') return null
  if (words[at + 2]?.text !== 'district') return null
  for (const length of [2, 1]) {
    if (at < length) continue
    const name = words.slice(at - length, at).map(({ text }) => text)
    const state = STATE_NAMES.get(name.join('_'))
    if (state !== undefined) return { seat: `seat:${state}${words[at]!.value}`, from: at - length }
  }
  return null
}

/** Words that name a league, or begin a phrase that does: hardly any word of a text. */
const BEGIN_LEAGUE = new Set([
  ...LEAGUE_WORDS,
  ...[...PHRASES]
    .filter(([, phrases]) => phrases.some(({ becomes }) => leagueOfWord(becomes) !== null))
    .map(([word]) => word),
])

/** The league a text is about, by its words. */
export function readLeague(words: readonly Word[]): string | null {
  for (let at = 0; at < words.length; at++) {
    const { text } = words[at]!
    if (!BEGIN_LEAGUE.has(text) || words[at - 1]?.text === 'college') continue
    const direct = leagueOfWord(text)
    if (direct !== null) return direct
    const phrase = PHRASES.get(text)?.find((candidate) =>
      candidate.words.every((part, index) => words[at + index]?.text === part),
    )
    const league = phrase === undefined ? null : leagueOfWord(phrase.becomes)
    if (league !== null) return league
  }
  return null
}
