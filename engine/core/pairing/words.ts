import { fold } from './fold.ts'

/** One word or number of a text, as matching sees it. */
export type Word = {
  text: string //          folded, lower case; numbers as written without separators
  cap: boolean //          begins with a capital letter or is a name like 9z
  value: number | null //  when it is a number, multiplier applied: 1.75T = 1750000000000
  unit: '' | '$' | '%' | 'bps' | 'ordinal'
  sign: '' | '>' | '>=' | '<' | '<=' // written before the number, or + behind it
  dash: boolean //         glued to the word before by a hyphen: the 06 of TX-06
  grouped: boolean //      written with thousands separators, so never a year
}

const TOKEN =
  /(\$?)(\d+(?:,\d{3})*(?:\.\d+)?)([A-Za-z]*%?)(\+?)|[A-Za-z\u0080-\uffff][A-Za-z0-9\u0080-\uffff]*(?:['.][A-Za-z0-9\u0080-\uffff]+)*/g

const MULTIPLIER: Readonly<Record<string, number>> = {
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
}
const ORDINAL = new Set(['st', 'nd', 'rd', 'th'])
const NUMBER_WORDS: Readonly<Record<string, number>> = {
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
}
const ORDINAL_WORDS: Readonly<Record<string, number>> = {
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
}

/** Cuts a text into words and numbers, at most `limit` of them. Timestamps lose their time of day. */
export function readWords(text: string, limit = 200): Word[] {
  const source = fold(text).replace(/(\d{4}-\d{2}-\d{2})T[\d:.]+Z?/g, '$1')
  const words: Word[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(source); match !== null && words.length < limit; match = TOKEN.exec(source)) {
    const dash = match.index > 1 && source[match.index - 1] === '-' && isWordChar(source, match.index - 2)
    if (
      match[0].length === 1 &&
      /^\. [A-Z]/.test(source.slice(match.index + 1, match.index + 4)) &&
      words.at(-1)?.cap
    )
      continue //  a middle initial
    if (match[2] === undefined) pushWord(words, match[0], dash)
    else
      pushNumber(
        words,
        match[0],
        match[1] === '$',
        match[2],
        match[3]!.toLowerCase(),
        match[4] === '+',
        dash,
        source,
        match.index,
      )
  }
  joinMultipliers(words)
  return words
}

function isWordChar(text: string, at: number): boolean {
  return /[A-Za-z0-9\u0080-\uffff.%]/.test(text[at] ?? '')
}

function pushWord(words: Word[], raw: string, dash: boolean): void {
  const cap = raw[0]! !== raw[0]!.toLowerCase()
  let text = raw.toLowerCase()
  if (text.includes("'")) text = text === "a's" ? 'athletics' : text.replace(/'s$/, '').replaceAll("'", '')
  if (text.includes('.')) {
    //  u.s. and j.d. are one word, two sentences without a blank are two
    if (/^(?:[a-z]\.)+[a-z]?$/.test(text)) text = text.replaceAll('.', '')
    else {
      for (const part of text.split('.')) if (part !== '') words.push(word(part, cap, dash))
      return
    }
  }
  const ordinal = ORDINAL_WORDS[text]
  if (ordinal !== undefined)
    words.push({ ...word(`${ordinal}th`, false, dash), value: ordinal, unit: 'ordinal' })
  else if (NUMBER_WORDS[text] !== undefined)
    words.push({
      ...word(String(NUMBER_WORDS[text]), false, dash),
      value: NUMBER_WORDS[text]!,
      grouped: true,
    })
  else words.push(word(text, cap, dash))
}

function word(text: string, cap: boolean, dash: boolean): Word {
  return { text, cap, value: null, unit: '', sign: '', dash, grouped: false }
}

function pushNumber(
  words: Word[],
  raw: string,
  money: boolean,
  digits: string,
  tail: string,
  plus: boolean,
  dash: boolean,
  source: string,
  at: number,
): void {
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
    sign: plus ? '>=' : signBefore(source, at),
    grouped: fixed,
  })
  if (ORDINAL.has(letters)) words.push({ ...make(value, 'ordinal'), text: `${value}th` })
  else if (letters === 'bps' || letters === 'bp') words.push(make(value, 'bps'))
  else if (letters === '' || MULTIPLIER[letters] !== undefined) {
    const scaled = Number((value * (MULTIPLIER[letters] ?? 1)).toPrecision(12))
    words.push({ ...make(scaled, money ? '$' : percent ? '%' : ''), grouped: fixed || letters !== '' })
  } else words.push(word(raw.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), true, dash))
}

/** ">25bps", ">= 70", "<$10" */
function signBefore(source: string, at: number): Word['sign'] {
  const found = /([<>]=?)\s?$/.exec(source.slice(Math.max(0, at - 3), at))
  return found === null ? '' : (found[1] as Word['sign'])
}

/** "1.75 trillion", "25 bps", "50 percent": the unit belongs to the number. */
function joinMultipliers(words: Word[]): void {
  for (let at = words.length - 1; at > 0; at--) {
    const unit = words[at]!
    const number = words[at - 1]!
    if (unit.value !== null || number.value === null || number.unit === 'ordinal') continue
    if (unit.text.length > 3 && MULTIPLIER[unit.text] !== undefined) {
      number.value = Number((number.value * MULTIPLIER[unit.text]!).toPrecision(12))
      number.text = String(number.value)
      number.grouped = true
    } else if (unit.text === 'bps' || unit.text === 'bp') number.unit = 'bps'
    else if (unit.text === 'percent' || unit.text === 'pct') number.unit = '%'
    else continue
    words.splice(at, 1)
  }
}
