import { z } from 'zod'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'
import { isProblem } from '../errors.ts'
import type { Authorization } from '../settlement/port.ts'
import { paymentIdOf } from './extensions/paymentIdentifier.ts'

/** Room for a smart-wallet payment with echoed extensions (x402-v2 1.8), and a little more. */
const MAX_HEADER_CHARS = 24 * 1024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
/** Decimal digits only: to BigInt, '' and '0x1' and ' 1 ' are numbers too. */
const CANONICAL = /^(0|[1-9][0-9]{0,77})$/
const Atomic = z.string().refine((digits) => CANONICAL.test(digits) && BigInt(digits) < 1n << 256n)
const Seconds = Atomic

const Requirements = z.object({
  scheme: z.string().max(64),
  network: z.string().max(64),
  amount: z.string().max(78),
  asset: z.string().max(64),
  payTo: z.string().max(64),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).optional(),
})

const Envelope = z.object({
  x402Version: z.literal(2),
  accepted: Requirements,
  payload: z.record(z.string(), z.unknown()),
  resource: z.unknown().optional(), //   the client's words: never trusted
  extensions: z.unknown().optional(),
})

const Eip3009 = z.strictObject({
  signature: z
    .string()
    .max(16 * 1024 + 2)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/),
  authorization: z.strictObject({
    from: Address,
    to: Address,
    value: Atomic,
    validAfter: Seconds,
    validBefore: Seconds,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
})

/** A payment as sent, in canonical form: equal payments are equal values however they were spelled. */
export type ExactPayment = {
  accepted: z.infer<typeof Requirements>
  authorization: Authorization
  signature: string //  as sent; its form is judged by the settlement side
  paymentId: string | null // extension payment-identifier
}

export type PayloadRefusal = 'malformed_payment' | 'unsupported_payment'

/** The JSON of a payment header; both versions accept the same dialect (VAL-14). */
export function readHeader(header: string): { json: unknown } | { why: string } {
  if (header.length > MAX_HEADER_CHARS) return { why: 'longer than 24 KiB' }
  const unpadded = header.replace(/=+$/, '')
  if (!BASE64.test(header) || unpadded.length % 4 === 1) return { why: 'not standard base64' }
  if (unpadded.length !== header.length && header.length % 4 !== 0) return { why: 'wrong base64 padding' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(unpadded, 'base64'),
    )
    return { json: parseStrictJson(text) }
  } catch (error) {
    return { why: error instanceof StrictJsonError ? `not strict JSON: ${error.message}` : 'not UTF-8' }
  }
}

/**
 * Reads a PAYMENT-SIGNATURE header: standard base64, padded or not, of UTF-8 JSON with no key twice.
 * Everything after this works on the returned object, never on the header's bytes.
 */
export function parsePayment(header: string): ExactPayment | { refusal: PayloadRefusal; why: string } {
  const malformed = (why: string) => ({ refusal: 'malformed_payment' as const, why })
  const unsupported = (why: string) => ({ refusal: 'unsupported_payment' as const, why })
  const read = readHeader(header)
  if ('why' in read) return malformed(read.why)
  const { json } = read
  const version = (json as { x402Version?: unknown } | null)?.x402Version
  if (version !== 2) return unsupported('x402Version must be the number 2')
  const envelope = Envelope.safeParse(json)
  if (!envelope.success) return malformed(`wrong shape at ${pathOf(envelope.error)}`)
  const { accepted, payload } = envelope.data
  if ('permit2Authorization' in payload) return unsupported('only EIP-3009 is offered')
  const exact = Eip3009.safeParse(payload)
  if (!exact.success) return malformed(`wrong shape at payload.${pathOf(exact.error)}`)
  const { authorization, signature } = exact.data
  const paymentId = paymentIdOf(envelope.data.extensions)
  if (isProblem(paymentId)) return malformed(paymentId.detail ?? 'wrong payment id')
  return {
    accepted,
    signature,
    paymentId,
    authorization: {
      from: authorization.from.toLowerCase() as `0x${string}`,
      to: authorization.to.toLowerCase() as `0x${string}`,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce.toLowerCase() as `0x${string}`,
    },
  }
}

const pathOf = (error: z.ZodError) => error.issues[0]?.path.join('.') || 'the top'
