import { repeatsName } from '../../../../ops/repeatedNames.ts'
import type { Attested } from '../receipt/check.ts'

/** What somebody pasted: an id, a receipt, or a whole paid answer with its receipt. */
export type Pasted =
  | { id: string }
  | { attested: Attested; result: Record<string, unknown> | null }
  | { problem: string }

const ID = /^[A-Za-z0-9_-]{22,25}$/

export function readPasted(text: string): Pasted {
  const trimmed = text.trim()
  if (ID.test(trimmed)) return { id: trimmed }
  let value: unknown
  try {
    value = JSON.parse(trimmed)
  } catch {
    return { problem: 'This is neither JSON nor the id of a receipt.' }
  }
  if (repeatsName(trimmed, value))
    return { problem: 'A name is in it twice; which of both was signed depends on the reader.' }
  const top = membersOf(value)
  const result = membersOf(top?.result) ?? (top !== null && 'paymentAttestation' in top ? top : null)
  const receipt = membersOf(result?.paymentAttestation) ?? membersOf(top?.attestation) ?? top
  const payload = membersOf(receipt?.payload)
  if (payload === null || typeof receipt?.signature !== 'string')
    return { problem: 'There is no receipt in it: one has payload and signature.' }
  return { attested: { payload, signature: receipt.signature }, result }
}

const membersOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
