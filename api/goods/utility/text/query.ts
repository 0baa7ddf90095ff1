import { z } from 'zod'

export const MAX_TEXT_BYTES = 8 * 1024

/** Text to be read as `q`, required. Length is counted in bytes, as it travels. */
export const TextQuery = z.object({
  q: z
    .string()
    .refine((q) => Buffer.byteLength(q) <= MAX_TEXT_BYTES, `longer than ${MAX_TEXT_BYTES} bytes`)
    .refine((q) => q.trim() !== '', 'is needed: the text to read')
    .meta({ maxLength: MAX_TEXT_BYTES }), //  for schemas, which cannot count bytes
})
