import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { MINUTE } from '../../ops/units.ts'
import { refuseReferral } from '../checkout/order.ts'
import {
  accountDigest,
  accountOf,
  buyerDigest,
  creditAuthDigest,
  isCreditSecret,
  isWallet,
} from '../entitlements/credit.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { isProblem, type Problem } from '../errors.ts'
import { neighbourhood } from '../http/rateLimit.ts'
import type { CreditHolder } from '../ledger/credits.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { quoteOnAll, redrawn, tagged, wantedOf } from './amounts.ts'
import { encodeIntent, type Intent } from './intent.ts'
import { type Item, inputOf } from './item.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

export const INTENT_MS = 15 * MINUTE
/** Money that is in a block until then still buys: transfers take their time. Amounts stay reserved so long. */
export const GRACE_MS = 30 * MINUTE
/** Larger payloads come with /fulfill: an intent is kept for a month when nobody pays it. */
const MAX_KEPT_INPUT_BYTES = 4 * 1024
const TAG_TRIES = 16
/** After so many the intent goes without a rail that its buyer did not choose. */
const OTHER_RAIL_TRIES = 4
const SHARE =
  'From this address too many purchases near this price wait for their money on this rail. Pay one, or choose another paymentRail.'

export type Opened = { id: string; name: string; intent: Intent }

/** What the ledger calls an intent. */
export const intentName = (id: string): string => sha256Hex(`intent|${id}`)
const isFree = (intent: Intent): boolean => intent.payableMicro === 0n

/** Opens an intent: input checked, credit held, amounts reserved; in this order, so that a refusal leaves nothing behind. */
export async function openIntent(
  { body, buyer, address, ...headers }: Asked<z.output<typeof PurchaseRequest>>,
  { good, priceMicro }: Item,
  saleBuyer: string | null,
  ports: ClassicPorts,
): Promise<Opened | Problem> {
  const input = body.payload === undefined ? null : JSON.stringify(body.payload)
  if (body.payload !== undefined) {
    const read = inputOf(good, body.payload)
    if (isProblem(read)) return read
    if (Buffer.byteLength(input ?? '') > MAX_KEPT_INPUT_BYTES)
      return {
        problem: 'invalid_parameter',
        detail: `payload: more than ${MAX_KEPT_INPUT_BYTES} bytes; send it with /fulfill.`,
      }
  }
  const referral = referralOf(body, buyer, headers.agentId)
  if (isProblem(referral)) return referral
  const id = `pi_${randomBytes(16).toString('base64url')}`
  const name = intentName(id)
  const { secret } = ports.answers
  const nowMs = ports.clock.nowMs()
  const near = neighbourhood(address)
  const graceUntilMs = nowMs + INTENT_MS + GRACE_MS
  const credit = await creditOf(
    body.creditSpendAuth || headers.creditAuth,
    body.claimCode || headers.claimCode,
    buyer,
    ports,
  )
  if (isProblem(credit)) return credit
  const isPack = good.creditMicroUsdc !== undefined // credit is not bought with credit (CRD-10)
  const price = saleBuyer === null ? priceMicro : 0n
  const held =
    credit === null || isPack || price === 0n
      ? 0n
      : ((await ports.credits.hold(name, price, credit.holder, graceUntilMs)) ?? 0n)
  const payableMicro = price - held

  const draft: Intent = {
    state: payableMicro === 0n ? 'Confirmed' : 'New',
    sku: good.sku,
    buyerDigest: buyerDigest(secret, buyer),
    buyerIsWallet: isWallet(buyer),
    opener: buyerDigest(secret, `opener|${buyer}|${near}`),
    place: buyerDigest(secret, `place|${near}`),
    rail: body.paymentRail,
    input,
    priceMicro: price,
    payableMicro,
    hold: credit === null || held === 0n ? null : { ...credit.holder, micro: held },
    creditTo: credit?.holder ?? null,
    saleBuyer,
    referral,
    quotes: [],
    createdMs: nowMs,
    expiresMs: nowMs + INTENT_MS,
    graceUntilMs,
    seen: null,
    transfers: [],
    notes: [],
    confirmedMs: payableMicro === 0n ? nowMs : null,
    claimed: false,
    failedMs: null,
  }
  const stored = await reserve(name, draft, ports)
  if (isProblem(stored)) {
    if (held > 0n && credit !== null) await ports.credits.endHold(name, credit.holder.account, 'released')
    return stored
  }
  return { id, name, intent: stored }
}

/** Stores the intent with amounts that are its own; drawn again while one of them is taken. */
async function reserve(
  name: string,
  intent: Intent,
  { rails, intents }: ClassicPorts,
): Promise<Intent | Problem> {
  const { quotes, problems } = isFree(intent)
    ? { quotes: [], problems: new Map() }
    : await quoteOnAll(rails, intent.payableMicro)
  const problem = problems.get(intent.rail)
  if (problem !== undefined) return problem
  let drawn = tagged(quotes, rails)
  for (let tries = 1; tries <= TAG_TRIES; tries++) {
    const chosen = drawn.findIndex(({ rail }) => rail === intent.rail)
    if (!isFree(intent) && chosen < 0) return { problem: 'amount_too_small' }
    const own: Intent = { ...intent, quotes: drawn }
    const outcome = await intents.open(name, encodeIntent(own), {
      graceUntilMs: own.graceUntilMs,
      buyer: own.opener,
      place: own.place,
      price: own.payableMicro,
      amounts: drawn.map((quote) => wantedOf(quote, own.graceUntilMs, rails)),
    })
    if (outcome === 'opened') return own
    if (outcome === 'full') return { problem: 'busy', retryAfterS: 60 }
    if (outcome === 'too_many') return { problem: 'too_many_intents', retryAfterS: 60 }
    if (outcome[chosen] === 'share') return { problem: 'too_many_intents', retryAfterS: 60, detail: SHARE }
    drawn = redrawn(drawn, outcome, rails, (rail) => rail !== intent.rail && tries >= OTHER_RAIL_TRIES)
  }
  return { problem: 'busy', retryAfterS: 10, detail: 'All amounts near this price are waited for now.' }
}

/** Digest of who brought the buyer, '' for nobody; who brings himself brings nobody (ENT-17). */
function referralOf(
  { sku, referralCode }: z.output<typeof PurchaseRequest>,
  buyer: string,
  agentId: string,
): string | Problem {
  if (referralCode === undefined) return ''
  const account = accountOf(referralCode)
  if (account === null)
    return { problem: 'invalid_parameter', detail: 'referralCode: 1 to 128 visible ASCII characters.' }
  return refuseReferral({ sku, buyerId: buyer, referralCode }, agentId) ?? accountDigest(account)
}

/** The account whose credit may be spent and on which credit arrives; null when no secret came along. */
async function creditOf(
  secret: string,
  claimCode: string,
  buyer: string,
  { credits, answers }: ClassicPorts,
): Promise<{ holder: CreditHolder } | null | Problem> {
  if (secret === '') return null
  if (buyer === '' || !isCreditSecret(secret))
    return {
      problem: 'invalid_parameter',
      detail: 'creditSpendAuth: 16 to 256 visible ASCII characters, with a buyerId.',
    }
  const holder = {
    account: accountDigest(buyer),
    auth: creditAuthDigest(answers.secret, buyer, secret),
  }
  if (claimCode !== '') {
    if (!isToken(claimCode, 'credit')) return { problem: 'credit_refused' }
    const opened = await credits.openLot(digestOfToken(claimCode), holder)
    if (opened === 'mismatch') return { problem: 'credit_auth_mismatch' }
    if (opened === 'unknown') return { problem: 'credit_refused' }
  }
  return (await credits.fits(holder)) ? { holder } : { problem: 'credit_refused' }
}
