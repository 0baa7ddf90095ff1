import type { Mode } from '../../ops/mode.ts'
import { formatUsdc } from '../../ops/units.ts'
import { type IssuedWith, tokenKindOf } from '../entitlements/issue.ts'
import { tokenOf } from '../entitlements/token.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import { creditPartOf } from '../ledger/creditPart.ts'
import { type Claim, chainIdOf, type Delivery } from '../ledger/ledger.ts'
import { attestationIdOf, signAttestation } from '../receipts/attestation.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import type { KeyRing } from '../receipts/keyRing.ts'
import { signStatement } from '../receipts/statement.ts'
import type { KeptReceipt } from '../receipts/verify.ts'
import type { Settled } from '../settlement/port.ts'
import { OFFER_RECEIPT, receiptExtension } from './extensions/offerReceipt.ts'
import { CLOCK_SLACK_MS } from './legacyTimes.ts'
import { isRefund } from './refundMark.ts'

export type AnswerPorts = {
  receiptKey: ReceiptKey
  receiptKeys: KeyRing //   the same key, and the former keys it still verifies
  secret: Buffer
  publicUrl: string
  mode: Mode
}

type SettledClaim = Claim & { settled: Settled }

/**
 * The answer of a settled claim: envelope, receipt, payment response, journal entry, and what is issued with it. A
 * function of its arguments alone, so whoever composes it (request, resend, worker) composes the same bytes; where the
 * time of issuing differs the ledger keeps the first.
 */
export function composeDelivery(
  claim: SettledClaim,
  good: Sellable<unknown>,
  draft: Draft,
  issued: IssuedWith,
  ports: AnswerPorts,
): Delivery {
  const receiptId = attestationIdOf(ports.secret, claim.key)
  const statement = statementOf(receiptId, claim, good, draft, ports)
  const finished = {
    ...(good.finish?.(draft.result, { transaction: claim.settled.tx }) ?? draft.result),
    ...issued.result,
    ...(statement === undefined ? {} : { attestation: statement }),
  }
  const responseHash = sha256Hex(canonicalJson(finished))
  const attestation = receiptOf(receiptId, responseHash, claim, draft, ports)
  const body = JSON.stringify({
    ok: true,
    protocol: PROTOCOL[claim.purchasePath],
    sku: claim.sku,
    mode: ports.mode,
    result: { ...finished, paymentAttestation: attestation },
  })
  return {
    body: issued.token === null ? body : body.replaceAll(issued.token, TOKEN_PLACE),
    paymentResponse: paymentResponseOf(claim, ports),
    attestationId: receiptId,
    attestation: JSON.stringify({
      ...attestation,
      ...(statement === undefined ? {} : { statement }),
    } satisfies KeptReceipt),
    sale: journalEntryOf(receiptId, responseHash, claim, draft, ports),
    grant: issued.row,
    credit: issued.credit,
  }
}

/** What goods that attest something sign about it, beside the receipt. */
function statementOf(
  attestationId: string,
  claim: SettledClaim,
  good: Sellable<unknown>,
  draft: Draft,
  { receiptKey, publicUrl, mode }: AnswerPorts,
) {
  const subject = good.subject?.(draft.result)
  return (
    subject &&
    signStatement(receiptKey, subject, {
      attestationId,
      merchant: publicUrl,
      mode,
      payer: claim.payer,
      transaction: claim.settled.tx,
      issuedAt: new Date(statedMs(claim)).toISOString(),
    })
  )
}

/**
 * When the words of a statement reached us. Its payment may be much older: a transfer is shown whenever its sender
 * likes, and a statement dated by it could claim that anything was known at that time.
 */
const statedMs = ({ createdMs, settled }: SettledClaim): number =>
  createdMs > settled.blockMs + CLOCK_SLACK_MS ? createdMs : settled.blockMs

const receiptOf = (
  attestationId: string,
  responseHash: string,
  claim: SettledClaim,
  draft: Draft,
  { receiptKey, publicUrl, mode }: AnswerPorts,
) =>
  signAttestation(receiptKey, {
    format: 'service-receipt-v1',
    keyId: receiptKey.keyId,
    attestationId,
    merchant: publicUrl,
    mode,
    sku: claim.sku,
    path: claim.path,
    amount: formatUsdc(claim.amountMicroUsdc),
    amountAtomic: claim.amountMicroUsdc.toString(),
    asset: claim.paid === undefined ? claim.asset : 'USD',
    network: claim.network,
    payer: claim.payer,
    payTo: claim.payTo,
    transaction: claim.settled.tx,
    ...(claim.paid === undefined ? {} : { paid: claim.paid }),
    requestHash: claim.fingerprint,
    responseHash,
    snapshotVersion: draft.snapshotVersion,
    issuedAt: new Date(claim.settled.blockMs).toISOString(),
  })

/** The header PAYMENT-RESPONSE; '' if this request paid nothing on a chain. */
function paymentResponseOf(claim: SettledClaim, { receiptKey, publicUrl }: AnswerPorts): string {
  const { purchasePath, path, network, payer, settled } = claim
  if (purchasePath === 'credit' || purchasePath === 'card') return ''
  const sold = { path, network, payer, transaction: settled.tx, atMs: settled.blockMs }
  return base64Json({
    success: true,
    transaction: settled.tx,
    network,
    payer,
    amount: claim.paid?.[0]?.amountAtomic ?? claim.amountMicroUsdc.toString(), //  what this one transaction paid
    extensions: { [OFFER_RECEIPT]: receiptExtension({ key: receiptKey, publicUrl }, sold) },
  })
}

const journalEntryOf = (
  receiptId: string,
  responseHash: string,
  claim: SettledClaim,
  draft: Draft,
  { mode }: AnswerPorts,
): Delivery['sale'] => ({
  eventId: receiptId,
  atMs: claim.settled.blockMs,
  sku: claim.sku,
  path: claim.path,
  purchasePath: claim.purchasePath,
  rail: claim.rail ?? (claim.purchasePath === 'credit' ? 'store_credit' : 'usdc_base'),
  chainId: chainIdOf(claim.network),
  asset: claim.asset,
  payer: claim.payer,
  amountMicroUsdc: claim.amountMicroUsdc.toString(),
  creditMicroUsdc: creditPartOf(claim).toString(),
  tx: claim.settled.tx,
  logIndex: claim.settled.logIndex,
  attestationId: receiptId,
  snapshotVersion: draft.snapshotVersion,
  cardIds: (draft.cards ?? []).map(({ cardId }) => cardId),
  cards: draft.cards ?? [],
  requestHash: claim.fingerprint,
  responseHash,
  mode,
})

/** How it was paid, as the envelope names it. */
const PROTOCOL: Record<Claim['purchasePath'], string> = {
  x402: 'x402-v2',
  legacy: 'x-payment',
  classic: 'classic',
  credit: 'store-credit',
  card: 'card',
}

/** Placeholder for the token in the stored answer: the ledger holds no secret in the clear. */
const TOKEN_PLACE = '<token of this claim>'

/** The stored answer as its buyer gets it. @param good undefined: no longer known; then only a refund has a token. */
export function revealToken(
  body: string,
  claim: Claim,
  good: Sellable<unknown> | undefined,
  secret: Buffer,
): string {
  const kind = isRefund(body) ? 'credit' : good === undefined ? null : tokenKindOf(good)
  return kind === null ? body : body.replaceAll(TOKEN_PLACE, tokenOf(secret, kind, claim.key))
}

export function deliveredReply(answer: { body: string; paymentResponse: string }): Reply {
  return {
    status: 200,
    headers: [
      ['content-type', 'application/json'],
      NO_STORE,
      ...(answer.paymentResponse === '' ? [] : [['payment-response', answer.paymentResponse] as const]),
    ],
    body: answer.body,
  }
}

/** PAYMENT-RESPONSE of a payment that did not, or not yet, go through. Reasons come from our own closed set. */
export const failedResponse = (reason: string, network: string, transaction = '', payer?: string): string =>
  base64Json({
    success: false,
    errorReason: reason,
    transaction,
    network,
    ...(payer === undefined ? {} : { payer }),
  })

const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')
