import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { DAY, MINUTE, SECOND } from '../../ops/units.ts'
import type { TokenKind } from '../entitlements/token.ts'
import type { Settled } from '../settlement/port.ts'
import { claimFields, claimFromHash } from './claimHash.ts'
import { CREDIT_KEYS, figureOf } from './credits.ts'
import { durabilityProblem } from './durability.ts'
import { grantFields, grantFromHash } from './grantHash.ts'
import {
  type Claim,
  type ClaimKey,
  type ClaimOutcome,
  type Delivery,
  formerTransferKey,
  type Ledger,
  type Spent,
  transferKey,
} from './ledger.ts'
import { createWaiters, SETTLED_CHANNEL } from './waiters.ts'

/** Mark that the money of this receipt has left the chain; holds since when. */
export const revokedKey = (attestationId: string): string => `revoked:${attestationId}`

const KEYS = {
  claim: (key: ClaimKey) => `claim:${key}`,
  spent: (transfer: string) => `spent:${transfer}`,
  attestation: (id: string) => `attestation:${id}`,
  revoked: revokedKey,
  grant: (kind: TokenKind, digest: string) => `grant:${kind}:${digest}`,
  operation: (id: string) => `operation:${id}`,
  settling: 'claims:settling',
  undelivered: 'claims:undelivered',
  watched: 'claims:watched',
  unfinal: 'claims:unfinal',
  fence: 'settler:fence',
} as const

/** Stream of sales, drained to ClickHouse by the worker. */
export const SALES_JOURNAL = 'sales'
export const SETTLER_FENCE = KEYS.fence

export const ATTESTATION_TTL_MS = 400 * DAY
/** An expired token is still told from an unknown one for so long. */
const GRANT_KEPT_MS = 30 * DAY
/** Longer than any settlement call may take: after it the former owner is taken for dead. */
const CLAIM_LEASE_MS = 30 * SECOND
/** Within this a step whose reply was lost is repeated. */
const OPERATION_KEPT_MS = 5 * MINUTE
/** Says that a claim waits for settlement: wakes the settler, which looks every second anyway. */
export const CLAIMED_CHANNEL = 'claims:claimed'
/** Claims listed at once: more than our own settler can have open, so that stuck ones starve nobody. */
const LIST_MAX = 20_000

const script = (name: string) => readFileSync(new URL(`./commands/${name}.lua`, import.meta.url), 'utf8')
const COMMANDS = {
  ledgerClaim: { numberOfKeys: 2, lua: script('claim') },
  ledgerClaimTransfer: { numberOfKeys: 5, lua: script('claimTransfer') },
  ledgerSettled: { numberOfKeys: 7, lua: script('settled') },
  ledgerRefused: { numberOfKeys: 4, lua: script('refused') },
  ledgerDeliver: { numberOfKeys: 7, lua: script('creditPlace') + script('deliver') },
  ledgerBroadcast: { lua: script('broadcast') },
  ledgerUnlist: { numberOfKeys: 2, lua: script('unlist') },
  ledgerSpendCalls: { lua: script('spendCalls') },
}
type Commands = Record<keyof typeof COMMANDS, (...parts: (string | number)[]) => Promise<unknown>>

/**
 * The ledger on Redis with `appendfsync always` and `noeviction`. A reply that does not come leaves the
 * outcome unknown and is thrown as such; repeating any call is harmless.
 * @param answerTtlMs how long a delivered answer can be fetched again.
 */
export function createRedisLedger(
  redis: Redis,
  subscriber: Redis,
  { answerTtlMs }: { answerTtlMs: number },
): Ledger {
  for (const [name, definition] of Object.entries(COMMANDS)) redis.defineCommand(name, definition)
  const commands = redis as unknown as Commands
  const waiters = createWaiters(subscriber)

  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw new UnavailableError('ledger_unavailable', 'the ledger did not answer', error)
    }
  }

  const find = async (key: ClaimKey): Promise<Claim | null> =>
    claimFromHash(key, await guarded(redis.hgetall(KEYS.claim(key))))

  return {
    find,

    claim: (key, owner, terms, payment) =>
      guarded(
        commands.ledgerClaim(
          KEYS.claim(key),
          KEYS.settling,
          key,
          owner,
          terms.fingerprint,
          terms.paymentHash,
          CLAIM_LEASE_MS,
          JSON.stringify(claimFields(terms, payment)),
          CLAIMED_CHANNEL,
        ),
      ) as Promise<ClaimOutcome>,

    claimTransfer: (key, terms, settled, chainId) =>
      guarded(
        commands.ledgerClaimTransfer(
          KEYS.claim(key),
          KEYS.spent(key),
          KEYS.undelivered,
          KEYS.unfinal,
          formerRow(settled, chainId),
          key,
          terms.fingerprint,
          terms.paymentHash,
          JSON.stringify({ ...claimFields(terms, null), ...settledFields(settled) }),
        ),
      ) as ReturnType<Ledger['claimTransfer']>,

    recordSettled: (key, settled, chainId) =>
      guarded(
        commands.ledgerSettled(
          KEYS.claim(key),
          KEYS.spent(transferKey(chainId, settled.tx, settled.logIndex)),
          KEYS.settling,
          KEYS.undelivered,
          KEYS.watched,
          KEYS.unfinal,
          formerRow(settled, chainId),
          key,
          settled.tx,
          settled.logIndex,
          settled.blockNumber.toString(),
          settled.blockMs,
          SETTLED_CHANNEL,
          answerTtlMs,
        ),
      ) as ReturnType<Ledger['recordSettled']>,

    recordRefused: (key, reason, end, fence = '') =>
      guarded(
        commands.ledgerRefused(
          KEYS.claim(key),
          KEYS.settling,
          KEYS.watched,
          KEYS.fence,
          key,
          reason,
          end,
          answerTtlMs,
          SETTLED_CHANNEL,
          fence,
        ),
      ) as ReturnType<Ledger['recordRefused']>,

    recordBroadcast: async (keys, tx, fence) => {
      const noted = await guarded(
        commands.ledgerBroadcast(keys.length + 1, KEYS.fence, ...keys.map(KEYS.claim), fence, tx),
      )
      return (noted as number) >= 0
    },

    deliver: async (key, delivery: Delivery) => {
      const credit = delivery.credit ?? null
      const [outcome, body, paymentResponse] = (await guarded(
        commands.ledgerDeliver(
          KEYS.claim(key),
          KEYS.undelivered,
          SALES_JOURNAL,
          KEYS.attestation(delivery.attestationId),
          delivery.grant === null ? '' : KEYS.grant(delivery.grant.kind, delivery.grant.digest),
          credit === null ? '' : CREDIT_KEYS.lot(credit.lot),
          credit === null ? '' : CREDIT_KEYS.account(credit.account),
          key,
          delivery.body,
          delivery.paymentResponse,
          delivery.attestation,
          JSON.stringify(delivery.sale),
          answerTtlMs,
          ATTESTATION_TTL_MS,
          delivery.grant === null ? '' : JSON.stringify(grantFields(key, delivery.grant)),
          delivery.grant === null ? 0 : delivery.grant.expiresMs + GRANT_KEPT_MS,
          ...(credit === null
            ? []
            : [credit.micro.toString(), credit.auth ?? '', credit.way, ...figureOf(credit.told)]),
        ),
      )) as ['stored' | 'not_settled' | 'moved', string, string]
      return outcome === 'stored' ? { body, paymentResponse } : outcome
    },

    whenDecided: (key, timeoutMs) =>
      waiters.wait(key, timeoutMs, async () => {
        const claim = await find(key)
        return claim === null || claim.state === 'settling' ? null : claim
      }),

    list: async (which, max, dueMs) => {
      const keys = await guarded(
        redis.zrangebyscore(KEYS[which], '-inf', dueMs ?? '+inf', 'LIMIT', 0, Math.min(max, LIST_MAX)),
      )
      const claims = await Promise.all(keys.map(find))
      const gone = keys.filter((_, index) => claims[index] === null)
      await Promise.all(gone.map((key) => guarded(commands.ledgerUnlist(KEYS.claim(key), KEYS[which], key))))
      return claims.filter((claim) => claim !== null)
    },

    postpone: async (which, key, dueMs) => {
      await guarded(redis.zadd(KEYS[which], 'XX', dueMs, key))
    },

    attestation: (id) => guarded(redis.get(KEYS.attestation(id))),

    revokedMs: async (id) => {
      const since = await guarded(redis.get(KEYS.revoked(id)))
      return since === null ? null : Number(since)
    },

    grant: async (kind, digest) => grantFromHash(await guarded(redis.hgetall(KEYS.grant(kind, digest)))),

    spendCalls: async (kind, operation, wanted) => {
      const digests = [...wanted.keys()]
      const keys = [KEYS.operation(operation), ...digests.map((digest) => KEYS.grant(kind, digest))]
      const numbers = (await guarded(
        commands.ledgerSpendCalls(keys.length, ...keys, OPERATION_KEPT_MS, ...wanted.values()),
      )) as number[]
      return new Map(digests.map((digest, at) => [digest, spentOf(numbers.slice(4 * at, 4 * at + 4))]))
    },

    nowMs: async () => {
      const [seconds, micros] = await guarded(redis.time())
      return Number(seconds) * SECOND + Math.floor(Number(micros) / 1_000)
    },

    problem: () => durabilityProblem(redis).catch(() => 'the ledger does not answer'),
  }
}

const spentOf = ([taken = 0, left = 0, expiresMs = 0, expired = 1]: number[]): Spent => ({
  taken,
  left,
  expiresMs,
  expired: expired === 1,
})

/** '' where it is not known: a transfer that this process has made itself was never booked before. */
const formerRow = ({ tx, blockIndex }: Settled, chainId: number): string =>
  blockIndex === undefined ? '' : KEYS.spent(formerTransferKey(chainId, tx, blockIndex))

const settledFields = (settled: Settled) => ({
  tx: settled.tx,
  log: String(settled.logIndex),
  block: settled.blockNumber.toString(),
  blockMs: String(settled.blockMs),
})
