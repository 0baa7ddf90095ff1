import { sharedList } from '../ops/memo.ts'

/**
 * The row, with its lists of codes (reasons, risk flags) shared in memory between all rows with equal lists, since each
 * row was parsed from its own JSON text. The lists are frozen.
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
