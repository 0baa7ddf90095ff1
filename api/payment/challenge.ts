import type { Clock } from '../../ops/clock.ts'
import { assert } from '../../ops/errors.ts'
import type { Mode } from '../../ops/mode.ts'
import { newRedemption } from '../entitlements/redemption.ts'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { type Prepared, PreparedReply, prepareReply } from '../http/prepared.ts'
import { NO_STORE, problemBody } from '../http/respond.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import { createExtensions } from './extensions/index.ts'
import { createIntentIds } from './intentId.ts'
import { createLegacyPayments } from './legacyPayments.ts'
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
  mode: Mode
  secret: Buffer
  receiptKey: ReceiptKey
}

/** Placeholder for each caller's own secret in a prepared 402: of the same width, and whole groups of base64. */
const REDEMPTION_PLACE = '<redemption is put here>'
const REDEMPTION_PLACE_BASE64 = Buffer.from(REDEMPTION_PLACE).toString('base64')

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
 * The 402 of one path: the version 2 offer in the header, the version 1 offer in the body, which only version 1 clients
 * read. For a token, which version 1 cannot buy, the body repeats the header. Everything but the caller's redemption
 * secret and legacy intent is bytes made once per reason, until the offer is signed anew; an unpaid call touches no
 * store and no chain.
 * @param intentClock dates the legacy intents; absent: they are dated by the time of the request.
 */
export function createChallenge(good: Good<unknown>, terms: Terms, intentClock?: Clock) {
  const offer = offerOf(good, terms)
  const extensions = createExtensions(good, offer, { key: terms.receiptKey, publicUrl: terms.publicUrl })
  const payments = createLegacyPayments(
    good.priceMicroUsdc,
    createIntentIds(terms.secret, good.path, terms.payTo),
    terms,
  )
  const paymentPlace = '<payment>'.padEnd(payments.width)
  const { resource } = listingOf(good, `${terms.publicUrl}${good.path}`)
  const accepted = { ...offer, extra: { ...offer.extra, redemption: REDEMPTION_PLACE } }
  const ready = new Map<ProblemCode, Prepared>()
  let readyWith = ''
  const prepare = (reason: ProblemCode, json: string): Prepared => {
    const error = reason === 'payment_required' ? 'Payment required' : reason
    const required = { x402Version: 2, error, resource, accepts: [accepted] }
    const extended = (value: object) => `${JSON.stringify(value).slice(0, -1)},"extensions":${json}`
    const v1 = requiredV1(good, offer, { error, resource })
    const words = { ...problemBody({ problem: reason }), sku: good.sku, mode: terms.mode }
    const bodyHead =
      v1 === null ? extended({ ...words, ...required }) : JSON.stringify({ ...words, ...v1 }).slice(0, -1)
    const { status } = PROBLEMS[reason]
    const headers = [
      ['content-type', 'application/json'],
      NO_STORE,
      ['payment-required', encoded(ascii(`${extended(required)}}`))],
    ] as const
    const body = `${ascii(bodyHead)},"payment":${paymentPlace}}`
    return prepareReply({ status, headers, body }, [REDEMPTION_PLACE, REDEMPTION_PLACE_BASE64, paymentPlace])
  }
  const forReason = (reason: ProblemCode, nowMs: number): Prepared => {
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
    const secret = newRedemption()
    const fills = [secret.text, secret.base64, payments.next(intentClock?.nowMs() ?? nowMs)]
    const reply = new PreparedReply(forReason(reason, nowMs), fills)
    if (extraHeaders.length === 0) return reply
    const { status, headers, body } = reply
    return { status, headers: [...headers, ...extraHeaders], body }
  }
}

/** Base64 of the text with the placeholder aligned to whole groups, so that no request has to encode anything. */
function encoded(text: string): string {
  const before = text.indexOf(REDEMPTION_PLACE)
  const aligned = ' '.repeat((3 - (before % 3)) % 3) + text //  blanks before JSON mean nothing
  const base64 = Buffer.from(aligned, 'latin1').toString('base64')
  assert(base64.includes(REDEMPTION_PLACE_BASE64), 'the secret has its place in the header')
  return base64
}

/** Clients that read base64 as Latin-1 read this too. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export type Challenge = ReturnType<typeof createChallenge>
