import { z } from 'zod'
import type { GapsBoard } from '../../engine/contract/gaps.ts'
import { byBand } from '../free/bands.ts'
import type { Sample } from '../free/samples.ts'
import { WIRE_ROWS, WireRow, wireRow } from '../free/venueWire.ts'

/** A gap as it is sampled: what is shown of it, and until when. `closesMs`: of venue B's contract; null: never, as far as it says. */
export const SampledGap = WireRow.extend({ closesMs: z.int().nullable().default(null) })
export type SampledGap = z.infer<typeof SampledGap>

export const sampledGaps = ({ rows }: Pick<GapsBoard, 'rows'>): SampledGap[] =>
  byBand(
    rows.slice(0, WIRE_ROWS).map((row) => ({ ...wireRow(row), closesMs: row.b.closeMs })),
    ({ gapBand }) => gapBand,
  )

/** A sample is minutes old when it is shown: contracts that have closed since are no gap any more (VEN-11). */
export const stillOpen = (
  sample: Sample<SampledGap> | undefined,
  nowMs: number,
): Sample<WireRow> | undefined =>
  sample && {
    ...sample,
    rows: sample.rows.flatMap(({ closesMs, ...row }) => (closesMs === null || closesMs > nowMs ? [row] : [])),
  }
