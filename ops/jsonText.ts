import { z } from 'zod'

/** A text that holds JSON: what is none is an issue of its schema like any other, and no exception. */
export const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'no JSON' })
    return z.NEVER
  }
})

/** The value of a text; null where it is no JSON, for readers to whom that and the value null are the same: neither fits. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
