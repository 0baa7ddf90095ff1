import { occurrences } from '../text/occurrences.ts'
import type { Hit } from './phrases.ts'

const WEIGHT = 0.5
const MAX_NAME = 16

/** A quoted text assigned to a name: `a = "…`. */
const ASSIGNMENT = /([A-Za-z][A-Za-z0-9_]{0,15})(?: is| =|=|:) ?["'“‘]/g
const NAME_BEFORE = /[A-Za-z][A-Za-z0-9_]{0,15} ?$/
const NAME_AFTER = /^ ?[A-Za-z][A-Za-z0-9_]{0,15}/

/** An instruction in pieces for the reader to concatenate: two names with a quoted text each, and their sum. */
export function splitHits(text: string): Hit<'split_payload'>[] {
  const names = new Set([...text.matchAll(ASSIGNMENT)].map((match) => match[1]!.toLowerCase()))
  if (names.size < 2) return []
  const hits: Hit<'split_payload'>[] = []
  for (const at of occurrences(text, '+')) {
    const left = NAME_BEFORE.exec(text.slice(Math.max(0, at - MAX_NAME - 1), at))?.[0]
    const right = NAME_AFTER.exec(text.slice(at + 1, at + MAX_NAME + 2))?.[0]
    if (left === undefined || right === undefined) continue
    if (names.has(left.trim().toLowerCase()) && names.has(right.trim().toLowerCase()))
      hits.push({
        family: 'split_payload',
        weight: WEIGHT,
        start: at - left.length,
        end: at + 1 + right.length,
      })
  }
  return hits
}
