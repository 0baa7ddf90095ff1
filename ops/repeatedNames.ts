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

function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.reduce((sum, each) => sum + namesIn(each), Array.isArray(value) ? 0 : members.length)
}
