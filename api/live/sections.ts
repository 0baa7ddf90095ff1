import { GAP_CARDS_MAX, type GapCardsBoard } from '../../engine/contract/gapCards.ts'
import type { GapsBoard } from '../../engine/contract/gaps.ts'
import type { LookAlike, RefusalsBoard } from '../../engine/contract/refusals.ts'
import { MINUTE } from '../../ops/units.ts'
import type { Sample } from '../free/samples.ts'
import type { HeldBody } from '../placedRows.ts'
import type { Counted, LiveBoard } from './liveBoard.ts'
import { plainText, safeUrl } from './plainText.ts'
import { refusedWords, unqualifiedWords } from './reasonWords.ts'

/** A sample is shown when it is this old. Market clock. */
export const SAMPLE_DELAY_MS = 5 * MINUTE
/** How late the board is, for the interface description. */
export const SAMPLE_RULE = `Its gaps, swings and feed events are shown at least ${SAMPLE_DELAY_MS / MINUTE} minutes late, each with its instant; ages and counts are current. Only the first gaps and swings after a start, or after a time without data, are shown at once: all of them are bands.`
export const REASONS_MAX = 12
export const LOOK_ALIKES_SHOWN = 8

/**
 * The newest sample that is old enough. While there is none, because the service has just begun, the oldest there is,
 * and that one stays until it is old enough: it is bands all the same, as the free wire shows at once.
 * @param samples newest first.
 */
export const shownSample = <Row>(samples: readonly Sample<Row>[], nowMs: number): Sample<Row> | undefined =>
  samples.find(({ takenMs }) => nowMs - takenMs >= SAMPLE_DELAY_MS) ?? samples.at(-1)

export function shownRows<Row extends { topic: string }>(
  sample: Sample<Row> | undefined,
): { takenAt: string | null; rows: Row[] } {
  return {
    takenAt: sample === undefined ? null : new Date(sample.takenMs).toISOString(),
    rows: (sample?.rows ?? []).map((row) => ({ ...row, topic: plainText(row.topic) })),
  }
}

export const counts = (
  gaps: HeldBody<GapsBoard> | undefined,
  cards: HeldBody<GapCardsBoard> | undefined,
): LiveBoard['counts'] => ({
  pairs: gaps?.pairs ?? 0,
  quoted: gaps?.rows.length ?? 0,
  openGaps: [...(cards?.cards ?? [])].filter(({ life }) => life !== null).length,
  cards: cards?.cards.length ?? 0,
  cardsCut: (cards?.cards.length ?? 0) >= GAP_CARDS_MAX,
  refused: sum(gaps?.refused ?? {}),
})

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

export const refused = (
  gaps: HeldBody<GapsBoard> | undefined,
  cards: HeldBody<GapCardsBoard> | undefined,
  refusals: HeldBody<RefusalsBoard> | undefined,
): LiveBoard['refused'] => ({
  pairs: counted(gaps?.refused ?? {}, refusedWords),
  cards: counted(cards?.unqualified ?? {}, unqualifiedWords),
  lookAlikes: varied(refusals?.lookAlikes ?? []).map(({ a, b, reasons }) => ({
    a: { title: plainText(a.title), url: safeUrl(a.url) },
    b: { title: plainText(b.title), url: safeUrl(b.url) },
    why: reasons.slice(0, 3).map(refusedWords),
  })),
})

/** Those to show: the first of each reason, then the second of each, and so on. */
function varied(lookAlikes: Iterable<LookAlike>): LookAlike[] {
  const ofReason = new Map<string, number>()
  return [...lookAlikes]
    .map((each) => {
      const nth = ofReason.get(each.reasons[0]!) ?? 0
      ofReason.set(each.reasons[0]!, nth + 1)
      return { each, nth }
    })
    .sort((x, y) => x.nth - y.nth)
    .slice(0, LOOK_ALIKES_SHOWN)
    .map(({ each }) => each)
}

/** Most frequent first; what is beyond REASONS_MAX is one line. */
function counted(counts: Readonly<Record<string, number>>, words: (code: string) => string): Counted[] {
  const all = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([x, m], [y, n]) => n - m || (x < y ? -1 : 1))
    .map(([code, count]) => ({ code, words: words(code), count }))
  const [shown, others] = [all.slice(0, REASONS_MAX), all.slice(REASONS_MAX)]
  if (others.length === 0) return shown
  const rest = others.reduce((total, { count }) => total + count, 0)
  return [...shown, { code: 'other', words: `${others.length} other reasons`, count: rest }]
}
