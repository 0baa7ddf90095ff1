import type { z } from 'zod'
import type { GapsBoard } from '../../engine/contract/gaps.ts'
import { byBand } from '../free/bands.ts'
import { WIRE_ROWS, WireRow, wireRow } from '../free/venueWire.ts'
import type { HeldBody } from '../placedRows.ts'
import { ClosesMs } from './stillOpen.ts'

/** A gap as it is sampled: what is shown of it, and until when. */
export const SampledGap = WireRow.extend(ClosesMs.shape)
export type SampledGap = z.infer<typeof SampledGap>

export const sampledGaps = ({ rows }: Pick<HeldBody<GapsBoard>, 'rows'>): SampledGap[] =>
  byBand(
    rows.slice(0, WIRE_ROWS).map((row) => ({ ...wireRow(row), closesMs: row.b.closeMs })),
    ({ gapBand }) => gapBand,
  )
