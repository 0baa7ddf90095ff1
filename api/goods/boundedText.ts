import { z } from 'zod'

/**
 * Text of at most this many bytes, as it travels. Published schemas cannot count bytes and state the bound as
 * maxLength.
 */
export const boundedText = (maxBytes: number) =>
  z
    .string()
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `longer than ${maxBytes} bytes`)
    .meta({ maxLength: maxBytes })

/** The same, and not blank, which published schemas state as a pattern. */
export const boundedWords = (maxBytes: number, blank: string) =>
  boundedText(maxBytes)
    .refine((text) => text.trim() !== '', blank)
    .meta({ maxLength: maxBytes, pattern: '\\S' })
