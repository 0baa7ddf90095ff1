import { z } from 'zod'
import { boundedText } from '../../boundedText.ts'

const MAX_TEXT_BYTES = 8 * 1024

/** The input of a text read: `q`, required. */
export const TextQuery = z.object({
  q: boundedText(MAX_TEXT_BYTES).refine((q) => q.trim() !== '', 'is needed: the text to read'),
})
