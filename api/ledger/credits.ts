import type { Redis } from 'ioredis'
import { DAY, HOUR } from '../../ops/units.ts'
import { claimFields } from './claimHash.ts'
import { intentClaimKey } from './intentKeys.ts'
import { KEYS } from './keys.ts'
import type { ClaimKey, ClaimTerms } from './ledger.ts'
import { brokenOrThrow, guarded, scriptsOn, writeOn } from './scripts.ts'

/** A payer with credit, as the ledger knows them: no name, no secret. */
export type CreditHolder = { account: string; auth: string } // digests, see entitlements/credit.ts

/** @property balanceMicro after it, as `Standing.freeMicro`: what an answer says can be spent. */
export type Deposit = { outcome: 'deposited'; balanceMicro: bigint } | { outcome: 'lot'; lotMicro: bigint }

/**
 * Credit that comes with an answer, booked by the step that stores the answer, and only if it goes where the answer
 * says.
 * @property way bought: with money, never onto a frozen account. back: credit that was spent returns where it came
 *   from.
 */
export type CreditBooking = {
  lot: string
  micro: bigint
  account: string
  auth: string | null //   null: no secret came with it
  way: 'bought' | 'back'
  told: Deposit //         where it went, as the answer says
}

/** @property freeMicro what can be spent: the balance less what is held; nothing on a frozen account. */
export type Standing = { balanceMicro: bigint; heldMicro: bigint; freeMicro: bigint; frozen: boolean }

export type CreditClaim =
  | { outcome: 'won' | 'settled'; balanceMicro: bigint }
  | { outcome: 'open'; key: ClaimKey } //  an earlier spend for the same question waits for its buyer
  | { outcome: 'short'; balanceMicro: bigint }
  | { outcome: 'bound' | 'refused' }

/** What a hold is for, so that the same request finds it again. */
export type HoldFor = {
  operation: string //       the purchase's name; its id is derived from it
  asks: string //            digest of account and what is asked for
  isNamed: boolean //        the buyer named the purchase
}
export type Hold =
  | { outcome: 'held'; micro: bigint } //      up to what was wanted
  | { outcome: 'open'; operation: string } //  an earlier identical purchase waits for its buyer
  | { outcome: 'refused' | 'bound' } //        another secret; held under this id for something else

/**
 * Prepaid credit in micro-USDC. What an account can spend is its balance less what is held for open purchases; neither
 * goes below zero. Every method is one atomic, durable, idempotent step. Bound: an account's figures stay below 2^53.
 */
export type CreditLedger = {
  /** 'fits': the account is unclaimed, or locked by this very secret. 'frozen': it fits, but owes credit. */
  fits(holder: CreditHolder): Promise<'fits' | 'frozen' | 'mismatch'>
  /**
   * Books money that bought nothing, once per lot.
   * @param auth null: no secret came with it, a claim code opens the lot.
   * @param way back: credit that was spent; it returns where it came from, also onto a frozen account.
   */
  deposit(
    lot: string,
    micro: bigint,
    account: string,
    auth: string | null,
    way?: 'note' | 'back',
  ): Promise<Deposit>
  /** Where credit would go now, or has gone. Changes nothing. */
  look(booking: Omit<CreditBooking, 'told'>): Promise<Deposit>
  openLot(lot: string, holder: CreditHolder): Promise<'opened' | 'unknown' | 'mismatch' | 'frozen'>
  /**
   * Debits and claims in one step; the claim is settled then. `key` is the operation.
   * @param stands digest of account and question, or of account and the buyer's own key: the spend is found by a
   *   question until `answered`, by a key as long as its answer is kept.
   */
  claim(key: ClaimKey, terms: ClaimTerms, holder: CreditHolder, stands?: string | null): Promise<CreditClaim>
  /** The spend that is found by this question, or by this key. */
  unanswered(stands: string): Promise<ClaimKey | null>
  /** @param spend the claim's key, or the purchase of the hold. */
  answered(question: string, spend: string): Promise<void>
  /** Holds anew what was released. Identical purchases are one until `answered`, unless the buyer names them. */
  hold(purchase: string, micro: bigint, holder: CreditHolder, expiresMs: number, what: HoldFor): Promise<Hold>
  /** @param byMs ends it only if it has expired by then, since its buyer may prolong it meanwhile; else 'held'. */
  endHold(
    purchase: string,
    account: string,
    end: 'spent' | 'released',
    byMs?: number,
  ): Promise<'spent' | 'released' | 'none' | 'held'>
  /** Expired holds, oldest first, at most `max`. */
  expiredHolds(nowMs: number, max: number): Promise<{ purchase: string; account: string }[]>
  /** Moves a hold that cannot be released behind the others, so that it delays nobody. Only if still listed. */
  postponeHold(purchase: string, dueMs: number): Promise<void>
  /** null: no such account, or another secret. */
  balance(holder: CreditHolder): Promise<Standing | null>
}

/** The outcome of a deposit, as the scripts encode it. */
export const figureOf = (told: Deposit): [outcome: string, figure: string] =>
  told.outcome === 'deposited'
    ? [told.outcome, told.balanceMicro.toString()]
    : [told.outcome, told.lotMicro.toString()]

/** How long it is known how a hold ended. */
export const ENDED_HOLD_KEPT_MS = 30 * DAY
/** How long a purchase with a hold is found by its question. */
const UNANSWERED_KEPT_MS = 1 * DAY
/** Keeps the entry longer than even a late answer can be fetched; one whose spend is forgotten has no effect. */
const SPEND_SLACK_MS = 1 * HOUR

/** @param answerTtlMs how long a delivered answer can be fetched again, and so the spend that paid for it is found. */
export function createCreditLedger(redis: Redis, { answerTtlMs = 1 * DAY } = {}): CreditLedger {
  const run = scriptsOn(redis)
  const spendStandsMs = answerTtlMs + SPEND_SLACK_MS
  const figures = async ({ account }: CreditHolder) => {
    const [locked, balance, held, frozen] = await guarded(
      redis.hmget(KEYS.account(account), 'auth', 'balance', 'held', 'frozen'),
    )
    return { locked: locked ?? null, balance, held, frozen }
  }
  const place = async (
    { lot, micro, account, auth, way }: Omit<CreditBooking, 'told' | 'way'> & { way: string },
    what: 'book' | 'look',
  ): Promise<Deposit> => {
    const [outcome, figure] = await run<[Deposit['outcome'], string]>(
      'creditDeposit',
      [KEYS.lot(lot), KEYS.account(account)],
      [micro.toString(), auth ?? '', way, what],
    )
    return outcome === 'deposited'
      ? { outcome, balanceMicro: BigInt(figure) }
      : { outcome, lotMicro: BigInt(figure) }
  }

  return {
    fits: async (holder) => {
      const { locked, frozen } = await figures(holder)
      if (locked !== null && locked !== holder.auth) return 'mismatch'
      return frozen == null ? 'fits' : 'frozen'
    },

    deposit: (lot, micro, account, auth, way = 'note') => place({ lot, micro, account, auth, way }, 'book'),

    look: (booking) => place(booking, 'look'),

    openLot: (lot, { account, auth }) =>
      run('creditOpenLot', [KEYS.lot(lot), KEYS.account(account)], [auth, account]),

    claim: async (key, terms, { account, auth }, stands = null) => {
      const fields = { ...claimFields(terms, null), ph: terms.paymentHash, tx: key, log: '0', block: '0' }
      const [outcome, figure] = await run<[CreditClaim['outcome'], string]>(
        'claimCredit',
        [KEYS.claim(key), KEYS.account(account), KEYS.claims.undelivered, KEYS.unanswered(stands)],
        [
          key,
          terms.fingerprint,
          JSON.stringify(fields),
          auth,
          terms.amountMicroUsdc.toString(),
          spendStandsMs,
          KEYS.claim(''),
        ],
      )
      if (outcome === 'open') return { outcome, key: figure }
      return outcome === 'bound' || outcome === 'refused'
        ? { outcome }
        : { outcome, balanceMicro: BigInt(figure) }
    },

    unanswered: (stands) => guarded(redis.get(KEYS.unanswered(stands))),

    answered: async (question, spend) => {
      await run('creditAnswered', [KEYS.unanswered(question)], [spend])
    },

    hold: async (purchase, micro, { account, auth }, expiresMs, { operation, asks, isNamed }) => {
      const [outcome, said] = await run<[Hold['outcome'], string]>(
        'creditHold',
        [KEYS.hold(purchase), KEYS.account(account), KEYS.holds, KEYS.unanswered(isNamed ? null : asks)],
        [
          purchase,
          auth,
          micro.toString(),
          expiresMs,
          account,
          asks,
          operation,
          UNANSWERED_KEPT_MS,
          KEYS.hold(''),
          KEYS.claim(intentClaimKey('')),
        ],
      )
      if (outcome === 'held') return { outcome, micro: BigInt(said) }
      return outcome === 'open' ? { outcome, operation: said } : { outcome }
    },

    endHold: (purchase, account, end, byMs) =>
      run(
        'creditEndHold',
        [KEYS.hold(purchase), KEYS.account(account), KEYS.holds],
        [purchase, end, ENDED_HOLD_KEPT_MS, byMs ?? ''],
      ),

    expiredHolds: async (nowMs, max) => {
      const purchases = await guarded(redis.zrangebyscore(KEYS.holds, '-inf', nowMs, 'LIMIT', 0, max))
      const accountOf = (purchase: string) => guarded(redis.hget(KEYS.hold(purchase), 'account'))
      return await Promise.all(
        purchases.map(async (purchase) => ({
          purchase,
          account: (await accountOf(purchase).catch(brokenOrThrow)) ?? '', //  `endHold` refuses one that is broken
        })),
      )
    },

    postponeHold: async (purchase, dueMs) => {
      await writeOn(redis)('ZADD', KEYS.holds, 'XX', dueMs, purchase)
    },

    balance: async (holder) => {
      const { locked, balance, held, frozen } = await figures(holder)
      if (locked === null || locked !== holder.auth) return null
      const [balanceMicro, heldMicro] = [BigInt(balance ?? 0), BigInt(held ?? 0)]
      const isFree = frozen == null && balanceMicro > heldMicro
      return {
        balanceMicro,
        heldMicro,
        freeMicro: isFree ? balanceMicro - heldMicro : 0n,
        frozen: frozen != null,
      }
    },
  }
}
