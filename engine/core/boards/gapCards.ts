import {
  GAP_CARDS_MAX,
  type GapCard,
  type GapCardsBoard,
  type GapLife,
  type Unqualified,
} from '../../contract/gapCards.ts'
import type { Assessed } from './assess.ts'
import { edgeRow } from './edges.ts'
import { episodeIdOf } from './episodeRow.ts'
import type { At } from './livePair.ts'
import type { Priced } from './priced.ts'
import { isSuspicious } from './riskFlags.ts'
import { suggestsTrade } from './suggestedAction.ts'

/** What tells one card from another; the card itself is made where it is shown. */
export type CardSketch = Pick<
  GapCard,
  'pairId' | 'cardId' | 'gapCents' | 'edgeCents' | 'executable' | 'suggestedAction' | 'life'
> & {
  assessed: Assessed
}

/** Why a pair makes no card; null when it does. In the order of UNQUALIFIED. */
export function refuseCard(priced: Priced, { fresh }: At): Unqualified | null {
  if (!priced.trading) return 'closed'
  if (!fresh.a || !fresh.b) return 'stale'
  if (priced.crossed) return 'crossed'
  if (priced.gapCents === null) return 'one_sided'
  if (priced.gapCents === 0) return 'no_gap'
  return isSuspicious(priced) ? 'large_gap_suspicious' : null
}

/** @param gapCents of a qualifying pair, so never null. */
export function sketchCard(assessed: Assessed, gapCents: number, life: GapLife | null): CardSketch {
  const { edgeCents, suggestedAction, net } = assessed
  const { pairId, executable } = net
  const cardId = episodeIdOf(pairId, life?.openedMs ?? 0)
  return { pairId, cardId, gapCents, edgeCents, executable, suggestedAction, life, assessed }
}

export function gapCard({ assessed, cardId, gapCents, life }: CardSketch, nowMs: number): GapCard {
  return { ...edgeRow(assessed, nowMs), schema: 'botFuel.v2', cardId, gapCents, life }
}

/** Best card first: suggested trades, then the larger edge, then the larger gap, then by pair. */
export function rankCards<Card extends Omit<CardSketch, 'assessed'>>(cards: readonly Card[]): Card[] {
  const behind = (card: Card) => (suggestsTrade(card) ? 0 : 1)
  return [...cards].sort(
    (x, y) =>
      behind(x) - behind(y) ||
      y.edgeCents - x.edgeCents ||
      y.gapCents - x.gapCents ||
      (x.pairId < y.pairId ? -1 : 1),
  )
}

export function gapCardsBoard(
  ranked: readonly CardSketch[],
  refused: Readonly<Record<string, number>>,
  nowMs: number,
): GapCardsBoard {
  const cards = ranked.slice(0, GAP_CARDS_MAX).map((sketch) => gapCard(sketch, nowMs))
  return { cards, unqualified: { ...refused } }
}
