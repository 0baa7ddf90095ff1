import { visible } from './invisible.ts'

/** A half-open range of UTF-16 offsets in the text as it was sent. */
export type Span = { start: number; end: number }

/**
 * Text as a reader would see it: compatibility forms (full-width, mathematical, ligatures) and accents folded, what is
 * invisible taken out and counted. Case is kept. Linear: each code point is looked at once.
 */
export type Folded = {
  text: string
  hidden: { zeroWidth: number; bidi: number; tags: number }
  /** Runs of Unicode tag characters, which no reader sees and a model may read, as the ASCII they spell. */
  tagRuns: readonly { text: string; span: Span }[]
  /** Offsets in `text` before which something invisible stood. */
  breaks: readonly number[]
  /** Where the folded units from `start` to `end` stand in the original. */
  spanOf(start: number, end: number): Span
}

const TAG_ZERO = 0xe0000
const TAG_LAST = 0xe007f
const BLACK_FLAG = 0x1f3f4 // tags after it spell the flag of a region: ordinary emoji

export function fold(original: string): Folded {
  const { text: seen, positions, zeroWidth, bidi } = visible(original)
  const originOf = (at: number): number => (positions === null ? at : (positions[at] as number))
  const pieces: string[] = []
  const starts: number[] = [] // in `seen`, one for each folded unit
  const tagRuns: { text: string; span: Span }[] = []
  const breaks: number[] = []
  let tags = 0
  let previous = 0
  let previousAt = 0
  let inRun = false
  for (let at = 0; at < seen.length; ) {
    const code = seen.codePointAt(at) as number
    const width = code > 0xffff ? 2 : 1
    if (code >= TAG_ZERO && code <= TAG_LAST) {
      if (previous !== BLACK_FLAG) {
        if (!inRun) tagRuns.push({ text: '', span: { start: originOf(at), end: 0 } })
        const run = tagRuns.at(-1) as (typeof tagRuns)[number]
        run.text += String.fromCharCode(code - TAG_ZERO)
        run.span.end = originOf(at + width - 1) + 1
        inRun = true
        tags++
      }
    } else {
      const piece = code < 0x80 ? (seen[at] as string) : foldedCode(code)
      const isBehindHidden = inRun || originOf(at) - originOf(previousAt) > at - previousAt
      if (isBehindHidden && piece !== '') breaks.push(starts.length)
      pieces.push(piece)
      for (let n = 0; n < piece.length; n++) starts.push(at)
      previous = code
      previousAt = at
      inRun = false
    }
    at += width
  }
  return {
    text: pieces.join(''),
    hidden: { zeroWidth, bidi, tags },
    tagRuns,
    breaks,
    spanOf: (start, end) => {
      const first = starts[start] as number
      const last = starts[end - 1] as number
      const width = (seen.codePointAt(last) as number) > 0xffff ? 2 : 1
      return { start: originOf(first), end: originOf(last + width - 1) + 1 }
    },
  }
}

/** Code points repeat within a text: their folding is kept, up to this many of them. */
const MAX_KEPT = 8_192

/** A few signs stand for a whole sentence; unfolded, so that a text grows by this factor at most. */
const MAX_UNITS = 4

const kept = new Map<number, string>()

function foldedCode(code: number): string {
  const known = kept.get(code)
  if (known !== undefined) return known
  const letter = String.fromCodePoint(code)
  const long = letter.normalize('NFKD').replace(ACCENT, '').replace(HYPHEN, '-').normalize('NFC')
  const folded = long.length > MAX_UNITS ? letter : long
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(code, folded)
  return folded
}

const ACCENT = /[\u0300-\u036f]/g
/** Hyphen (also the no-break one, by compatibility), figure dash, minus: set by programs where a hyphen was typed. */
const HYPHEN = /[\u2010\u2012\u2212]/g
