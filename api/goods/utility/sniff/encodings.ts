/** A stretch of the folded text and what it says once decoded. */
export type Layer = { via: Encoding; text: string; start: number; end: number }
export type Encoding =
  | 'base64'
  | 'hex'
  | 'escapes'
  | 'binary'
  | 'morse'
  | 'rotation'
  | 'reversed'
  | 'pigLatin'
  | 'tags'
  | 'zeroWidth'

const MIN_READABLE = 6
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes as text when that is what they are: valid UTF-8, no control characters, mostly letters. */
function readable(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(narrowed(bytes))
    if (text.length < MIN_READABLE || /[\0-\x08\x0e-\x1f\x7f]/.test(text)) return null
    const letters = text.replace(/[^\p{L}\p{M} ]+/gu, '').length
    return letters >= text.length * 0.7 ? text : null
  } catch {
    return null
  }
}

/**
 * ASCII with two bytes per character, as in UTF-16 (PowerShell's -EncodedCommand), reduced to one; other bytes
 * unchanged.
 */
function narrowed(bytes: Uint8Array): Uint8Array {
  for (const kept of [0, 1])
    if (bytes.every((byte, n) => n % 2 === kept || byte === 0)) return bytes.filter((_, n) => n % 2 === kept)
  return bytes
}

const BASE64 = /[A-Za-z0-9+/_-]{12,}={0,2}/g
const HEX = /[0-9A-Fa-f]{16,}/g
const BINARY = /[01]{8}(?:[ ,]?[01]{8})+/g
const ESCAPE =
  /(?:%[0-9A-Fa-f]{2})+|&#(?:[0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|&[A-Za-z]{2,8};|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})/g
/** HTML's names for ASCII characters, without those that occur in no control mark and no phrase. */
const NAMED: ReadonlyMap<string, string> = new Map(
  `lt < gt > amp & quot " apos ' num # excl ! quest ? colon : semi ; comma , period . sol / bsol \\ equals = lowbar _ vert |
  verbar | lsqb [ lbrack [ rsqb ] rbrack ] lcub { lbrace { rcub } rbrace } lpar ( rpar ) commat @ percnt % grave \``
    .split(/\s+/)
    .flatMap((name, n, all): [string, string][] => (n % 2 === 0 ? [[name, all[n + 1]!]] : []))
    .concat([
      ['nbsp', ' '],
      ['Tab', '\t'],
      ['NewLine', '\n'],
    ]),
)
const MORSE = /[.\-/ ]{20,}/g

export function base64Layers(text: string): Layer[] {
  return eachRun(text, BASE64, 'base64', (run) =>
    //  a plain word or path is base64 too: decoding it gives no readable text
    readable(Buffer.from(run, 'base64')),
  )
}

export function hexLayers(text: string): Layer[] {
  return eachRun(text, HEX, 'hex', (run) => (run.length % 2 === 0 ? readable(Buffer.from(run, 'hex')) : null))
}

export function binaryLayers(text: string): Layer[] {
  return eachRun(text, BINARY, 'binary', (run) => {
    const digits = run.replace(/[ ,]/g, '')
    const bytes = new Uint8Array(digits.length / 8)
    for (let n = 0; n < bytes.length; n++) bytes[n] = Number.parseInt(digits.slice(n * 8, n * 8 + 8), 2)
    return readable(bytes)
  })
}

function eachRun(
  text: string,
  pattern: RegExp,
  via: Encoding,
  decode: (run: string) => string | null,
): Layer[] {
  const layers: Layer[] = []
  for (const match of text.matchAll(pattern)) {
    const decoded = decode(match[0])
    if (decoded !== null)
      layers.push({ via, text: decoded, start: match.index, end: match.index + match[0].length })
  }
  return layers
}

/** Decodes percent, HTML and JavaScript escapes in the whole text: what is between them belongs to the phrase. */
export function escapeLayers(text: string): Layer[] {
  let start = -1
  let end = 0
  const decoded = text.replace(ESCAPE, (escaped: string, offset: number) => {
    const sign = /^&[^#]/.test(escaped) ? NAMED.get(escaped.slice(1, -1)) : plain(escaped)
    if (sign === undefined) return escaped
    if (start < 0) start = offset
    end = offset + escaped.length
    return sign
  })
  return start < 0 ? [] : [{ via: 'escapes', text: decoded, start, end }]
}

const MAX_CODE_POINT = 0x10ffff

function plain(escaped: string): string {
  if (escaped.startsWith('%')) return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8')
  const digits = escaped.toLowerCase().replace(/^&#|^\\[ux]|;$/g, '')
  const code =
    escaped.startsWith('&#') && !digits.startsWith('x')
      ? Number(digits)
      : Number.parseInt(digits.replace('x', ''), 16)
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : ''
}

/** The Morse codes of a to z, in that order. */
const MORSE_SIGNS =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'
const LETTER_A = 97
const MORSE_CODE: ReadonlyMap<string, string> = new Map(
  MORSE_SIGNS.split(' ').map((sign, n) => [sign, String.fromCharCode(LETTER_A + n)]),
)
const MIN_MORSE_LETTERS = 8
const MIN_MORSE_KINDS = 5 // a row of dots is a row of e

export function morseLayers(text: string): Layer[] {
  return eachRun(text, MORSE, 'morse', (run) => {
    const decoded = run
      .split('/')
      .map((word) =>
        word
          .split(' ')
          .map((sign) => (sign === '' ? '' : (MORSE_CODE.get(sign) ?? ' ')))
          .join(''),
      )
      .join(' ')
    const letters = decoded.replaceAll(' ', '')
    return letters.length >= MIN_MORSE_LETTERS && new Set(letters).size >= MIN_MORSE_KINDS ? decoded : null
  })
}
