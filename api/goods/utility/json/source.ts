import type { Change } from './change.ts'

/** A part of a text that is being read once, from its start to its end, and the changes collected so far. */
export type Source = {
  readonly text: string
  readonly end: number
  readonly quoted: boolean // a Markdown quote: each line begins with '>'
  at: number
  readonly changes: Change[] // ascending by offset
}

/** The code unit at `at`, or NaN past the end, which compares false with everything. */
export const codeAt = ({ text, end }: Source, at: number): number =>
  at < end ? text.charCodeAt(at) : Number.NaN

/**
 * Inserts a change so that the list stays ascending: a missing comma is noted only once the token after the gap is
 * known, and so after the comments in the gap. At the same offset insertions come before deletions, right after the
 * value.
 */
export function noteChange({ changes }: Source, change: Change): void {
  const comesLater = (other: Change) =>
    other.offset > change.offset ||
    (other.offset === change.offset && other.length > 0 && change.length === 0)
  let place = changes.length
  while (place > 0 && comesLater(changes[place - 1]!)) place--
  changes.splice(place, 0, change)
}

export const code = (character: string): number => character.charCodeAt(0)
