import { sharedList } from '../ops/memo.ts'

/**
 * The row, with its lists of codes (reasons, risk flags) in memory once for all rows that say the same: they came from a
 * JSON text each. They are frozen.
 */
export function withSharedCodes(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  const fields = row as Record<string, unknown>
  for (const key in fields) {
    const value = fields[key]
    if (isCodes(value)) fields[key] = sharedList(value)
  }
  return row
}

const isCodes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
