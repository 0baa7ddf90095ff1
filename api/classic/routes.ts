import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { formatUsdc, SECOND } from '../../ops/units.ts'
import { OPENING_SALE } from '../catalog/openingSale.ts'
import { isProblem, PROBLEMS, type Problem, type ProblemCode } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { withHeaders } from '../http/prepared.ts'
import { jsonReply, NO_STORE, problemBody, problemReply } from '../http/respond.ts'
import { intentClaimKey } from '../ledger/intentKeys.ts'
import { deliveredReply } from '../payment/answer.ts'
import { figuresOf } from '../payment/credit.ts'
import { SELLING_PROBLEMS } from '../problems/selling.ts'
import { attestationIdOf } from '../receipts/attestation.ts'
import { PLACES } from '../storefront/places.ts'
import { priceOnAll } from './amounts.ts'
import { dueMicro } from './book.ts'
import { refuseGuess } from './credit.ts'
import { deliverIntent, REFUND_AFTER_MS } from './deliver.ts'
import type { Look } from './find.ts'
import { type Known, ownIntent } from './fulfill.ts'
import { type Intent, isLapsed } from './intent.ts'
import { askForInput, itemOf } from './item.ts'
import { change } from './money.ts'
import { openIntent } from './open.ts'
import { answered } from './order.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import { lookForBuyer } from './seek.ts'
import {
  type FulfillRequest,
  HOW_TO_PAY,
  NOTHING_TO_PAY,
  PAY_THEN_FULFILL,
  type PurchaseAnswer,
  type PurchaseRequest,
  type QuoteAnswer,
  type QuoteRequest,
  type SettleRequest,
} from './shapes.ts'
import { OTHER_PAYMENT, otherPayment, type Sought, showOption, showOptions, showStanding } from './show.ts'

const RETRY_S = 3

/** POST /purchase-intent: 402 with how to pay; 200 with the result where credit (or the opening sale) covers all. */
export async function purchase(
  asked: Asked<z.output<typeof PurchaseRequest>>,
  ports: ClassicPorts,
): Promise<Reply> {
  const item = itemOf(asked.body.sku, asked.body.options?.tipUsdc)
  if (isProblem(item)) return problemReply(item)
  const waits = refuseGuess(asked, ports)
  if (waits !== null) return problemReply(waits)
  const opened = await openIntent(asked, item, ports)
  if (isProblem(opened)) return problemReply(opened)
  const { name, intent } = opened
  //  the same request opened it before, and meanwhile money came for it, or its time is over
  if (intent.payableMicro > 0n && (intent.state !== 'New' || isLapsed(intent, ports.clock.nowMs())))
    return await fulfilled(opened, intent, asked, {}, ports)
  if (intent.payableMicro > 0n && !ports.rails.some(({ id }) => id === intent.rail))
    return problemReply({ problem: 'rail_unavailable' })
  const payment = paymentOf(opened.id, intent, ports)
  if (intent.confirmedMs === null) {
    const answer: PurchaseAnswer = {
      ...(problemBody({ problem: 'payment_required' }) as { ok: false; code: 'payment_required' }),
      next: `${PAY_THEN_FULFILL}${askForInput(intent)}`,
      sku: intent.sku,
      mode: ports.answers.mode,
      payment,
      agentPricing: item.pricing,
    } as PurchaseAnswer
    await answered(intent, name, ports)
    return await withFigures(jsonReply(402, answer, [NO_STORE]), intent, ports)
  }
  const answer = await deliverIntent(name, asked.buyer, null, ports)
  if (isProblem(answer)) return onceOpened(answer, { payment })
  await answered(intent, name, ports)
  const beside = JSON.stringify({
    payment: { ...payment, state: 'Delivered' },
    agentPricing: item.pricing,
  })
  const body = `${answer.body.slice(0, -1)},${beside.slice(1)}`
  return await withFigures({ ...deliveredReply(answer), body }, intent, ports)
}

/** Adds the account's figures if credit pays all or a part. */
const withFigures = async (reply: Reply, { hold }: Intent, ports: ClassicPorts): Promise<Reply> =>
  hold === null ? reply : withHeaders(reply, await figuresOf(hold, ports))

/** POST /fulfill: 200 with the result; the same bytes again for a day. */
export async function fulfill(
  asked: Asked<z.output<typeof FulfillRequest>>,
  ports: ClassicPorts,
): Promise<Reply> {
  const { body } = asked
  const known = await ownIntent(asked, ports)
  if (isProblem(known)) return problemReply(known)
  const look = await lookForBuyer(known, body, ports)
  if (isProblem(look)) return problemReply(look)
  const intent = look.kind === 'nothing' ? known.intent : look.intent
  return await fulfilled(known, intent, asked, { ...body, ...soughtBy(look) }, ports)
}

const soughtBy = (look: Exclude<Look, Problem>): Sought => ({
  waits: look.kind === 'waits',
  ...(look.kind === 'found' && look.refused !== undefined && { refused: look.refused }),
})

/** The answer of an intent that is paid, else its state. */
async function fulfilled(
  known: Known,
  intent: Intent,
  { buyer }: Pick<Asked<unknown>, 'buyer'>,
  body: Sought & { payload?: Record<string, unknown> | undefined; txHash?: string | undefined },
  ports: ClassicPorts,
): Promise<Reply> {
  if (intent.confirmedMs === null) return notPaid(known, intent, body, ports)
  const answer = await deliverIntent(known.name, buyer, body.payload ?? null, ports, body.waits)
  if (isProblem(answer)) {
    const { settlement } = await standingOf(known, body, ports)
    return onceOpened(answer, { settlement })
  }
  await answered(intent, known.name, ports)
  const other = otherPayment(intent, body.txHash, body)
  return other === null
    ? deliveredReply(answer)
    : withHeaders(deliveredReply(answer), [[OTHER_PAYMENT, other]])
}

const KEPT = 'What was paid for it is kept; send no more.'
const KEPT_NEXT = {
  again: `${KEPT} POST /fulfill again after Retry-After; what cannot be delivered for ${REFUND_AFTER_MS / SECOND} seconds becomes store credit by itself: POST /checkout/settle shows it.`,
  other: `${KEPT} POST /fulfill with another payload if the intent was opened without one; otherwise it becomes store credit within a day: POST /checkout/settle shows it.`,
}

/** Refusals by a good or its input say that nothing was charged; after a payment they say what becomes of it. */
function onceOpened(refusal: Problem, extra: Record<string, unknown>): Reply {
  const { problem } = refusal
  const next = KEPT_NEXT[PROBLEMS[problem].status < 500 ? 'other' : 'again']
  const isOfGood = problem === 'invalid_parameter' || Object.hasOwn(SELLING_PROBLEMS, problem)
  return problemReply({ ...refusal, extra: { ...refusal.extra, ...(isOfGood ? { next } : {}), ...extra } })
}

/** POST /checkout/settle: looks for the money and says where the purchase stands. */
export async function settle(
  asked: Asked<z.output<typeof SettleRequest>>,
  ports: ClassicPorts,
): Promise<Reply> {
  const known = await ownIntent(asked, ports)
  if (isProblem(known)) return problemReply(known)
  const look = await lookForBuyer(known, asked.body, ports)
  if (isProblem(look)) return problemReply(look)
  const sought = { ...asked.body, ...soughtBy(look) }
  return jsonReply(200, await standingOf(known, sought, ports), [NO_STORE])
}

const QUOTED =
  'Nothing is reserved. POST /purchase-intent asks for a little less: its exact amount says whose payment it is.'
/** Whether a slot is left for this buyer is known once it is reserved. */
const FREE = `One report per buyerId is free while slots of the opening sale last: POST /purchase-intent with x-agent-id. How many are left: openingSale of ${PLACES.store.path}.`

/** POST /quote: what a SKU costs on every rail now. */
export async function quote(
  asked: Asked<z.output<typeof QuoteRequest>>,
  ports: ClassicPorts,
): Promise<Reply> {
  const item = itemOf(asked.body.sku, asked.body.options?.tipUsdc)
  if (isProblem(item)) return problemReply(item)
  const { priced, problems } = await priceOnAll(ports.rails, item.priceMicro)
  const answer: QuoteAnswer = {
    ok: true,
    sku: item.good.sku,
    mode: ports.answers.mode,
    offer: {
      amountUsdc: formatUsdc(item.priceMicro),
      agentPricing: item.pricing,
      paymentOptions: showOptions(
        priced.map(({ quote }) => quote),
        ports.rails,
      ),
      unavailable: [...problems.keys()],
      note: ports.openingSale && item.good.sku === OPENING_SALE.sku ? `${FREE} ${QUOTED}` : QUOTED,
    },
  }
  return jsonReply(200, answer, [NO_STORE])
}

const paymentOf = (id: string, intent: Intent, { rails }: ClassicPorts): PurchaseAnswer['payment'] => {
  const paymentOptions = showOptions(intent.quotes, rails)
  const chosen = paymentOptions.find(({ paymentRail }) => paymentRail === intent.rail)
  return {
    ...(chosen ?? nothingToPay(intent, rails)),
    intentId: id,
    state: intent.state,
    priceUsdc: formatUsdc(intent.priceMicro),
    amountUsdc: formatUsdc(dueMicro(intent, intent.rail)),
    creditUsdc: formatUsdc(intent.hold?.micro ?? 0n),
    expiresAt: new Date(intent.expiresMs).toISOString(),
    graceUntil: new Date(intent.graceUntilMs).toISOString(),
    paymentOptions,
    howTo: (chosen === undefined ? NOTHING_TO_PAY : HOW_TO_PAY) + askForInput(intent),
  }
}

function nothingToPay(intent: Intent, rails: ClassicPorts['rails']) {
  const rail = rails.find(({ id }) => id === intent.rail) ?? rails[0] //  its own rail may no longer be offered
  if (rail === undefined) throw new Error('assumption broken: a rail is offered')
  const zero = { atomic: 0n, plain: 0n, validUntilMs: intent.expiresMs, source: null }
  return showOption({ rail: rail.id, ...zero }, rail)
}

function notPaid({ id, name }: Known, intent: Intent, sought: Sought, ports: ClassicPorts): Reply {
  const standing = showStanding({ id, name, intent, isRevoked: false }, ports, sought)
  const { state } = standing.settlement
  if (state === 'Underpaid' && !sought.waits)
    return problemReply({ problem: 'underpaid', extra: { settlement: standing.settlement } })
  if (state === 'Late' || (state === 'Expired' && !sought.waits))
    return problemReply({ problem: 'intent_lapsed', extra: { settlement: standing.settlement } })
  return jsonReply(202, standing, [NO_STORE, ['retry-after', String(RETRY_S)]])
}

/** The purchase as it is now; money that bought nothing is deposited before it is shown. */
async function standingOf({ id, name, intent }: Known, sought: Sought, ports: ClassicPorts) {
  const now = await change(name, (newest) => newest, ports)
  const newest = now === 'taken' ? intent : now
  const receiptId = attestationIdOf(ports.answers.secret, intentClaimKey(name))
  const isGiven = newest.state === 'Delivered' || newest.state === 'Refunded'
  const isRevoked = isGiven && (await ports.ledger.revokedMs(receiptId)) !== null
  return showStanding({ id, name, intent: newest, isRevoked }, ports, sought)
}

/** For a rail or the ledger that did not answer; nothing was charged that is not in the books. */
export function unavailableReply(error: unknown): Reply {
  if (!(error instanceof UnavailableError)) throw error
  const code = error.code in PROBLEMS ? (error.code as ProblemCode) : 'rail_unavailable'
  return problemReply({ problem: code, retryAfterS: RETRY_S })
}
