import type { GapCard } from '../../../engine/contract/gapCards.ts'
import { isProblem, type Problem } from '../../errors.ts'
import type { SoldCard } from '../../ledger/soldCard.ts'
import { firstOf } from '../../placedRows.ts'
import type { Draft, GoodPorts } from '../good.ts'
import { freshBoard } from './freshness.ts'
import { notEnough } from './notEnough.ts'
import { openNow } from './open.ts'
import { dollars, iso, showLegs, showMatch } from './show.ts'
import { showEdge } from './showEdge.ts'

/** The best `count` gap cards, or a refusal before payment: never fewer, never filled up (VEN-20). */
export function sellCards(
  count: number,
  ports: GoodPorts,
  show: (cards: GapCard[]) => Record<string, unknown>,
): Draft | Problem {
  const fresh = freshBoard('gapCards', ports)
  if (isProblem(fresh)) return fresh
  const { snapshot } = fresh.board
  const cards = firstOf(snapshot.body.cards, count, openNow(ports))
  if (cards.length < count) return notEnough('gap cards', count, cards.length)
  return {
    result: { botFuel: show(cards), generatedAt: iso(snapshot.publishedMs), ...fresh.provenance },
    snapshotVersion: snapshot.version,
    cards: cards.map((card) => soldCard(card, ports.marketClock.nowMs())),
  }
}

const soldCard = (
  { cardId, verdict, category, gapCents, edgeCents, suggestedAction, executable }: GapCard,
  marketMs: number,
): SoldCard => ({
  cardId,
  marketMs,
  verdict,
  category,
  gapCents,
  edgeCents,
  suggestedAction,
  executable,
})

/** One gap card, schema `botFuel.v2` (spec 2.2). */
export const showCard = (card: GapCard) => ({
  schema: card.schema,
  cardId: card.cardId,
  topic: card.topic,
  category: card.category,
  yesPriceA: dollars(card.a.midBps),
  yesPriceB: dollars(card.b.midBps),
  gapCents: card.gapCents,
  cheaperVenue: card.cheaperVenue,
  ...showEdge(card),
  ...showMatch(card),
  ...showLegs(card),
  riskFlags: card.riskFlags,
  suggestedAction: card.suggestedAction,
  life:
    card.life === null
      ? null
      : {
          openedAt: iso(card.life.openedMs),
          ageMs: card.life.ageMs,
          peakCents: card.life.peakCents,
          everExecutable: card.life.everExecutable,
        },
})
