import { z } from 'zod'
import { boundedText, boundedWords } from '../boundedText.ts'
import type { Parameter } from '../good.ts'

export const MAX_Q_BYTES = 8 * 1024

/** Topic keywords of a buyer. */
const Q = boundedText(MAX_Q_BYTES)

export const OptionalTopic = z.object({ q: Q.optional() })
export const RequiredTopic = z.object({ q: boundedWords(MAX_Q_BYTES, 'is needed: topic keywords') })

/** What to search for; '' asks for the board's own top rows. */
export const topicOf = (q: string | undefined): string => q?.trim() ?? ''

/** @param without what is answered without q; null: q is required. */
export const qParameter = (without: string | null, example = 'fed rate'): Parameter => ({
  name: 'q',
  required: without === null,
  description: without === null ? 'Topic keywords' : `Topic keywords; omitted: ${without}`,
  example,
})
