import type { z } from 'zod'
import { OPENING_SALE } from '../catalog/openingSale.ts'
import { refuseReferral } from '../checkout/order.ts'
import { accountDigest, accountOf } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import { misnamedIn } from '../goods/misnamed.ts'
import { refuseIdempotencyKey } from '../http/idempotencyKey.ts'
import type { CreditHolder, HoldFor } from '../ledger/credits.ts'
import { draftOf } from '../payment/draftOf.ts'
import { fewEach } from '../payment/fewEach.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { creditOf } from './credit.ts'
import { type Item, inputOf } from './item.ts'
import { orderOf } from './order.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

/**
 * Larger payloads must come with /fulfill: an unpaid intent is kept for a month. Counted as JSON within the JSON of the
 * intent, where each quotation mark of a text takes four characters.
 */
const MAX_KEPT_INPUT_BYTES = 4 * 1024

/** Asking for an offer is free, so all such requests share one payer's share of the answers that take time. */
const NOBODY_PAYS = 'purchase-intent'

type Purchase = Asked<z.output<typeof PurchaseRequest>>

/** A request to buy that may be opened as an intent. */
export type Prepared = {
  input: string | null //         as the intent keeps it; null: none came
  referral: string //             '' for none
  holder: CreditHolder | null //  null: no secret came
  refusal: Problem | null //      why it cannot be answered now; what it opened before is still shown
  saleBuyer: string | null
  priceMicro: bigint
  isPack: boolean //              it buys store credit
  isFrozen: boolean //            and its account owes some
  order: HoldFor
}

/** Reads a request to buy, or says why it opens nothing. All that it leaves behind is a slot of the sale, for a while. */
export async function prepare(asked: Purchase, item: Item, ports: ClassicPorts): Promise<Prepared | Problem> {
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
  const isPack = item.good.creditMicroUsdc !== undefined
  const isFrozen = isPack && holder !== null && (await ports.credits.balance(holder))?.frozen === true
  return {
    input,
    referral,
    holder,
    refusal,
    saleBuyer,
    priceMicro: saleBuyer === null ? item.priceMicro : 0n,
    isPack,
    isFrozen,
    order: orderOf(asked, holder, ports.answers.secret),
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

/** Digest of the account that referred the buyer, '' for none; refused for buyers who refer themselves (ENT-17). */
function referralOf({ referralCode }: z.output<typeof PurchaseRequest>, buyer: string): string | Problem {
  if (referralCode === undefined) return ''
  const account = accountOf(referralCode)
  if (account === null)
    return { problem: 'invalid_parameter', detail: 'referralCode: 1 to 128 visible ASCII characters.' }
  return refuseReferral(referralCode, buyer) ?? accountDigest(account)
}
