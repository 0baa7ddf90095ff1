import type { Mode } from '../../ops/mode.ts'
import { creditAccountOf, tokenKindOf } from '../entitlements/issue.ts'
import { digestOfToken, tokenOf } from '../entitlements/token.ts'
import { sellableOfSku } from '../goods/index.ts'
import { creditPartOf } from '../ledger/creditPart.ts'
import type { Entitled } from '../ledger/finality.ts'
import { type Claim, chainIdOf, type ListedClaim, type Sale } from '../ledger/ledger.ts'
import { isRefund } from '../payment/refundMark.ts'
import { attestationIdOf } from '../receipts/attestation.ts'
import type { Settled } from '../settlement/port.ts'

export type EntitledPorts = { secret: Buffer; mode: Mode }

/** What a delivered claim gave its buyer beside the answer itself. */
export function entitledOf(claim: Claim, { secret }: EntitledPorts): Entitled {
  const good = sellableOfSku(claim.sku)
  const refunded = claim.answer !== null && isRefund(claim.answer.body)
  const kind = refunded ? 'credit' : good === undefined ? null : tokenKindOf(good)
  if (kind === null) return { token: null, lot: null }
  const digest = digestOfToken(tokenOf(secret, kind, claim.key))
  if (kind !== 'credit') return { token: { kind, digest }, lot: null }
  const micro = refunded ? claim.amountMicroUsdc : (good?.creditMicroUsdc ?? 0n)
  return { token: null, lot: { digest, micro, account: creditAccountOf(claim) } }
}

/**
 * Journal entry for money that left the chain after its sale, or came back: the sale's figures, with a sign.
 * @param mark tells one change of a claim apart from the next.
 */
export function reversalOf(
  claim: ListedClaim & { settled: Settled },
  change: 'reversed' | 'restored',
  { secret, mode }: EntitledPorts,
  mark: string,
): Sale {
  const attestationId = attestationIdOf(secret, claim.key)
  const sign = change === 'reversed' ? -1n : 1n
  return {
    eventId: `${attestationId}:${change}:${mark}`,
    atMs: claim.settled.blockMs,
    sku: claim.sku,
    path: claim.path,
    purchasePath: change,
    rail: claim.rail ?? 'usdc_base',
    chainId: chainIdOf(claim.network),
    asset: claim.asset,
    payer: claim.payer,
    amountMicroUsdc: (sign * claim.amountMicroUsdc).toString(),
    creditMicroUsdc: (sign * creditPartOf(claim)).toString(),
    tx: claim.settled.tx,
    logIndex: claim.settled.logIndex,
    attestationId,
    snapshotVersion: claim.snapshotVersion,
    cardIds: [], //  how cards turn out is told once per sale
    requestHash: claim.fingerprint,
    responseHash: '',
    mode,
  }
}
