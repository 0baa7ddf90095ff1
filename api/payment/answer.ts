import { formatUsdc } from '../../ops/units.ts'
import type { Draft, Good } from '../goods/good.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE } from '../http/respond.ts'
import type { Claim, Delivery } from '../ledger/ledger.ts'
import { attestationIdOf, signAttestation } from '../receipts/attestation.ts'
import { canonicalJson, sha256Hex } from '../receipts/canonical.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import type { Settled } from '../settlement/port.ts'

export type AnswerPorts = {
  receiptKey: ReceiptKey
  secret: Buffer
  publicUrl: string
  mode: 'sandbox' | 'live'
  chainId: number
}

/**
 * The answer of a settled claim: envelope, receipt, payment response and journal entry. A function of the
 * claim and the draft alone, so whoever composes it (request, resend, worker) composes the same bytes.
 */
export function composeDelivery(
  claim: Claim & { settled: Settled },
  good: Good<unknown>,
  draft: Draft,
  ports: AnswerPorts,
): Delivery {
  const { settled } = claim
  const finished = good.finish?.(draft.result, { transaction: settled.tx }) ?? draft.result
  const responseHash = sha256Hex(canonicalJson(finished))
  const attestation = signAttestation(ports.receiptKey, {
    format: 'service-receipt-v1',
    keyId: ports.receiptKey.keyId,
    attestationId: attestationIdOf(ports.secret, claim.key),
    merchant: ports.publicUrl,
    mode: ports.mode,
    sku: claim.sku,
    path: claim.path,
    amount: formatUsdc(claim.amountMicroUsdc),
    amountAtomic: claim.amountMicroUsdc.toString(),
    asset: claim.asset,
    network: claim.network,
    payer: claim.payer,
    payTo: claim.payTo,
    transaction: settled.tx,
    requestHash: claim.fingerprint,
    responseHash,
    snapshotVersion: draft.snapshotVersion,
    issuedAt: new Date(settled.blockMs).toISOString(),
  })
  const body = JSON.stringify({
    ok: true,
    protocol: claim.purchasePath === 'x402' ? 'x402-v2' : 'x-payment',
    sku: claim.sku,
    mode: ports.mode,
    result: { ...finished, paymentAttestation: attestation },
  })
  const paymentResponse = Buffer.from(
    JSON.stringify({
      success: true,
      transaction: settled.tx,
      network: claim.network,
      payer: claim.payer,
      amount: claim.amountMicroUsdc.toString(),
    }),
  ).toString('base64')
  return {
    body,
    paymentResponse,
    attestationId: attestation.attestationId,
    attestation: JSON.stringify(attestation),
    sale: {
      eventId: attestation.attestationId,
      atMs: settled.blockMs,
      sku: claim.sku,
      path: claim.path,
      purchasePath: claim.purchasePath,
      rail: 'usdc_base',
      chainId: ports.chainId,
      asset: claim.asset,
      payer: claim.payer,
      amountMicroUsdc: claim.amountMicroUsdc.toString(),
      tx: settled.tx,
      logIndex: settled.logIndex,
      attestationId: attestation.attestationId,
      snapshotVersion: draft.snapshotVersion,
      requestHash: claim.fingerprint,
      responseHash,
      mode: ports.mode,
    },
  }
}

export function deliveredReply(answer: { body: string; paymentResponse: string }): Reply {
  return {
    status: 200,
    headers: [['content-type', 'application/json'], NO_STORE, ['payment-response', answer.paymentResponse]],
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
