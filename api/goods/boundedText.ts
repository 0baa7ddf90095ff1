import { z } from 'zod'

/** Text of at most so many bytes, as it travels. Published schemas cannot count bytes and state the bound as maxLength. */
export const boundedText = (maxBytes: number) =>
  z
    .string()
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `longer than ${maxBytes} bytes`)
    .meta({ maxLength: maxBytes })
