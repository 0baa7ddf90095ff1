import { z } from 'zod'

/** The shapes query parameters come in. */
export const int = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback)
export const number = z.coerce.number().optional()
export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()
/** A list: repeated, or separated by commas. */
export const list = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(',')))
  .transform((parts) => parts.filter((part) => part !== ''))
  .optional()
export const text = z.string().optional()
export const instant = z
  .string()
  .transform((value) => Date.parse(value))
  .refine((ms) => Number.isFinite(ms), 'must be a date')
  .optional()

/** The first problem in one line. */
export const problem = (error: z.ZodError): string =>
  `${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}`
