import { formatUsdc, MINUTE } from '../../ops/units.ts'
import { tokenKindOf } from '../entitlements/issue.ts'
import { newRedemption } from '../entitlements/redemption.ts'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE, problemBody } from '../http/respond.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import { createExtensions } from './extensions/index.ts'
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
  receiptKey: ReceiptKey
}

export const LEGACY_INTENT_MS = 15 * MINUTE

/** Where each caller's own secret goes, in a 402 that is made once. */
const REDEMPTION_PLACE = '<redemption>'

/** A 402 but for what is fresh in each: header, and body up to the legacy intent. */
type Made = { header: string; bodyHead: string }

export function offerOf(priced: Pick<Good<unknown>, 'priceMicroUsdc'>, terms: Terms): Offer {
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
 * per reason, until the offer is signed anew; an unpaid call costs one MAC, no store and no chain. Where a token is sold
 * each caller's offer differs.
 */
export function createChallenge(good: Good<unknown>, terms: Terms) {
  const offer = offerOf(good, terms)
  const intents = createIntentIds(terms.secret, good.path)
  const extensions = createExtensions(good, offer, { key: terms.receiptKey, publicUrl: terms.publicUrl })
  const isSecret = tokenKindOf(good) !== null
  const accepted = isSecret ? { ...offer, extra: { ...offer.extra, redemption: REDEMPTION_PLACE } } : offer
  const ready = new Map<ProblemCode, () => Made>()
  let readyWith = ''
  const prepare = (reason: ProblemCode, json: string): (() => Made) => {
    const required = {
      x402Version: 2,
      error: reason === 'payment_required' ? 'Payment required' : reason,
      resource: {
        url: `${terms.publicUrl}${good.path}`,
        description: good.description,
        mimeType: 'application/json',
        serviceName: 'Agent micro-data',
      },
      accepts: [accepted],
    }
    const body = { ...problemBody({ problem: reason }), ...required, sku: good.sku, mode: terms.mode }
    const extended = (value: object) => `${JSON.stringify(value).slice(0, -1)},"extensions":${json}`
    const header = ascii(`${extended(required)}}`).split(REDEMPTION_PLACE)
    const bodyHead = extended(body).split(REDEMPTION_PLACE)
    const madeWith = (redemption: string): Made => ({
      header: Buffer.from(header.join(redemption)).toString('base64'),
      bodyHead: bodyHead.join(redemption),
    })
    if (isSecret) return () => madeWith(newRedemption())
    const made = madeWith('')
    return () => made
  }
  const forReason = (reason: ProblemCode, nowMs: number): Made => {
    const json = extensions(nowMs)
    if (json !== readyWith) ready.clear()
    readyWith = json
    let make = ready.get(reason)
    if (make === undefined) {
      make = prepare(reason, json)
      ready.set(reason, make)
    }
    return make()
  }

  /** @param extraHeaders e.g. PAYMENT-RESPONSE of a payment that failed on chain. */
  return (reason: ProblemCode, nowMs: number, extraHeaders: Reply['headers'] = []): Reply => {
    const { header, bodyHead } = forReason(reason, nowMs)
    const amountMicroUsdc = taggedAmount(good.priceMicroUsdc)
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

/** Clients that read base64 as Latin-1 read this too. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export type Challenge = ReturnType<typeof createChallenge>
