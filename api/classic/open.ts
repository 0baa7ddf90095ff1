import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { formatUsdc, MINUTE } from '../../ops/units.ts'
import { OPENING_SALE } from '../catalog/openingSale.ts'
import { refuseReferral } from '../checkout/order.ts'
import { accountDigest, accountOf, buyerDigest, isWallet } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import { misnamedIn } from '../goods/misnamed.ts'
import { refuseIdempotencyKey } from '../http/idempotencyKey.ts'
import { neighbourhood, site } from '../http/rateLimit.ts'
import type { Hold } from '../ledger/credits.ts'
import { draftOf } from '../payment/draftOf.ts'
import { fewEach } from '../payment/fewEach.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { priceOnAll, redrawn, tagged, wantedOf } from './amounts.ts'
import { creditOf } from './credit.ts'
import { encodeIntent, type Intent, isOver } from './intent.ts'
import { type Item, inputOf } from './item.ts'
import { readIntent } from './money.ts'
import { freshOperation, namesOf, orderOf } from './order.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

export const INTENT_MS = 15 * MINUTE
/** Money in a block by then still buys: transfers take time. Amounts stay reserved that long. */
export const GRACE_MS = 30 * MINUTE
/**
 * Larger payloads must come with /fulfill: an unpaid intent is kept for a month. Counted as JSON within the JSON of the
 * intent, where each quotation mark of a text takes four characters.
 */
const MAX_KEPT_INPUT_BYTES = 4 * 1024
const TAG_TRIES = 16
/** An earlier intent is found, is over, another takes its place: three attempts, and some for concurrent requests. */
const OPEN_TRIES = 8
/** After this many attempts the intent goes without a rail that its buyer did not choose. */
const OTHER_RAIL_TRIES = 4
const SHARE =
  'Too many purchases near this price from this address are waiting for their money on this rail. Pay one, or choose another paymentRail.'

/** Asking for an offer is free, so all such requests share one payer's share of the answers that take time. */
const NOBODY_PAYS = 'purchase-intent'

export type Opened = { id: string; name: string; intent: Intent }
type Purchase = Asked<z.output<typeof PurchaseRequest>>

const isFree = (intent: Intent): boolean => intent.payableMicro === 0n

/**
 * Opens an intent: input checked, answer composed, credit held, amounts reserved; in this order, so that a refusal
 * leaves nothing behind. A request that was made before, with this key or without getting an answer, gets the intent it
 * opened then (I4, CRD-02), whether or not it could be answered now.
 */
export async function openIntent(
  asked: Purchase,
  item: Item,
  ports: ClassicPorts,
): Promise<Opened | Problem> {
  const { body, buyer, idempotencyKey } = asked
  const badKey = refuseIdempotencyKey(idempotencyKey)
  if (badKey !== null) return badKey
  const input = keptInput(body, item)
  if (isProblem(input)) return input
  const referral = referralOf(body, buyer)
  if (isProblem(referral)) return referral
  const holder = await creditOf(asked, ports)
  if (isProblem(holder)) return holder
  const refusal: Problem | null = ports.rails.some(({ id }) => id === body.paymentRail)
    ? await refuseDraft(body, item, ports)
    : { problem: 'rail_unavailable' }
  const saleBuyer = refusal === null ? await slotOf(asked, item, ports) : null
  const { secret } = ports.answers
  const isPack = item.good.creditMicroUsdc !== undefined
  const isFrozen = isPack && holder !== null && (await ports.credits.balance(holder))?.frozen === true
  const order = orderOf(asked, holder, secret)
  let { operation } = order
  for (let tries = 0; tries < OPEN_TRIES; tries++) {
    const names = namesOf(secret, operation)
    const nowMs = ports.clock.nowMs()
    const known = order.isNamed || tries > 0 ? await readIntent(names.name, ports) : null
    if (known !== null && known.intent.question !== order.asks) return { problem: 'bound_elsewhere' }
    if (isFrozen && (known === null || known.intent.confirmedMs === null)) return { problem: 'credit_frozen' }
    if (known !== null && (order.isNamed || !isUseless(known.intent, nowMs)))
      return { ...names, intent: known.intent }
    if (known !== null) {
      //  no answer ever named it: its credit goes to the one opened now
      if (holder !== null) await ports.credits.endHold(names.name, holder.account, 'released')
      operation = freshOperation()
      continue
    }
    const price = saleBuyer === null ? item.priceMicro : 0n
    const wanted = refusal === null ? price : 0n //  holds nothing, and still finds what the same request opened
    const held: Hold =
      holder === null || isPack || price === 0n // credit is not bought with credit (CRD-10)
        ? { outcome: 'held', micro: 0n }
        : await ports.credits.hold(names.name, wanted, holder, graceOf(nowMs), { ...order, operation })
    if (held.outcome === 'bound') return { problem: 'bound_elsewhere' }
    if (held.outcome === 'open') {
      operation = held.operation
      continue
    }
    if (refusal !== null) return refusal
    const heldMicro = held.outcome === 'held' ? held.micro : 0n
    const intent: Intent = {
      ...newIntent(asked, price, heldMicro, nowMs, secret),
      question: order.asks,
      input,
      hold: holder === null || heldMicro === 0n ? null : { ...holder, micro: heldMicro },
      creditTo: holder,
      saleBuyer,
      referral,
    }
    const stored = await reserve(names.name, intent, ports).catch(fullOrThrow)
    if (isProblem(stored)) {
      if (intent.hold !== null) await ports.credits.endHold(names.name, intent.hold.account, 'released')
      return stored
    }
    if (holder === null) return { ...names, intent: stored }
    const first = await readIntent(names.name, ports) //  the same request may have opened it a moment before
    if (first !== null && first.intent.question !== order.asks) return { problem: 'bound_elsewhere' }
    return { ...names, intent: first?.intent ?? stored }
  }
  return { problem: 'busy', retryAfterS: 1 }
}

/** Whether an intent that no answer ever named is useless to a repetition of its request. */
const isUseless = (intent: Intent, nowMs: number): boolean =>
  isOver(intent) || (intent.state === 'New' && intent.expiresMs <= nowMs)

const graceOf = (nowMs: number): number => nowMs + INTENT_MS + GRACE_MS

/** Credit may have been held at an earlier, higher price: the purchase then costs no less. */
function newIntent(
  { body, buyer, address }: Purchase,
  price: bigint,
  heldMicro: bigint,
  nowMs: number,
  secret: Buffer,
) {
  const near = neighbourhood(address)
  const isCovered = heldMicro >= price
  return {
    state: isCovered ? ('Confirmed' as const) : ('New' as const),
    sku: body.sku,
    buyerDigest: buyerDigest(secret, buyer),
    buyerIsWallet: isWallet(buyer),
    opener: buyerDigest(secret, `opener|${buyer}|${near}`),
    place: buyerDigest(secret, `place|${near}`),
    site: buyerDigest(secret, `site|${site(address)}`),
    rail: body.paymentRail,
    priceMicro: isCovered ? heldMicro : price,
    payableMicro: isCovered ? 0n : price - heldMicro,
    quotes: [],
    createdMs: nowMs,
    expiresMs: nowMs + INTENT_MS,
    graceUntilMs: graceOf(nowMs),
    seen: null,
    transfers: [],
    notes: [],
    confirmedMs: isCovered ? nowMs : null,
    claimed: false,
    failedMs: null,
    suspendedMs: null,
  }
}

/** The payload as it is kept, null for none; or why the good refuses it. */
function keptInput({ payload }: Purchase['body'], { good }: Item): string | null | Problem {
  if (payload === undefined) return null
  const mistake = misnamedIn(good, payload)
  if (mistake !== null) return { problem: 'invalid_parameter', detail: `payload.${mistake}` }
  const read = inputOf(good, payload)
  if (isProblem(read)) return read
  const input = JSON.stringify(payload)
  if (Buffer.byteLength(JSON.stringify(input)) <= MAX_KEPT_INPUT_BYTES) return input
  return {
    problem: 'invalid_parameter',
    detail: `payload: takes more than ${MAX_KEPT_INPUT_BYTES} bytes as JSON in a JSON string; send it with /fulfill.`,
  }
}

/**
 * Why nobody is sent to pay: it could not be answered now. A required input that comes with /fulfill is checked then.
 */
async function refuseDraft(
  { payload = {} }: Purchase['body'],
  { good }: Item,
  { goods }: ClassicPorts,
): Promise<Problem | null> {
  const read = inputOf(good, payload)
  const draft = isProblem(read)
    ? null
    : await fewEach(NOBODY_PAYS, good, read.input, () => draftOf(good, read.input, goods))
  return isProblem(draft) ? draft : null
}

/** Whether this is a free report of the opening sale: the slot's buyer, or null for an ordinary purchase. */
async function slotOf(
  { buyer, agentId }: Purchase,
  { good }: Item,
  { openingSale, intents }: ClassicPorts,
): Promise<string | null> {
  if (!openingSale || good.sku !== OPENING_SALE.sku || agentId === '') return null
  const digest = sha256Hex(`sale|${buyer}`)
  return (await intents.reserveSlot(digest)) === 'reserved' ? digest : null
}

/**
 * If the ledger filled up after the hold, nothing of the intent was written.
 * @throws other errors: it may have been written.
 */
function fullOrThrow(error: unknown): Problem {
  if (error instanceof UnavailableError && error.code === 'ledger_full') return { problem: error.code }
  throw error
}

/** Stores the intent with amounts of its own; they are drawn again while one of them is taken. */
async function reserve(
  name: string,
  intent: Intent,
  { rails, intents }: ClassicPorts,
): Promise<Intent | Problem> {
  const { priced, problems } = await priceOnAll(isFree(intent) ? [] : rails, intent.payableMicro)
  const problem = problems.get(intent.rail)
  if (problem !== undefined) return forRest(problem, intent)
  let drawn = tagged(priced)
  for (let tries = 1; tries <= TAG_TRIES; tries++) {
    const chosen = drawn.findIndex(({ quote }) => quote.rail === intent.rail)
    if (!isFree(intent) && chosen < 0) return forRest({ problem: 'amount_too_small' }, intent)
    const own: Intent = { ...intent, quotes: drawn.map(({ quote }) => quote) }
    const outcome = await intents.open(name, encodeIntent(own), {
      graceUntilMs: own.graceUntilMs,
      buyer: own.opener,
      place: own.place,
      site: own.site,
      price: own.payableMicro,
      amounts: drawn.map((one) => wantedOf(one, own.graceUntilMs)),
    })
    if (outcome === 'opened') return own
    if (outcome === 'full') return { problem: 'busy', retryAfterS: 60 }
    if (outcome === 'too_many') return { problem: 'too_many_intents', retryAfterS: 60 }
    if (outcome[chosen] === 'share') return { problem: 'too_many_intents', retryAfterS: 60, detail: SHARE }
    drawn = redrawn(drawn, outcome, (rail) => rail !== intent.rail && tries >= OTHER_RAIL_TRIES)
  }
  return { problem: 'busy', retryAfterS: 10, detail: 'All amounts near this price are reserved now.' }
}

/** Where credit leaves less than can be asked for, another rail may not help: the whole price can still be paid. */
function forRest(refusal: Problem, { hold, payableMicro }: Intent): Problem {
  if (refusal.problem !== 'amount_too_small' || hold === null) return refusal
  const rest = `Store credit pays all but ${formatUsdc(payableMicro)} USDC, which is too little to ask for on this rail.`
  const next =
    'Leave out creditSpendAuth and pay the whole price, or choose another rail; nothing was charged.'
  return { ...refusal, detail: [rest, refusal.detail].filter(Boolean).join(' '), extra: { next } }
}

/** Digest of the account that referred the buyer, '' for none; refused for buyers who refer themselves (ENT-17). */
function referralOf({ referralCode }: z.output<typeof PurchaseRequest>, buyer: string): string | Problem {
  if (referralCode === undefined) return ''
  const account = accountOf(referralCode)
  if (account === null)
    return { problem: 'invalid_parameter', detail: 'referralCode: 1 to 128 visible ASCII characters.' }
  return refuseReferral(referralCode, buyer) ?? accountDigest(account)
}
