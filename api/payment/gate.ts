import { guessesOf } from '../entitlements/guesses.ts'
import type { Problem } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import { type Handler, type HttpRequest, INSTRUMENTS, type Reply } from '../http/exchange.ts'
import { idempotencyKeyOf } from '../http/idempotencyKey.ts'
import { RATE_LIMITS } from '../http/limits.ts'
import { type Penalties, penaltiesOf } from '../http/penalties.ts'
import { problemReply } from '../http/respond.ts'
import { refuseTwice } from '../http/sentTwice.ts'
import { createChallenge, offerOf, type Terms } from './challenge.ts'
import { sellByCredit } from './credit.ts'
import type { Call } from './input.ts'
import { createIntentIds } from './intentId.ts'
import { type LegacyPorts, sellByTransfer } from './legacy.ts'
import { listingOf } from './listing.ts'
import { answerByPass, type PassPorts } from './pass.ts'
import { isV1, sellByV1 } from './payloadV1.ts'
import { unreadable } from './sale.ts'
import { createSameInstant } from './sameInstant.ts'
import { sellByX402 } from './x402.ts'

/** Headers that say whose money or whose question it is. */
const READ_ONCE = [
  'x-agent-id',
  'x-service-payload',
  'x-service-claim-code',
  'idempotency-key',
  'x-service-payer-signature',
] as const
/** Statuses that mark a payment that buys nothing. An unknown transaction (503) or intent (400) may be made up. */
const REFUSED: Readonly<Record<'authorization' | 'transfer', ReadonlySet<number>>> = {
  authorization: new Set([402, 403, 409, 410, 429]),
  transfer: new Set([400, 403, 409, 503]),
}
const refusalsOf = penaltiesOf(RATE_LIMITS.refused)
const AGENT_ID = /^[\x21-\x7e]{0,128}$/

/**
 * The order of admission on a paid path: no payment → 402, before anything else is looked at; then exactly one
 * instrument is read: hour pass, x402 payment, legacy transfer or store credit. Unpaid calls touch no store and finish
 * without a promise.
 */
export function createGate(good: Good<unknown>, terms: Terms, ports: LegacyPorts & PassPorts): Handler {
  const sold = {
    good,
    offer: offerOf(good, terms),
    challenge: createChallenge(good, terms, ports.intentClock),
    intents: createIntentIds(terms.secret, good.path, terms.payTo),
    sameInstant: createSameInstant(),
    listing: listingOf(good, `${terms.publicUrl}${good.path}`),
  }
  const guesses = guessesOf(ports.clock)
  const refusals = refusalsOf(ports.clock)
  return (request) => {
    const authorization = request.header('payment-signature')
    const transfer = request.header('x-payment')
    const pass = request.header('x-service-pass')
    const creditAuth = request.header('x-service-credit-auth')
    if (authorization === '' && transfer === '' && pass === '' && creditAuth === '') {
      const unlocked = request.header('x-service-claim-code') !== '' //  a code without the secret to spend it with
      return sold.challenge(unlocked ? 'credit_refused' : 'payment_required', ports.clock.nowMs())
    }
    const refusal = refuseRequest(request, good)
    if (refusal?.problem === 'two_payments') return unreadable(refusal, sold, ports.clock.nowMs())
    if (refusal !== null) return problemReply(refusal)
    if (creditAuth !== '') void request.address //  read now: a wrong secret counts even if its caller leaves
    const call = callOf(request, good, guesses)
    if (pass !== '' || (authorization === '' && transfer === '')) {
      const retryAfterS = call.secretWaitS()
      if (retryAfterS > 0) return problemReply({ problem: 'rate_limited', retryAfterS })
    }
    if (pass !== '') return answerByPass(pass, call, sold, ports)
    if (authorization === '' && transfer === '') return sellByCredit(call, sold, ports)
    return unlessRefusedOften(
      request.address,
      refusals,
      authorization !== '' || isV1(transfer) ? REFUSED.authorization : REFUSED.transfer,
      () => {
        if (authorization !== '') return sellByX402(authorization, call, sold, ports)
        return isV1(transfer)
          ? sellByV1(transfer, call, sold, ports)
          : sellByTransfer(transfer, call, sold, ports)
      },
    )
  }
}

/** Refuses all but a plain GET with one instrument, each of its headers once. */
function refuseRequest(request: HttpRequest, good: Good<unknown>): Problem | null {
  const isPlain = request.headerCount('transfer-encoding') === 0 && request.headerCount('content-length') < 2
  if (!isPlain || !/^0?$/.test(request.header('content-length')))
    return { problem: 'malformed_request', detail: 'A GET has no body.' }
  const instruments = INSTRUMENTS.reduce((count, name) => count + request.headerCount(name), 0)
  //  a buyer of credit may send the secret that locks it: that pays for nothing
  const binds = good.creditMicroUsdc !== undefined && request.headerCount('x-service-credit-auth') === 1
  if (instruments - (binds && instruments > 1 ? 1 : 0) > 1) return { problem: 'two_payments' }
  const twice = refuseTwice(request, READ_ONCE)
  if (twice !== null) return twice
  if (!AGENT_ID.test(request.header('x-agent-id')))
    return { problem: 'malformed_request', detail: 'x-agent-id: at most 128 visible ASCII characters.' }
  return null
}

/** To be called before the first await: the server frees the request then. */
const callOf = (request: HttpRequest, good: Good<unknown>, guesses: Penalties): Call => ({
  rawQuery: request.rawQuery,
  payload: good.payload === undefined ? '' : request.header('x-service-payload'),
  agentId: request.header('x-agent-id'),
  creditAuth: request.header('x-service-credit-auth'),
  claimCode: request.header('x-service-claim-code'),
  idempotencyKey: idempotencyKeyOf(request),
  payerSignature: request.header('x-service-payer-signature'),
  wrongSecret: () => guesses.count(request.address),
  secretWaitS: () => (guesses.isQuiet() ? 0 : guesses.waitS(request.address)),
})

/**
 * Sells unless this address was refused too often: a payment that buys nothing may still cost a chain look-up (RPL-18).
 */
async function unlessRefusedOften(
  address: string,
  refusals: Penalties,
  refused: ReadonlySet<number>,
  sell: () => Promise<Reply>,
): Promise<Reply> {
  const retryAfterS = refusals.isQuiet() ? 0 : refusals.waitS(address)
  if (retryAfterS > 0) return problemReply({ problem: 'rate_limited', retryAfterS })
  const reply = await sell()
  if (refused.has(reply.status)) refusals.count(address)
  return reply
}
