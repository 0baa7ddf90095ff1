import { z } from 'zod'
import { boundedWords } from '../../boundedText.ts'

const MAX_TEXT_BYTES = 8 * 1024

/** The input of a text read: `q`, required. */
export const TextQuery = z.object({
  q: boundedWords(MAX_TEXT_BYTES, 'is needed: the text to read'),
})
