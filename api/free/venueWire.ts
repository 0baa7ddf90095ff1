import { z } from 'zod'
import type { GapRow, GapsBoard } from '../../engine/contract/gaps.ts'
import { PreviewRow } from '../../engine/contract/preview.ts'
import { BPS_PER_DOLLAR, MINUTE } from '../../ops/units.ts'
import type { HeldBody } from '../placedRows.ts'
import { bandOf, byBand, GAP_BAND_CENTS, PRICE_BAND_CENTS } from './bands.ts'
import { type Sample, takenByMs, tickAt } from './samples.ts'

/** Spec 8: refreshed every 30 minutes. */
export const WIRE_EVERY_MS = 30 * MINUTE
export const WIRE_ROWS = 20

/** One gap of the wire: bands in words, no exact price, no size, no market id. */
export const WireRow = PreviewRow.extend({
  yesBandA: z.string().nullable(),
  yesBandB: z.string().nullable(), // B's own yes, also where it asks the opposite
  opposite: z.boolean().describe('A yes on B is a no on A: the gap is from A’s yes to B’s no'),
})
export type WireRow = z.infer<typeof WireRow>

export const wireRows = ({ rows }: Pick<HeldBody<GapsBoard>, 'rows'>): WireRow[] =>
  byBand(rows.slice(0, WIRE_ROWS).map(wireRow), ({ gapBand }) => gapBand)

export const wireRow = ({ topic, category, verdict, gapCents, a, b }: GapRow): WireRow => ({
  topic,
  category,
  gapBand: bandOf(gapCents, GAP_BAND_CENTS),
  edgeBand: null,
  yesBandA: priceBand(a.midBps),
  yesBandB: priceBand(b.midBps),
  opposite: verdict === 'inverted',
})

/** A mid may have half a basis point, which must not carry it over the line. */
const priceBand = (midBps: number | null) =>
  midBps === null ? null : bandOf((Math.floor(midBps) * 100) / BPS_PER_DOLLAR, PRICE_BAND_CENTS)

/**
 * The wire of this half hour, or of the last one while none could be taken; older ones are not shown.
 *
 * A missing wire is taken as soon as possible. Each half hour begins with a moment without one, which is exactly when a
 * caller who keeps to `nextAt` asks: such a caller must not get the old one and be sent away for another half hour.
 */
export function venueWire(samples: readonly Sample<WireRow>[], nowMs: number) {
  const tickMs = tickAt(nowMs, WIRE_EVERY_MS)
  const shown = samples.find(({ takenMs }) => takenMs >= tickMs - WIRE_EVERY_MS)
  const taken = shown !== undefined && shown.takenMs >= tickMs
  return {
    refreshedAt: shown === undefined ? null : new Date(shown.takenMs).toISOString(),
    nextAt: new Date(taken ? tickMs + WIRE_EVERY_MS : takenByMs(nowMs)).toISOString(),
    asOf: shown?.asOf ?? null,
    rows: shown?.rows ?? [],
  }
}
