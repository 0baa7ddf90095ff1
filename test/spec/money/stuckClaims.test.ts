import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { authorizationKey, type Claim, type ClaimTerms } from '../../../api/ledger/ledger.ts'
import { createFinalityGate } from '../../../api/settlement/finalityGate.ts'
import type { LocateChain } from '../../../api/settlement/locate.ts'
import type { AuthorizationFate, ChainHead, UsedAuthorization } from '../../../api/settlement/port.ts'
import { type AnswerClaimsPorts, answerClaims } from '../../../api/worker/answerClaims.ts'
import { type ReconcilePorts, reconcile } from '../../../api/worker/reconcile.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { parseFinality } from '../../../ops/finalityPolicy.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** How many claims one pass looks at. */
const BATCH = 100

let redis: TestRedis
let book: ReturnType<typeof openLedger>
let ports: ReconcilePorts & AnswerClaimsPorts
/** What the chain says about each nonce; 'away': the node has no answer. */
let fates: Map<string, AuthorizationFate | 'away'>
let receipts: Map<string, UsedAuthorization>
let asked: string[]
let heads: Record<'latest' | 'finalized', ChainHead | 'away'>
beforeAll(async () => {
  redis = await startRedis({ appendfsync: 'always' })
  book = openLedger(redis.url)
  const chain: ReconcilePorts['chain'] = {
    fate: async (_asset, _from, nonce, sinceMs) => {
      asked.push(nonce)
      const fate = fates.get(nonce) ?? 'away'
      if (fate !== 'away' && fate.kind === 'used' && fate.blockMs < sinceMs)
        return { kind: 'earlier', blockNumber: fate.blockNumber, blockMs: Number.MAX_SAFE_INTEGER }
      if (fate === 'away') throw new UnavailableError('chain_unavailable', 'used, but no log shows it')
      return fate
    },
    head: async (which) => {
      const head = heads[which]
      if (head === 'away') throw new UnavailableError('chain_unavailable', 'no answer')
      return head
    },
    fateIn: async (_asset, _from, _nonce, tx) => receipts.get(tx) ?? null,
  }
  ports = {
    ledger: book.ledger,
    credits: createCreditLedger(book.redis),
    chain,
    chainId: 8453,
    log: quietLog,
    faultPoint: () => {},
    finality: { reached: async () => false },
    answers: { secret: Buffer.alloc(32) } as AnswerClaimsPorts['answers'],
  }
})
afterAll(async () => {
  book?.close()
  await redis?.stop()
})
beforeEach(async () => {
  await book.redis.flushall()
  fates = new Map()
  receipts = new Map()
  asked = []
  heads = { latest: headAt(9n, 0), finalized: headAt(9n, Number.MAX_SAFE_INTEGER) }
})
const headAt = (number: bigint, timeMs: number): ChainHead => ({ number, timeMs, hash: '0x' })

let seed = 1
async function claimed(fate: AuthorizationFate | 'away', terms: Partial<ClaimTerms> = {}) {
  const payment = somePayment(seed++, BigInt(Math.floor(Date.now() / 1000) + 300))
  const key = authorizationKey(payment)
  await book.ledger.claim(key, 'owner', someTerms({ via: 'facilitator', ...terms }), payment)
  fates.set(payment.authorization.nonce, fate)
  return { key, payment, nonce: payment.authorization.nonce }
}
const used = (): UsedAuthorization => ({
  kind: 'used',
  to: somePayment(1).authorization.to,
  value: 1_000n,
  ...someSettled(seed++),
  blockMs: Date.now(),
})
const stateOf = async (key: string) => (await book.ledger.find(key))?.state
const passes = async (from: number, ...laterMs: number[]) => {
  for (const ms of laterMs) await reconcile(ports, from + ms)
}

test('FAC-06 what was refused and has moved after all is settled, and counted apart from what nobody had decided', async () => {
  const undecided = await claimed(used())
  const refused = await claimed(used())
  await book.ledger.recordRefused(refused.key, 'transfer_failed', 'refused')
  const later = Date.now() + 20 * MINUTE
  expect(await reconcile(ports, later)).toEqual({ settled: 1, moved: 1, refused: 0, voided: 0, open: 0 })
  expect([await stateOf(undecided.key), await stateOf(refused.key)]).toEqual(['settled', 'settled'])
})

test('what was decided is counted at once and by one worker: a pass that breaks off later does not lose it', async () => {
  const told: string[] = []
  const counting = { ...ports, onOutcome: (outcome: string) => told.push(outcome) }
  const one = await claimed(used())
  await claimed({ kind: 'unused', blockNumber: 9n, blockMs: Number.MAX_SAFE_INTEGER })
  const later = Date.now() + 20 * MINUTE
  await Promise.all([reconcile(counting, later), reconcile(counting, later)])
  expect(told.sort()).toEqual(['settled', 'voided'])

  const other = await claimed(used())
  await claimed(fates.get(one.nonce)!) //  its transfer has paid for the first one
  await claimed('away')
  heads.latest = 'away'
  told.length = 0
  await expect(reconcile(counting, later)).rejects.toThrow('no answer')
  expect([told.sort(), await stateOf(other.key)]).toEqual([['settled', 'voided'], 'settled'])
})

describe('RPL-18, I9: whatever is stuck, everything gets its turn', () => {
  test('undecided: behind a hundred that nobody can decide an honest claim is settled', async () => {
    for (let stuck = 0; stuck < BATCH; stuck++) await claimed('away')
    const honest = await claimed(used())
    await passes(Date.now(), 60 * SECOND)
    expect(asked).not.toContain(honest.nonce)
    await passes(Date.now(), 62 * SECOND)
    expect(await stateOf(honest.key)).toBe('settled')
  })

  test('refused and watched: the same', async () => {
    for (let stuck = 0; stuck <= BATCH; stuck++) {
      const { key } = await claimed('away')
      await book.ledger.recordRefused(key, 'transfer_failed', 'refused')
    }
    const last = (await book.redis.zrange('claims:watched', '-1', '-1'))[0]!
    await book.redis.zadd('claims:watched', 'GT', Date.now() + 5 * MINUTE + 1, last)
    fates.set(last.split(':').at(-1)!, used())
    await passes(Date.now(), 20 * MINUTE)
    expect(await stateOf(last)).toBe('refused')
    await passes(Date.now(), 20 * MINUTE + 2 * SECOND)
    expect(await stateOf(last)).toBe('settled')
  })

  test.each([
    ['settling', 'its window is open', 0],
    ['watched', 'its window is open', 0],
    ['watched', 'its window is over, by a block that is not final', Number.MAX_SAFE_INTEGER],
  ])('%s, and stays so, since %s: the same', async (list, _, blockMs) => {
    heads.finalized = headAt(9n, 0)
    for (let stuck = 0; stuck <= BATCH; stuck++) {
      const { key } = await claimed({ kind: 'unused', blockNumber: 9n, blockMs })
      if (list === 'watched') await book.ledger.recordRefused(key, 'transfer_failed', 'refused')
    }
    await passes(Date.now(), 20 * MINUTE)
    expect(new Set(asked).size).toBe(BATCH)
    await passes(Date.now(), 20 * MINUTE + 2 * SECOND)
    expect(new Set(asked).size).toBe(BATCH + 1)
    expect(await book.redis.zcard(`claims:${list}`)).toBe(BATCH + 1)
  })

  test('settled and not to be answered yet: the next hundred are tried in the next pass', async () => {
    const keys: string[] = []
    for (let sale = 0; sale <= BATCH; sale++) {
      const { key } = await claimed('away')
      await book.ledger.recordSettled(key, someSettled(seed++), 8453)
      keys.push(key)
    }
    const tried = new Set<string>()
    const finality = { reached: async ({ key }: { key: string }) => !tried.add(key) }
    const ask = (ms: number) => answerClaims({ ...ports, finality }, Date.now() + ms)
    await ask(10 * SECOND)
    expect(tried.size).toBe(BATCH)
    await ask(12 * SECOND)
    expect(tried.size).toBe(BATCH + 1)
  })

  test.each([
    ['20 s old', 20 * SECOND, 2_499, 2_500],
    ['12 s old: at least 2 s', 12 * SECOND, 1_999, 2_000],
    ['a day old: at most 5 min', 24 * HOUR, 299_999, 300_000],
  ])('one that is %s is asked about again after an eighth of its age', async (_, ageMs, early, due) => {
    const { key } = await claimed('away')
    const { createdMs } = (await book.ledger.find(key))!
    const laterBy = [0, early, due]
    const counts: number[] = []
    for (const ms of laterBy) {
      await reconcile(ports, createdMs + ageMs + ms)
      counts.push(asked.length)
    }
    expect(counts).toEqual([1, 1, 2])
  })
})

describe('decision 002, I9: a use that no log shows ends the claim an hour after its window, and not before', () => {
  const endMs = (claim: Awaited<ReturnType<typeof claimed>>) =>
    Number(claim.payment.authorization.validBefore) * 1000
  const earlier = (blockMs: number): AuthorizationFate => ({ kind: 'earlier', blockNumber: 9n, blockMs })

  test.each([
    [HOUR, 'settling'],
    [HOUR + 1, 'void'],
  ])('chain time %d ms after validBefore: %s', async (afterMs, state) => {
    const claim = await claimed('away')
    fates.set(claim.nonce, earlier(endMs(claim) + afterMs))
    await passes(endMs(claim), 2 * HOUR)
    expect(await stateOf(claim.key)).toBe(state)
  })

  test.each<[string, 'earlier' | 'away']>([
    ['the logs do not have it', 'earlier'],
    ['CRA-04, I4: the node gives no logs', 'away'],
  ])('where a transaction that was sent for it shows the use it is settled: %s', async (_, logs) => {
    const claim = await claimed('away', { via: 'self' })
    await book.redis.set('settler:fence', '1')
    const tx = `0x${'7e'.repeat(32)}`
    await book.ledger.recordBroadcast([claim.key], tx, '1')
    receipts.set(tx, used())
    if (logs === 'earlier') fates.set(claim.nonce, earlier(endMs(claim) + 2 * HOUR))
    await passes(endMs(claim), 2 * HOUR)
    expect(await stateOf(claim.key)).toBe('settled')
  })
})

describe('a claim is decided by the chain when nobody else has, and not before', () => {
  const endMs = (claim: Awaited<ReturnType<typeof claimed>>) =>
    Number(claim.payment.authorization.validBefore) * 1000

  test('undecided: ten seconds are left to the request', async () => {
    const { key } = await claimed(used())
    const { createdMs } = (await book.ledger.find(key))!
    await passes(createdMs, 10 * SECOND - 1)
    expect([asked.length, await stateOf(key)]).toEqual([0, 'settling'])
    await passes(createdMs, 10 * SECOND)
    expect(await stateOf(key)).toBe('settled')
  })

  test('refused: it is asked about from two minutes after its window on', async () => {
    const claim = await claimed(used())
    await book.ledger.recordRefused(claim.key, 'transfer_failed', 'refused')
    await passes(endMs(claim), 2 * MINUTE - 1)
    expect([asked.length, await stateOf(claim.key)]).toEqual([0, 'refused'])
    await passes(endMs(claim), 2 * MINUTE)
    expect(await stateOf(claim.key)).toBe('settled')
  })

  test('CHN-07 by a block that is stamped up to a minute before it: clocks differ', async () => {
    const claim = await claimed('away')
    const { createdMs } = (await book.ledger.find(claim.key))!
    fates.set(claim.nonce, { ...used(), blockMs: createdMs - MINUTE })
    await passes(createdMs, 10 * SECOND)
    expect(await stateOf(claim.key)).toBe('settled')
  })
})

describe('I10: a claim is void once no reorganisation gives its payment room any more', () => {
  const endMs = (claim: Awaited<ReturnType<typeof claimed>>) =>
    Number(claim.payment.authorization.validBefore) * 1000

  test.each<[string, AuthorizationFate]>([
    ['unused', { kind: 'unused', blockNumber: 9n, blockMs: Number.MAX_SAFE_INTEGER }],
    ['cancelled', { kind: 'cancelled', tx: '0x1' }],
    ['used without a log', { kind: 'earlier', blockNumber: 9n, blockMs: Number.MAX_SAFE_INTEGER }],
    ['paid to somebody else', { ...used(), to: '0xe15e', blockNumber: 1n }],
  ])('%s: refused until a finalised block is past validBefore, and void then', async (_, fate) => {
    const claim = await claimed(fate)
    heads.finalized = headAt(9n, endMs(claim) - 1)
    await passes(endMs(claim), 3 * MINUTE, 10 * MINUTE)
    expect(await stateOf(claim.key)).toBe('refused')
    heads.finalized = headAt(9n, endMs(claim))
    await passes(endMs(claim), 30 * MINUTE)
    expect(await stateOf(claim.key)).toBe('void')
  })

  test('a state that is older than the finalised block proves nothing', async () => {
    const claim = await claimed({ kind: 'unused', blockNumber: 9n, blockMs: Number.MAX_SAFE_INTEGER })
    heads.finalized = headAt(10n, endMs(claim) + 1)
    await passes(endMs(claim), 3 * MINUTE, 10 * MINUTE)
    expect(await stateOf(claim.key)).toBe('refused')
  })

  test('money that moves after all before that is its sale', async () => {
    const claim = await claimed({ kind: 'unused', blockNumber: 9n, blockMs: Number.MAX_SAFE_INTEGER })
    heads.finalized = headAt(9n, 0)
    await passes(endMs(claim), 3 * MINUTE)
    fates.set(claim.nonce, used())
    await passes(endMs(claim), 10 * MINUTE)
    expect(await stateOf(claim.key)).toBe('settled')
  })
})

describe('CHN-07 windows end by the time of blocks, whatever ours is', () => {
  const endMs = (claim: Awaited<ReturnType<typeof claimed>>) =>
    Number(claim.payment.authorization.validBefore) * 1000
  const unused = (blockMs: number): AuthorizationFate => ({ kind: 'unused', blockNumber: 9n, blockMs })

  test('the chain stands still for half an hour: nothing is given up, and what its next block pays is sold', async () => {
    const claim = await claimed('away')
    fates.set(claim.nonce, unused(endMs(claim) - 1))
    await passes(endMs(claim), 2 * MINUTE, 30 * MINUTE)
    expect(await stateOf(claim.key)).toBe('settling')
    fates.set(claim.nonce, used())
    await passes(endMs(claim), HOUR)
    expect(await stateOf(claim.key)).toBe('settled')
  })

  test('the time of blocks jumps beyond the window and its margin: refused, early as it is for us', async () => {
    const claim = await claimed('away')
    heads.finalized = headAt(9n, 0)
    fates.set(claim.nonce, unused(endMs(claim) + MINUTE))
    await passes(Date.now(), 2 * MINUTE)
    expect(await stateOf(claim.key)).toBe('settling')
    fates.set(claim.nonce, unused(endMs(claim) + MINUTE + 1))
    await passes(Date.now(), 4 * MINUTE)
    expect(await stateOf(claim.key)).toBe('refused')
  })
})

describe('a node that does not answer', () => {
  test('is not asked about every claim: the pass ends, and the next goes on with the others', async () => {
    for (let open = 0; open < 3; open++) await claimed('away')
    heads.latest = 'away'
    for (const ms of [60, 61, 62])
      await expect(passes(Date.now(), ms * SECOND)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(new Set(asked).size).toBe(3)
    expect(asked.length).toBe(3)
  })

  test('DATA-11, design 4: holds up no sale that needs no confirmations, and is asked once for those that do', async () => {
    const keys: string[] = []
    for (const amountMicroUsdc of [5_000_000n, 5_000_000n, 10_000n]) {
      const { key } = await claimed('away', { amountMicroUsdc })
      await book.ledger.recordSettled(key, someSettled(seed++), 8453)
      keys.push(key)
    }
    let heard = 0
    const chain = {
      head: () => {
        heard++
        return Promise.reject(new UnavailableError('chain_unavailable', 'no answer'))
      },
    } as Partial<LocateChain> as LocateChain
    const policy = parseFinality('1:3')
    const gate = createFinalityGate({ chain, chainId: 8453, policy, waitMs: 0, isForOnePass: true })
    const reached: string[] = []
    const finality = {
      reached: async (claim: Claim) => {
        await gate.reached(claim)
        reached.push(claim.key)
        return false
      },
    }
    await answerClaims({ ...ports, finality }, Date.now() + 10 * SECOND)
    expect([reached, heard]).toEqual([[keys[2]], 1])
  })
})
