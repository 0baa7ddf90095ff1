/** Offsets of a fixed string, in order, not overlapping. */
export function* occurrences(text: string, needle: string): Generator<number> {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) yield at
}
