import { fold, type Span } from '../text/fold.ts'
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts'
import type { Counts, Pii } from './result.ts'

/** One thing found; UTF-16 offsets in the text as it was sent. Stays inside the service. */
export type Located = { kind: KindName; span: Span }

/** Everything found, no stretch twice. Full-width and invisible signs are folded first. Linear; any string is read. */
export function locatePii(original: string): Located[] {
  const folded = fold(original)
  const taken = new Uint8Array(folded.text.length)
  const located: Located[] = []
  for (const kind of KIND_NAMES)
    for (const { start, end } of KINDS[kind].find(folded.text)) {
      if (taken.subarray(start, end).includes(1)) continue
      taken.fill(1, start, end)
      located.push({ kind, span: folded.spanOf(start, end) })
    }
  return located
}

/** Counts and a score; rates are not known here, they are measured with this very function. */
export function countPii(original: string): Omit<Pii, 'measured'> {
  const located = locatePii(original)
  return { ...summary(located), redacted: false }
}

/** Each finding moves the score towards 100 by the weight of its kind: more findings never lower it. */
export function summary(located: readonly Located[]): { score: number; total: number; counts: Counts } {
  const counts = Object.fromEntries(KIND_NAMES.map((kind) => [kind, 0])) as Counts
  let left = 1
  for (const { kind } of located) {
    counts[kind] = counts[kind]! + 1
    left *= 1 - KINDS[kind].weight
  }
  return { score: Math.round(100 * (1 - left)), total: located.length, counts }
}
