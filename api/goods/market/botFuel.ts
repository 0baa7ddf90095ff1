import { z } from 'zod'
import type { GapCard } from '../../../engine/contract/gapCards.ts'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from './agentHeader.ts'
import { sellCards, showCard } from './cards.ts'
import { NOT_FRESH_OR_ENOUGH } from './notEnough.ts'
import { BEST_FIRST, Card, CheaperVenue, Edge, GapCents, Iso, PairProvenance } from './shapes.ts'
import { showEdge } from './showEdge.ts'

const Output = PairProvenance.extend({
  botFuel: Card.extend({
    gap: z.object({ gapCents: GapCents, cheaperVenue: CheaperVenue }),
    edge: Edge,
  }),
  generatedAt: Iso,
})

/** The top gap card: what to buy and sell, or why to leave it alone. */
export const botFuel = defineGood({
  sku: 'SKU_AG_BOT_FUEL_01',
  path: '/x402/v1/bot-fuel',
  title: 'Gap card',
  description: `The top gap card (botFuel.v2): topic, both yes prices, gap, fee-adjusted net edge by size, buy and sell venue, suggested action and risk flags. ${BEST_FIRST}`,
  listPriceMicroUsdc: 250_000n,
  priceMicroUsdc: 250_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'botFuel {gap, edge, riskFlags, suggestedAction}, generatedAt; schema botFuel.v2',
  output: Output,
  refusals: NOT_FRESH_OR_ENOUGH,
  answer: (_, ports) => sellCards(1, ports, ([card]) => botFuelOf(card!)),
})

const botFuelOf = (card: GapCard) => ({
  gap: { gapCents: card.gapCents, cheaperVenue: card.cheaperVenue },
  edge: showEdge(card),
  ...showCard(card),
})
