const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g

/**
 * Whether an object of a JSON text has a name twice. `JSON.parse` keeps the last, other readers the first: a signature
 * that holds for one of them says nothing to the other.
 * @param value what `JSON.parse` made of the text
 */
export function repeatsName(text: string, value: unknown): boolean {
  let written = 0
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) written++
  return written !== namesIn(value)
}

/** Without recursion: whoever hands in a text may nest it deeper than any stack. */
function namesIn(value: unknown): number {
  let names = 0
  const open = [value]
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each !== 'object' || each === null) continue
    const members = Object.values(each)
    if (!Array.isArray(each)) names += members.length
    for (const member of members) open.push(member)
  }
  return names
}
