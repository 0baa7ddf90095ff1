import { z } from 'zod'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'
import { formatUsdc } from '../../ops/units.ts'
import { receiptOracle } from '../goods/receiptOracle.ts'
import { BodyTooLarge, type Handler } from '../http/exchange.ts'
import { parseQuery } from '../http/query.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT } from '../receipts/attestation.ts'
import { didOf, jwkOf, kidOf } from '../receipts/did.ts'
import type { ReceiptKey } from '../receipts/key.ts'
import { STATEMENT_FORMAT } from '../receipts/statement.ts'
import { type VerifyPorts, verifyParts } from '../receipts/verify.ts'

export type OraclePorts = VerifyPorts & { receiptKey: ReceiptKey; publicUrl: string; mode: string }

const MAX_BODY_BYTES = 16 * 1024
const ID = /^[A-Za-z0-9_-]{1,64}$/
const Body = z.object({
  id: z.string().regex(ID).optional(),
  payload: z.unknown().optional(),
  signature: z.string().max(128).optional(),
})

const bytesUnder = (format: string) => `UTF-8 of "${format}|" followed by the RFC 8785 text of payload`

/** `/.well-known/receipt-oracle.json` (spec 2.5): who signs receipts, with which keys, and how to check one. */
export function receiptOracleDescriptor({ receiptKey, receiptKeys, publicUrl, mode }: OraclePorts): Handler {
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
      //  former keys keep verifying what they signed; the next one is published before it signs
      keys: [...receiptKeys.values()].map((key) => ({
        keyId: key.keyId,
        kid: kidOf(publicUrl, key),
        signs: key.keyId === receiptKey.keyId,
        publicKeyPem: key.publicKeyPem,
        publicKeyJwk: jwkOf(key),
      })),
      did: didOf(publicUrl),
      didDocument: `${publicUrl}/.well-known/did.json`,
      signedBytes: bytesUnder(RECEIPT_FORMAT),
      requestHash:
        'SHA-256 hex of the lines GET, path, query (names sorted, percent-encoded, joined by &), sku, atomic amount, asset and payTo in lower case, and where X-Service-Payload is part of the request the SHA-256 hex of its value, joined by a line feed',
      responseHash: 'SHA-256 hex of the RFC 8785 text of result without paymentAttestation',
      verify: {
        get: `${publicUrl}/api/receipt-oracle/verify?id={attestationId}`,
        post: `${publicUrl}/api/receipt-oracle/verify`,
        body: { id: 'optional', payload: 'optional', signature: 'optional' },
        page: `${publicUrl}/receipts/{attestationId}`,
      },
      issue: {
        automatic: true,
        product: {
          sku: receiptOracle.sku,
          url: `${publicUrl}${receiptOracle.path}`,
          priceUsdc: Number(formatUsdc(receiptOracle.priceMicroUsdc)),
          format: STATEMENT_FORMAT,
          signedBytes: bytesUnder(STATEMENT_FORMAT),
          note: "Attests a hash or JSON statement of the caller's: when and by which payment it was handed in, not that it is true. Never a payment receipt. Every purchase has its own receipt without this.",
        },
      },
      x402: {
        extension: 'offer-receipt',
        note: 'Offers in PAYMENT-REQUIRED and receipts in PAYMENT-RESPONSE are EdDSA JWS by the same keys.',
      },
      docs: `${publicUrl}/receipt-oracle`,
      llms: `${publicUrl}/llms.txt`,
    },
    [['cache-control', 'public, max-age=300']],
  )
  return () => reply
}

const verdictReply = async (parts: z.infer<typeof Body>, ports: VerifyPorts) => {
  const verdict = await verifyParts(parts, ports)
  return jsonReply(200, { ok: verdict.valid, ...verdict }, [NO_STORE])
}

export function verifyById(ports: VerifyPorts): Handler {
  return (request) => {
    const id = parseQuery(request.rawQuery)?.get('id') ?? ''
    if (!ID.test(id))
      return problemReply({ problem: 'invalid_parameter', detail: 'id: an attestationId is needed.' })
    return verdictReply({ id }, ports)
  }
}

export function verifyByBody(ports: VerifyPorts): Handler {
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
    return verdictReply(parsed, ports)
  }
}
