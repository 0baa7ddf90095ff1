import { formatUsdc, MINUTE } from '../../ops/units.ts'
import { newRedemption, type Redemption } from '../entitlements/redemption.ts'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE, problemBody } from '../http/respond.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import { createExtensions } from './extensions/index.ts'
import { createIntentIds, taggedAmount } from './intentId.ts'
import { listingOf } from './listing.ts'
import { requiredV1 } from './requiredV1.ts'
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

/** A 402 but for what is fresh in each: the redemption secret, and in the body the legacy intent. */
type Made = { header(secret: Redemption): string; bodyHead(secret: Redemption): string }

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
 * The 402 of one path: the offer of version 2 in the header, that of version 1 in the body, which only its clients read.
 * Where a token is sold, which version 1 cannot buy, the body says what the header says. Everything but the caller's
 * redemption secret and legacy intent is serialised once per reason, until the offer is signed anew; an unpaid call costs one MAC,
 * no store and no chain.
 */
export function createChallenge(good: Good<unknown>, terms: Terms) {
  const offer = offerOf(good, terms)
  const intents = createIntentIds(terms.secret, good.path)
  const extensions = createExtensions(good, offer, { key: terms.receiptKey, publicUrl: terms.publicUrl })
  const { resource } = listingOf(good, `${terms.publicUrl}${good.path}`)
  const accepted = { ...offer, extra: { ...offer.extra, redemption: REDEMPTION_PLACE } }
  const ready = new Map<ProblemCode, Made>()
  let readyWith = ''
  const prepare = (reason: ProblemCode, json: string): Made => {
    const error = reason === 'payment_required' ? 'Payment required' : reason
    const required = { x402Version: 2, error, resource, accepts: [accepted] }
    const extended = (value: object) => `${JSON.stringify(value).slice(0, -1)},"extensions":${json}`
    const v1 = requiredV1(good, offer, { error, resource })
    const words = { ...problemBody({ problem: reason }), sku: good.sku, mode: terms.mode }
    const bodyHead =
      v1 === null ? extended({ ...words, ...required }) : JSON.stringify({ ...words, ...v1 }).slice(0, -1)
    const parts = bodyHead.split(REDEMPTION_PLACE)
    return {
      header: encodedAround(ascii(`${extended(required)}}`)),
      bodyHead: parts.length === 1 ? () => bodyHead : ({ text }) => parts.join(text),
    }
  }
  const forReason = (reason: ProblemCode, nowMs: number): Made => {
    const json = extensions(nowMs)
    if (json !== readyWith) ready.clear()
    readyWith = json
    let made = ready.get(reason)
    if (made === undefined) {
      made = prepare(reason, json)
      ready.set(reason, made)
    }
    return made
  }

  /** @param extraHeaders e.g. PAYMENT-RESPONSE of a payment that failed on chain. */
  return (reason: ProblemCode, nowMs: number, extraHeaders: Reply['headers'] = []): Reply => {
    const { header, bodyHead } = forReason(reason, nowMs)
    const secret = newRedemption()
    const amountMicroUsdc = taggedAmount(good.priceMicroUsdc)
    const intentId = intents.issue({ issuedMs: nowMs, amountMicroUsdc })
    const payment = `{"intentId":"${intentId}","paymentRail":"usdc_base","payTo":"${terms.payTo}","amountUsdc":"${formatUsdc(amountMicroUsdc)}","amountAtomic":"${amountMicroUsdc}","asset":"${terms.asset}","network":"${terms.network}","expiresAtMs":${nowMs + LEGACY_INTENT_MS},"then":"send exactly this amount, then repeat the GET with X-PAYMENT: {intentId, txHash, paymentRail}"}`
    return {
      status: PROBLEMS[reason].status,
      headers: [
        ['content-type', 'application/json'],
        NO_STORE,
        ['payment-required', header(secret)],
        ...extraHeaders,
      ],
      body: `${bodyHead(secret)},"payment":${payment}}`,
    }
  }
}

/** Base64 of the text with its one place open: of what a caller gets nothing is encoded for him. */
function encodedAround(text: string): Made['header'] {
  const [before = '', after = ''] = text.split(REDEMPTION_PLACE)
  const head = base64(' '.repeat((3 - (before.length % 3)) % 3) + before) //  blanks before JSON mean nothing
  const tail = base64(after)
  return (secret) => head + secret.base64 + tail
}

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')

/** Clients that read base64 as Latin-1 read this too. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export type Challenge = ReturnType<typeof createChallenge>
