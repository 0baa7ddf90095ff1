import { z } from 'zod'
import type { Sample } from '../free/samples.ts'

/** Until when a row may be shown, market clock: venue B's contract closes then; null: never, as far as it says. */
export const ClosesMs = z.object({ closesMs: z.int().nullable().default(null) })
type ClosesMs = z.infer<typeof ClosesMs>

/** A sample is minutes old when it is shown: what has closed since is left out (VEN-11). */
export const stillOpen = <Row extends ClosesMs>(
  sample: Sample<Row> | undefined,
  nowMs: number,
): Sample<Omit<Row, 'closesMs'>> | undefined =>
  sample && {
    ...sample,
    rows: sample.rows.flatMap(({ closesMs, ...row }) => (closesMs === null || closesMs > nowMs ? [row] : [])),
  }
