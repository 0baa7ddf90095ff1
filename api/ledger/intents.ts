import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { DAY, MINUTE } from '../../ops/units.ts'
import { PAID_KEPT_MS, referralKey } from './cards.ts'
import { claimFields } from './claimHash.ts'
import type { CreditHolder } from './credits.ts'
import type { ClaimKey, ClaimTerms } from './ledger.ts'

/** What one written step of an intent changes beside its body. */
export type IntentStep = {
  body: string
  buyer: string //               digest
  waiting: boolean //            for money
  unanswered: boolean //         it has its money and nothing was answered yet
  watched?: boolean //           it gave credit for money that may still leave its chain
  forgetAtMs: number | null
  transfers: readonly string[] // RailTransfer.key of what it takes now
}

/** What a sale earns for a referral account, by its digest. */
export type Referral = { account: string; micro: bigint }

/** What is taken in the step that makes the claim. */
export type IntentClaim = {
  hold: { purchase: string; micro: bigint; holder: CreditHolder } | null
  saleBuyer: string | null //    digest; the claim takes a slot of the opening sale
  referral: Referral | null //   what the claim earns for whoever brought the buyer
  body: string //                of the intent then
}

/**
 * Purchase intents: a body that only one writer at a time changes (by version), the amounts that it waits for, the transfers
 * that it took. Every method is one atomic, durable step that may be repeated. Names are digests: who reads the
 * ledger cannot fulfil an intent.
 */
export type IntentLedger = {
  /** @param amounts `<rail>:<atomic>`, reserved until then. */
  open(
    intent: string,
    body: string,
    at: { graceUntilMs: number; buyer: string; amounts: readonly string[] },
  ): Promise<'opened' | 'collision' | 'too_many' | 'full'>
  find(intent: string): Promise<{ version: number; body: string } | null>
  step(intent: string, version: number, step: IntentStep): Promise<'stored' | 'changed' | 'taken'>
  claim(
    intent: string,
    version: number,
    terms: ClaimTerms,
    settled: { tx: string; index: number; atMs: number },
    takes: IntentClaim,
  ): Promise<'won' | 'settled' | 'bound' | 'changed' | 'hold_gone' | 'sale_over'>
  /** Which open intent waits for this very amount. */
  ownerOf(amount: string): Promise<string | null>
  /** Whether these transfers have paid for something, on any path. */
  spent(transfers: readonly string[]): Promise<boolean[]>
  /** Intents that wait for money, those whose grace ends first at the head. @param endedMs only those whose grace is over then. */
  waiting(max: number, endedMs?: number): Promise<string[]>
  /** Intents that have had money since before then and no answer, oldest first. */
  unanswered(max: number, sinceMs: number): Promise<string[]>
  /** Intents whose money brought something and is to be looked at again by then, the longest due first. */
  unfinal(max: number, dueMs: number): Promise<string[]>
  /** @param atMs of the next look. */
  lookAgain(intent: string, atMs: number): Promise<void>
  /** Its money is final, or lost. @param version it was read at, null: it is unknown. */
  unwatch(intent: string, version: number | null): Promise<'ended' | 'changed'>
  reserveSlot(buyer: string): Promise<'reserved' | 'served' | 'sold_out'>
  slots(): Promise<{ fulfilled: number; reserved: number }>
}

export type IntentLimits = {
  perBuyer: number
  open: number
  kept: number
  saleSlots: number
  saleLeaseMs: number
}
export const INTENT_LIMITS: IntentLimits = {
  perBuyer: 20,
  open: 20_000,
  kept: 100_000, //             without money; the oldest are forgotten first
  saleSlots: 100,
  saleLeaseMs: 2 * MINUTE,
}
const ENDED_HOLD_KEPT_MS = 30 * DAY

/** The claim of an intent; what an intent's transfers are booked to. */
export const intentClaimKey = (intent: string): ClaimKey => `intent:${intent}`

const KEYS = {
  intent: (intent: string) => `intent:${intent}`,
  buyer: (buyer: string) => `intents:of:${buyer}`,
  amount: (amount: string) => `intent:amount:${amount}`,
  waiting: 'intents:waiting',
  unanswered: 'intents:unanswered',
  kept: 'intents:kept',
  unfinal: 'intents:unfinal',
  saleServed: 'sale:opening:served',
  saleReserved: 'sale:opening:reserved',
  claim: (key: ClaimKey) => `claim:${key}`,
  spent: (transfer: string) => `spent:${transfer}`,
  undelivered: 'claims:undelivered',
  hold: (purchase: string) => `credit:hold:${purchase}`,
  account: (digest: string) => `credit:account:${digest}`,
  holds: 'credits:held',
} as const

const script = (name: string) => readFileSync(new URL(`./commands/${name}.lua`, import.meta.url), 'utf8')
const COMMANDS = {
  intentOpen: { lua: script('intentOpen') },
  intentStep: { lua: script('intentStep') },
  intentClaim: { numberOfKeys: 10, lua: script('intentClaim') },
  intentUnwatch: { numberOfKeys: 2, lua: script('intentUnwatch') },
  intentSlot: { numberOfKeys: 2, lua: script('intentSlot') },
}
type Commands = Record<keyof typeof COMMANDS, (...parts: (string | number)[]) => Promise<unknown>>

export function createIntentLedger(redis: Redis, limits: IntentLimits = INTENT_LIMITS): IntentLedger {
  for (const [name, definition] of Object.entries(COMMANDS)) redis.defineCommand(name, definition)
  const commands = redis as unknown as Commands
  const guarded = async <T>(work: Promise<unknown>): Promise<T> => {
    try {
      return (await work) as T
    } catch (error) {
      throw new UnavailableError('ledger_unavailable', 'the ledger did not answer', error)
    }
  }
  const keepBounded = async (intent: string) => {
    await guarded(redis.zadd(KEYS.kept, Date.now(), intent))
    const over = (await guarded<number>(redis.zcard(KEYS.kept))) - limits.kept
    if (over <= 0) return
    const popped = await guarded<string[]>(redis.zpopmin(KEYS.kept, over))
    await guarded(redis.unlink(...popped.filter((_, at) => at % 2 === 0).map(KEYS.intent)))
  }

  return {
    open: (intent, body, { graceUntilMs, buyer, amounts }) => {
      const keys = [KEYS.intent(intent), KEYS.waiting, KEYS.buyer(buyer), ...amounts.map(KEYS.amount)]
      return guarded(
        commands.intentOpen(keys.length, ...keys, intent, body, graceUntilMs, limits.perBuyer, limits.open),
      )
    },

    find: async (intent) => {
      const [version, body] = await guarded<(string | null)[]>(redis.hmget(KEYS.intent(intent), 'v', 'body'))
      return version == null || body == null ? null : { version: Number(version), body }
    },

    step: async (intent, version, { body, buyer, waiting, unanswered, watched, forgetAtMs, transfers }) => {
      const keys = [
        KEYS.intent(intent),
        KEYS.waiting,
        KEYS.unanswered,
        KEYS.buyer(buyer),
        KEYS.unfinal,
        ...transfers.map(KEYS.spent),
      ]
      const outcome = await guarded<'stored' | 'changed' | 'taken'>(
        commands.intentStep(
          keys.length,
          ...keys,
          intent,
          version,
          body,
          intentClaimKey(intent),
          waiting ? 1 : 0,
          unanswered ? 1 : 0,
          forgetAtMs ?? 0,
          watched ? 1 : 0,
        ),
      )
      if (outcome === 'stored' && forgetAtMs !== null) await keepBounded(intent)
      return outcome
    },

    claim: (intent, version, terms, { tx, index, atMs }, { hold, saleBuyer, referral, body }) =>
      guarded(
        commands.intentClaim(
          KEYS.intent(intent),
          KEYS.claim(intentClaimKey(intent)),
          KEYS.undelivered,
          hold === null ? '' : KEYS.hold(hold.purchase),
          hold === null ? '' : KEYS.account(hold.holder.account),
          KEYS.holds,
          saleBuyer === null ? '' : KEYS.saleServed,
          KEYS.saleReserved,
          terms.via === 'transfer' ? KEYS.unfinal : '',
          referral === null ? '' : referralKey(referral.account),
          intentClaimKey(intent),
          terms.fingerprint,
          JSON.stringify({
            ...claimFields(terms, null),
            ph: terms.paymentHash,
            tx,
            log: String(index),
            block: '0',
            blockMs: String(atMs),
          }),
          version,
          hold?.purchase ?? '',
          hold?.micro.toString() ?? '0',
          hold?.holder.auth ?? '',
          saleBuyer ?? '',
          limits.saleSlots,
          ENDED_HOLD_KEPT_MS,
          body,
          intent,
          referral?.micro.toString() ?? '0',
          PAID_KEPT_MS,
        ),
      ),

    ownerOf: (amount) => guarded(redis.get(KEYS.amount(amount))),

    spent: async (transfers) => {
      if (transfers.length === 0) return []
      const rows = await guarded<(string | null)[]>(redis.mget(...transfers.map(KEYS.spent)))
      return rows.map((row) => row !== null)
    },

    waiting: (max, endedMs) =>
      guarded(redis.zrangebyscore(KEYS.waiting, '-inf', endedMs ?? '+inf', 'LIMIT', 0, max)),

    unanswered: (max, sinceMs) =>
      guarded(redis.zrangebyscore(KEYS.unanswered, '-inf', sinceMs, 'LIMIT', 0, max)),

    unfinal: (max, dueMs) => guarded(redis.zrangebyscore(KEYS.unfinal, '-inf', dueMs, 'LIMIT', 0, max)),

    lookAgain: async (intent, atMs) => {
      await guarded(redis.zadd(KEYS.unfinal, 'XX', atMs, intent))
    },

    unwatch: (intent, version) =>
      guarded(commands.intentUnwatch(KEYS.intent(intent), KEYS.unfinal, intent, version ?? '')),

    reserveSlot: (buyer) =>
      guarded(
        commands.intentSlot(KEYS.saleServed, KEYS.saleReserved, buyer, limits.saleSlots, limits.saleLeaseMs),
      ),

    slots: async () => {
      const [fulfilled, reserved] = await Promise.all([
        guarded<number>(redis.scard(KEYS.saleServed)),
        guarded<number>(redis.zcount(KEYS.saleReserved, Date.now(), '+inf')),
      ])
      return { fulfilled, reserved }
    },
  }
}
