import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { storeNowMs } from '../../ops/redis.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import type { Settled } from '../settlement/port.ts'
import {
  claimFields,
  claimFromHash,
  LISTED_FIELDS,
  listed,
  listedHash,
  openClaimFromHash,
} from './claimHash.ts'
import { figureOf } from './credits.ts'
import { durabilityProblem } from './durability.ts'
import { grantFields, grantFromHash } from './grantHash.ts'
import { KEYS } from './keys.ts'
import {
  type AnsweredCall,
  type Claim,
  type ClaimKey,
  type ClaimList,
  type Delivery,
  formerTransferKey,
  type Ledger,
  type ListedClaim,
  type Spent,
  transferKey,
} from './ledger.ts'
import { pack, unpack } from './packed.ts'
import { brokenOrThrow, guarded, scriptsOn, writeOn } from './scripts.ts'
import { createWaiters, SETTLED_CHANNEL } from './waiters.ts'

export const ATTESTATION_TTL_MS = 400 * DAY
/** A card payment may be refunded for more than a year: for this long we know what to take back. */
export const PAID_KEPT_MS = 540 * DAY
/** How long an expired token is still told apart from an unknown one. */
const GRANT_KEPT_MS = 30 * DAY
/** Longer than any settlement call may take: after it the former owner is taken for dead. */
const CLAIM_LEASE_MS = 30 * SECOND
/** How long contenders for a transfer are kept: longer than it can be claimed unsigned; not forever: they are cheap. */
const CONTENDERS_KEPT_MS = 31 * DAY
/** A step whose reply was lost is repeated within this time. */
export const OPERATION_KEPT_MS = 5 * MINUTE
/**
 * Claims per payer whose money may still move. One wallet can sign for more than it owns, and each of these payments
 * passes as long as none is settled; an agent that pays as fast as it can has a few dozen.
 */
export const OPEN_CLAIMS_MAX = 128
/** Counted from the payer's newest claim. A claim open for longer waits for an outage to end, and no longer counts. */
const OPEN_KEPT_MS = 1 * HOUR
/** Says that a claim waits for settlement: wakes the settler, which looks every second anyway. */
export const CLAIMED_CHANNEL = 'claims:claimed'
/** Claims listed at once: more than our own settler can have open, so that stuck ones starve nobody. */
const LIST_MAX = 20_000
/** A claim whose row is broken is put back for this long, then it is looked at and reported again. */
const BROKEN_AGAIN_MS = 1 * MINUTE

/**
 * The ledger on Redis with `appendfsync always` and `noeviction`. A missing reply leaves the outcome unknown and is
 * thrown as such; repeating any call is harmless.
 * @param answerTtlMs how long a delivered answer can be fetched again.
 * @param onBroken called for a listed claim that waits for an operator because its row is broken.
 */
export function createRedisLedger(
  redis: Redis,
  subscriber: Redis,
  {
    answerTtlMs,
    onBroken = () => {},
  }: { answerTtlMs: number; onBroken?(key: ClaimKey, which: ClaimList): void },
): Ledger {
  const run = scriptsOn(redis)
  const write = writeOn(redis)
  const waiters = createWaiters(subscriber)

  const find = async (key: ClaimKey): Promise<Claim | null> =>
    claimFromHash(key, await guarded(redis.hgetall(KEYS.claim(key))))

  const findListed = async (key: ClaimKey): Promise<ListedClaim | null> =>
    listed(openClaimFromHash(key, listedHash(await guarded(redis.hmget(KEYS.claim(key), ...LISTED_FIELDS)))))
  const nowMs = () => guarded(storeNowMs(redis))
  const putBack = async (which: ClaimList, keys: readonly ClaimKey[]): Promise<void> => {
    if (keys.length === 0) return
    const now = await nowMs()
    const dueMs = await guarded(redis.zmscore(KEYS.claims[which], ...keys))
    const due = keys.filter((_, index) => Number(dueMs[index]) <= now)
    await Promise.all(due.map((key) => write('ZADD', KEYS.claims[which], 'XX', now + BROKEN_AGAIN_MS, key)))
    for (const key of due) onBroken(key, which)
  }

  const showOrClaim = <Outcome>(
    [key, { fingerprint, paymentHash }, settled, chainId, objectionMs]: Parameters<Ledger['showTransfer']>,
    fields: string,
  ): Promise<Outcome> => {
    const { undelivered, unfinal } = KEYS.claims
    const rows = [KEYS.claim(key), KEYS.spent(key), undelivered, unfinal, formerRow(settled, chainId)]
    return run(
      'claimTransfer',
      [...rows, KEYS.contenders(key)],
      [key, fingerprint, paymentHash, fields, objectionMs, CONTENDERS_KEPT_MS],
    )
  }

  return {
    find,

    claim: (key, owner, terms, payment, hasMoved = false) =>
      run(
        'claim',
        [KEYS.claim(key), KEYS.claims.settling, KEYS.open(key), KEYS.paymentId(terms.paymentId ?? '')],
        [
          key,
          owner,
          terms.fingerprint,
          terms.paymentHash,
          CLAIM_LEASE_MS,
          JSON.stringify(claimFields(terms, payment)),
          CLAIMED_CHANNEL,
          hasMoved ? '' : OPEN_CLAIMS_MAX,
          OPEN_KEPT_MS,
          KEYS.claim(''),
        ],
      ),

    claimTransfer: (key, terms, settled, chainId, objectionMs = 0) =>
      showOrClaim(
        [key, terms, settled, chainId, objectionMs],
        JSON.stringify({ ...claimFields(terms, null), ...settledFields(settled) }),
      ),

    showTransfer: (...shown) => showOrClaim(shown, ''),

    shownSince: async (key, paymentHash) => {
      const shown = await guarded(redis.zrange(KEYS.contenders(key), '0', '-1', 'WITHSCORES'))
      const at = shown.findIndex((text, index) => index % 2 === 0 && text !== paymentHash) //  oldest first
      return at < 0 ? null : Number(shown[at + 1])
    },

    recordSettled: (key, settled, chainId) => {
      const { settling, undelivered, watched, unfinal } = KEYS.claims
      const { tx, logIndex, blockNumber, blockMs } = settled
      const rows = [KEYS.claim(key), KEYS.spent(transferKey(chainId, tx, logIndex))]
      return run(
        'settled',
        [...rows, settling, undelivered, watched, unfinal, formerRow(settled, chainId)],
        [key, tx, logIndex, blockNumber.toString(), blockMs, SETTLED_CHANNEL, answerTtlMs],
      )
    },

    recordRefused: (key, reason, end, fence = '', owner = '') =>
      run(
        'refused',
        [KEYS.claim(key), KEYS.claims.settling, KEYS.claims.watched, KEYS.fence],
        [key, reason, end, answerTtlMs, SETTLED_CHANNEL, fence, owner],
      ),

    recordBroadcast: async (keys, tx, fence, which = 'first') => {
      const rows = [KEYS.fence, ...keys.map(KEYS.claim)]
      const noted = await run<number>('broadcast', rows, [fence, tx, which])
      if (noted === -2) throw new UnavailableError('ledger_unavailable', 'a claim was refused meanwhile')
      return noted >= 0
    },

    deliver: async (key, { grant, credit = null, ...delivery }: Delivery) => {
      const [outcome, body, paymentResponse] = await run<
        ['stored' | 'not_settled' | 'moved', string, string]
      >(
        'deliver',
        [
          KEYS.claim(key),
          KEYS.claims.undelivered,
          KEYS.sales,
          KEYS.attestation(delivery.attestationId),
          KEYS.grant(grant),
          KEYS.lot(credit?.lot ?? null),
          KEYS.account(credit?.account ?? null),
        ],
        [
          key,
          pack(delivery.body),
          delivery.paymentResponse,
          delivery.attestation,
          JSON.stringify(delivery.sale),
          key.startsWith('card:') ? PAID_KEPT_MS : answerTtlMs, //  answered without its buyer, who may come at any time
          ATTESTATION_TTL_MS,
          ...(grant === null
            ? ['', 0]
            : [JSON.stringify(grantFields(key, grant)), grant.expiresMs + GRANT_KEPT_MS]),
          delivery.sale.tx,
          ...(credit === null
            ? []
            : [credit.micro.toString(), credit.auth ?? '', credit.way, ...figureOf(credit.told)]),
        ],
      )
      return outcome === 'stored' ? { body: unpack(body), paymentResponse } : outcome
    },

    whenDecided: (key, timeoutMs) =>
      waiters.wait(key, timeoutMs, async () => {
        const claim = await find(key)
        return claim === null || claim.state === 'settling' ? null : claim
      }),

    list: async (which, max, dueMs) => {
      const keys = await guarded(
        redis.zrangebyscore(KEYS.claims[which], '-inf', dueMs ?? '+inf', 'LIMIT', 0, Math.min(max, LIST_MAX)),
      )
      const claims = await Promise.all(keys.map((key) => findListed(key).catch(brokenOrThrow)))
      const keysOf = (found: null | 'broken') => keys.filter((_, index) => claims[index] === found)
      await putBack(which, keysOf('broken'))
      await Promise.all(
        keysOf(null).map((key) => run('unlist', [KEYS.claim(key), KEYS.claims[which]], [key])),
      )
      return claims.filter((claim) => claim !== null && claim !== 'broken')
    },

    postpone: async (which, key, dueMs) => {
      await write('ZADD', KEYS.claims[which], 'XX', dueMs, key)
    },

    attestation: (id) => guarded(redis.get(KEYS.attestation(id))),

    revokedMs: async (id) => {
      const since = await guarded(redis.get(KEYS.revoked(id)))
      return since === null ? null : Number(since)
    },

    grant: async (kind, digest) => grantFromHash(await guarded(redis.hgetall(KEYS.grant({ kind, digest })))),

    spendCalls: async (kind, operation, wanted) => {
      const digests = [...wanted.keys()]
      const keys = [KEYS.operation(operation), ...digests.map((digest) => KEYS.grant({ kind, digest }))]
      const numbers = await run<number[]>('spendCalls', keys, [OPERATION_KEPT_MS, ...wanted.values()])
      return new Map(digests.map((digest, at) => [digest, spentOf(numbers, 4 * at)]))
    },

    answerCall: async (kind, name, digest, answer, untilMs) => {
      const keys = [KEYS.call(name), KEYS.grant({ kind, digest })]
      const args = [OPERATION_KEPT_MS, pack(answer), untilMs ?? '']
      const [outcome, ...call] = await run<string[]>('answerCall', keys, args)
      return outcome === 'answered'
        ? answeredOf(call)
        : (outcome as 'unknown' | 'expired' | 'used_up' | 'outdated' | 'no_room')
    },

    answeredCall: async (name) => {
      const call = await guarded(redis.hmget(KEYS.call(name), 'left', 'expires', 'answer'))
      return call[0] === null ? null : answeredOf(call as string[])
    },

    giveBackCall: async (kind, operation, digest) => {
      const keys = [KEYS.operation(operation), KEYS.grant({ kind, digest })]
      await run('giveBackCall', keys, [OPERATION_KEPT_MS])
    },

    nowMs,

    problem: () => durabilityProblem(redis).catch(() => 'the ledger does not answer'),
  }
}

const answeredOf = ([left, expires, answer]: readonly string[]): AnsweredCall => ({
  answer: unpack(answer!),
  left: Number(left),
  expiresMs: Number(expires),
})

/** @param from where the four figures of one row begin. */
const spentOf = (numbers: readonly number[], from: number): Spent => ({
  taken: numbers[from] ?? 0,
  left: numbers[from + 1] ?? 0,
  expiresMs: numbers[from + 2] ?? 0,
  expired: (numbers[from + 3] ?? 1) === 1,
})

/** '' if unknown: a transfer made by this very process cannot have been booked before. */
const formerRow = ({ tx, blockIndex }: Pick<Settled, 'tx' | 'blockIndex'>, chainId: number): string =>
  blockIndex === undefined ? '' : KEYS.spent(formerTransferKey(chainId, tx, blockIndex))

const settledFields = (settled: Settled) => ({
  tx: settled.tx,
  log: String(settled.logIndex),
  block: settled.blockNumber.toString(),
  blockMs: String(settled.blockMs),
})
