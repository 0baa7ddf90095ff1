import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { redisScript } from '../../ops/redisScript.ts'
import type { TokenKind } from '../entitlements/token.ts'
import type { Settled } from '../settlement/port.ts'
import { referralKey } from './cards.ts'
import { claimFromHash } from './claimHash.ts'
import type { Referral } from './intents.ts'
import { type Claim, type ClaimKey, formerTransferKey, type Sale, transferKey } from './ledger.ts'
import { ATTESTATION_TTL_MS, revokedKey, SALES_JOURNAL } from './redis.ts'

/** Settled claims whose block is not final; score is the block number. Written by settled.lua and claimTransfer.lua. */
export const UNFINAL = 'claims:unfinal'

/** A settled claim whose money may still leave the chain. */
export type UnfinalClaim = Claim & { settled: Settled; missing: boolean; suspended: boolean }

/** Credit by its lot. @property account that has it when no claim code opened it. */
export type CreditLot = { digest: string; micro: bigint; account: string | null }

/** What a claim entitled to: its token's row, or a credit lot and the account it went to without a claim code. */
export type Entitled = {
  token: { kind: TokenKind; digest: string } | null
  lot: CreditLot | null
  referral?: Referral | null //  what it earned for who brought the buyer
}

/** The journal's entry for credit of money that bought nothing, when that leaves its chain, or comes back; beside it what was taken and is owed. */
export type CreditEntry = {
  eventId: string
  change: 'revoked' | 'restored'
  kind: string //           of the note
  transfers: readonly string[]
  amountMicroUsdc: string
  mode: string
}

/** What a reorganisation does to the books. Every method is one atomic, idempotent step. */
export type FinalityLedger = {
  find(key: ClaimKey): Promise<UnfinalClaim | null>
  /** Keys of what is watched, lowest block first: at most `max`, or all. */
  unfinal(max: number | 'all'): Promise<ClaimKey[]>
  /** Those of them that are settled; the others are watched no more. */
  watched(keys: readonly ClaimKey[]): Promise<UnfinalClaim[]>
  /** The money is where it was after all, before anything was taken back for it. */
  found(key: ClaimKey): Promise<void>
  /** No longer watched. */
  forget(keys: readonly ClaimKey[]): Promise<void>
  move(key: ClaimKey, settled: Settled, chainId: number): Promise<'moved' | 'taken' | 'unknown'>
  /** @returns since when it is missing, Unix ms of the ledger, for one that was delivered. */
  gone(
    key: ClaimKey,
    settled: Settled,
    chainId: number,
  ): Promise<'unknown' | 'reopened' | 'forgotten' | number>
  suspend(
    key: ClaimKey,
    entitled: Entitled,
    reversal: Sale,
  ): Promise<'suspended' | 'already' | 'unknown' | 'changed'>
  restore(key: ClaimKey, entitled: Entitled, reversal: Sale): Promise<'restored' | 'unknown'>
  takeBack(lot: CreditLot, entry: CreditEntry): Promise<'revoked' | 'already' | 'unknown' | 'changed'>
  giveBack(lot: CreditLot, entry: CreditEntry): Promise<'restored' | 'unknown'>
}

const script = (name: string) =>
  redisScript(readFileSync(new URL(`./commands/${name}.lua`, import.meta.url), 'utf8'))
const SCRIPTS = {
  move: script('chainMove'),
  gone: script('chainGone'),
  suspend: script('chainSuspend'),
  restore: script('chainRestore'),
  takeBack: script('creditTakeBack'),
  giveBack: script('creditGiveBack'),
}
const claimOf = (key: ClaimKey) => `claim:${key}`
const spentOf = (chainId: number, { tx, logIndex }: Settled) => `spent:${transferKey(chainId, tx, logIndex)}`
const amountsOf = ({ lot, referral }: Entitled) =>
  [lot?.micro ?? 0n, referral?.micro ?? 0n].map(String) as [string, string]
const accountOf = (digest: string | null) => (digest === null ? '' : `credit:account:${digest}`)

export function createFinalityLedger(redis: Redis): FinalityLedger {
  const run = async (name: keyof typeof SCRIPTS, keys: string[], args: (string | number)[]) =>
    (await guarded(SCRIPTS[name](redis, keys, args))) as never

  /** An opened lot says itself whose account has it. */
  const lotOf = async (lot: CreditLot | null) => {
    if (lot === null) return { lotKey: '', account: '', state: '' }
    const lotKey = `grant:credit:${lot.digest}`
    const [state, by] = await guarded(redis.hmget(lotKey, 'state', 'by'))
    const account = state === 'claimed' ? accountOf(by ?? lot.account) : ''
    return { lotKey, account, state: state ?? '' }
  }
  const keysOf = async (key: ClaimKey, { token, lot, referral }: Entitled, { attestationId }: Sale) => {
    const { lotKey, account, state } = await lotOf(lot)
    const row = token === null ? '' : `grant:${token.kind}:${token.digest}`
    const keys = [
      ...[claimOf(key), row, lotKey, account, SALES_JOURNAL, revokedKey(attestationId)],
      referralKey(referral?.account ?? ''),
    ]
    return { keys, state }
  }

  const find = async (key: ClaimKey): Promise<UnfinalClaim | null> => {
    const hash = await guarded(redis.hgetall(claimOf(key)))
    const claim = claimFromHash(key, hash)
    if (claim === null || claim.settled === null) return null
    return {
      ...claim,
      settled: claim.settled,
      missing: hash.missing !== undefined,
      suspended: hash.suspended !== undefined,
    }
  }

  return {
    find,
    unfinal: (max) => guarded(redis.zrange(UNFINAL, '0', max === 'all' ? '-1' : String(max - 1))),
    async watched(keys) {
      const claims = await Promise.all(keys.map(find))
      const stale = keys.filter((_, index) => claims[index] === null)
      if (stale.length > 0) await guarded(redis.zrem(UNFINAL, ...stale))
      return claims.filter((claim) => claim !== null)
    },
    async found(key) {
      await guarded(redis.hdel(claimOf(key), 'missing'))
    },
    async forget(keys) {
      if (keys.length > 0) await guarded(redis.zrem(UNFINAL, ...keys))
    },
    move: (key, settled, chainId) =>
      run(
        'move',
        [claimOf(key), spentOf(chainId, settled), UNFINAL],
        [key, settled.tx, settled.logIndex, settled.blockNumber.toString(), settled.blockMs],
      ),
    async gone(key, settled, chainId) {
      const rows = [claimOf(key), spentOf(chainId, settled), UNFINAL, 'claims:undelivered', 'claims:settling']
      //  the claim's own index: of its block, where it was written before
      const keys = [...rows, `spent:${formerTransferKey(chainId, settled.tx, settled.logIndex)}`]
      const [outcome, since] = (await run('gone', keys, [key])) as [string, string?]
      return outcome === 'missing' ? Number(since) : (outcome as 'unknown' | 'reopened' | 'forgotten')
    },
    async suspend(key, entitled, reversal) {
      const { keys, state } = await keysOf(key, entitled, reversal)
      const [micro, share] = amountsOf(entitled)
      const args = [state, micro, JSON.stringify(reversal), ATTESTATION_TTL_MS, share]
      return await run('suspend', keys, args)
    },
    async restore(key, entitled, reversal) {
      const { keys } = await keysOf(key, entitled, reversal)
      const [micro, share] = amountsOf(entitled)
      return await run('restore', keys, [micro, JSON.stringify(reversal), share])
    },
    async takeBack(lot, entry) {
      const { lotKey, account, state } = await lotOf(lot)
      const args = [state, lot.micro.toString(), JSON.stringify(entry)]
      return await run('takeBack', [lotKey, account, SALES_JOURNAL], args)
    },
    async giveBack(lot, entry) {
      const { lotKey, account } = await lotOf(lot)
      return await run('giveBack', [lotKey, account, SALES_JOURNAL], [JSON.stringify(entry)])
    },
  }
}

async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new UnavailableError('ledger_unavailable', 'the ledger did not answer', error)
  }
}
