import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { redisScript } from '../../ops/redisScript.ts'
import type { TokenKind } from '../entitlements/token.ts'
import type { Settled } from '../settlement/port.ts'
import { claimFromHash } from './claimHash.ts'
import { type Claim, type ClaimKey, type Sale, transferKey } from './ledger.ts'
import { SALES_JOURNAL } from './redis.ts'

/** Settled claims whose block is not final; score is the block number. Written by settled.lua and claimTransfer.lua. */
export const UNFINAL = 'claims:unfinal'

/** A settled claim whose money may still leave the chain. */
export type UnfinalClaim = Claim & { settled: Settled; missing: boolean; suspended: boolean }

/** What a claim entitled to: its token's row, or a credit lot and the account it went to without a claim code. */
export type Entitled = {
  token: { kind: TokenKind; digest: string } | null
  lot: { digest: string; micro: bigint; account: string | null } | null
}

/** What a reorganisation does to the books. Every method is one atomic, idempotent step. */
export type FinalityLedger = {
  /** Lowest block first. */
  unfinal(max: number): Promise<UnfinalClaim[]>
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
}

const script = (name: string) =>
  redisScript(readFileSync(new URL(`./commands/${name}.lua`, import.meta.url), 'utf8'))
const SCRIPTS = {
  move: script('chainMove'),
  gone: script('chainGone'),
  suspend: script('chainSuspend'),
  restore: script('chainRestore'),
}
const claimOf = (key: ClaimKey) => `claim:${key}`
const spentOf = (chainId: number, { tx, logIndex }: Settled) => `spent:${transferKey(chainId, tx, logIndex)}`
const accountOf = (digest: string | null) => (digest === null ? '' : `credit:account:${digest}`)

export function createFinalityLedger(redis: Redis): FinalityLedger {
  const run = async (name: keyof typeof SCRIPTS, keys: string[], args: (string | number)[]) =>
    (await guarded(SCRIPTS[name](redis, keys, args))) as never

  /** An opened lot says itself whose account has it. */
  const keysOf = async (key: ClaimKey, { token, lot }: Entitled) => {
    const lotKey = lot === null ? '' : `grant:credit:${lot.digest}`
    const [state, by] = lot === null ? [] : await guarded(redis.hmget(lotKey, 'state', 'by'))
    const account = state === 'claimed' ? accountOf(by ?? lot?.account ?? null) : ''
    const row = token === null ? '' : `grant:${token.kind}:${token.digest}`
    return { keys: [claimOf(key), row, lotKey, account, SALES_JOURNAL], state: state ?? '' }
  }

  return {
    async unfinal(max) {
      const keys = await guarded(redis.zrange(UNFINAL, '0', String(max - 1)))
      const claims = await Promise.all(
        keys.map(async (key) => {
          const hash = await guarded(redis.hgetall(claimOf(key)))
          const claim = claimFromHash(key, hash)
          if (claim === null || claim.settled === null) return null
          return {
            ...claim,
            settled: claim.settled,
            missing: hash.missing !== undefined,
            suspended: hash.suspended !== undefined,
          }
        }),
      )
      const stale = keys.filter((_, index) => claims[index] === null)
      if (stale.length > 0) await guarded(redis.zrem(UNFINAL, ...stale))
      return claims.filter((claim) => claim !== null)
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
      const keys = [claimOf(key), spentOf(chainId, settled), UNFINAL, 'claims:undelivered', 'claims:settling']
      const [outcome, since] = (await run('gone', keys, [key])) as [string, string?]
      return outcome === 'missing' ? Number(since) : (outcome as 'unknown' | 'reopened' | 'forgotten')
    },
    async suspend(key, entitled, reversal) {
      const { keys, state } = await keysOf(key, entitled)
      const micro = (entitled.lot?.micro ?? 0n).toString()
      return await run('suspend', keys, [state, micro, JSON.stringify(reversal)])
    },
    async restore(key, entitled, reversal) {
      const { keys } = await keysOf(key, entitled)
      return await run('restore', keys, [(entitled.lot?.micro ?? 0n).toString(), JSON.stringify(reversal)])
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
