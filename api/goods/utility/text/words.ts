/** A word of a folded text: lower case; `start` and `end` are offsets in the folded text. */
export type Word = {
  text: string
  start: number
  end: number
  capital: boolean //   begins with a capital letter
  sentence: number //   words of one sentence share it
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const SENTENCE_END = /[.!?]\s|[。！？；|]|\n\n|<\//

/** Longest stretch between two words that is searched for the end of a sentence. */
const MAX_BETWEEN = 64

/** The words in order, as the spaces and signs between them cut them. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let sentence = 0
  let last = 0
  for (const match of text.matchAll(WORD)) {
    const [raw] = match
    const start = match.index
    if (start - last > 1 && SENTENCE_END.test(text.slice(last, Math.min(start, last + MAX_BETWEEN))))
      sentence++
    last = start + raw.length
    const lower = raw.toLowerCase()
    words.push({ text: lower, start, end: last, capital: raw[0] !== lower[0], sentence })
  }
  return words
}

const SPACELESS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u
const ONE_WAY = new RegExp(`${SPACELESS.source}+|[^${SPACELESS.source.slice(1)}+`, 'gu')

/**
 * The same words, where what is written together is cut by the longest known word at each place: scripts without
 * spaces, and words spelled out letter by letter. What lies between known words counts as one word.
 * @param known is it a word that matters?
 * @param longest longest of those words, in UTF-16 units
 */
export function* cutWords(
  words: readonly Word[],
  known: (word: string) => boolean,
  longest: number,
): Generator<Word> {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const letters = spelledFrom(words, at)
    if (letters >= MIN_SPELLED) {
      yield* cut(words.slice(at, at + letters), known, longest)
      at += letters - 1
    } else if (SPACELESS.test(word.text))
      for (const part of partsOf(word))
        if (SPACELESS.test(part.text)) yield* cut(unitsOf(part), known, longest)
        else yield part
    else yield word
  }
}

/** Fewest letters in a row, each separated by one sign, that spell something. */
const MIN_SPELLED = 4

function spelledFrom(words: readonly Word[], from: number): number {
  let at = from
  while (words[at]?.text.length === 1 && (at === from || words[at]?.start === words[at - 1]!.end + 1)) at++
  return at - from
}

/**
 * Separates the parts of a word that are written without spaces from the others: `GPT` and two Chinese words look like
 * one.
 */
const partsOf = (word: Word): Word[] =>
  [...word.text.matchAll(ONE_WAY)].map(({ 0: text, index }) => ({
    ...word,
    text,
    start: word.start + index,
    end: word.start + index + text.length,
  }))

const unitsOf = (word: Word): Word[] =>
  word.text.split('').map((text, n) => ({ ...word, text, start: word.start + n, end: word.start + n + 1 }))

function* cut(units: readonly Word[], known: (word: string) => boolean, longest: number): Generator<Word> {
  const text = units.map((unit) => unit.text).join('')
  const word = (from: number, to: number): Word => ({
    ...units[from]!,
    text: text.slice(from, to),
    end: units[to - 1]!.end,
  })
  let unknownFrom = 0
  for (let at = 0; at < units.length; ) {
    let length = Math.min(longest, units.length - at)
    while (length > 0 && !known(text.slice(at, at + length))) length--
    if (length === 0) {
      at++
      continue
    }
    if (at > unknownFrom) yield word(unknownFrom, at)
    yield word(at, at + length)
    at += length
    unknownFrom = at
  }
  if (units.length > unknownFrom) yield word(unknownFrom, units.length)
}
