import { tokenKindOf } from '../entitlements/issue.ts'
import { isProblem, PROBLEMS, type Problem } from '../errors.ts'
import type { Draft } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { outageReply, problemReply } from '../http/respond.ts'
import type { Claim, ClaimTerms } from '../ledger/ledger.ts'
import { CROWDED, claimAndSettle, lookBack, PENDING_RETRY_S, resume } from './conclude.ts'
import { creditToOf } from './creditTo.ts'
import { isCrowdedStill } from './crowded.ts'
import { draftOf } from './draftOf.ts'
import { paymentIdDigest } from './extensions/paymentIds.ts'
import { refuseSecond } from './extensions/refuseSecond.ts'
import { fewEach } from './fewEach.ts'
import { type Call, readInput } from './input.ts'
import { isOutdatedSince } from './outdated.ts'
import { isPaymentOf, isReply, readSale, refusalOf, type Sale, type Sold, type X402Ports } from './sale.ts'
import {
  mayBeCopied,
  type Standing,
  standingOnceOver,
  standingWhileOpen,
  termsRefusalOf,
  windowOf,
} from './standing.ts'

/**
 * One GET with a PAYMENT-SIGNATURE, in the order of faults.md section 2: read → known claim? → terms →
 * parameters → would it settle? → answer computed → claim → settle → answer stored → out. Until the claim
 * nothing is written and nothing moves; after it every end but a stored answer says "send the same again".
 */
export async function sellByX402(header: string, call: Call, sold: Sold, ports: X402Ports): Promise<Reply> {
  const sale = readSale(header, call, sold, ports)
  if (isReply(sale)) return sale
  try {
    const known = await ports.ledger.find(sale.key)
    return known === null || known.state === 'refused'
      ? await sellFirst(known, sale)
      : await resume(known, sale)
  } catch (error) {
    return outageReply(error)
  }
}

/** A payment that is new to us, or was refused and may be tried again. @param known the claim that was refused. */
async function sellFirst(known: Claim | null, sale: Sale): Promise<Reply> {
  const { sold, ports, payment, purchase } = sale
  //  Only a caller with a proven signature learns what the id is bound to; a contract wallet is checked further down.
  const isProven = payment.signer === 'ecdsa' && !mayBeCopied(sale)
  const second = isProven ? await refuseSecond('look', purchase, ports) : null
  if (second !== null) return problemReply(second)

  const termsRefusal = termsRefusalOf(sale)
  const isAgain = known?.fingerprint === sale.fingerprint && isPaymentOf(known, sale)
  if (known !== null && isAgain && termsRefusal === 'expired') return await lookBack(known, sale)
  if (sale.isUnlisted) return refusalOf('wallet_not_supported', sale)
  const window = await windowOf(termsRefusal, sale)
  if (typeof window === 'object') return window

  if (sale.redemption === null && tokenKindOf(sold.good) !== null)
    return refusalOf('redemption_missing', sale)
  const order = await readOrder(sale)
  if (isProblem(order)) return problemReply(order)

  const isFirst = known === null
  const standing =
    window === 'over' ? await standingOnceOver(sale) : await standingUnlessCrowded(isFirst, sale)
  if (isReply(standing)) return standing
  ports.faultPoint('CP2')
  const draftedMs = Date.now()
  const draft = await draftFor(order.input, standing, sale)
  if (isProblem(draft)) return problemReply(draft)
  ports.faultPoint('CP3')

  const beaten = await refuseSecond(standing.paid === null ? 'bind' : 'bindPaid', purchase, ports)
  if (beaten !== null) return problemReply(beaten)
  if (standing.paid === null && isOutdatedSince(draft, draftedMs))
    return problemReply({ problem: 'stale_data' })
  return await claimAndSettle(termsOf(order, standing, draft, sale), sale, standing.paid)
}

/** What is bought: the good's input, and whose account it is credited to. */
type Order = { input: unknown; creditTo: ClaimTerms['creditTo'] }

async function readOrder({ sold: { good }, asked, call, payment, ports }: Sale): Promise<Order | Problem> {
  const input = readInput(good, asked)
  if (isProblem(input)) return input
  const creditTo = await creditToOf(good, call, payment.authorization.from, ports)
  return isProblem(creditTo) ? creditTo : { input: input.input, creditTo }
}

const standingUnlessCrowded = async (isFirst: boolean, sale: Sale): Promise<Standing | Reply> =>
  isFirst && (await isCrowdedStill(sale.payment, sale.ports))
    ? problemReply(CROWDED)
    : await standingWhileOpen(isFirst, sale)

async function draftFor(
  input: unknown,
  { paid }: Standing,
  { sold, payment, ports }: Sale,
): Promise<Draft | Problem> {
  const draft = await fewEach(payment.authorization.from, sold.good, input, () =>
    draftOf(sold.good, input, ports.goods),
  )
  //  the payment has moved: a buyer who is told that nothing was charged signs another one (I5)
  return isProblem(draft) && paid !== null && PROBLEMS[draft.problem].status === 503
    ? { problem: 'settlement_pending', retryAfterS: draft.retryAfterS ?? PENDING_RETRY_S }
    : draft
}

function termsOf(
  { creditTo }: Order,
  { paid }: Standing,
  draft: Draft,
  { sold: { good, offer }, payment, purchase, fingerprint, paymentHash, ports }: Sale,
): ClaimTerms {
  return {
    fingerprint,
    paymentHash,
    creditTo,
    sku: good.sku,
    path: good.path,
    purchasePath: 'x402',
    via: ports.settlement.via,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    payer: payment.authorization.from,
    amountMicroUsdc: payment.authorization.value,
    snapshotVersion: draft.snapshotVersion,
    draft: JSON.stringify(draft),
    ...(purchase === null ? {} : { paymentId: paymentIdDigest(purchase) }),
    ...(paid === null ? {} : { foundTx: paid.tx }),
  }
}
