import fc from 'fast-check'

/**
 * What a venue may write, and what it means: every arbitrary gives both. Nothing here calls the code that reads pages;
 * numbers are whole multiples of their unit and are never parsed from a binary float.
 */
export type Spelled<Meaning> = { wire: unknown; means: Meaning }

/** A token of JSON as it stands on the page, such as `4.20E-1`. */
export class Token {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** JSON in which tokens stand as they are. Undefined members are left out. */
export function pageText(value: unknown, escaped = false): string {
  if (value instanceof Token) return value.text
  if (typeof value === 'string') return escaped ? escapedText(value) : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((each) => pageText(each, escaped)).join(' ,')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `"${name}": ${pageText(member, escaped)}`).join(',\n')}}`
}

const escapedText = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

/** `units` of 10^-digits as decimal text with exactly `digits` decimals. */
export function decimal(units: bigint, digits: number): string {
  const sign = units < 0n ? '-' : ''
  const text = `${units < 0n ? -units : units}`.padStart(digits + 1, '0')
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const shortest = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

/** A JSON number in one of its spellings; what is 0 may be left out, as venue A does. */
export const number = (units: bigint, digits: number): fc.Arbitrary<Token | undefined> => {
  const plain = decimal(units, digits)
  const spellings = [shortest(plain), `${plain}000`, `${units}e-${digits}`, `${shortest(plain)}E0`]
  if (units !== 0n) return fc.constantFrom(...spellings.map((text) => new Token(text)))
  return fc.constantFrom(
    undefined,
    ...['0', '-0', '0.0', '-0.000', '0e5', '-0E-3'].map((text) => new Token(text)),
  )
}

/** Decimal text with at least the decimals it needs. */
export const numeral = (units: bigint, digits: number): fc.Arbitrary<string> => {
  const plain = decimal(units, digits)
  return fc.constantFrom(shortest(plain), plain, `${plain}${digits === 0 ? '' : '00'}`)
}

/** Millionths of a dollar, 0 and 1 dollar and their neighbours often. */
export const micro: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_000 }).map((mills) => BigInt(mills) * 1_000n) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 1_000_000n }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      0n,
      1n,
      49n,
      50n,
      99n,
      100n,
      101n,
      500_050n,
      999_900n,
      999_901n,
      999_999n,
      1_000_000n,
    ),
  },
)

/** Nearest whole number, halves away from zero. */
export function nearest(numerator: bigint, divisor: bigint): number {
  const size = numerator < 0n ? -numerator : numerator
  const whole = (2n * size + divisor) / (2n * divisor)
  return Number(numerator < 0n ? -whole : whole) + 0
}

/** Text that readers of CSV, JSON, SQL and HTML trip over. */
const NASTY = [
  '"',
  "'",
  ',',
  ';',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\\N',
  '\\',
  '\\n',
  '\0',
  '\u0001',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\udfff',
  '🏳️‍🌈',
  '👩‍🚀',
  'é',
  'e\u0301',
  'ß',
  '漢',
  '\u{10ffff}',
  '<b>',
  '{x}',
  '}]',
  '{[',
  'null',
  'NaN',
  '=1+1',
  '|',
  "|'",
  ' ',
]
export const text = (max: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 4 })), { maxLength: 8 })
        .map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('x', '🏳', '"', '\n漢'), fc.integer({ min: -3, max: 3 }))
        .map(([part, off]) => `.${part.repeat(Math.ceil(max / part.length))}`.slice(0, max + off)),
    },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '\\N', 'NULL', '\u00a0\n') },
  )

const BLANK = /[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/

/** Text as it is kept: outer blanks off, half characters replaced, cut at `max` units and never inside a character. */
export function kept(value: string, max: number): string {
  let [from, to] = [0, value.length]
  while (from < to && BLANK.test(value[from]!)) from++
  while (to > from && BLANK.test(value[to - 1]!)) to--
  let whole = ''
  for (const character of value.slice(from, to)) {
    const sound = /^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character
    if (whole.length + sound.length > max) break
    whole += sound
  }
  return whole
}
export const keptOrNull = (value: string | null | undefined, max: number): string | null =>
  value == null ? null : kept(value, max) || null

/** A label: characters that are not printed become one blank. */
export const labelOrNull = (value: string | null | undefined, max: number): string | null =>
  value == null ? null : keptOrNull(value.replace(/[\p{Cc}\p{Cf}\u2065\s]+/gu, ' '), max)

/** One segment of a path, percent-encoded byte by byte; null: it is none. */
export function segment(value: string | null): string | null {
  if (value === null || ['', '.', '..'].includes(value)) return null
  let path = ''
  for (const byte of Buffer.from(value, 'utf8')) {
    const letter = String.fromCharCode(byte)
    path += /[A-Za-z0-9\-_.!~*'()]/.test(letter)
      ? letter
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return path.length > 600 ? null : path
}

const two = (value: number): string => String(value).padStart(2, '0')
const YEAR_2200 = 7_258_118_400_000

/** An instant in one of the forms of the venues; what has no zone, or lies before 1970 or after 2199, is none. */
export const date: fc.Arbitrary<Spelled<number | null>> = fc
  .record({
    ms: fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
      fc.constantFrom(
        0,
        -1,
        -31_536_000_000,
        4_291_747_199_999,
        4_294_967_296_000,
        YEAR_2200 - 1,
        YEAR_2200,
        253_402_300_799_999 - 86_400_000,
      ),
    ),
    quarters: fc.integer({ min: -48, max: 56 }),
    form: fc.constantFrom('Z', '+00:00', '+0000', '+00', 'none', 'absent', 'null', 'empty', 'day'),
    blank: fc.boolean(),
    digits: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ ms, quarters, form, blank, digits }) => {
    if (form === 'absent') return { wire: undefined, means: null }
    if (form === 'null' || form === 'empty') return { wire: form === 'null' ? null : '', means: null }
    const exactMs = digits === 0 ? ms - (((ms % 1_000) + 1_000) % 1_000) : ms
    const minutes =
      form === 'Z' || form === 'none' || form === 'day'
        ? 0
        : form === '+00'
          ? Math.trunc(quarters / 4) * 60
          : quarters * 15
    const local = new Date(exactMs + minutes * 60_000)
    const day = `${String(local.getUTCFullYear()).padStart(4, '0')}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`
    if (form === 'day') return { wire: day, means: null }
    const millis = String(((exactMs % 1_000) + 1_000) % 1_000).padStart(3, '0')
    const fraction = `${millis}987654`.slice(0, digits)
    const seenMs = exactMs - Number(millis) + Number(fraction.slice(0, 3).padEnd(3, '0'))
    const time = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}${digits === 0 ? '' : `.${fraction}`}`
    const size = Math.abs(minutes)
    const [hh, mm] = [two(Math.floor(size / 60)), two(size % 60)]
    const sign = minutes < 0 ? '-' : '+'
    const zone = {
      Z: 'Z',
      none: '',
      '+00:00': `${sign}${hh}:${mm}`,
      '+0000': `${sign}${hh}${mm}`,
      '+00': `${sign}${hh}`,
    }[form]
    const isKept = form !== 'none' && seenMs >= 0 && seenMs < YEAR_2200
    return { wire: `${day}${blank ? ' ' : 'T'}${time}${zone}`, means: isKept ? seenMs : null }
  })
