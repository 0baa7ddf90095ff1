/**
 * RFC 8785 text of a JSON value, in a browser: keys sorted by UTF-16 units, numbers and strings as ECMAScript writes
 * them.
 * @throws for a value without such a text: an unpaired surrogate, a number that is not finite.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('an unpaired surrogate has no canonical text')
    return JSON.stringify(value)
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('this number has no canonical text')
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${canonicalText(key)}:${canonicalText(member)}`)
  return `{${members.join(',')}}`
}
