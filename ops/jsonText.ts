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
