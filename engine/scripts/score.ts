import { isPair, type Judgement } from '../core/pairing/verdict.ts'
import type { LabelledPair } from './labels.ts'

/** How verdicts compare with labels. Gray pairs, on which careful readers differ, are counted separately. */
export type Score = {
  sold: number //       judged identity or inverted, gray left out
  right: number //      of these, labelled so
  wrong: number //      of these, labelled `not`, or the other way round
  missed: number //     labelled same or inverted, not sold
  grayWrong: number //  gray `not` that would be sold: the expensive mistake
  grayRight: number
  grayMissed: number
}

export type Judged = { row: LabelledPair; judgement: Judgement }

export function countLabels(judged: readonly Judged[]): Score {
  const score: Score = { sold: 0, right: 0, wrong: 0, missed: 0, grayWrong: 0, grayRight: 0, grayMissed: 0 }
  for (const { row, judgement } of labelled(judged)) {
    const sold = isPair(judgement)
    const right = isRight(row, judgement)
    if (row.gray === true) {
      if (right) score.grayRight++
      else if (sold) score.grayWrong++
      else if (row.label !== 'not') score.grayMissed++
      continue
    }
    if (sold) score.sold++
    if (right) score.right++
    else if (sold) score.wrong++
    if (!right && row.label !== 'not') score.missed++
  }
  return score
}

/** What can be compared: rows that somebody has labelled. */
const labelled = (judged: readonly Judged[]): Judged[] => judged.filter(({ row }) => row.label != null)

export function precision({ right, sold }: Score): number {
  return sold === 0 ? 1 : right / sold
}

export function recall({ right, missed }: Score): number {
  return right + missed === 0 ? 1 : right / (right + missed)
}

/** The figures as text for people. */
export function scoreLabels(judged: readonly Judged[]): string {
  const score = countLabels(judged)
  const unlabelled = judged.length - labelled(judged).length
  return [
    `  precision ${share(score.right, score.sold)} sold)   recall ${share(score.right, score.right + score.missed)})`,
    `  gray: ${score.grayRight} right, ${score.grayMissed} missed, ${score.grayWrong} sold that are not`,
    `  missed by first reason: ${tally(judged) || 'none'}`,
    ...(unlabelled === 0 ? [] : [`  without a label: ${unlabelled}, not scored`]),
  ].join('\n')
}

/**
 * The mistakes that cost a buyer money first: pairs sold that are none. Then one missed pair for each reason, the most
 * frequent first.
 */
export function worstMistakes(judged: readonly Judged[]): string {
  const lines: string[] = []
  for (const mistake of labelled(judged))
    if (isPair(mistake.judgement) && !isRight(mistake.row, mistake.judgement))
      lines.push(`  sold wrongly: ${showJudged(mistake)}`)
  const missed = new Map<string, Judged[]>()
  for (const mistake of labelled(judged)) {
    if (mistake.row.label === 'not' || isPair(mistake.judgement)) continue
    const reason = mistake.judgement.reasons[0]!
    missed.set(reason, [...(missed.get(reason) ?? []), mistake])
  }
  for (const [reason, list] of [...missed].sort(([, x], [, y]) => y.length - x.length))
    lines.push(`  missed, ${reason}, ${list.length} like: ${showJudged(list[0]!)}`)
  return lines.length === 0 ? '  none' : lines.join('\n')
}

function showJudged({ row, judgement }: Judged): string {
  const outcome = row.b.yes_sub_title == null ? '' : ` (${row.b.yes_sub_title})`
  return `${row.pair_id}, labelled ${row.label}${row.gray === true ? ', gray' : ''}, judged ${judgement.verdict} [${judgement.reasons.join(' ')}] ${row.a.title} | ${row.b.title}${outcome}`
}

function isRight(row: LabelledPair, { verdict }: Judgement): boolean {
  return (
    (row.label === 'same' && verdict === 'identity') || (row.label === 'inverted' && verdict === 'inverted')
  )
}

function tally(judged: readonly Judged[]): string {
  const counts = new Map<string, number>()
  for (const { row, judgement } of labelled(judged))
    if (row.label !== 'not' && row.gray !== true && !isRight(row, judgement))
      counts.set(judgement.reasons[0]!, (counts.get(judgement.reasons[0]!) ?? 0) + 1)
  return [...counts]
    .sort(([, x], [, y]) => y - x)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ')
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`} (${part} of ${whole}`
}
