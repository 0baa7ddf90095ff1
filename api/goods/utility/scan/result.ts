import { z } from 'zod'
import { KIND_NAMES } from '../pii/kinds.ts'
import { Counts } from '../pii/result.ts'
import { FAILURES } from './failures.ts'

const Line = z.int().positive()

/** What `scan` answers. Lines count from 1. Nothing of the sample is in it, and the sample is not stored. */
export const Scan = z.object({
  failureClass: z
    .string()
    .describe(
      `The first of these that the sample shows, those of a given area before the others: ${FAILURES.map(({ name }) => name).join(', ')}. Else 'unknown': something failed, of no known kind; or 'none'. More may come`,
    ),
  area: z.string().nullable(),
  retryable: z.boolean().nullable(),
  nextAction: z.string(),
  line: Line.nullable().describe('The first line that shows it'),
  alsoSeen: z.array(z.object({ failureClass: z.string(), count: z.int().positive(), line: Line })),
  sensitive: z.object({
    score: z.int().min(0).max(100),
    total: z.int().nonnegative(),
    counts: Counts,
    firstLine: z.partialRecord(z.enum(KIND_NAMES), Line),
  }),
  lines: z.int().nonnegative(),
  storedAsReport: z.literal(false),
})
export type Scan = z.infer<typeof Scan>
