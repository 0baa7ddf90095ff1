/** More edits than this and it is another word. */
const MAX_EDITS = 2

/** The word that was probably meant; null when none is near. */
export function nearest(text: string, words: readonly string[]): string | null {
  const byDistance = words
    .map((word) => ({ word, edits: word.startsWith(text) && text.length > 2 ? 0 : editsBetween(text, word) }))
    .sort((a, b) => a.edits - b.edits)
  const [best] = byDistance
  return best !== undefined && best.edits <= Math.min(MAX_EDITS, text.length - 1) ? best.word : null
}

/** Levenshtein, row by row. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
