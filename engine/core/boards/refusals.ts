import { roundTo } from '../../../ops/units.ts'
import { LOOK_ALIKES_MAX, type LookAlike, type RefusalsBoard } from '../../contract/refusals.ts'
import type { Refused } from '../pairing/pairer.ts'
import type { Reason } from '../pairing/verdict.ts'
import { topicInEvent } from '../topic.ts'
import { titleOfMarket } from './marketWords.ts'

/** Less than half of the words in common fools nobody. */
export const MIN_SIMILARITY = 0.5

/** Refused for what a venue does not say: no two questions that could be mistaken for each other. */
const NO_QUESTION: readonly Reason[] = ['placeholder', 'text_missing']

export const isLookAlike = ({ similarity, reasons }: Refused): boolean =>
  similarity >= MIN_SIMILARITY && !NO_QUESTION.includes(reasons[0]!)

/** Most alike first, those of one similarity by id; each market once. */
export function hardest(refused: readonly Refused[], max: number): Refused[] {
  const met = new Set<string>()
  const kept: Refused[] = []
  const ranked = refused.toSorted(
    (x, y) =>
      y.similarity - x.similarity ||
      (x.a.marketId === y.a.marketId ? 0 : x.a.marketId < y.a.marketId ? -1 : 1) ||
      (x.b.marketId < y.b.marketId ? -1 : 1),
  )
  for (const each of ranked) {
    const [a, b] = [`a:${each.a.marketId}`, `b:${each.b.marketId}`]
    if (met.has(a) || met.has(b)) continue
    met.add(a).add(b)
    if (kept.push(each) === max) break
  }
  return kept
}

export function refusalsBoard(
  refused: readonly Refused[],
  counts: Readonly<Record<string, number>>,
  pairs: number,
): RefusalsBoard {
  const sum = Object.values(counts).reduce((all, count) => all + count, 0)
  const lookAlikes = hardest(refused.filter(isLookAlike), LOOK_ALIKES_MAX).map(lookAlike)
  return { pairs, refused: sum, counts: { ...counts }, lookAlikes }
}

const lookAlike = ({ a, b, reasons, similarity }: Refused): LookAlike => ({
  a: shown(a),
  b: shown(b),
  category: a.category ?? b.category,
  reasons,
  similarity: roundTo(similarity, 2),
})

const shown = (market: Refused['a']) => ({
  marketId: market.marketId,
  title: market.venue === 'a' ? titleOfMarket(market) : topicInEvent(market),
  url: market.url,
})
