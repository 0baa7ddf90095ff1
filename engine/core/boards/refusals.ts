import { roundTo } from '../../../ops/units.ts'
import { LOOK_ALIKES_MAX, type LookAlike, type RefusalsBoard } from '../../contract/refusals.ts'
import type { Refused } from '../pairing/pairer.ts'
import type { Reason } from '../pairing/verdict.ts'
import { inOrder } from './inOrder.ts'
import { titleOfMarket } from './marketWords.ts'

/** Markets with less than half of their words in common are not mistaken for each other. */
const MIN_SIMILARITY = 0.5

/**
 * Reasons that only say that a venue left something out: such markets are not two questions that could be mistaken for
 * each other.
 */
const NO_QUESTION: readonly Reason[] = ['placeholder', 'text_missing']

export const isLookAlike = ({ similarity, reasons }: Refused): boolean =>
  similarity >= MIN_SIMILARITY && !NO_QUESTION.includes(reasons[0]!)

/**
 * The outcomes of two events are mostly refused for one reason, and so is a kind of event every year: a few of them
 * show all there is to see.
 */
const SHARE_OF_REASON = 1 / 4

/** Most alike first, those of one similarity by id; each market once, two events once, and no reason more often than its share. */
export function hardest(refused: readonly Refused[], max: number): Refused[] {
  const met = new Set<string>()
  const kept: Refused[] = []
  const ranked = refused.toSorted(
    (x, y) =>
      y.similarity - x.similarity ||
      inOrder(x.a.marketId, y.a.marketId) ||
      inOrder(x.b.marketId, y.b.marketId),
  )
  const ofReason = new Map<Reason, number>()
  for (const each of ranked) {
    const { a, b, reasons } = each
    const names = [`a:${a.marketId}`, `b:${b.marketId}`, `${a.eventId} ${b.eventId}`]
    const count = ofReason.get(reasons[0]!) ?? 0
    if (names.some((name) => met.has(name)) || count >= max * SHARE_OF_REASON) continue
    for (const name of names) met.add(name)
    ofReason.set(reasons[0]!, count + 1)
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
  title: titleOfMarket(market),
  url: market.url,
})
