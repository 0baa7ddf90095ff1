import type { EdgeRow } from '../../contract/edges.ts'
import {
  GAP_CARDS_MAX,
  type GapCard,
  type GapCardsBoard,
  type GapLife,
  type Unqualified,
} from '../../contract/gapCards.ts'
import { episodeIdOf } from './episodeRow.ts'
import type { At } from './livePair.ts'
import type { Priced } from './priced.ts'
import { isSuspicious } from './riskFlags.ts'
import { suggestsTrade } from './suggestedAction.ts'

/** Why a pair makes no card; null when it does. In the order of UNQUALIFIED. */
export function refuseCard(priced: Priced, { fresh }: At): Unqualified | null {
  if (!priced.trading) return 'closed'
  if (!fresh.a || !fresh.b) return 'stale'
  if (priced.crossed) return 'crossed'
  if (priced.gapCents === null) return 'one_sided'
  if (priced.gapCents === 0) return 'no_gap'
  return isSuspicious(priced) ? 'large_gap_suspicious' : null
}

/** An edge row of a qualifying pair as a card. @param gapCents never null for those. */
export function gapCard(edge: EdgeRow, gapCents: number, life: GapLife | null): GapCard {
  const cardId = episodeIdOf(edge.pairId, life?.openedMs ?? 0)
  return { ...edge, schema: 'botFuel.v2', cardId, gapCents, life }
}

/** Best card first: suggested trades, then the larger edge, then the larger gap, then by pair. */
export function rankCards(cards: readonly GapCard[]): GapCard[] {
  const behind = (card: GapCard) => (suggestsTrade(card) ? 0 : 1)
  return [...cards].sort(
    (x, y) =>
      behind(x) - behind(y) ||
      y.edgeCents - x.edgeCents ||
      y.gapCents - x.gapCents ||
      (x.pairId < y.pairId ? -1 : 1),
  )
}

export function gapCardsBoard(ranked: readonly GapCard[], refused: readonly Unqualified[]): GapCardsBoard {
  const unqualified: Record<string, number> = {}
  for (const reason of refused) unqualified[reason] = (unqualified[reason] ?? 0) + 1
  return { cards: ranked.slice(0, GAP_CARDS_MAX), unqualified }
}
