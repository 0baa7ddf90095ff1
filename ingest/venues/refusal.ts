import type { z } from 'zod'
import type { Drop } from './drop.ts'

/** Which word a wire schema's refusal is counted under: that of the first field that failed. */
export function dropOf(error: z.ZodError, words: Readonly<Record<string, Drop>>): Drop {
  const field = error.issues[0]?.path[0]
  return (typeof field === 'string' && words[field]) || 'bad_row'
}
