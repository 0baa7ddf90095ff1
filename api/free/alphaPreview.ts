import type { EdgesBoard } from '../../engine/contract/edges.ts'
import type { PreviewRow } from '../../engine/contract/preview.ts'
import { MINUTE } from '../../ops/units.ts'
import { firstOf, type HeldBody } from '../placedRows.ts'
import { bandOf, byBand, GAP_BAND_CENTS } from './bands.ts'
import { type Sample, takenByMs } from './samples.ts'

/**
 * Nothing younger than this is shown. One sample is taken per such interval, so what is shown is one to two intervals
 * old.
 */
export const PREVIEW_DELAY_MS = 15 * MINUTE
export const PREVIEW_ROWS = 10

/** The best edges we do not advise against, in bands. */
export const previewRows = ({ rows }: Pick<HeldBody<EdgesBoard>, 'rows'>): PreviewRow[] =>
  byBand(
    firstOf(rows, PREVIEW_ROWS, ({ suggestedAction }) => suggestedAction !== 'avoid').map(
      ({ topic, category, gapCents, edgeCents }) => ({
        topic,
        category,
        gapBand: gapCents === null ? 'unknown' : bandOf(gapCents, GAP_BAND_CENTS),
        edgeBand: bandOf(edgeCents, GAP_BAND_CENTS),
      }),
    ),
    ({ edgeBand }) => edgeBand ?? '',
  )

/**
 * The newest sample that is old enough.
 * @param samples newest first.
 */
export function alphaPreview(samples: readonly Sample<PreviewRow>[], nowMs: number) {
  const isOld = ({ takenMs }: Sample<PreviewRow>) => nowMs - takenMs >= PREVIEW_DELAY_MS
  const shown = samples.find(isOld)
  const next = samples.findLast((sample) => !isOld(sample))
  return {
    delayMs: PREVIEW_DELAY_MS,
    refreshedAt: shown === undefined ? null : new Date(shown.takenMs).toISOString(),
    nextAt: new Date((next?.takenMs ?? takenByMs(nowMs)) + PREVIEW_DELAY_MS).toISOString(),
    asOf: shown?.asOf ?? null,
    rows: shown?.rows ?? [],
  }
}
