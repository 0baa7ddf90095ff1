import { isLineEnd } from './blank.ts'
import { type Refusal, refuse } from './refusal.ts'
import { code, codeAt, noteChange, type Source } from './source.ts'

const DOUBLE = code('"')
const SINGLE = code("'")
const BACKSLASH = code('\\')
const OPEN_DOUBLE = code('\u201c')
const CLOSE_DOUBLE = code('\u201d')
const OPEN_SINGLE = code('\u2018')
const CLOSE_SINGLE = code('\u2019')

/** For each opening quote its closing one, and the marks that would make the end of the string a guess. */
const QUOTES = new Map<number, { closer: number; doubtful: readonly number[] }>([
  [DOUBLE, { closer: DOUBLE, doubtful: [] }],
  [SINGLE, { closer: SINGLE, doubtful: [] }],
  [OPEN_DOUBLE, { closer: CLOSE_DOUBLE, doubtful: [DOUBLE, OPEN_DOUBLE] }],
  [OPEN_SINGLE, { closer: CLOSE_SINGLE, doubtful: [SINGLE, OPEN_SINGLE] }],
])

/** How JSON spells the characters below U+0020. */
const CONTROLS = Array.from({ length: 0x20 }, (_, unit) =>
  JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
)
const SAME_IN_JSON = new Set([...'"\\/bfnrt'].map(code))

export const opensString = (unit: number): boolean => QUOTES.has(unit)

/** Reads one string, its content unchanged; the source is at its opening quote. */
export function readString(source: Source): Refusal | null {
  const start = source.at
  const opener = codeAt(source, start)
  const { closer, doubtful } = QUOTES.get(opener)!
  const requote = (offset: number) => {
    if (opener !== DOUBLE) noteChange(source, { kind: 'quote', offset, length: 1, text: '"' })
  }
  requote(start)
  source.at++
  while (source.at < source.end) {
    const unit = codeAt(source, source.at)
    if (unit === closer) {
      requote(source.at++)
      return null
    }
    if (unit === BACKSLASH) {
      const refusal = readEscape(source, opener)
      if (refusal !== null) return refusal
      continue
    }
    if (doubtful.includes(unit) || (source.quoted && isLineEnd(unit)))
      return refuse('mixed_quotes', source.at)
    if (unit === DOUBLE) noteChange(source, { kind: 'escape', offset: source.at, length: 1, text: '\\"' })
    else if (unit < 0x20)
      noteChange(source, { kind: 'control_character', offset: source.at, length: 1, text: CONTROLS[unit]! })
    source.at++
  }
  return refuse('string_not_closed', start)
}

/** The source is at the backslash. */
function readEscape(source: Source, opener: number): Refusal | null {
  const at = source.at
  const unit = codeAt(source, at + 1)
  if (Number.isNaN(unit)) return refuse('string_not_closed', at)
  if (SAME_IN_JSON.has(unit)) source.at += 2
  else if (unit === code('u')) return readUnicodeEscape(source)
  else if (unit === SINGLE) {
    noteChange(source, { kind: 'escape', offset: at, length: 2, text: "'" })
    source.at += 2
  } else if (unit === code('x') && opener === SINGLE && hexAt(source, at + 2, 2) !== null) {
    //  as Python prints it; between double quotes it is more likely a piece of a path
    noteChange(source, { kind: 'escape', offset: at, length: 2, text: '\\u00' })
    source.at += 4
  } else return refuse('unknown_escape', at)
  return null
}

function readUnicodeEscape(source: Source): Refusal | null {
  const at = source.at
  const unit = hexAt(source, at + 2, 4)
  if (unit === null) return refuse('unknown_escape', at)
  if (unit < 0xd800 || unit > 0xdfff) {
    source.at += 6
    return null
  }
  const isPair =
    unit < 0xdc00 &&
    codeAt(source, at + 6) === BACKSLASH &&
    codeAt(source, at + 7) === code('u') &&
    ((hexAt(source, at + 8, 4) ?? 0) & 0xfc00) === 0xdc00
  if (!isPair) return refuse('lone_surrogate', at)
  source.at += 12
  return null
}

function hexAt(source: Source, at: number, digits: number): number | null {
  let value = 0
  for (let digit = 0; digit < digits; digit++) {
    const unit = codeAt(source, at + digit)
    const isHex = (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66)
    if (!isHex) return null
    value = value * 16 + Number.parseInt(String.fromCharCode(unit), 16)
  }
  return value
}
