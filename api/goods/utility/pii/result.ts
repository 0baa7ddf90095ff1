import { z } from 'zod'
import { ScoreRow } from '../scoreRow.ts'
import { KIND_NAMES } from './kinds.ts'

/** How many of each kind; every kind is named, 0 included. */
export const Counts = z.record(z.enum(KIND_NAMES), z.int().nonnegative())
export type Counts = z.infer<typeof Counts>

/** What `pii` answers: a score and counts. Never the text found, nor its position. */
export const Pii = z.object({
  score: z.int().min(0).max(100),
  total: z.int().nonnegative(),
  counts: Counts,
  redacted: z.literal(false),
  measured: z.array(ScoreRow),
})
export type Pii = z.infer<typeof Pii>
