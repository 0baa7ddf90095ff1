import { randomBytes } from 'node:crypto'
import type { Clock } from '../../ops/clock.ts'
import { accountDigest, accountOf, buyerDigest } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Draft, GoodPorts } from '../goods/good.ts'
import { misnamedIn } from '../goods/misnamed.ts'
import { neighbourhood, site } from '../http/rateLimit.ts'
import { type CardLedger, CHECKOUT_LIFETIME_MS, type NewCheckout } from '../ledger/cards.ts'
import { draftOf } from '../payment/draftOf.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { type CheckoutOrder, centsOf, goodByCard, refuseReferral } from './order.ts'
import type { CardProvider } from './provider.ts'
import { requestHashOf } from './sale.ts'
import { statusUrlOf } from './show.ts'

export type OpenPorts = {
  cards: CardLedger
  provider: CardProvider
  goods: GoodPorts
  answers: { publicUrl: string; secret: Buffer }
  clock: Clock
}

/** A longer answer that can be composed again from its input is not stored until payment. */
const KEPT_DRAFT_MAX = 16 * 1024

/**
 * Opens a checkout once its answer could be given: nobody is sent to pay for what cannot be delivered.
 * @param buyer its owner: a request under another name does not see it.
 * @param address may have a limited share of all open checkouts.
 */
export async function openCheckout(
  asked: CheckoutOrder,
  { buyer, address }: { buyer: string; address: string },
  { cards, provider, goods, answers, clock }: OpenPorts,
): Promise<{ checkout: NewCheckout; checkoutId: string } | Problem> {
  const good = goodByCard(asked.sku)
  if (isProblem(good)) return good
  const cents = centsOf(good.priceMicroUsdc)
  if (cents === null) return { problem: 'not_sold_by_card' }
  const refusal = refuseReferral(asked.referralCode, buyer)
  if (refusal !== null) return refusal

  const mistake = misnamedIn(good, asked.payload ?? {})
  if (mistake !== null) return { problem: 'invalid_parameter', detail: `payload.${mistake}` }
  const input = good.input.safeParse(asked.payload ?? {}, IN_WORDS)
  if (!input.success && asked.payload !== undefined)
    return { problem: 'invalid_parameter', detail: `payload.${firstIssue(input.error)}` }
  const draft = input.success ? await draftOf(good, input.data, goods) : null
  if (isProblem(draft)) return draft

  const checkoutId = newCheckoutId()
  const digest = digestOfCheckout(checkoutId)
  const createdMs = clock.nowMs()
  const expiresMs = createdMs + CHECKOUT_LIFETIME_MS
  const from = {
    place: buyerDigest(answers.secret, `place|${neighbourhood(address)}`),
    site: buyerDigest(answers.secret, `site|${site(address)}`),
  }
  const room = await cards.room(digest, from, expiresMs)
  if (room === 'full') return { problem: 'busy', retryAfterS: 60 }
  if (room === 'share') return { problem: 'too_many_checkouts', retryAfterS: 60 }
  const order = {
    reference: digest,
    sku: good.sku,
    title: good.title,
    cents,
    expiresMs,
    returnUrl: statusUrlOf(answers.publicUrl, checkoutId),
  }
  const { sessionId, url } = await provider.open(order).catch(async (error) => {
    await cards.leave({ digest, from }).catch(() => {}) //  else its room is free within the hour
    throw error
  })
  const checkout: NewCheckout = {
    digest,
    sku: good.sku,
    amountMicroUsdc: good.priceMicroUsdc,
    agent: agentDigest(buyer),
    referral: asked.referralCode === undefined ? '' : agentDigest(asked.referralCode),
    from,
    sessionId,
    url,
    requestHash: requestHashOf({ digest, sku: good.sku, cents }, asked.payload ?? {}),
    ...keptOf(draft, input.data),
    createdMs,
    expiresMs,
  }
  await cards.open(checkout)
  return { checkout, checkoutId }
}

/** Keeps the input only if boards decide the answer; otherwise it is not needed once the answer is composed. */
function keptOf(draft: Draft | null, input: unknown): Pick<NewCheckout, 'input' | 'draft'> {
  if (draft === null) return { input: null, draft: null }
  const text = JSON.stringify(draft)
  if (draft.snapshotVersion === null) return { input: null, draft: text }
  return { input: JSON.stringify(input), draft: text.length > KEPT_DRAFT_MAX ? null : text }
}

const CHECKOUT_ID = /^checkout_[A-Za-z0-9_-]{22}$/

const newCheckoutId = (): string => `checkout_${randomBytes(16).toString('base64url')}`
export const isCheckoutId = (text: string): boolean => CHECKOUT_ID.test(text)
/** What ledger and provider know of a checkout id. */
export const digestOfCheckout = (checkoutId: string): string => sha256Hex(checkoutId)
/** An agent id as checkouts and referrals keep it. */
export const agentDigest = (agentId: string): string => accountDigest(accountOf(agentId) ?? '')
