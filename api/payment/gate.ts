import type { Good } from '../goods/good.ts'
import type { Handler } from '../http/exchange.ts'
import { problemReply } from '../http/respond.ts'
import { createChallenge, offerOf, type Terms } from './challenge.ts'
import { createIntentIds } from './intentId.ts'
import { type LegacyPorts, sellByTransfer } from './legacy.ts'
import { sellByX402 } from './x402.ts'

const MAX_AGENT_ID = /^[\x21-\x7e]{0,128}$/

/**
 * The order of admission on a paid path: no payment → 402, before anything else is looked at; then exactly
 * one instrument is read. Unpaid calls touch no store and finish without a promise.
 */
export function createGate(good: Good<unknown>, terms: Terms, ports: LegacyPorts): Handler {
  const sold = {
    good,
    offer: offerOf(good, terms),
    challenge: createChallenge(good, terms),
    intents: createIntentIds(terms.secret, good.path),
    url: `${terms.publicUrl}${good.path}`,
  }
  return (request) => {
    const authorization = request.header('payment-signature')
    const transfer = request.header('x-payment')
    if (authorization === '' && transfer === '')
      return sold.challenge('payment_required', ports.clock.nowMs())
    if (request.header('transfer-encoding') !== '' || !/^0?$/.test(request.header('content-length')))
      return problemReply({ problem: 'malformed_request', detail: 'A GET has no body.' })
    if (request.headerCount('payment-signature') + request.headerCount('x-payment') > 1)
      return problemReply({ problem: 'two_payments' })
    const agentId = request.header('x-agent-id')
    if (!MAX_AGENT_ID.test(agentId))
      return problemReply({
        problem: 'malformed_request',
        detail: 'x-agent-id: at most 128 visible ASCII characters.',
      })
    const { rawQuery } = request
    return authorization !== ''
      ? sellByX402(authorization, rawQuery, sold, ports)
      : sellByTransfer({ header: transfer, agentId, rawQuery }, sold, ports)
  }
}
