import { createHash } from 'node:crypto'
import { verifyAsync } from '@noble/ed25519'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import type { SettlementView, SignedView } from './report.ts'
import { printable } from './terminal.ts'

/**
 * Prefixes of the signed bytes: no other signature of the key passes for a receipt, nor receipt and statement for each
 * other.
 */
export const RECEIPT_FORMAT = 'service-receipt-v1'
const STATEMENT_FORMAT = 'service-statement-v1'
const ALGORITHM = 'ed25519'
/** SubjectPublicKeyInfo of an Ed25519 key is this, then the 32 bytes of the key (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** What the service publishes at `/.well-known/receipt-oracle.json`, as far as a buyer needs it. */
export const OracleDescriptor = z.looseObject({
  format: z.literal(RECEIPT_FORMAT),
  algorithm: z.literal(ALGORITHM),
  publicKeyPem: z.string().max(1_000),
  keyId: z.string().optional(),
  keys: z
    .array(z.looseObject({ keyId: z.string(), publicKeyPem: z.string().max(1_000) }))
    .max(100)
    .optional(), // former ones and the next one too
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
  format: z.literal(RECEIPT_FORMAT),
  algorithm: z.literal(ALGORITHM),
  keyId: z.string(),
  payload: z.record(z.string(), z.unknown()),
  signature: z.string(),
})
export type Attestation = z.infer<typeof Attestation>

/** Whatever the service signs: a receipt, or a caller's statement that was sold. */
export const SignedPaper = Attestation.extend({ format: z.enum([RECEIPT_FORMAT, STATEMENT_FORMAT]) })
export type SignedPaper = z.infer<typeof SignedPaper>

/** One thing about the receipt that must hold. */
export type Check = { name: string; ok: boolean; detail: string }

/** What was bought, as we know it without the receipt. null: not known, so not compared. */
export type Bought = {
  path: string | null
  sku: string | null //                     as the answer says
  result: Record<string, unknown> | null // of the answer, with the receipt in it
  merchant: string | null //                origin of the 402's resource
  signed: SignedView | null
  settlement: SettlementView | null
}

/**
 * Compares the receipt with everything that is known otherwise: the published key, the transfer we signed,
 * the transaction that settled it and the bytes we got. Pure but for the signature's arithmetic.
 */
export async function checkReceipt(
  attestation: Attestation,
  oracle: OracleDescriptor,
  { path, sku, result, merchant, signed, settlement }: Bought,
): Promise<Check[]> {
  const said = Payload.safeParse(attestation.payload).data
  return [
    ...(await checkPaper(attestation, oracle)),
    ...(result === null ? [] : [checkResponse(said?.responseHash, result)]),
    ...(merchant === null ? [] : [same('merchant', said?.merchant, merchant)]),
    ...(path === null ? [] : [same('path', said?.path, path)]),
    ...(sku === null ? [] : [same('sku', said?.sku, sku)]),
    ...(signed === null
      ? []
      : [
          same('amount', said?.amountAtomic, signed.valueAtomic),
          sameHex('payer', said?.payer, signed.from),
          sameHex('payee', said?.payTo, signed.to),
          sameHex('asset', said?.asset, signed.offer.asset),
          same('network', said?.network, signed.offer.network),
          sameHex(
            'transaction',
            said?.transaction,
            settlement?.transaction ?? 'not stated by PAYMENT-RESPONSE',
          ),
        ]),
  ]
}

/** Key and signature of anything the service signs. */
export async function checkPaper(paper: SignedPaper, oracle: OracleDescriptor): Promise<Check[]> {
  const pem = pemOf(oracle, paper.keyId)
  if (pem === null)
    return [{ name: 'key', ok: false, detail: `${paper.keyId} is not among the published keys` }]
  return [{ name: 'key', ok: true, detail: paper.keyId }, await checkSignature(paper, pem)]
}

/** If the descriptor does not name its one key, that key counts for every receipt. */
function pemOf({ keyId, keys = [], publicKeyPem }: OracleDescriptor, wanted: string): string | null {
  if ((keyId ?? wanted) === wanted) return publicKeyPem
  return keys.find((key) => key.keyId === wanted)?.publicKeyPem ?? null
}

/** Without a text of its own a result is covered by no hash, whatever the receipt states. */
function checkResponse(said: string | undefined, result: Record<string, unknown>): Check {
  const hash = hashOfResult(result)
  return hash === null
    ? { name: 'response', ok: false, detail: 'the result has no RFC 8785 text to be covered by' }
    : same('response', said, hash)
}

const same = (name: string, said: string | undefined, known: string): Check => ({
  name,
  ok: said === known,
  detail: said === known ? known : `the receipt says ${printable(said ?? 'nothing')}, it was ${known}`,
})
const sameHex = (name: string, said: string | undefined, known: string): Check =>
  same(name, said?.toLowerCase(), known.toLowerCase())

/** SHA-256 hex of the RFC 8785 text of a result without its receipt. */
function hashOfResult({ paymentAttestation: _, ...answered }: Record<string, unknown>): string | null {
  const text = canonicalText(answered)
  return text === null ? null : createHash('sha256').update(text).digest('hex')
}

async function checkSignature(
  { format, payload, signature: text }: SignedPaper,
  pem: string,
): Promise<Check> {
  const check = (ok: boolean, detail: string): Check => ({ name: 'signature', ok, detail })
  const key = readPublicKey(pem)
  if (key === null) return check(false, 'the published key is not an Ed25519 key')
  const signature = Buffer.from(text, 'base64')
  if (signature.toString('base64') !== text) return check(false, 'is not padded standard base64')
  const signed = canonicalText(payload)
  if (signed === null) return check(false, 'the payload has no RFC 8785 text that could be signed')
  const bytes = Buffer.from(`${format}|${signed}`, 'utf8')
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

/**
 * RFC 8785 text; null for a value that has none (unpaired surrogates). An empty text in its place would let a seller sign
 * it once and change the value for ever.
 */
function canonicalText(value: unknown): string | null {
  try {
    return canonicalize(value) ?? null
  } catch {
    return null
  }
}
