import type { Redis } from 'ioredis'
import { DAY } from '../../ops/units.ts'
import type { TokenKind } from '../entitlements/token.ts'
import type { Settled } from '../settlement/port.ts'
import { claimFromHash, LISTED_FIELDS, listed, listedHash } from './claimHash.ts'
import type { Referral } from './intentClaims.ts'
import { KEYS } from './keys.ts'
import {
  type Claim,
  type ClaimKey,
  formerTransferKey,
  type ListedClaim,
  type Sale,
  transferKey,
} from './ledger.ts'
import { PAID_KEPT_MS } from './redis.ts'
import { brokenOrThrow, guarded, scriptsOn } from './scripts.ts'

/** A settled claim whose money may still leave the chain. */
export type UnfinalClaim = Claim & { settled: Settled; missing: boolean; suspended: boolean }

/** An unfinal claim without its answer: the watch reads thousands of them. */
export type WatchedClaim = ListedClaim &
  Pick<UnfinalClaim, 'settled' | 'missing' | 'suspended'> & { isAnswered: boolean }

/** Credit by its lot. @property account the holder, if no claim code opened the lot. */
export type CreditLot = { digest: string; micro: bigint; account: string | null }

/** What a claim entitled to: its token's row, or a credit lot and the account it went to without a claim code. */
export type Entitled = {
  token: { kind: TokenKind; digest: string } | null
  lot: CreditLot | null
  referral?: Referral | null //  what it earned for the account that referred the buyer
}

/**
 * Journal entry about credit for money that bought nothing, when that leaves its chain or comes back. The step adds
 * what was taken and owed.
 */
export type CreditEntry = {
  eventId: string
  change: 'revoked' | 'restored' | 'granted'
  kind: string //           of the credit note, or by_hand
  transfers: readonly string[]
  amountMicroUsdc: string
  mode: string
  operation?: string //     for credit granted by hand: its name, and why
  reason?: string
}

/** What a reorganisation does to the books. Every method is one atomic, idempotent step. */
export type FinalityLedger = {
  find(key: ClaimKey): Promise<UnfinalClaim | null>
  /** Keys of what is watched, lowest block first: at most `max`, or all. */
  unfinal(max: number | 'all'): Promise<ClaimKey[]>
  /** The settled ones among these keys. The others are no longer watched, except those whose row is broken. */
  watched(keys: readonly ClaimKey[]): Promise<{ claims: WatchedClaim[]; broken: ClaimKey[] }>
  /** The money turned out to be where it was, before anything was taken back for it. */
  found(key: ClaimKey): Promise<void>
  /** Ends the watch of these claims. @returns of how many: another worker may have ended it. */
  forget(keys: readonly ClaimKey[]): Promise<number>
  /** The same of claims whose money is final in this block, unless they were settled anew in another one meanwhile. */
  final(claims: readonly { key: ClaimKey; blockNumber: bigint }[]): Promise<number>
  /**
   * @param entries for the journal, when an answered sale's money moved to another transaction: gone there, and now
   *   here.
   */
  move(
    key: ClaimKey,
    settled: Settled,
    chainId: number,
    entries: readonly [there: Sale, here: Sale],
  ): Promise<'moved' | 'taken' | 'unknown'>
  /** @returns for a delivered claim, since when its money is missing, Unix ms by the ledger. */
  gone(
    key: ClaimKey,
    settled: Settled,
    chainId: number,
  ): Promise<'unknown' | 'reopened' | 'forgotten' | number>
  /** Only while its money is missing: 'changed' if it has returned, or if the lot moved meanwhile. */
  suspend(
    key: ClaimKey,
    entitled: Entitled,
    reversal: Sale,
  ): Promise<'suspended' | 'already' | 'unknown' | 'changed'>
  restore(key: ClaimKey, entitled: Entitled, reversal: Sale): Promise<'restored' | 'unknown'>
  /**
   * Its money is not waited for any more: the account of suspended credit pays for it with what it has by now.
   * @returns whether it still owes some.
   */
  lost(key: ClaimKey, entitled: Entitled): Promise<boolean>
  takeBack(lot: CreditLot, entry: CreditEntry): Promise<'revoked' | 'already' | 'unknown' | 'changed'>
  giveBack(lot: CreditLot, entry: CreditEntry): Promise<'restored' | 'unknown'>
}

/** Longer than the money of what was sold is waited for. */
const SUSPENDED_KEPT_MS = 9 * DAY

const spentOf = (chainId: number, { tx, logIndex }: Settled) => KEYS.spent(transferKey(chainId, tx, logIndex))
const amountsOf = ({ lot, referral }: Entitled) =>
  [lot?.micro ?? 0n, referral?.micro ?? 0n].map(String) as [string, string]

export function createFinalityLedger(redis: Redis): FinalityLedger {
  const run = scriptsOn(redis)

  /** An opened lot says itself whose account has it. */
  const lotOf = async (lot: CreditLot | null) => {
    if (lot === null) return { lotKey: '', account: '', state: '' }
    const lotKey = KEYS.lot(lot.digest)
    const [state, by] = await guarded(redis.hmget(lotKey, 'state', 'by'))
    const account = state === 'claimed' ? KEYS.account(by ?? lot.account) : ''
    return { lotKey, account, state: state ?? '' }
  }
  const keysOf = async (key: ClaimKey, { token, lot, referral }: Entitled, { attestationId }: Sale) => {
    const { lotKey, account, state } = await lotOf(lot)
    const row = KEYS.grant(token)
    const keys = [
      KEYS.claim(key),
      row,
      lotKey,
      account,
      KEYS.sales,
      KEYS.revoked(attestationId),
      KEYS.referral(referral?.account ?? ''),
    ]
    return { keys, state }
  }

  const find = async (key: ClaimKey): Promise<UnfinalClaim | null> => {
    const hash = await guarded(redis.hgetall(KEYS.claim(key)))
    const claim = claimFromHash(key, hash)
    if (claim === null || claim.settled === null) return null
    return {
      ...claim,
      settled: claim.settled,
      missing: hash.missing !== undefined,
      suspended: hash.suspended !== undefined,
    }
  }

  const findWatched = async (key: ClaimKey): Promise<WatchedClaim | null> => {
    const [deliveredAt, missing, suspended, ...values] = await guarded(
      redis.hmget(KEYS.claim(key), 'deliveredAt', 'missing', 'suspended', ...LISTED_FIELDS),
    )
    const claim = listed(claimFromHash(key, listedHash(values)))
    if (claim === null || claim.settled === null) return null
    const marks = { missing: missing != null, suspended: suspended != null, isAnswered: deliveredAt != null }
    return { ...claim, settled: claim.settled, ...marks }
  }

  const unwatch = (key: ClaimKey, finalBlock: string) =>
    run<0 | 1>('chainUnwatch', [KEYS.claim(key), KEYS.claims.unfinal], [key, finalBlock])

  return {
    find,
    unfinal: (max) => guarded(redis.zrange(KEYS.claims.unfinal, '0', max === 'all' ? '-1' : String(max - 1))),
    async watched(keys) {
      const found = await Promise.all(keys.map((key) => findWatched(key).catch(brokenOrThrow)))
      const keysOf = (what: null | 'broken') => keys.filter((_, index) => found[index] === what)
      await Promise.all(keysOf(null).map((key) => unwatch(key, '')))
      const claims = found.filter((claim) => claim !== null && claim !== 'broken')
      return { claims, broken: keysOf('broken') }
    },
    async found(key) {
      await guarded(redis.hdel(KEYS.claim(key), 'missing'))
    },
    async forget(keys) {
      return keys.length === 0 ? 0 : await guarded(redis.zrem(KEYS.claims.unfinal, ...keys))
    },
    async final(claims) {
      const ended = claims.map(({ key, blockNumber }) => unwatch(key, blockNumber.toString()))
      return (await Promise.all(ended)).filter((times) => times === 1).length
    },
    move: (key, settled, chainId, entries) =>
      run(
        'chainMove',
        [KEYS.claim(key), spentOf(chainId, settled), KEYS.claims.unfinal, KEYS.sales],
        [
          key,
          settled.tx,
          settled.logIndex,
          settled.blockNumber.toString(),
          settled.blockMs,
          ...entries.map((entry) => JSON.stringify(entry)),
        ],
      ),
    async gone(key, settled, chainId) {
      const rows = [
        KEYS.claim(key),
        spentOf(chainId, settled),
        KEYS.claims.unfinal,
        KEYS.claims.undelivered,
        KEYS.claims.settling,
      ]
      //  older claims recorded the log's index within its block as `logIndex`, as in the former key
      const keys = [...rows, KEYS.spent(formerTransferKey(chainId, settled.tx, settled.logIndex))]
      const [outcome, since] = await run<[string, string?]>('chainGone', keys, [key])
      return outcome === 'missing' ? Number(since) : (outcome as 'unknown' | 'reopened' | 'forgotten')
    },
    async suspend(key, entitled, reversal) {
      const { keys, state } = await keysOf(key, entitled, reversal)
      const [micro, share] = amountsOf(entitled)
      const args = [state, micro, JSON.stringify(reversal), share, PAID_KEPT_MS, SUSPENDED_KEPT_MS]
      return await run('chainSuspend', keys, args)
    },
    async restore(key, entitled, reversal) {
      const { keys } = await keysOf(key, entitled, reversal)
      const [micro, share] = amountsOf(entitled)
      return await run('chainRestore', keys, [micro, JSON.stringify(reversal), share, PAID_KEPT_MS])
    },
    async lost(key, { lot }) {
      const { lotKey, account } = await lotOf(lot)
      if (account === '') return false
      const rows = [KEYS.claim(key), lotKey, account]
      return (await run<string>('chainLost', rows, [String(lot?.micro ?? 0n)])) === 'owed'
    },
    async takeBack(lot, entry) {
      const { lotKey, account, state } = await lotOf(lot)
      const args = [state, lot.micro.toString(), JSON.stringify(entry)]
      return await run('creditTakeBack', [lotKey, account, KEYS.sales], args)
    },
    async giveBack(lot, entry) {
      const { lotKey, account } = await lotOf(lot)
      return await run('creditGiveBack', [lotKey, account, KEYS.sales], [JSON.stringify(entry)])
    },
  }
}
