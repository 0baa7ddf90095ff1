import { z } from 'zod'
import { isProblem, type Problem } from '../errors.ts'
import type { Reply } from '../http/exchange.ts'
import { PAYMENT_IDENTIFIER } from './extensions/paymentIdentifier.ts'
import type { Call } from './input.ts'
import type { LegacyPorts } from './legacy.ts'
import { readHeader } from './payload.ts'
import { NETWORKS_V1 } from './requiredV1.ts'
import { type Sold, unreadable } from './sale.ts'
import type { Offer } from './terms.ts'
import { sellByX402 } from './x402.ts'

const Envelope = z.object({
  x402Version: z.literal(1),
  scheme: z.string().max(64),
  network: z.string().max(64),
  payload: z.record(z.string(), z.unknown()),
})

/** X-PAYMENT holds our legacy JSON, which begins with a brace, or an x402 v1 payment, which is base64 (VAL-16). */
export const isV1 = (header: string): boolean => !header.trimStart().startsWith('{')

/**
 * One GET paid in x402 version 1. Both versions sign the same authorization, so the payment is translated to version 2
 * and sold as such: the same claim, and the same bytes when it is sent again. What version 1 has no word for is taken
 * from our own offer. It cannot carry a redemption secret, so it buys no token.
 */
export async function sellByV1(header: string, call: Call, sold: Sold, ports: LegacyPorts): Promise<Reply> {
  const translated = asV2(header, sold.offer, call.idempotencyKey)
  if (isProblem(translated)) return unreadable(translated, sold, ports.clock.nowMs())
  const { status, headers, body } = await sellByX402(translated.header, call, sold, ports)
  return { status, headers: headers.map(([name, value]) => answerHeader(name, value)), body }
}

/**
 * The PAYMENT-SIGNATURE that says the same about this offer. Pure; terms and signature are not judged here.
 * @param idempotencyKey serves as the payment id, since version 1 has no extensions; '' for none.
 */
export function asV2(header: string, offer: Offer, idempotencyKey = ''): { header: string } | Problem {
  const malformed = (detail: string): Problem => ({ problem: 'malformed_payment', detail })
  const read = readHeader(header)
  if ('why' in read)
    return malformed(
      `X-PAYMENT: neither JSON {intentId, txHash, paymentRail} nor base64 of an x402 v1 payment: ${read.why}`,
    )
  const { json } = read
  const version = (json as { x402Version?: unknown } | null)?.x402Version
  if (version !== 1)
    return {
      problem: 'unsupported_payment',
      detail: 'X-PAYMENT takes x402Version 1; version 2 goes into PAYMENT-SIGNATURE.',
    }
  const envelope = Envelope.safeParse(json)
  if (!envelope.success)
    return malformed(`X-PAYMENT: wrong ${envelope.error.issues[0]?.path.join('.') || 'shape'}`)
  const { scheme, network, payload } = envelope.data
  const accepted = {
    ...offer,
    scheme,
    network: network === NETWORKS_V1[offer.network] ? offer.network : network,
  }
  const named = idempotencyKey === '' ? {} : { [PAYMENT_IDENTIFIER]: { info: { id: idempotencyKey } } }
  const text = JSON.stringify({ x402Version: 2, accepted, payload, extensions: named })
  return { header: Buffer.from(text).toString('base64') }
}

/** Version 1 has the result in a header of its own, networks by name, and no amount. */
function answerHeader(name: string, value: string): readonly [string, string] {
  if (name !== 'payment-response') return [name, value]
  const { success, errorReason, transaction, network, payer } = JSON.parse(
    Buffer.from(value, 'base64').toString(),
  )
  const result = { success, errorReason, transaction, network: NETWORKS_V1[network] ?? network, payer }
  return ['x-payment-response', Buffer.from(JSON.stringify(result)).toString('base64')]
}
