import { formatUsdc } from '../../ops/units.ts'
import { type IssuedWith, tokenKindOf } from '../entitlements/issue.ts'
import { tokenOf } from '../entitlements/token.ts'
import type { Draft, Sellable } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import { type Claim, chainIdOf, type Delivery } from '../ledger/ledger.ts'
import { attestationIdOf, signAttestation } from '../receipts/attestation.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import type { KeyRing } from '../receipts/keyRing.ts'
import { signStatement } from '../receipts/statement.ts'
import type { KeptReceipt } from '../receipts/verify.ts'
import type { Settled } from '../settlement/port.ts'
import { OFFER_RECEIPT, receiptExtension } from './extensions/offerReceipt.ts'
import { isRefund } from './refundMark.ts'

export type AnswerPorts = {
  receiptKey: ReceiptKey
  receiptKeys: KeyRing //   the same key and those it verifies with besides
  secret: Buffer
  publicUrl: string
  mode: 'sandbox' | 'live'
}

/**
 * The answer of a settled claim: envelope, receipt, payment response, journal entry, and what is issued with it. A
 * function of its arguments alone, so whoever composes it (request, resend, worker) composes the same bytes; where the
 * time of issuing differs the ledger keeps the first.
 */
export function composeDelivery(
  claim: Claim & { settled: Settled },
  good: Sellable<unknown>,
  draft: Draft,
  issued: IssuedWith,
  ports: AnswerPorts,
): Delivery {
  const { settled } = claim
  const receiptId = attestationIdOf(ports.secret, claim.key)
  const issuedAt = new Date(settled.blockMs).toISOString()
  const subject = good.subject?.(draft.result)
  const statement =
    subject &&
    signStatement(ports.receiptKey, subject, {
      ...{ attestationId: receiptId, merchant: ports.publicUrl, mode: ports.mode, payer: claim.payer },
      ...{ transaction: settled.tx, issuedAt },
    })
  const finished = {
    ...(good.finish?.(draft.result, { transaction: settled.tx }) ?? draft.result),
    ...issued.result,
    ...(statement === undefined ? {} : { attestation: statement }),
  }
  const responseHash = sha256Hex(canonicalJson(finished))
  const attestation = signAttestation(ports.receiptKey, {
    format: 'service-receipt-v1',
    keyId: ports.receiptKey.keyId,
    attestationId: receiptId,
    merchant: ports.publicUrl,
    mode: ports.mode,
    sku: claim.sku,
    path: claim.path,
    amount: formatUsdc(claim.amountMicroUsdc),
    amountAtomic: claim.amountMicroUsdc.toString(),
    asset: claim.paid === undefined ? claim.asset : 'USD',
    network: claim.network,
    payer: claim.payer,
    payTo: claim.payTo,
    transaction: settled.tx,
    ...(claim.paid === undefined ? {} : { paid: claim.paid }),
    requestHash: claim.fingerprint,
    responseHash,
    snapshotVersion: draft.snapshotVersion,
    issuedAt,
  })
  const body = JSON.stringify({
    ok: true,
    protocol: PROTOCOL[claim.purchasePath],
    sku: claim.sku,
    mode: ports.mode,
    result: { ...finished, paymentAttestation: attestation },
  })
  const paymentResponse =
    claim.purchasePath === 'credit' || claim.purchasePath === 'card'
      ? ''
      : Buffer.from(
          JSON.stringify({
            success: true,
            transaction: settled.tx,
            network: claim.network,
            payer: claim.payer,
            amount: claim.paid?.[0]?.amountAtomic ?? claim.amountMicroUsdc.toString(), //  of this transaction
            extensions: {
              [OFFER_RECEIPT]: receiptExtension(
                { key: ports.receiptKey, publicUrl: ports.publicUrl },
                {
                  ...{ path: claim.path, network: claim.network, payer: claim.payer },
                  ...{ transaction: settled.tx, atMs: settled.blockMs },
                },
              ),
            },
          }),
        ).toString('base64')
  return {
    body: issued.token === null ? body : body.replaceAll(issued.token, TOKEN_PLACE),
    paymentResponse,
    attestationId: attestation.attestationId,
    attestation: JSON.stringify({
      ...attestation,
      ...(statement === undefined ? {} : { statement }),
    } satisfies KeptReceipt),
    sale: {
      eventId: attestation.attestationId,
      atMs: settled.blockMs,
      sku: claim.sku,
      path: claim.path,
      purchasePath: claim.purchasePath,
      rail: claim.rail ?? (claim.purchasePath === 'credit' ? 'store_credit' : 'usdc_base'),
      chainId: chainIdOf(claim.network),
      asset: claim.asset,
      payer: claim.payer,
      amountMicroUsdc: claim.amountMicroUsdc.toString(),
      tx: settled.tx,
      logIndex: settled.logIndex,
      attestationId: attestation.attestationId,
      snapshotVersion: draft.snapshotVersion,
      cardIds: (draft.cards ?? []).map(({ cardId }) => cardId),
      cards: draft.cards ?? [],
      requestHash: claim.fingerprint,
      responseHash,
      mode: ports.mode,
    },
    grant: issued.row,
    credit: issued.credit,
  }
}

/** How it was paid, as the envelope names it. */
const PROTOCOL: Record<Claim['purchasePath'], string> = {
  x402: 'x402-v2',
  legacy: 'x-payment',
  classic: 'classic',
  credit: 'store-credit',
  card: 'card',
}

/** Stands in the stored answer where the delivered one has its token: the ledger holds no secret in the clear. */
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
  Buffer.from(
    JSON.stringify({
      success: false,
      errorReason: reason,
      transaction,
      network,
      ...(payer === undefined ? {} : { payer }),
    }),
  ).toString('base64')
