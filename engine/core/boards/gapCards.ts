import type { EdgeRow } from '../../contract/edges.ts'
import {
  GAP_AGE_STEP_MS,
  GAP_CARDS_MAX,
  type GapCard,
  type GapLife,
  type Unqualified,
} from '../../contract/gapCards.ts'
import type { Assessed } from './assess.ts'
import { byPair } from './byPair.ts'
import { edgeRow } from './edges.ts'
import { episodeIdOf } from './episodeRow.ts'
import type { Sketch } from './feedEvents.ts'
import { higherFirst } from './higherFirst.ts'
import { keepWhile, type While } from './keepWhile.ts'
import type { At } from './livePair.ts'
import { netCentsOf } from './nets.ts'
import type { Priced } from './priced.ts'
import { isSuspicious } from './riskFlags.ts'
import { suggestsTrade } from './suggestedAction.ts'
import { TopList } from './topList.ts'

/** What tells one card from another; the card itself is made where it is shown. */
export type CardSketch = Sketch & { assessed: Assessed }

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
  const { edgeCents, suggestedAction, riskFlags, net, depth } = assessed
  const { executable, direction } = net
  const { buyVenue, buyBps, sellBps } = direction
  return {
    pairId: net.pair.pairId,
    gapCents,
    netCents: netCentsOf(direction),
    edgeCents,
    buyVenue,
    buyBps,
    sellBps,
    bySize: depth?.bySize ?? null,
    executable,
    riskFlags,
    suggestedAction,
    life,
    assessed,
  }
}

export function gapCard({ assessed, ...sketch }: CardSketch, nowMs: number): GapCard {
  const { gapCents, life } = sketch
  return { ...edgeRow(assessed, nowMs), schema: 'botFuel.v2', cardId: cardIdOf(sketch), gapCents, life }
}

const cardIdOf = ({ pairId, life }: Pick<GapCard, 'pairId' | 'life'>): string =>
  episodeIdOf(pairId, life?.openedMs ?? 0)

/** What `gapCard` gives, with the life its gap has now; the same card again while all of it reads the same. */
export const createCards = (
  edgeOf: (assessed: Assessed, nowMs: number) => While<EdgeRow>,
  lifeOf: (pairId: string, nowMs: number) => GapLife | null,
) => {
  return keepWhile<CardSketch, { card: GapCard; edge: EdgeRow }>((sketch, nowMs, before) => {
    const { value: edge, untilMs } = edgeOf(sketch.assessed, nowMs)
    const { pairId, gapCents } = sketch
    const life = lifeOf(pairId, nowMs)
    const olderMs = life === null ? untilMs : Math.min(untilMs, life.openedMs + life.ageMs + GAP_AGE_STEP_MS)
    const isSame = before?.edge === edge && before.card.life?.ageMs === life?.ageMs
    const card: GapCard = isSame
      ? before.card
      : { ...edge, schema: 'botFuel.v2', cardId: cardIdOf(sketch), gapCents, life }
    return { value: { card, edge }, untilMs: olderMs }
  })
}

/** Best card first: suggested trades, then the larger edge, then the larger gap, then by pair. */
export const byRank = (x: Sketch, y: Sketch): number =>
  Number(suggestsTrade(y)) - Number(suggestsTrade(x)) ||
  higherFirst(x.edgeCents, y.edgeCents) ||
  higherFirst(x.gapCents, y.gapCents) ||
  byPair(x, y)

export const bestCards = () => new TopList<CardSketch>(GAP_CARDS_MAX, () => 0, byRank)
