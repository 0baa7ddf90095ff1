import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BrokenRowError } from '../../../api/ledger/scripts.ts'
import { MAX_BATCH } from '../../../api/settlement/batch.ts'
import { createIntake, lessTrusting } from '../../../api/settlement/intake.ts'
import type { AuthorizationFate, PaymentChain, SettleJob } from '../../../api/settlement/port.ts'
import { createRpc, type Rpc } from '../../../api/settlement/rpc.ts'
import type { Verdict } from '../../../api/settlement/simulate.ts'
import { createSimulator } from '../../../api/settlement/simulator.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { createMemoryLedger } from './memoryLedger.ts'
import { pay } from './payer.ts'
import { lower, nonce, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 12 })
let rpc: Rpc
beforeAll(() => {
  rpc = createRpc(world.anvil.rpcUrl)
})
afterAll(() => rpc?.close())

function open({
  chainId = 8453,
  isSpent = (): boolean => true,
  chain = world.chain,
}: {
  chainId?: number
  isSpent?(): boolean
  chain?: PaymentChain
} = {}) {
  const ledger = createMemoryLedger()
  let nowMs = 1_000_000
  const decided: string[] = []
  const intake = createIntake({
    rpc,
    chain,
    chainId,
    ledger,
    log: quietLog,
    isSpent,
    simulator: createSimulator({ rpc }),
    nowMs: () => nowMs,
    beforeSimulating: async () => {},
    onDecided: ({ key }, decision) => decided.push(`${key} ${decision}`),
  })
  const later = (ms: number) => {
    nowMs += ms
  }
  return { ledger, intake, decided, later }
}
const keys = (jobs: readonly { key: string }[]) => jobs.map(({ key }) => key)
const nobody = new Set<string>()

describe('what leaves now', () => {
  test('what is not under way, oldest first', async () => {
    const { ledger, intake } = open()
    for (const [index, key] of ['a', 'b', 'c'].entries())
      ledger.add(key, await pay(world.anvil.buyers[index]!, world.anvil.receiver))
    const { shared, lone } = await intake.take(8, new Set(['b']))
    expect([keys(shared), lone]).toEqual([['a', 'c'], []])
  })

  test('no more wallet payments than there is room for; keys behind them are not held up', async () => {
    const { ledger, intake } = open()
    const wallet = lower(await world.anvil.deploy1271(lower(world.buyer.address)))
    await world.anvil.mint(wallet, 1_000_000n)
    for (const key of ['w1', 'w2', 'w3'])
      ledger.add(key, await pay(world.buyer, world.anvil.receiver, { from: wallet }))
    ledger.add('k', await pay(world.buyer, world.anvil.receiver))
    const { shared, lone } = await intake.take(2, nobody)
    expect([keys(shared), lone.map(({ job }) => job.key)]).toEqual([['k'], ['w1', 'w2']])
    expect(intake.deferred()).toBe(1)
  })

  test('it reads past those that are under way or waiting, however many they are', async () => {
    const { ledger, intake } = open()
    const asked: number[] = []
    const { pending } = ledger
    ledger.pending = (max) => {
      asked.push(max)
      return pending(max)
    }
    await intake.take(2, new Set(Array.from({ length: 700 }, (_, index) => `k${index}`)))
    expect(asked).toEqual([700 + 2 * MAX_BATCH])
  })

  test('a claim for another chain is left alone', async () => {
    const { ledger, intake } = open({ chainId: 84532 })
    ledger.add('a', await pay(world.buyer, world.anvil.receiver))
    expect(await intake.take(8, nobody)).toEqual({ shared: [], lone: [] })
    expect(ledger.events).toEqual([])
  })
})

describe('a payment that passes the simulation and is not moved by a mined transaction', () => {
  test('by a key: shared once more, then alone, then refused', async () => {
    const { ledger, intake, decided } = open()
    ledger.add('a', await pay(world.buyer, world.anvil.receiver))
    const lanes: string[] = []
    for (let failure = 0; failure <= 4; failure++) {
      const { shared, lone } = await intake.take(8, nobody)
      lanes.push(shared.length > 0 ? 'shared' : lone.length > 0 ? 'alone' : 'ended')
      intake.noteFailure(ledger.row('a'))
    }
    expect(lanes).toEqual(['shared', 'shared', 'alone', 'alone', 'ended'])
    expect([decided, ledger.row('a').refused]).toEqual([['a refused'], 'transfer_failed'])
  })

  test('by a wallet: refused at once, and so is its next payment for an hour', async () => {
    const { ledger, intake, later } = open()
    const wallet = lower(await world.anvil.deploy1271(lower(world.buyer.address)))
    await world.anvil.mint(wallet, 1_000_000n)
    const add = async (key: string) =>
      ledger.add(key, await pay(world.buyer, world.anvil.receiver, { from: wallet }))
    await add('first')
    expect((await intake.take(8, nobody)).lone.length).toBe(1)
    intake.noteFailure(ledger.row('first'))
    expect((await intake.take(8, nobody)).lone).toEqual([])
    await add('second')
    expect((await intake.take(8, nobody)).lone).toEqual([])
    expect(['first', 'second'].map((key) => ledger.row(key).refused)).toEqual([
      'wallet_not_supported',
      'wallet_not_supported',
    ])
    later(3_600_001)
    await add('third')
    expect((await intake.take(8, nobody)).lone.length).toBe(1)
  })
})

describe('a payer whose payment fails on chain by his own doing has one under way at a time, for an hour', () => {
  const own = async (fails: number, value = 10_000n) => {
    const opened = open()
    const { ledger, intake } = opened
    ledger.add('failed', await pay(world.buyer, world.anvil.receiver, { value }))
    for (let failure = 0; failure < fails; failure++) intake.noteFailure(ledger.row('failed'))
    await intake.take(8, new Set())
    await ledger.recordRefused('failed', 'transfer_failed')
    for (const key of ['a', 'b', 'c']) ledger.add(key, await pay(world.buyer, world.anvil.receiver))
    return opened
  }
  const TOO_MUCH = 10n ** 15n

  test.each<[string, number, bigint, string[]]>([
    ['it was among others and is good now: a neighbour may have burnt its gas', 1, 10_000n, ['a', 'b', 'c']],
    ['among others a second time', 2, 10_000n, ['a', 'b', 'c']],
    ['alone', 3, 10_000n, ['a']],
    ['its wallet was emptied meanwhile', 1, TOO_MUCH, ['a']],
    ['its wallet was empty before it was ever sent', 0, TOO_MUCH, ['a', 'b', 'c']],
  ])('%s', async (_, fails, value, leaving) => {
    const { ledger, intake } = await own(fails, value)
    expect(keys((await intake.take(8, nobody)).shared)).toEqual(leaving)
    expect(['a', 'b', 'c'].filter((key) => ledger.row(key).refused !== 'transfer_failed')).toEqual(leaving)
  })

  test('one more for each that goes through again: who has filled his wallet is served as fast as before', async () => {
    const { ledger, intake } = await own(1, TOO_MUCH)
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const first = (await intake.take(8, nobody)).shared
    expect(keys(first)).toEqual(['a'])
    intake.noteSettled(first[0]!)
    await ledger.recordRefused('a', 'transfer_failed') //  takes it off the list
    for (const key of all.slice(3)) ledger.add(key, await pay(world.buyer, world.anvil.receiver))
    const second = (await intake.take(8, new Set(['d']))).shared
    expect(keys(second)).toEqual(['e'])
    for (const job of second) intake.noteSettled(job)
    for (const key of ['h', 'i', 'j', 'k']) ledger.add(key, await pay(world.buyer, world.anvil.receiver))
    expect(keys((await intake.take(8, new Set(['d', 'e']))).shared)).toEqual(['h'])
  })

  test('none beside what is under way already, and all again after an hour', async () => {
    const { ledger, intake, later } = await own(1, TOO_MUCH)
    expect(keys((await intake.take(8, new Set(['a']))).shared)).toEqual([])
    for (const key of ['d', 'e']) ledger.add(key, await pay(world.buyer, world.anvil.receiver))
    later(3_600_001)
    expect(keys((await intake.take(8, new Set(['a']))).shared)).toEqual(['d', 'e'])
  })
})

test('no more than 32 of a new payer are under way; those of others behind them leave', async () => {
  const { ledger, intake } = open()
  const payments = await Promise.all(Array.from({ length: 40 }, () => pay(world.buyer, world.anvil.receiver)))
  for (const [at, payment] of payments.entries()) ledger.add(`k${at}`, payment)
  ledger.add('other', await pay(world.anvil.buyers[1]!, world.anvil.receiver))
  const flying = new Set(['k0', 'k1', 'k2'])
  const first = keys((await intake.take(8, flying)).shared)
  expect(first).toEqual([...Array.from({ length: 29 }, (_, at) => `k${at + 3}`), 'other'])
  expect(intake.deferred()).toBe(8)
  expect(keys((await intake.take(8, nobody)).shared)).toHaveLength(33)
})

test('one more for each that went through, and none of them once he has emptied his wallet', async () => {
  const { ledger, intake } = open()
  const payments = await Promise.all(Array.from({ length: 40 }, () => pay(world.buyer, world.anvil.receiver)))
  for (const [at, payment] of payments.entries()) ledger.add(`k${at}`, payment)
  const settled = (await intake.take(8, nobody)).shared.slice(0, 5)
  for (const job of settled) intake.noteSettled(job)
  expect((await intake.take(8, nobody)).shared).toHaveLength(37)
  ledger.add('too much', await pay(world.buyer, world.anvil.receiver, { value: 10n ** 15n }))
  for (const key of payments.keys()) await ledger.recordRefused(`k${key}`, 'transfer_failed')
  intake.noteFailure(ledger.row('too much'))
  await intake.take(8, nobody)
  ledger.add('a', payments[0]!)
  ledger.add('b', payments[1]!)
  expect(keys((await intake.take(8, nobody)).shared)).toEqual(['a'])
})

describe('nothing is refused while a transaction of ours could still carry it', () => {
  const bad = () => pay(world.buyer, world.anvil.receiver, { value: 10n ** 15n })

  test.each<[string, boolean, string | null]>([
    ['its nonce is mined by another', true, 'insufficient_funds'],
    ['its nonce is open, or not known to this life', false, null],
  ])('a transaction that was written down, and %s', async (_, spent, refused) => {
    const { ledger, intake, decided } = open({ isSpent: () => spent })
    ledger.add('a', await bad())
    await ledger.recordBroadcast(['a'], nonce(), 'first')
    await intake.take(8, nobody)
    expect([ledger.row('a').refused, decided.length]).toEqual([refused, refused === null ? 0 : 1])
  })

  test('none was written down', async () => {
    const { ledger, intake } = open({ isSpent: () => false })
    ledger.add('a', await bad())
    await intake.take(8, nobody)
    expect(ledger.row('a').refused).toBe('insufficient_funds')
  })

  test('one is seen mined, whoever sent it: it can do nothing more', async () => {
    const { ledger, intake } = open({ isSpent: () => false })
    ledger.add('a', await bad())
    const other = await world.submit(await pay(world.buyer, world.anvil.receiver))
    await ledger.recordBroadcast(['a'], other, 'first')
    await intake.take(8, nobody)
    expect(ledger.row('a').refused).toBe('insufficient_funds')
  })

  test('I5 the nonce is used and no log shows by whom: it waits, for twice as long each time, up to 8 s', async () => {
    const asked: number[] = []
    const fate = async (): Promise<AuthorizationFate> => {
      asked.push(waited)
      return { kind: 'earlier', blockNumber: 9n, blockMs: Date.now() }
    }
    const { ledger, intake, later } = open({ chain: { ...world.chain, fate } })
    ledger.add('a', await bad())
    let waited = 0
    for (; waited < 24_000; waited += 500) {
      await intake.take(8, nobody)
      later(500)
    }
    expect(asked).toEqual([0, 1_000, 3_000, 7_000, 15_000, 23_000])
    expect(ledger.row('a').refused).toBeNull()
  })

  test('DATA-08 its row is broken: it is put off, and what else waits leaves', async () => {
    const { ledger, intake } = open()
    ledger.add('broken', await bad())
    ledger.add('sound', await pay(world.anvil.buyers[1]!, world.anvil.receiver))
    ledger.onCall = (method) => {
      if (method === 'recordRefused') throw new BrokenRowError('broken')
    }
    expect(keys((await intake.take(8, nobody)).shared)).toEqual(['sound'])
    expect(intake.deferred()).toBe(1)
  })

  test('its window is not open yet: it waits and is asked again', async () => {
    const { ledger, intake, later } = open()
    const soon = BigInt(Math.floor(Date.now() / 1_000) + 60)
    ledger.add('a', await pay(world.buyer, world.anvil.receiver, { validAfter: soon }))
    await intake.take(8, nobody)
    expect([ledger.row('a').refused, intake.deferred()]).toEqual([null, 1])
    later(1_001)
    await intake.take(8, nobody)
    expect([ledger.row('a').refused, intake.deferred()]).toEqual([null, 1])
  })
})

describe('what a good verdict is worth after failures on chain', () => {
  const job = () =>
    pay(world.buyer, world.anvil.receiver).then((payment) => ({ key: 'a', payment }) as SettleJob)
  const call = { to: lower(USDC), data: '0x' as const, gas: 1n }
  const SHARED: Verdict = { refusal: null, lone: null }
  const LONE: Verdict = { refusal: null, lone: call }

  test.each<[string, Verdict, failed: number, distrusted: boolean, expected: unknown]>([
    ['by a key, once', SHARED, 1, false, SHARED],
    ['by a key, twice', SHARED, 2, false, { refusal: null, lone: { to: expect.any(String) } }],
    ['by a key, four times', SHARED, 4, false, { refusal: 'transfer_failed' }],
    ['by a wallet that is believed', LONE, 4, false, LONE],
    ['by a wallet that is not', LONE, 0, true, { refusal: 'wallet_not_supported' }],
    ['a refusal stays what it is', { refusal: 'expired', lone: null }, 4, true, { refusal: 'expired' }],
  ])('%s', async (_, verdict, failed, distrusted, expected) => {
    expect(lessTrusting(await job(), verdict, failed, distrusted)).toMatchObject(expected as object)
  })
})
