/** Letters that Unicode does not take apart into a base and a mark. */
const SPECIAL: Readonly<Record<string, string>> = {
  '≥': '>=',
  '≤': '<=',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
  İ: 'I',
  đ: 'd',
  Đ: 'D',
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  þ: 'th',
  ð: 'd',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '−': '-',
  '‑': '-',
  '×': 'x',
}

/** Unicode takes "3½" apart into "31⁄2", which reads as 31. */
const FRACTIONS: Readonly<Record<string, string>> = {
  '¼': '.25',
  '½': '.5',
  '¾': '.75',
  '⅓': '.333',
  '⅔': '.667',
  '⅕': '.2',
  '⅖': '.4',
  '⅗': '.6',
  '⅘': '.8',
  '⅙': '.167',
  '⅚': '.833',
  '⅛': '.125',
  '⅜': '.375',
  '⅝': '.625',
  '⅞': '.875',
}

/** Text as data: no control, zero-width or direction characters, no invisible tags, no runs of blanks (VEN-13). */
export function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2065]+/gu, ' ')
    .replace(BLANKS, ' ')
    .trim()
}

/** Runs of blanks, and any blank that is not a space; single spaces, the common case, are left alone. */
const BLANKS = /\s{2,}|[^\S ]/g

/** Accents off, typographic signs plain, direction and control characters gone; letter case stays. */
export function fold(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text
  if (!/[^\n\x20-\x7e]/.test(text)) return text.replace(BLANKS, ' ').trim()
  return cleanText(text.replace(/°[FC]?(?![A-Za-z])/g, ' '))
    .replace(/(\d ?)?([¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])/g, (_, whole = '0', sign) => whole.trim() + FRACTIONS[sign])
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x00-\x7f]/g, (letter) => SPECIAL[letter] ?? letter)
}
