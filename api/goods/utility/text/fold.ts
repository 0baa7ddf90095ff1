import { visible } from './invisible.ts'

/** A half-open range of UTF-16 offsets in the text as it was sent. */
export type Span = { start: number; end: number }

export type TagRun = { text: string; span: Span }

/**
 * Text as a reader would see it: compatibility forms (full-width, mathematical, ligatures) and accents folded, invisible
 * characters removed and counted. Case is kept. Linear: each code point is looked at once.
 */
export type Folded = {
  text: string
  hidden: { zeroWidth: number; bidi: number; tags: number }
  /**
   * Runs of tag characters and variation selectors, which a reader does not see but a model may read, as the ASCII they
   * spell.
   */
  tagRuns: readonly TagRun[]
  /** Offsets in `text` that had something invisible directly before them. */
  breaks: readonly number[]
  /** The span of the original that the folded units from `start` to `end` came from. */
  spanOf(start: number, end: number): Span
}

const TAG_ZERO = 0xe0000
const TAG_LAST = 0xe007f
const BLACK_FLAG = 0x1f3f4 // tags after it spell the flag of a region: ordinary emoji
/** Variation selectors 17 to 256: with the first 16, which spell no ASCII, there is one for each byte. */
const SELECTOR_17 = 0xe0100
const SELECTOR_256 = 0xe01ef
const HAN = /\p{sc=Han}/u // one selector after it chooses its form: ordinary text

const ASCII = /^\p{ASCII}*$/u

export function fold(original: string): Folded {
  return ASCII.test(original) ? asIs(original) : foldEach(original)
}

/** Most texts, and most of the phrases that texts are searched for when a process starts. */
function asIs(text: string): Folded {
  return {
    text,
    hidden: { zeroWidth: 0, bidi: 0, tags: 0 },
    tagRuns: [],
    breaks: [],
    spanOf: (start, end) => ({ start, end }),
  }
}

function foldEach(original: string): Folded {
  const { text: seen, positions, zeroWidth, bidi } = visible(original)
  const originOf = (at: number): number => (positions === null ? at : positions[at]!)
  const pieces: string[] = []
  const starts: number[] = [] // in `seen`, one for each folded unit
  const tagRuns: TagRun[] = []
  const breaks: number[] = []
  let tags = 0
  let previous = { code: 0, at: 0 }
  let run: TagRun | null = null
  for (let at = 0, next = 0; at < seen.length; at = next) {
    const code = seen.codePointAt(at)!
    next = at + unitsOf(code)
    if (isTag(code) || isSelector(code)) {
      if (isTag(code) && previous.code === BLACK_FLAG) continue
      if (isSelector(code) && HAN.test(String.fromCodePoint(previous.code))) {
        previous = { code, at }
        continue
      }
      if (run === null) {
        run = { text: '', span: { start: originOf(at), end: 0 } }
        tagRuns.push(run)
      }
      run.text += String.fromCharCode(isTag(code) ? code - TAG_ZERO : code - SELECTOR_17 + 16)
      run.span.end = originOf(next - 1) + 1
      tags++
      continue
    }
    const piece = code < 0x80 ? seen[at]! : foldedCode(code)
    const isBehindHidden = run !== null || originOf(at) - originOf(previous.at) > at - previous.at
    if (isBehindHidden && piece !== '') breaks.push(starts.length)
    pieces.push(piece)
    for (let n = 0; n < piece.length; n++) starts.push(at)
    previous = { code, at }
    run = null
  }
  return {
    text: pieces.join(''),
    hidden: { zeroWidth, bidi, tags },
    tagRuns,
    breaks,
    spanOf: (start, end) => {
      const last = starts[end - 1]!
      const lastUnit = last + unitsOf(seen.codePointAt(last)!) - 1
      return { start: originOf(starts[start]!), end: originOf(lastUnit) + 1 }
    },
  }
}

const isTag = (code: number): boolean => code >= TAG_ZERO && code <= TAG_LAST
const isSelector = (code: number): boolean => code >= SELECTOR_17 && code <= SELECTOR_256

/** UTF-16 units of a code point. */
const unitsOf = (code: number): number => (code > 0xffff ? 2 : 1)

/** Code points repeat within a text: their folding is kept, up to this many of them. */
const MAX_KEPT = 8_192

/** A few code points fold to a whole sentence; they stay as they are, so that a text grows by this factor at most. */
const MAX_UNITS = 4

/** Zeros of the scripts that have digits of their own in daily use: Arabic, Persian, Devanagari, Bengali, Thai. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50]

/** Where the letters A to Z in white on black begin, round and square: Unicode folds only those in black on white. */
const WHITE_ON_BLACK = [0x1f150, 0x1f170]

const kept = new Map<number, string>()

function foldedCode(code: number): string {
  const known = kept.get(code)
  if (known !== undefined) return known
  const letter = String.fromCodePoint(asciiOf(code))
  const long = letter.normalize('NFKD').replace(ACCENT, '').replace(HYPHEN, '-').normalize('NFC')
  const folded = long.length > MAX_UNITS ? letter : long
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(code, folded)
  return folded
}

/** A letter or digit that Unicode does not fold, as the ASCII it stands for; any other sign itself. */
function asciiOf(code: number): number {
  const zero = ZEROS.find((one) => code >= one && code < one + 10)
  if (zero !== undefined) return code - zero + 0x30
  const a = WHITE_ON_BLACK.find((one) => code >= one && code < one + 26)
  return a === undefined ? code : code - a + 0x41
}

const ACCENT = /[\u0300-\u036f]/g
/** Hyphen (the no-break one folds to it), figure dash and minus: programs put them where a hyphen was typed. */
const HYPHEN = /[\u2010\u2012\u2212]/g
