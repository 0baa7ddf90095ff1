import { z } from 'zod'
import { defineGood } from '../good.ts'
import { AGENT_HEADER } from './agentHeader.ts'
import { sellCards, showCard } from './cards.ts'
import { NOT_FRESH_OR_ENOUGH } from './notEnough.ts'
import { BEST_FIRST, Card, Iso, PairProvenance } from './shapes.ts'

export const CARD_PACK_SIZE = 5

const Output = PairProvenance.extend({
  botFuel: z.object({
    schema: Card.shape.schema,
    cards: z.array(Card).length(CARD_PACK_SIZE),
    card: Card.describe('The first of them'),
    riskFlags: Card.shape.riskFlags,
    suggestedAction: Card.shape.suggestedAction,
  }),
  generatedAt: Iso,
})

/**
 * The five top gap cards, and the first of them again by itself (spec 2.2, 8); with fewer than five, a refusal and no
 * payment.
 */
export const botFuelPack = defineGood({
  sku: 'SKU_AG_BOT_FUEL_PACK_05',
  path: '/x402/v1/bot-fuel-pack',
  title: 'Five gap cards',
  description: `The five top gap cards (botFuel.v2), with the first one’s risk flags and suggested action. ${BEST_FIRST} With fewer than five nothing is charged.`,
  listPriceMicroUsdc: 890_000n,
  priceMicroUsdc: 890_000n,
  parameters: [],
  headers: AGENT_HEADER,
  input: z.object({}),
  delivers: 'botFuel {cards[5], card, riskFlags, suggestedAction}; schema botFuel.v2',
  output: Output,
  refusals: NOT_FRESH_OR_ENOUGH,
  answer: (_, ports) =>
    sellCards(CARD_PACK_SIZE, ports, (rows) => {
      const cards = rows.map(showCard)
      const card = cards[0]!
      return {
        schema: card.schema,
        cards,
        card,
        riskFlags: card.riskFlags,
        suggestedAction: card.suggestedAction,
      }
    }),
})
