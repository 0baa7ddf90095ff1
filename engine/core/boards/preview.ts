import { MINUTE } from '../../../ops/units.ts'
import type { GapCard } from '../../contract/gapCards.ts'
import type { AlphaPreview, PreviewRow, VenueWire } from '../../contract/preview.ts'

/*
 * What is free must not be what is paid (VEN-17). Two barriers:
 * a band in words. A paid figure is a number of hundredths of a cent; a band names five hundred of them and
 *   asserts none, so it cannot equal one, not at its making and not while prices move on. A rounded number
 *   could: 5 is 5.00 as soon as the gap is 5.00, and changing it then would tell so.
 * a delay. When a difference crosses from one band to the next its exact value is known to be at the border. Alpha
 *   rows show cards of PREVIEW_DELAY_MS ago; the wire looks once in half an hour and no crossing is seen.
 * Rows are ordered by band and topic, so the order tells nothing more either.
 */

export const BAND_CENTS = 5
export const PREVIEW_DELAY_MS = 15 * MINUTE
export const PREVIEW_EVERY_MS = 1 * MINUTE
export const PREVIEW_ROWS = 10
export const WIRE_EVERY_MS = 30 * MINUTE
export const WIRE_ROWS = 20

//  Samples between two instants a delay apart, the one that is shown, and one that is being replaced.
const MAX_SAMPLES = PREVIEW_DELAY_MS / PREVIEW_EVERY_MS + 2

type Sample = { atMs: number; rows: PreviewRow[] }

/** Looks at the cards, oldest first. Plain data, never changed in place. */
export type PreviewSamples = readonly Sample[]

/** `5 to 10 cents` holds 5.00 and not 10.00. */
export function bandOf(cents: number): string {
  //  hundredths: the figure is exact there, its binary neighbour may lie below the border
  const from = Math.floor(Math.round(cents * 100) / (BAND_CENTS * 100)) * BAND_CENTS
  return `${from} to ${from + BAND_CENTS} cents`
}

/** Looks at the cards when the last look is a minute old; to be called with fresh data only. Looks from the future (the clock went back) are dropped. */
export function takeSample(
  samples: PreviewSamples,
  nowMs: number,
  cards: readonly GapCard[],
): PreviewSamples {
  const past = samples.filter(({ atMs }) => atMs <= nowMs)
  const last = past.at(-1)
  if (last !== undefined && nowMs - last.atMs < PREVIEW_EVERY_MS)
    return past.length === samples.length ? samples : past
  const rows = cards
    .slice(0, PREVIEW_ROWS)
    .map((card) => ({ ...wireRow(card), edgeBand: bandOf(card.edgeCents) }))
  return [...past, { atMs: nowMs, rows: inOrder(rows) }].slice(-MAX_SAMPLES)
}

/** The newest look that is old enough. */
export function alphaPreview(samples: PreviewSamples, nowMs: number): AlphaPreview {
  const shown = samples.findLast(({ atMs }) => nowMs - atMs >= PREVIEW_DELAY_MS)
  const next = samples.find(({ atMs }) => nowMs - atMs < PREVIEW_DELAY_MS)
  return {
    rows: shown?.rows ?? [],
    delayMs: PREVIEW_DELAY_MS,
    asOfMs: shown?.atMs ?? null,
    nextMs: (next?.atMs ?? nowMs) + PREVIEW_DELAY_MS,
  }
}

/** The wire of this half hour: made once from the best cards, then the same until the next. An empty one is made again. */
export function venueWire(before: VenueWire | null, nowMs: number, cards: readonly GapCard[]): VenueWire {
  const nextMs = (Math.floor(nowMs / WIRE_EVERY_MS) + 1) * WIRE_EVERY_MS
  if (before !== null && before.nextMs === nextMs && before.rows.length > 0) return before
  return { rows: inOrder(cards.slice(0, WIRE_ROWS).map(wireRow)), asOfMs: nowMs, nextMs }
}

const wireRow = ({ topic, category, gapCents }: GapCard): PreviewRow => ({
  ...{ topic, category, gapBand: bandOf(gapCents), edgeBand: null },
})

function inOrder(rows: PreviewRow[]): PreviewRow[] {
  const low = ({ gapBand }: PreviewRow) => Number.parseInt(gapBand, 10)
  return rows.sort((x, y) => low(y) - low(x) || (x.topic < y.topic ? -1 : x.topic > y.topic ? 1 : 0))
}
