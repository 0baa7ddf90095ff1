import { z } from 'zod'
import type { Parameter } from '../good.ts'

export const MAX_Q_BYTES = 8 * 1024

/** Topic keywords of a buyer. Length is counted in bytes, as it travels. */
const Q = z
  .string()
  .refine((q) => Buffer.byteLength(q) <= MAX_Q_BYTES, `longer than ${MAX_Q_BYTES} bytes`)
  .meta({ maxLength: MAX_Q_BYTES }) //  for schemas, which cannot count bytes

export const OptionalTopic = z.object({ q: Q.optional() })
export const RequiredTopic = z.object({ q: Q.refine((q) => q.trim() !== '', 'is needed: topic keywords') })

/** What is searched for; '' asks for the board's own top. */
export const topicOf = (q: string | undefined): string => q?.trim() ?? ''

/** @param without what the answer is when q is left out; null: it cannot be. */
export const qParameter = (without: string | null, example = 'fed rate'): Parameter => ({
  name: 'q',
  required: without === null,
  description: without === null ? 'Topic keywords' : `Topic keywords; omitted: ${without}`,
  example,
})
