import { formatUsdc, MINUTE } from '../../ops/units.ts'
import type { Grant } from '../entitlements/grant.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import { newRedemption } from '../entitlements/redemption.ts'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE, problemBody } from '../http/respond.ts'
import { createIntentIds, taggedAmount } from './intentId.ts'
import type { Offer } from './terms.ts'

/** What every 402 of this service has in common. */
export type Terms = {
  publicUrl: string
  network: string
  asset: string
  payTo: string
  tokenName: string
  tokenVersion: string
  maxTimeoutSeconds: number
  mode: 'sandbox' | 'live'
  secret: Buffer
}

/** What is sold on one path. */
export type Priced = {
  path: string
  sku: string
  description: string
  priceMicroUsdc: bigint
  grant?: Grant
  creditMicroUsdc?: bigint
}

export const LEGACY_INTENT_MS = 15 * MINUTE

export function offerOf(priced: Priced, terms: Terms): Offer {
  return {
    scheme: 'exact',
    network: terms.network,
    amount: priced.priceMicroUsdc.toString(),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: terms.tokenName, version: terms.tokenVersion },
  }
}

/**
 * The 402 of one path. Everything but the legacy intent is the same for every caller and is serialised once
 * per reason; an unpaid call costs one MAC, no store and no chain. Where a token is sold each caller's offer differs.
 */
export function createChallenge(priced: Priced, terms: Terms) {
  const offer = offerOf(priced, terms)
  const intents = createIntentIds(terms.secret, priced.path)
  const ready = new Map<ProblemCode, { header: string; bodyHead: string }>()
  const make = (reason: ProblemCode, accepted: Offer) => {
    const required = {
      x402Version: 2,
      error: reason === 'payment_required' ? 'Payment required' : reason,
      resource: {
        url: `${terms.publicUrl}${priced.path}`,
        description: priced.description,
        mimeType: 'application/json',
        serviceName: 'Agent micro-data',
      },
      accepts: [accepted],
    }
    const body = { ...problemBody({ problem: reason }), ...required, sku: priced.sku, mode: terms.mode }
    return {
      header: Buffer.from(JSON.stringify(required)).toString('base64'),
      bodyHead: JSON.stringify(body).slice(0, -1),
    }
  }
  const forReason = (reason: ProblemCode) => {
    if (tokenKindOf(priced) !== null)
      return make(reason, { ...offer, extra: { ...offer.extra, redemption: newRedemption() } })
    let made = ready.get(reason)
    if (made === undefined) {
      made = make(reason, offer)
      ready.set(reason, made)
    }
    return made
  }

  /** @param extraHeaders e.g. PAYMENT-RESPONSE of a payment that failed on chain. */
  return (reason: ProblemCode, nowMs: number, extraHeaders: Reply['headers'] = []): Reply => {
    const { header, bodyHead } = forReason(reason)
    const amountMicroUsdc = taggedAmount(priced.priceMicroUsdc)
    const intentId = intents.issue({ issuedMs: nowMs, amountMicroUsdc })
    const payment = `{"intentId":"${intentId}","paymentRail":"usdc_base","payTo":"${terms.payTo}","amountUsdc":"${formatUsdc(amountMicroUsdc)}","amountAtomic":"${amountMicroUsdc}","asset":"${terms.asset}","network":"${terms.network}","expiresAtMs":${nowMs + LEGACY_INTENT_MS},"then":"send exactly this amount, then repeat the GET with X-PAYMENT: {intentId, txHash, paymentRail}"}`
    return {
      status: PROBLEMS[reason].status,
      headers: [
        ['content-type', 'application/json'],
        NO_STORE,
        ['payment-required', header],
        ...extraHeaders,
      ],
      body: `${bodyHead},"payment":${payment}}`,
    }
  }
}

export type Challenge = ReturnType<typeof createChallenge>
