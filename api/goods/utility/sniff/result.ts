import { z } from 'zod'
import { ScoreRow } from '../scoreRow.ts'

export const THRESHOLD = 50
export const MAX_OFFSETS = 16

/** UTF-16 offsets in the text as it was sent; end exclusive. */
const Offsets = z.object({ start: z.int().nonnegative(), end: z.int().nonnegative() })

export const Finding = z.object({
  family: z.string().describe('What kind of phrase: a name of the published list'),
  via: z.string().describe("'plain', or the encoding it was read through"),
  count: z.int().positive(),
  weight: z.number().describe('0–1, of the strongest of them'),
  offsets: z
    .array(Offsets)
    .max(MAX_OFFSETS)
    .describe('The first ones; through an encoding: of the encoded stretch'),
})
export type Finding = z.infer<typeof Finding>

/** What `sniff` answers. Counts, places and a score; never a piece of the text. */
export const Sniff = z.object({
  score: z.int().min(0).max(100),
  threshold: z.literal(THRESHOLD).describe('At and above it the published rates were measured'),
  flagged: z.boolean(),
  findings: z.array(Finding),
  hidden: z.object({ zeroWidth: z.int(), bidi: z.int(), tags: z.int(), lookalikes: z.int() }),
  safetyVerdict: z.literal(false),
  measured: z.array(ScoreRow),
})
export type Sniff = z.infer<typeof Sniff>
