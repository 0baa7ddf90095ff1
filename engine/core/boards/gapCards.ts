import type { EdgeRow } from '../../contract/edges.ts'
import {
  GAP_CARDS_MAX,
  type GapCard,
  type GapLife,
  gapAge,
  type Unqualified,
} from '../../contract/gapCards.ts'
import type { Assessed } from './assess.ts'
import { byPair } from './byPair.ts'
import { episodeIdOf } from './episodeRow.ts'
import type { Sketch } from './feedEvents.ts'
import { higherFirst } from './higherFirst.ts'
import { type Keeper, keepWhile, type While } from './keepWhile.ts'
import type { At } from './livePair.ts'
import { netCentsOf } from './nets.ts'
import type { Priced } from './priced.ts'
import { isSuspicious } from './riskFlags.ts'
import { suggestsTrade } from './suggestedAction.ts'
import { TopList } from './topList.ts'

/** A card, and the edge row it was made of. */
type Shown = { card: GapCard; edge: EdgeRow }

/**
 * What distinguishes one card from another, read from what was assessed of its pair; the card itself is made where it
 * is shown.
 */
export class CardSketch implements Sketch, Keeper<Shown> {
  readonly assessed: Assessed
  readonly life: Sketch['life']
  kept: While<Shown> | null = null

  /** @param assessed of a pair that qualifies for a card. */
  constructor(assessed: Assessed, life: Sketch['life']) {
    this.assessed = assessed
    this.life = life
  }

  get pairId(): string {
    return this.assessed.net.pair.pairId
  }

  get verdict(): Sketch['verdict'] {
    return this.assessed.net.pair.verdict
  }

  get gapCents(): number {
    return this.assessed.net.gapCents! //  a pair without one does not qualify
  }

  get netCents(): number {
    return netCentsOf(this.assessed.net.direction)
  }

  get edgeCents(): number {
    return this.assessed.edgeCents
  }

  get buyVenue(): Sketch['buyVenue'] {
    return this.assessed.net.direction.buyVenue
  }

  get buyBps(): number {
    return this.assessed.net.direction.buyBps
  }

  get sellBps(): number {
    return this.assessed.net.direction.sellBps
  }

  get bySize(): Sketch['bySize'] {
    return this.assessed.depth?.bySize ?? null
  }

  get executable(): boolean {
    return this.assessed.net.executable
  }

  get riskFlags(): Sketch['riskFlags'] {
    return this.assessed.riskFlags
  }

  get suggestedAction(): Sketch['suggestedAction'] {
    return this.assessed.suggestedAction
  }
}

/** Why a pair gets no card; null when it gets one. Checked in the order of UNQUALIFIED. */
export function refuseCard(priced: Priced, { fresh }: At): Unqualified | null {
  if (!priced.trading) return 'closed'
  if (!fresh.a || !fresh.b) return 'stale'
  if (priced.crossed) return 'crossed'
  if (priced.gapCents === null) return 'one_sided'
  if (priced.gapCents === 0) return 'no_gap'
  return isSuspicious(priced) ? 'large_gap_suspicious' : null
}

/**
 * The card of a sketch, with the current life of its gap; returns the same card object while all of it reads the same.
 */
export const createCards = (
  edgeOf: (assessed: Assessed, nowMs: number) => While<EdgeRow>,
  lifeOf: (pairId: string, nowMs: number) => GapLife | null,
) => {
  return keepWhile((sketch: CardSketch, nowMs, before: Shown | undefined) => {
    const { value: edge, untilMs } = edgeOf(sketch.assessed, nowMs)
    const { pairId, gapCents } = sketch
    const life = lifeOf(pairId, nowMs)
    const olderMs = life === null ? untilMs : Math.min(untilMs, life.openedMs + gapAge(life.ageMs).nextMs)
    const isSame = before?.edge === edge && before.card.life?.ageMs === life?.ageMs
    const card: GapCard = isSame
      ? before.card
      : { ...edge, schema: 'botFuel.v2', cardId: episodeIdOf(pairId, life?.openedMs ?? 0), gapCents, life }
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
