import { CAPITAL, type Fingerprint } from './fingerprint.ts'
import { fold } from './fold.ts'
import { codeNames, NAME_SUFFIXES } from './names.ts'
import { STATE_NAMES } from './peoples.ts'
import type { Vocabulary } from './vocabulary.ts'
import { readWords } from './words.ts'

/** Words that turn a name into that of another person, team or college. */
const OTHERS: ReadonlySet<string> = new Set([
  ...NAME_SUFFIXES,
  ...'state tech central upstate southern northern eastern western city town women academy reserves b'.split(
    ' ',
  ),
])
/** With more further names than this, another person is likelier than the same one. */
const MOST = 2

/**
 * Are the extra words of one market further names of the person both ask about? "Julio César Enciso" is "Julio Enciso",
 * "Roberto Sánchez Palomino" is "Roberto Sánchez": the given name agrees, so does a surname, and the ticker is made of
 * the person's names, which tickers of clubs, colleges and countries are not. A name after the surname may be the real
 * surname: it counts as a second one only where the ticker of the longer name is made of the shorter one. A son's "Jr."
 * is no further name.
 * @param open words of `own` that `other` does not have.
 */
export function areFurtherNames(
  own: Fingerprint,
  other: Fingerprint,
  open: readonly number[],
  vocabulary: Vocabulary,
): boolean {
  if (open.length === 0 || open.length > MOST) return false
  if (open.some((id) => own.caps[own.core.indexOf(id)] !== CAPITAL)) return false
  const [long, short] = [personOf(own), personOf(other)]
  if (short.length < 2 || STATE_NAMES.has(short.join('_')) || !isPartOf(short, long)) return false
  if (areGlued(own, open, vocabulary)) return false
  const further = long.filter((name) => !short.includes(name))
  if (further.length !== open.length || further.some((name) => OTHERS.has(name))) return false
  if (!further.every((name) => open.includes(vocabulary.idAsRead(name)))) return false
  const ticker = (own.ticker === null ? other : own).marketId
  //  "John James Rivers" as JRIV is a Rivers, whoever John James is
  if (own.ticker !== null && !short.includes(long.at(-1)!)) return isCoded(ticker, short)
  return [long, short].some((names) => isCoded(ticker, names))
}

/**
 * The names of the person a market is about: its outcome on venue B, otherwise what "will" or a colon sets apart in its
 * title.
 */
function personOf({ market }: Fingerprint): readonly string[] {
  const outcome = market.venue === 'b' ? /^[^:\d]*/.exec(market.outcome ?? '')![0].trim() : ''
  const named =
    outcome === ''
      ? (SUBJECT.exec(fold(market.title)) ?? BEFORE_COLON.exec(fold(market.title)))?.[1]
      : outcome
  return readWords(named ?? '', 8).map(({ text }) => text)
}

const SUBJECT = /(?:^|: )Will ((?:[A-Z][\w.'-]*\s)+)(?=[a-z])/
const BEFORE_COLON = /^((?:[A-Z][\w.'-]*\s?)+):/

/** Hines-Allen is another surname than Allen. */
function areGlued({ market }: Fingerprint, open: readonly number[], vocabulary: Vocabulary): boolean {
  const words = readWords(`${market.title} | ${market.outcome ?? ''}`)
  const isOpen = (at: number) => open.includes(vocabulary.idAsRead(words[at]!.text))
  return words.some(({ dash }, at) => dash && at > 0 && (isOpen(at) || isOpen(at - 1)))
}

/**
 * The same names in the same order, with others in between; or with another given name first: "Andrea Kimi Antonelli".
 */
function isPartOf(short: readonly string[], long: readonly string[]): boolean {
  if (long[0] !== short[0]) return short.join(' ') === long.slice(1).join(' ')
  let at = 0
  for (const name of long) if (name === short[at]) at++
  return at === short.length && short.length < long.length
}

/** Is a part of the ticker made of these names: DROD, or PARJENCIS19 behind the code of a team? */
function isCoded(ticker: string, names: readonly string[]): boolean {
  return ticker
    .split('-')
    .slice(1)
    .map((part) => part.replace(/\d+$/, ''))
    .some((code) => hasSurname(code, names) || hasSurname(code.slice(3), names))
}

/** Initials alone fit many names, so the code must contain a surname. */
const hasSurname = (code: string, names: readonly string[]): boolean =>
  code.length > names.length && codeNames(code, names)
