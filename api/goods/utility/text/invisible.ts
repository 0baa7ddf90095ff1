/** Controls that reorder text (Unicode bidirectional algorithm, UAX 9). */
const BIDI = new Set([0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)])
const FILLERS = [0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x3164, 0xfeff, 0xffa0]
/** Code units that take no room on a screen: joiners, soft hyphens, fillers, variation selectors. */
const ZERO_WIDTH = new Set([
  ...FILLERS,
  ...range(0x180b, 0x180d),
  ...range(0x200b, 0x200d),
  ...range(0x2060, 0x2065),
  ...range(0x206a, 0x206f),
  ...range(0xfe00, 0xfe0f),
])

export type Visible = {
  text: string
  /** For each unit kept its UTF-16 offset in the original; null: nothing was taken out. */
  positions: readonly number[] | null
  zeroWidth: number
  bidi: number
}

/** The text without invisible characters. Works on code units, so that a surrogate pair split by a joiner is whole again. */
export function visible(original: string): Visible {
  const kept: string[] = []
  const positions: number[] = []
  let zeroWidth = 0
  let bidi = 0
  let from = 0
  for (let at = 0; at < original.length; at++) {
    const unit = original.charCodeAt(at)
    if (unit < 0xad) continue
    const isBidi = BIDI.has(unit)
    if (!isBidi && !ZERO_WIDTH.has(unit)) continue
    if (isBidi) bidi++
    else zeroWidth++
    keep(from, at)
    from = at + 1
  }
  if (from === 0) return { text: original, positions: null, zeroWidth, bidi }
  keep(from, original.length)
  return { text: kept.join(''), positions, zeroWidth, bidi }

  function keep(start: number, end: number): void {
    if (start === end) return
    kept.push(original.slice(start, end))
    for (let at = start; at < end; at++) positions.push(at)
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n)
}
