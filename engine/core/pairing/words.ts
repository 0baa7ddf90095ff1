import { Memo } from '../../../ops/memo.ts'
import { CEREMONY, nameCeremonies } from './ceremonies.ts'
import { MONTHS } from './days.ts'
import { fold } from './fold.ts'
import { wordTable } from './wordTable.ts'

/** One word or number of a text, as matching sees it. Texts share words, so they must not be changed. */
export type Word = Readonly<{
  text: string //          folded, lower case; numbers as written without separators
  cap: boolean //          begins with a capital letter or is a name like 9z
  value: number | null //  when it is a number, multiplier applied: 1.75T = 1750000000000
  month: number | null //  when it names one, 1 to 12
  unit: '' | '$' | '%' | 'bps' | 'ordinal'
  sign: '' | '>' | '>=' | '<' | '<=' // written before the number, or + behind it
  dash: boolean //         glued to the word before by a hyphen: the 06 of TX-06
  grouped: boolean //      written with thousands separators, so never a year
  quoted: boolean //       between quotation marks: part of a title, so always a name
}>

/** '' before the first word and behind the last. */
export const textAt = (words: readonly Word[], at: number): string => words[at]?.text ?? ''

/** "Hike rates by 0bps": how venue B writes that a central bank does nothing. */
const ZERO_MOVE =
  /\b(?:hike|cut|raise|lower|increase|decrease)s?\b(?: (?:interest |the )?rates?)?(?: (?:by|of))? 0 ?(?:bps?|basis points?)\b/gi

/** "The #1 overall pick"; a song is "#1" on both venues. */
const NUMBERED_PICK = /#(\d+)(?= (?:overall )?pick\b)/gi

/** "Ranked No. 1" is ranked #1. */
const NUMBERED = /\bno\. (?=\d)/gi

const NUMBER = /(\$?)(\d+(?:,\d{3})*(?:\.\d+)?)([A-Za-z]*%?)(\+?)/y

const MULTIPLIER = wordTable<number>({
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mm: 1e6,
  mn: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  t: 1e12,
  tn: 1e12,
  trillion: 1e12,
})
const ORDINAL = new Set(['st', 'nd', 'rd', 'th'])
const NUMBER_WORDS = wordTable<number>({
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
})
const ORDINAL_WORDS = wordTable<number>({
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
})

/** Cuts a text into words and numbers, at most `limit` of them. Timestamps lose their time of day. */
export function readWords(text: string, limit = 200): Word[] {
  const dated = fold(text).replace(/(\d{4}-\d{2}-\d{2})T[\d:.]+Z?/g, '$1')
  const moved = dated.includes(' 0') ? dated.replace(ZERO_MOVE, 'hold rates') : dated
  const counted = moved.includes('o. ') ? moved.replace(NUMBERED, '#') : moved
  const source = counted.includes('#') ? counted.replace(NUMBERED_PICK, '$1th') : counted
  const words: Word[] = []
  let quotes = 0
  for (let at = 0; at < source.length && words.length < limit; ) {
    const code = source.charCodeAt(at)
    if (code === QUOTE) quotes++
    const isNumber = isDigit(code) || (code === DOLLAR && isDigit(source.charCodeAt(at + 1)))
    if (!isNumber && !isLetter(code)) {
      at++
      continue
    }
    const dash = at > 1 && source[at - 1] === '-' && isWordChar(source, at - 2)
    const known = words.length
    const plainEnd = isNumber ? endOfPlainNumber(source, at) : at
    if (plainEnd > at) {
      pushWord(words, source.slice(at, plainEnd), dash)
      at = plainEnd
    } else if (isNumber) {
      NUMBER.lastIndex = at
      const [raw, money, digits, tail, plus] = NUMBER.exec(source)!
      pushNumber(words, { raw, money, digits, tail, plus } as NumberParts, dash, source, at)
      at += raw.length
    } else {
      const end = endOfWord(source, at)
      if (!isInitial(source, at, end, words)) pushWord(words, source.slice(at, end), dash)
      at = end
    }
    if (quotes % 2 === 1)
      for (let nth = known; nth < words.length; nth++) words[nth] = { ...words[nth]!, quoted: true }
  }
  //  an odd number of quotes: inches, or a typing error
  if (quotes % 2 === 1)
    for (let nth = 0; nth < words.length; nth++) words[nth] = { ...words[nth]!, quoted: false }
  joinMultipliers(words)
  if (CEREMONY.test(source)) nameCeremonies(words)
  return words
}

//  Markets that follow one another repeat the title of their event, and so do the comparisons with their partners. Few are
//  kept: to look among thousands costs as much as to read.
const titles = new Memo<readonly Word[]>(500)

/** The same for the title of an event. */
export const readTitle = (title: string): readonly Word[] => titles.of(title, readWords)

const [QUOTE, DOLLAR, APOSTROPHE, DOT] = [34, 36, 39, 46]
const [PERCENT, PLUS, COMMA, MINUS] = [37, 43, 44, 45]

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code >= 0x80
}

/** Letters and digits, with single apostrophes and dots between them. */
function endOfWord(source: string, start: number): number {
  let at = start + 1
  for (; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (isLetter(code) || isDigit(code)) continue
    if (code !== APOSTROPHE && code !== DOT) return at
    const next = source.charCodeAt(at + 1) //  NaN past the end is neither
    if (!isLetter(next) && !isDigit(next)) return at
  }
  return at
}

/**
 * The end of a number of digits alone, such as most days and years; `start` itself where a sign, a unit or a fraction
 * belongs to the number.
 */
function endOfPlainNumber(source: string, start: number): number {
  const before = source.charCodeAt(start - 1)
  if (before === MINUS ? !isWordChar(source, start - 2) : signBefore(source, start) !== '') return start
  let end = start
  while (isDigit(source.charCodeAt(end))) end++
  const after = source.charCodeAt(end)
  if (after === PERCENT || after === PLUS || (after < 0x80 && isLetter(after))) return start
  return (after === COMMA || after === DOT) && isDigit(source.charCodeAt(end + 1)) ? start : end
}

/** The J of "Donald J. Trump". */
function isInitial(source: string, at: number, end: number, words: readonly Word[]): boolean {
  return end === at + 1 && words.at(-1)?.cap === true && /^\. [A-Z]/.test(source.slice(at + 1, at + 4))
}

function isWordChar(text: string, at: number): boolean {
  return /[A-Za-z0-9\u0080-\uffff.%]/.test(text[at] ?? '')
}

//  The same few thousand words make up most texts; the readings of up to this many are kept.
const known = new Memo<readonly Word[]>(50_000)

function pushWord(words: Word[], raw: string, dash: boolean): void {
  for (const one of known.of(raw, readWord)) words.push(dash ? { ...one, dash } : one)
}

function readWord(raw: string): Word[] {
  if (isDigit(raw.charCodeAt(0))) return [{ ...word(String(Number(raw)), false, false), value: Number(raw) }]
  const cap = raw[0]! !== raw[0]!.toLowerCase()
  let text = raw.toLowerCase()
  if (text.includes("'")) text = text === "a's" ? 'athletics' : text.replace(/'s$/, '').replaceAll("'", '')
  if (text.includes('.')) {
    //  u.s. and j.d. are one word, two sentences without a blank are two
    if (/^(?:[a-z]\.)+[a-z]?$/.test(text)) text = text.replaceAll('.', '')
    else
      return text
        .split('.')
        .filter((part) => part !== '')
        .map((part) => word(part, cap, false))
  }
  const ordinal = ORDINAL_WORDS.get(text)
  if (ordinal !== undefined)
    return [{ ...word(`${ordinal}th`, false, false), value: ordinal, unit: 'ordinal' }]
  const number = NUMBER_WORDS.get(text)
  if (number !== undefined) return [{ ...word(String(number), false, false), value: number, grouped: true }]
  return [word(text, cap, false)]
}

function word(text: string, cap: boolean, dash: boolean): Word {
  return {
    text,
    cap,
    value: null,
    month: MONTHS.get(text) ?? null,
    unit: '',
    sign: '',
    dash,
    grouped: false,
    quoted: false,
  }
}

type NumberParts = { raw: string; money: string; digits: string; tail: string; plus: string }

function pushNumber(words: Word[], parts: NumberParts, dash: boolean, source: string, at: number): void {
  const { raw, digits } = parts
  const tail = parts.tail.toLowerCase()
  const percent = tail.endsWith('%')
  const letters = percent ? tail.slice(0, -1) : tail
  const grouped = digits.includes(',')
  const plain = digits.replaceAll(',', '')
  const negative = !dash && source[at - 1] === '-'
  const value = (negative ? -1 : 1) * Number(plain)
  const fixed = grouped || negative || digits.includes('.')
  const make = (scaled: number, unit: Word['unit']): Word => ({
    ...word(String(scaled), false, dash),
    value: scaled,
    unit,
    sign: parts.plus !== '' ? '>=' : signBefore(source, at),
    grouped: fixed,
  })
  if (ORDINAL.has(letters)) words.push({ ...make(value, 'ordinal'), text: `${value}th` })
  else if (letters === 'bps' || letters === 'bp') words.push(make(value, 'bps'))
  else if (letters === '' || MULTIPLIER.has(letters)) {
    const scaled = letters === '' ? value : Number((value * MULTIPLIER.get(letters)!).toPrecision(12))
    words.push({
      ...make(scaled, parts.money !== '' ? '$' : percent ? '%' : ''),
      grouped: fixed || letters !== '',
    })
  } else words.push(word(raw.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), true, dash))
}

/** ">25bps", ">= 70", "<$10" */
function signBefore(source: string, at: number): Word['sign'] {
  const before = source[at - 1] === ' ' ? source[at - 2] : source[at - 1]
  if (before !== '<' && before !== '>' && before !== '=') return ''
  const found = /([<>]=?)\s?$/.exec(source.slice(Math.max(0, at - 3), at))
  return found === null ? '' : (found[1] as Word['sign'])
}

//  "Exactly one", "more than one"; elsewhere "one" is not a number.
const BEFORE_ONE = new Set(['exactly', 'least', 'most', 'than', 'only'])

//  "Per second"; elsewhere it is an ordinal, as in "the second pick".
const BEFORE_TIME = new Set(['per', 'every', 'each', 'split'])

/** "1.75 trillion", "25 bps", "50 percent": the unit belongs to the number. */
function joinMultipliers(words: Word[]): void {
  for (let at = words.length - 1; at > 0; at--) {
    const number = words[at - 1]!
    if (words[at]!.text === 'one' && BEFORE_ONE.has(number.text))
      words[at] = { ...words[at]!, text: '1', value: 1 }
    if (words[at]!.text === 'second' && number.value === null && !BEFORE_TIME.has(number.text))
      words[at] = { ...words[at]!, text: '2th', cap: false, value: 2, unit: 'ordinal' }
    if (MOVES.has(words[at]!.text)) countNone(words, at)
    if (number.value === null) continue
    const joined = withUnit(number, words[at]!)
    if (joined !== null) words.splice(at - 1, 2, joined)
  }
}

/** "No Fed rate cuts" means a count of 0. */
function countNone(words: Word[], moves: number): void {
  let at = moves - 1
  while (OF_MOVES.has(words[at]?.text ?? '')) at--
  if (words[at]?.text === 'no') words[at] = { ...words[at]!, text: '0', cap: false, value: 0, grouped: true }
}

const MOVES = new Set(['cuts', 'hikes'])
const OF_MOVES = new Set(['fed', 'ecb', 'interest', 'rate'])

function withUnit(number: Word, { text, value: next }: Word): Word | null {
  if (next !== null || number.value === null || number.unit === 'ordinal') return null
  if (text.length > 3 && MULTIPLIER.has(text)) {
    const value = Number((number.value * MULTIPLIER.get(text)!).toPrecision(12))
    return { ...number, value, text: String(value), grouped: true }
  }
  if (text === 'bps' || text === 'bp') return { ...number, unit: 'bps' }
  return text === 'percent' || text === 'pct' ? { ...number, unit: '%' } : null
}
