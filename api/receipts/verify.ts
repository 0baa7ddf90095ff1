import { DAY } from '../../ops/units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ATTESTATION_TTL_MS } from '../ledger/redis.ts'
import type { Attestation, Signed } from './attestation.ts'
import { canonicalJson, isSignable } from './canonical.ts'
import type { KeyRing } from './keyRing.ts'
import { type Format, signatureHolds } from './signature.ts'
import { receiptIdOf, type Statement } from './statement.ts'

export type VerifyPorts = { receiptKeys: KeyRing; ledger: Pick<Ledger, 'attestation' | 'revokedMs'> }

/** What is kept under a receipt's id: the receipt, and the statement that was sold with it. */
export type KeptReceipt = Attestation & { statement?: Statement }

/** Formats that are kept under an id and can be found by it. */
export type KeptFormat = Exclude<Format, 'service-credit-note-v1'>
type Known = Signed<{ format: KeptFormat; keyId: string; attestationId: string }>

const KINDS: Readonly<Record<Format, string>> = {
  'service-receipt-v1': 'payment_receipt',
  'service-statement-v1': 'caller_statement',
  'service-credit-note-v1': 'store_credit_note',
}

export type Verdict =
  | { valid: false; reason: string; revokedAt?: string }
  | { valid: true; kind: string; keyId: string; payload: unknown; signature: string }

/** For whoever is told how to check one. */
export const ID_KNOWN_FOR = `By its id alone a receipt can be checked for ${ATTESTATION_TTL_MS / DAY} days, by payload and signature for ever.`

/** A receipt or a statement by its id, as it was issued; null when there is none. */
export async function findSigned(id: string, ledger: VerifyPorts['ledger']): Promise<Known | null> {
  const { receiptId, isStatement } = receiptIdOf(id)
  const kept = await ledger.attestation(receiptId)
  if (kept === null) return null
  const receipt = JSON.parse(kept) as KeptReceipt
  return isStatement ? (receipt.statement ?? null) : receipt
}

/**
 * Verifies by id, by payload and signature, or both. `valid` is true only when every part that was given agrees and the
 * signature is ours and the money it speaks of is still on its chain; "unknown" is never "valid" (RCP-02, RCP-07).
 */
export async function verifyParts(
  { id, payload, signature }: { id?: string; payload?: unknown; signature?: string },
  { ledger, receiptKeys }: VerifyPorts,
): Promise<Verdict> {
  const known = id === undefined ? null : await findSigned(id, ledger)
  //  ids are forgotten, and a signature holds for ever: whoever sends all three needs no row, for the id is in what is signed
  const isWhole = signature !== undefined && idOf(payload) === id
  if (id !== undefined && known === null && !isWhole) return { valid: false, reason: 'unknown_id' }
  //  null is a payload too: it was given, and is not that of a receipt
  const claimed = {
    payload: payload === undefined ? known?.payload : payload,
    signature: signature ?? known?.signature,
  }
  if (claimed.payload === undefined || claimed.signature === undefined)
    return { valid: false, reason: 'payload_and_signature_needed' }
  if (!isSignable(claimed.payload)) return { valid: false, reason: 'payload_cannot_be_signed' }
  if (known !== null && canonicalJson(claimed.payload) !== canonicalJson(known.payload))
    return { valid: false, reason: 'payload_is_not_of_this_id' }
  if (!signatureHolds(receiptKeys, claimed.payload, claimed.signature))
    return { valid: false, reason: 'bad_signature' }
  //  a credit note has no id, and says itself when it was true
  const { format, keyId, attestationId } = claimed.payload as {
    format: Format
    keyId: string
    attestationId?: string
  }
  const revokedMs = attestationId === undefined ? null : await revokedSince(attestationId, ledger)
  if (revokedMs !== null)
    return { valid: false, reason: 'revoked', revokedAt: new Date(revokedMs).toISOString() }
  return {
    valid: true,
    kind: KINDS[format],
    keyId,
    payload: claimed.payload,
    signature: claimed.signature,
  }
}

const idOf = (payload: unknown): unknown => (payload as { attestationId?: unknown } | null)?.attestationId

/**
 * Since when a receipt is revoked; a statement is revoked with the receipt of its payment.
 * @returns Unix ms; null: it is not.
 */
export const revokedSince = (id: string, ledger: Pick<Ledger, 'revokedMs'>): Promise<number | null> =>
  ledger.revokedMs(receiptIdOf(id).receiptId)
