import type { CardProvider } from '../../../api/checkout/provider.ts'
import { openStripe } from '../../../api/checkout/stripe.ts'
import { createCardLedger } from '../../../api/ledger/cards.ts'
import { someBookRow, someCard, someEdge, someGap, someMover, someNet } from '../../support/boards.ts'
import { startCards } from '../../support/cards.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'
import { cardsBody, gapsBody, moversBody, portsOver } from '../goods/support.ts'

export const BUYER = { buyer: 'buyer', address: '203.0.113.7' }
export const answers = {
  secret: Buffer.alloc(32, 7),
  publicUrl: 'http://127.0.0.1',
  mode: 'sandbox',
} as const

/** A ledger on disk, and a card provider on 127.0.0.1 that is called like the real one. */
export async function openTill() {
  const [server, till] = await Promise.all([startRedis({ appendfsync: 'always' }), startCards()])
  const opened = openLedger(server.url)
  const provider: CardProvider = openStripe({
    MODE: 'sandbox',
    STRIPE_API_URL: till.url,
    STRIPE_SECRET_KEY_FILE: till.env.STRIPE_SECRET_KEY_FILE!,
    STRIPE_WEBHOOK_SECRET_FILE: till.env.STRIPE_WEBHOOK_SECRET_FILE!,
  })!
  return {
    opened,
    cards: createCardLedger(opened.redis),
    till,
    provider,
    close: async () => {
      opened.close()
      await Promise.all([server.stop(), till.stop()])
    },
  }
}
export type Till = Awaited<ReturnType<typeof openTill>>

/** Every board, with a gap of this many cents. */
export const boards = (gapCents: number, change = {}) =>
  portsOver(
    {
      gaps: gapsBody([someGap({ gapCents })]),
      nets: { rows: [someNet()] },
      edges: { rows: [someEdge()] },
      movers: moversBody({ day: [someMover()] }),
      book: { a: [someBookRow()], b: [] },
      gapCards: cardsBody([someCard()]),
    },
    change,
  )
