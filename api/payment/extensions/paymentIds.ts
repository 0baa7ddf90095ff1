import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { EVEN_WHEN_FULL } from '../../../ops/redisScript.ts'
import { HOUR, SECOND } from '../../../ops/units.ts'
import { KEYS } from '../../ledger/keys.ts'
import type { ClaimKey } from '../../ledger/ledger.ts'
import { guarded } from '../../ledger/scripts.ts'
import { sha256Hex } from '../../receipts/canonical.ts'

/** A purchase as its buyer names it: ids of one payer never meet those of another. */
export type NamedPurchase = {
  payer: string
  id: string
  key: ClaimKey
  fingerprint: string
  asks: string //  hash of the question, whatever it costs
}

export type IdOutcome = { outcome: 'free' } | { outcome: 'paid' | 'other'; key: ClaimKey }

/** Second index to claims, (payer, payment id) → claim. The nonce stays the first. Each call is one atomic step. */
export type PaymentIds = {
  look(purchase: NamedPurchase): Promise<IdOutcome>
  /** Called before the claim is written. Repeating it is harmless. */
  bind(purchase: NamedPurchase): Promise<IdOutcome>
  /** `bind` for a payment whose money has moved already: there is always room for it. */
  bindPaid(purchase: NamedPurchase): Promise<IdOutcome>
}

/** Longer than binding to claiming takes; if a process dies in between, its buyer has to wait this long. */
const LEASE_MS = 30 * SECOND
/** A row is kept so much longer than an answer; once there is its claim, as long as that (paymentIdKept.lua). */
const UNCLAIMED_MS = 1 * HOUR

/** Names the row of an id, which nobody can read out of it. */
export const paymentIdDigest = ({ payer, id }: Pick<NamedPurchase, 'payer' | 'id'>): string =>
  sha256Hex(`${payer.toLowerCase()}\n${id}`)

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const lua = EVEN_WHEN_FULL + read('../../ledger/commands/room.lua') + read('bindPaymentId.lua')
type Command = { bindPaymentId(...parts: (string | number)[]): Promise<[IdOutcome['outcome'], ClaimKey]> }

/** @param answerTtlMs how long a delivered answer is kept. */
export function createPaymentIds(redis: Redis, { answerTtlMs }: { answerTtlMs: number }): PaymentIds {
  redis.defineCommand('bindPaymentId', { numberOfKeys: 1, lua })
  const command = redis as unknown as Command
  const run = async (
    { key, fingerprint, asks, ...named }: NamedPurchase,
    step: keyof PaymentIds,
  ): Promise<IdOutcome> => {
    const row = KEYS.paymentId(paymentIdDigest(named))
    const kept = answerTtlMs + UNCLAIMED_MS
    const [outcome, held] = await guarded(
      command.bindPaymentId(row, key, fingerprint, step, LEASE_MS, kept, KEYS.claim(''), asks),
    )
    return outcome === 'free' ? { outcome } : { outcome, key: held }
  }
  return {
    look: (purchase) => run(purchase, 'look'),
    bind: (purchase) => run(purchase, 'bind'),
    bindPaid: (purchase) => run(purchase, 'bindPaid'),
  }
}
