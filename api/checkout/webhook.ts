import { isProblem } from '../errors.ts'
import { BodyTooLarge, type HttpRequest, type Reply } from '../http/exchange.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import type { CardEvent, CardSession, ReadCardEvent } from './provider.ts'
import { type RefreshPorts, refresh, strayOf, TOLD_AGAIN_S } from './refresh.ts'
import { isUndrawn } from './show.ts'

export const WEBHOOK_PATH = '/cardpay/webhook'
export const WEBHOOK_MAX_BYTES = 512 * 1024
/** What we call our checkouts at the provider; others may use the same account. */
const OURS = /^[0-9a-f]{64}$/

/**
 * Events of the card provider. A signed event only says where to look: the truth is fetched, so a forged, repeated,
 * late or out-of-order one changes nothing. Answers 2xx once that is done and the answer of a paid one is composed;
 * until then the provider sends it again.
 */
export const webhook = (read: ReadCardEvent, ports: RefreshPorts) =>
  async function receive(request: HttpRequest): Promise<Reply> {
    const signature = request.header('stripe-signature')
    const bytes = request.body(WEBHOOK_MAX_BYTES)
    let event: CardEvent | null
    try {
      event = read(await bytes, signature)
    } catch (error) {
      if (error instanceof BodyTooLarge)
        return problemReply({ problem: 'body_too_large', detail: `At most ${WEBHOOK_MAX_BYTES} bytes.` })
      throw error
    }
    if (event === null) return problemReply({ problem: 'webhook_refused' })
    if (await ports.cards.knowsEvent(event.id)) return taken(true)
    for (const session of await sessionsOf(event, ports)) {
      const checkout = await ports.cards.find(session.reference)
      if (checkout === null) {
        if (!OURS.test(session.reference)) continue // of somebody else on the same account
        const truth = await ports.provider.truth(session.sessionId)
        const kept = await strayOf({ ...session, sku: '' }, 'checkout_unknown', truth, ports)
        if (kept === 'full') return problemReply({ problem: 'busy', retryAfterS: TOLD_AGAIN_S })
        continue
      }
      const refreshed = await refresh(checkout, { gapMs: 0 }, ports)
      if (isProblem(refreshed)) return problemReply(refreshed)
      if (isUndrawn(refreshed)) return problemReply({ problem: 'busy', retryAfterS: TOLD_AGAIN_S })
    }
    await ports.cards.noteEvent(event.id)
    return taken(false)
  }

async function sessionsOf({ about }: CardEvent, { provider }: RefreshPorts): Promise<CardSession[]> {
  if (about === null) return []
  return 'reference' in about ? [about] : provider.sessionsOf(about.paymentId)
}

const taken = (duplicate: boolean): Reply => jsonReply(200, { ok: true, duplicate }, [NO_STORE])
