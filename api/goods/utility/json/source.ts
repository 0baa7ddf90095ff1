import type { Change, ChangeKind } from './change.ts'

/** A part of a text that is being read once, from its start to its end, and the changes collected so far. */
export type Source = {
  readonly text: string
  readonly end: number
  readonly quoted: boolean // a Markdown quote: each line begins with '>'
  at: number
  readonly changes: Change[] // ascending by offset
}

/** The code unit at `at`, or NaN behind the end: it compares false with everything. */
export const codeAt = ({ text, end }: Source, at: number): number =>
  at < end ? text.charCodeAt(at) : Number.NaN

/**
 * Notes a change. They stay ascending although one before the last gap is noted only when the token behind the gap is
 * known; what is written comes before what is left out at the same place, so it follows its value at once.
 */
export function change(
  { changes }: Source,
  kind: ChangeKind,
  offset: number,
  length: number,
  text: string,
): void {
  const follows = (other: Change) =>
    other.offset > offset || (other.offset === offset && other.length > 0 && length === 0)
  let place = changes.length
  while (place > 0 && follows(changes[place - 1]!)) place--
  if (place === changes.length) changes.push({ kind, offset, length, text })
  else changes.splice(place, 0, { kind, offset, length, text })
}

export const code = (character: string): number => character.charCodeAt(0)
