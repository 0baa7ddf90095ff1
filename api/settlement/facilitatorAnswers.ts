import type { Address, Hex } from 'viem'
import type { Reply } from './exchange.ts'
import { type FacilitatorAsk, readReason, SettleAnswer } from './facilitatorWire.ts'
import type { ChainRefusal } from './port.ts'

/**
 * What a facilitator says about a settlement. It is only its word: `settled` waits for the chain to agree, and `shown`
 * is called with whether it did.
 * refused: it says that no money moved; what it sent may still move it, unless the chain shows that it failed.
 * unknown: money may or may not have moved (reset, timeout, 5xx, garbage, a contradiction); never a 402.
 */
export type SettleOutcome =
  | { kind: 'settled'; tx: Hex; shown?(isShown: boolean): void }
  | { kind: 'refused'; reason: ChainRefusal; isSent: boolean; tx: Hex | null }
  | { kind: 'pending'; tx: Hex | null }
  | { kind: 'unknown'; tx: Hex | null }

/**
 * Reasons about a transaction rather than the payment. The reference facilitator gives them without a hash when its
 * node took the transaction and only the node's reply was lost, and with the hash when it cannot note a transaction
 * that waits to be mined.
 */
const SENT = /transaction_failed|transaction_state/

/** Pure: what an answer to /settle means. FAC-09: an answer about another payment is no answer about ours. */
export function readSettlement(
  reply: Reply,
  { payment, requirements }: FacilitatorAsk,
): SettleOutcome | { contradiction: string; tx: Hex | null } {
  const answer = readJson(SettleAnswer, reply)
  if (answer === null) return { kind: 'unknown', tx: null }
  const tx = isTx(answer.transaction) ? lower(answer.transaction) : null
  if (!answer.success) {
    if (/pending/.test(answer.errorReason ?? '')) return { kind: 'pending', tx }
    const reason = readReason(answer.errorReason)
    return reason === null || isTheirTrouble(reply.status)
      ? { kind: 'unknown', tx }
      : { kind: 'refused', reason, isSent: tx !== null || SENT.test(answer.errorReason ?? ''), tx }
  }
  if (!agrees(answer.payer, payment.authorization.from)) return { contradiction: 'payer differs', tx }
  if (!agrees(answer.network, requirements.network)) return { contradiction: 'network differs', tx }
  if (!agrees(answer.amount, requirements.amount)) return { contradiction: 'amount differs', tx }
  if (tx === null) return { contradiction: 'success without a transaction', tx }
  return isSuccess(reply.status) ? { kind: 'settled', tx } : { kind: 'unknown', tx }
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299
/** Statuses by which a facilitator, or a proxy before it, speaks of its own trouble. */
export const isTheirTrouble = (status: number): boolean => status >= 500 || status === 429 || status === 408
const isTx = (text: string | null | undefined): text is Hex =>
  typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text) && !/^0x0+$/.test(text)
export const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/i.test(text)
export const lower = <H extends Hex>(hex: H): H => hex.toLowerCase() as H

/** Absent is fine: older facilitators leave these out. */
export const agrees = (said: string | null | undefined, ours: string): boolean =>
  said === null || said === undefined || said === '' || said.toLowerCase() === ours.toLowerCase()

export function readJson<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  reply: Reply,
): T | null {
  if (!/json/i.test(reply.contentType)) return null
  try {
    const parsed = schema.safeParse(JSON.parse(reply.text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
