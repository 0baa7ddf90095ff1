import { z } from 'zod'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'
import { BodyTooLarge, type Handler } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  type Attestation,
  attestationHolds,
  RECEIPT_ALGORITHM,
  RECEIPT_FORMAT,
} from '../receipts/attestation.ts'
import { canonicalJson } from '../receipts/canonical.ts'
import type { ReceiptKey } from '../receipts/key.ts'

type Ports = { receiptKey: ReceiptKey; ledger: Ledger; publicUrl: string; mode: string }

const MAX_BODY_BYTES = 16 * 1024
const ID = /^[A-Za-z0-9_-]{1,64}$/
const Body = z.object({
  id: z.string().regex(ID).optional(),
  payload: z.unknown().optional(),
  signature: z.string().max(128).optional(),
})

/** `/.well-known/receipt-oracle.json` (spec 2.5): who signs receipts, with which key, and how to check one. */
export function receiptOracleDescriptor({ receiptKey, publicUrl, mode }: Ports): Handler {
  const reply = jsonReply(
    200,
    {
      name: 'Receipt oracle',
      format: RECEIPT_FORMAT,
      algorithm: RECEIPT_ALGORITHM,
      mode,
      merchant: publicUrl,
      keyId: receiptKey.keyId,
      publicKeyPem: receiptKey.publicKeyPem,
      signedBytes: `UTF-8 of "${RECEIPT_FORMAT}|" followed by the RFC 8785 text of payload`,
      requestHash:
        'SHA-256 hex of the lines GET, path, query (names sorted, percent-encoded, joined by &), sku, atomic amount, asset and payTo in lower case, and where X-Service-Payload is part of the request the SHA-256 hex of its value, joined by a line feed',
      responseHash: 'SHA-256 hex of the RFC 8785 text of result without paymentAttestation',
      verify: {
        get: `${publicUrl}/api/receipt-oracle/verify?id={attestationId}`,
        post: `${publicUrl}/api/receipt-oracle/verify`,
        body: { id: 'optional', payload: 'optional', signature: 'optional' },
      },
      issue: { automatic: true },
    },
    [['cache-control', 'public, max-age=300']],
  )
  return () => reply
}

/**
 * Verifies a receipt by id, by payload and signature, or both. `valid` is true only when every part that was
 * given agrees and the signature is ours; "unknown" is never "valid" (RCP-02). Keys named by the caller are ignored.
 */
async function verifyParts({ id, payload, signature }: z.infer<typeof Body>, { ledger, receiptKey }: Ports) {
  const kept = id === undefined ? null : await ledger.attestation(id)
  if (id !== undefined && kept === null) return { valid: false, reason: 'unknown_id' }
  const known = kept === null ? null : (JSON.parse(kept) as Attestation)
  const claimed = { payload: payload ?? known?.payload, signature: signature ?? known?.signature }
  if (claimed.payload === undefined || claimed.signature === undefined)
    return { valid: false, reason: 'payload_and_signature_needed' }
  if (known !== null && canonicalJson(claimed.payload) !== canonicalJson(known.payload))
    return { valid: false, reason: 'payload_is_not_of_this_id' }
  if (!attestationHolds(receiptKey, claimed.payload, claimed.signature))
    return { valid: false, reason: 'bad_signature' }
  return { valid: true, keyId: receiptKey.keyId, payload: claimed.payload }
}

export function verifyById(ports: Ports): Handler {
  return async (request) => {
    const id = parseQuery(request.rawQuery)?.get('id') ?? ''
    if (!ID.test(id))
      return problemReply({ problem: 'invalid_parameter', detail: 'id: an attestationId is needed.' })
    const verdict = await verifyParts({ id }, ports)
    return jsonReply(200, { ok: verdict.valid, ...verdict }, [NO_STORE])
  }
}

export function verifyByBody(ports: Ports): Handler {
  return async (request) => {
    const body = request.body(MAX_BODY_BYTES)
    let parsed: z.infer<typeof Body>
    try {
      parsed = Body.parse(parseStrictJson((await body).toString('utf8')))
    } catch (error) {
      if (error instanceof BodyTooLarge) return problemReply({ problem: 'body_too_large' })
      if (error instanceof StrictJsonError || error instanceof z.ZodError)
        return problemReply({
          problem: 'malformed_request',
          detail: 'The body is JSON {id?, payload?, signature?}.',
        })
      throw error
    }
    const verdict = await verifyParts(parsed, ports)
    return jsonReply(200, { ok: verdict.valid, ...verdict }, [NO_STORE])
  }
}
