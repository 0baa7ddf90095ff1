const BOUND = 10_000
const known = new Map<string, readonly string[]>()

/**
 * The row, with its lists of codes (reasons, risk flags) in memory once for all rows that say the same: they came from a
 * JSON text each. They are frozen. Full, it forgets all lists and starts anew.
 */
export function withSharedCodes(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  const fields = row as Record<string, unknown>
  for (const key in fields) {
    const value = fields[key]
    if (isCodes(value)) fields[key] = shared(value)
  }
  return row
}

const isCodes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')

function shared(codes: string[]): readonly string[] {
  const text = codes.join('\n')
  const before = known.get(text)
  if (before !== undefined) return before
  if (known.size >= BOUND) known.clear()
  known.set(text, Object.freeze(codes))
  return codes
}
