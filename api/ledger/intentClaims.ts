import type { Redis } from 'ioredis'
import { claimFields } from './claimHash.ts'
import { type CreditHolder, ENDED_HOLD_KEPT_MS } from './credits.ts'
import { intentClaimKey } from './intentKeys.ts'
import { KEYS } from './keys.ts'
import type { ClaimTerms } from './ledger.ts'
import { PAID_KEPT_MS } from './redis.ts'
import { scriptsOn } from './scripts.ts'

/** What a sale earns for a referral account, by its digest. */
export type Referral = { account: string; micro: bigint }

/** What the step that makes the claim takes along. */
export type IntentClaim = {
  hold: { purchase: string; micro: bigint; holder: CreditHolder } | null
  saleBuyer: string | null //    digest; the claim takes a slot of the opening sale
  referral: Referral | null //   what the claim earns for the account that referred the buyer
  body: string //                of the intent after the step
}

/** How a paid intent is bound to its answer. Every method is one atomic, durable step that may be repeated. */
export type IntentClaims = {
  claim(
    intent: string,
    version: number,
    terms: ClaimTerms,
    settled: { tx: string; index: number; atMs: number },
    takes: IntentClaim,
  ): Promise<'won' | 'settled' | 'bound' | 'changed' | 'hold_gone' | 'sale_over'>
  /** Undoes a claim without an answer whose money has left its chain. @param body of the intent after that. */
  unclaim(
    intent: string,
    version: number,
    takes: Pick<IntentClaim, 'hold' | 'referral' | 'body'>,
  ): Promise<'undone' | 'changed' | 'answered'>
}

export function createIntentClaims(redis: Redis, saleSlots: number): IntentClaims {
  const run = scriptsOn(redis)
  return {
    claim: (intent, version, terms, { tx, index, atMs }, { hold, saleBuyer, referral, body }) => {
      const key = intentClaimKey(intent)
      const paid = { tx, log: String(index), block: '0', blockMs: String(atMs) }
      const fields = { ...claimFields(terms, null), ph: terms.paymentHash, ...paid }
      return run(
        'intentClaim',
        [
          KEYS.intent(intent),
          KEYS.claim(key),
          KEYS.claims.undelivered,
          KEYS.hold(hold?.purchase ?? null),
          KEYS.account(hold?.holder.account ?? null),
          KEYS.holds,
          saleBuyer === null ? '' : KEYS.sale.served,
          KEYS.sale.reserved,
          terms.via === 'transfer' ? KEYS.intents.unfinal : '',
          KEYS.referral(referral?.account ?? ''),
        ],
        [
          key,
          terms.fingerprint,
          JSON.stringify(fields),
          version,
          hold?.purchase ?? '',
          hold?.micro.toString() ?? '0',
          hold?.holder.auth ?? '',
          saleBuyer ?? '',
          saleSlots,
          ENDED_HOLD_KEPT_MS,
          body,
          intent,
          referral?.micro.toString() ?? '0',
          PAID_KEPT_MS,
        ],
      )
    },

    unclaim: (intent, version, { hold, referral, body }) => {
      const key = intentClaimKey(intent)
      return run(
        'intentUnclaim',
        [
          KEYS.intent(intent),
          KEYS.claim(key),
          KEYS.claims.undelivered,
          KEYS.hold(hold?.purchase ?? null),
          KEYS.account(hold?.holder.account ?? null),
          KEYS.referral(referral?.account ?? ''),
          KEYS.intents.unanswered,
        ],
        [
          key,
          version,
          body,
          hold?.micro.toString() ?? '0',
          referral?.micro.toString() ?? '0',
          intent,
          PAID_KEPT_MS,
        ],
      )
    },
  }
}
