import { createHash } from 'node:crypto'
import { verifyAsync } from '@noble/ed25519'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import type { SettlementView, SignedView } from './report.ts'

/** Prefix of the signed bytes, so that no other signature of the key passes for a receipt. */
const FORMAT = 'service-receipt-v1'
const ALGORITHM = 'ed25519'
/** SubjectPublicKeyInfo of an Ed25519 key is this, then the 32 bytes of the key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** What the service publishes at `/.well-known/receipt-oracle.json`, as far as a buyer needs it. */
export const OracleDescriptor = z.looseObject({
  format: z.literal(FORMAT),
  algorithm: z.literal(ALGORITHM),
  publicKeyPem: z.string().max(1_000),
  keyId: z.string().optional(),
})
export type OracleDescriptor = z.infer<typeof OracleDescriptor>

const Payload = z.looseObject({
  merchant: z.string(),
  sku: z.string(),
  path: z.string(),
  amountAtomic: z.string(),
  asset: z.string(),
  network: z.string(),
  payer: z.string(),
  payTo: z.string(),
  transaction: z.string(),
  responseHash: z.string(),
})

export const Attestation = z.looseObject({
  attestationId: z.string(),
  format: z.literal(FORMAT),
  algorithm: z.literal(ALGORITHM),
  keyId: z.string(),
  payload: z.record(z.string(), z.unknown()),
  signature: z.string(),
})
export type Attestation = z.infer<typeof Attestation>

/** One thing about the receipt that must hold. */
export type Check = { name: string; ok: boolean; detail: string }

/** What was bought, as we know it without the receipt. */
export type Bought = {
  path: string
  sku: string | null //              as the answer says
  result: Record<string, unknown> // of the answer, with the receipt in it
  merchant: string | null //         origin of the 402's resource; null: the 402 was not seen
  signed: SignedView
  settlement: SettlementView | null
}

/**
 * Compares the receipt with everything that is known otherwise: the published key, the transfer we signed,
 * the transaction that settled it and the bytes we got. Pure but for the signature's arithmetic.
 */
export async function checkReceipt(
  attestation: Attestation,
  oracle: OracleDescriptor,
  bought: Bought,
): Promise<Check[]> {
  const payload = Payload.safeParse(attestation.payload)
  const { paymentAttestation: _, ...answered } = bought.result
  const responseHash = sha256Hex(canonicalText(answered))
  const same = (name: string, said: string | undefined, known: string): Check => ({
    name,
    ok: said === known,
    detail: said === known ? known : `the receipt says ${said ?? 'nothing'}, it was ${known}`,
  })
  const sameHex = (name: string, said: string | undefined, known: string) =>
    same(name, said?.toLowerCase(), known.toLowerCase())
  const { signed, settlement } = bought
  const said = payload.data
  return [
    same('key', attestation.keyId, oracle.keyId ?? attestation.keyId),
    await checkSignature(attestation, oracle),
    same('response', said?.responseHash, responseHash),
    ...(bought.merchant === null ? [] : [same('merchant', said?.merchant, bought.merchant)]),
    same('path', said?.path, bought.path),
    ...(bought.sku === null ? [] : [same('sku', said?.sku, bought.sku)]),
    same('amount', said?.amountAtomic, signed.valueAtomic),
    sameHex('payer', said?.payer, signed.from),
    sameHex('payee', said?.payTo, signed.to),
    sameHex('asset', said?.asset, signed.offer.asset),
    same('network', said?.network, signed.offer.network),
    sameHex('transaction', said?.transaction, settlement?.transaction ?? 'not stated by PAYMENT-RESPONSE'),
  ]
}

async function checkSignature(attestation: Attestation, oracle: OracleDescriptor): Promise<Check> {
  const check = (ok: boolean, detail: string): Check => ({ name: 'signature', ok, detail })
  const key = readPublicKey(oracle.publicKeyPem)
  if (key === null) return check(false, 'the published key is not an Ed25519 key')
  const signature = Buffer.from(attestation.signature, 'base64')
  if (signature.toString('base64') !== attestation.signature)
    return check(false, 'is not padded standard base64')
  const bytes = Buffer.from(`${FORMAT}|${canonicalText(attestation.payload)}`, 'utf8')
  const ok = await verifyAsync(signature, bytes, key, { zip215: false }).catch(() => false)
  return check(ok, ok ? `Ed25519 over ${bytes.length} bytes` : 'is not by the published key')
}

/** @returns the 32 bytes of the key; null when the PEM holds anything else. */
export function readPublicKey(pem: string): Buffer | null {
  const match = /^-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----\s*$/.exec(pem)
  if (match === null) return null
  const der = Buffer.from(match[1]!, 'base64')
  const isEd25519 =
    der.length === SPKI_HEAD.length + 32 && der.subarray(0, SPKI_HEAD.length).equals(SPKI_HEAD)
  return isEd25519 ? der.subarray(SPKI_HEAD.length) : null
}

/** RFC 8785. */
const canonicalText = (value: unknown): string => canonicalize(value) ?? ''

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')
