import type { Hex } from 'viem'
import { z } from 'zod'
import { parseStrictJson } from '../../ops/strictJson.ts'
import type { Problem } from '../errors.ts'

/** Which transfer was made, and for which intent of ours. */
export type LegacyProof = { intentId: string; txHash: Hex }

const Proof = z.strictObject({
  intentId: z.string().max(128),
  txHash: z.string().regex(/^(0[xX])?[0-9a-fA-F]{64}$/),
  paymentRail: z.literal('usdc_base'),
})

/** Reads an X-PAYMENT header of the legacy path: strict JSON {intentId, txHash, paymentRail}. */
export function readProof(header: string): LegacyProof | Problem {
  if (!header.trimStart().startsWith('{'))
    return {
      problem: 'unsupported_payment',
      detail:
        'X-PAYMENT holds JSON {intentId, txHash, paymentRail}. An x402 payment goes into PAYMENT-SIGNATURE, version 2.',
    }
  let json: unknown
  try {
    json = parseStrictJson(header.slice(0, 4_096), 2)
  } catch {
    return { problem: 'malformed_payment', detail: 'X-PAYMENT is not strict JSON.' }
  }
  const proof = Proof.safeParse(json)
  if (!proof.success)
    return {
      problem: 'malformed_payment',
      detail: `X-PAYMENT: wrong ${proof.error.issues[0]?.path.join('.') || 'shape'}.`,
    }
  return { intentId: proof.data.intentId, txHash: `0x${proof.data.txHash.slice(-64).toLowerCase()}` }
}
