import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Note } from '../../../api/classic/intent.ts'
import { createIntentLedger } from '../../../api/ledger/intents.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { type Claim, formerTransferKey, transferKey } from '../../../api/ledger/ledger.ts'
import { bookUnknown } from '../../../api/worker/books/bookUnknown.ts'
import { classOf, type Known, REBUILT } from '../../../api/worker/books/classes.ts'
import { createJoin } from '../../../api/worker/books/joinAtStart.ts'
import {
  type BooksPorts,
  noClasses,
  type Part,
  type Unexplained,
} from '../../../api/worker/books/joinBooks.ts'
import { createLedgerView } from '../../../api/worker/books/ledgerView.ts'
import { createProgress } from '../../../api/worker/books/progress.ts'
import { noBooks, withPart } from '../../../api/worker/books/withPart.ts'
import { HOUR, SECOND } from '../../../ops/units.ts'
import { openLedger, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis()
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

describe('I1 what became of a transfer', () => {
  const claim = (state: Claim['state']) => ({ state, answer: null }) as Claim
  const answered = { state: 'settled', answer: { body: '{"ok":true}' } } as Claim
  test.each<[string, Partial<Known>, number]>([
    ['unattributed', {}, 0],
    ['delivered', { owner: 'tx:forgotten' }, 0],
    ['redeemable', { claim: claim('settling') }, 0],
    ['redeemable', { claim: claim('refused') }, 0],
    ['redeemable', { claim: claim('settled') }, 120_000],
    ['refund_due', { claim: claim('settled') }, 120_001],
    ['void', { claim: claim('void') }, 0],
    ['delivered', { claim: claim('void'), owner: 'tx:shown-again' }, 0],
    ['rebuilt', { owner: REBUILT }, 0],
    ['rebuilt', { owner: REBUILT, claim: claim('void') }, 0],
    ['redeemable', { owner: REBUILT, claim: claim('settled') }, 0],
    ['delivered', { owner: 'intent:1', intentState: 'Delivered' }, 0],
    ['refunded', { owner: 'intent:1', intentState: 'Refunded' }, 0],
    ['refunded', { owner: 'intent:1', intentState: 'Late' }, 0],
    ['refunded', { owner: 'intent:1', intentState: 'Expired' }, 0],
    ['redeemable', { owner: 'intent:1', intentState: 'Underpaid' }, 0],
    ['refunded', { owner: 'intent:1', intentState: 'Delivered', isCredit: true }, 0],
    ['refunded', { owner: 'intent:1', claim: claim('settled'), isCredit: true }, 120_001],
    ['refunded', { owner: 'intent:1', claim: answered, isCredit: true }, 0],
    ['delivered', { owner: 'intent:1', claim: answered }, 0],
    ['broken', { owner: 'intent:1', isBroken: true, isCredit: true }, 0],
    ['broken', { owner: 'tx:cannot-be-read', isBroken: true }, 0],
    ['broken', { isBroken: true }, 0],
  ])('%s: %j, %d ms later', (name, known, ms) => {
    expect(classOf({ owner: null, claim: null, intentState: null, ...known }, 5, 5 + ms)).toBe(name)
  })
})

describe('I1 money of a classic purchase counts as what became of it, not of the purchase', () => {
  const name = 'cd'.repeat(32)
  const owner = `intent:${name}`
  const transfer = { tx: `0x${'8'.repeat(64)}`, logIndex: 3, blockIndex: 9 } as const
  const [key, formerKey] = [transferKey(8453, transfer.tx, 3), formerTransferKey(8453, transfer.tx, 9)]
  const view = () =>
    createLedgerView({
      redis: book.redis,
      ledger: book.ledger,
      intents: createIntentLedger(book.redis),
      chainId: 8453,
    })
  let paid = 950
  const note = (kind: Note['kind'], of: string) => ({ kind, transfers: [of] })
  beforeEach(async () => {
    await book.redis.del(KEYS.spent(key), KEYS.spent(formerKey), KEYS.claim(owner), KEYS.intent(name))
    await book.ledger.claimTransfer(owner, someTerms(), someSettled(paid++), 8453)
    await book.redis.hset(KEYS.claim(owner), 'body', '{"ok":true}')
  })
  const classWith = async (intent: object, booked = key) => {
    await book.redis.set(KEYS.spent(booked), owner)
    await book.redis.hset(KEYS.intent(name), { v: 1, body: JSON.stringify(intent) })
    return classOf(await view().known(transfer, null), 0, 1)
  }

  test.each<[string, string, object[]]>([
    ['delivered', 'it paid', []],
    [
      'delivered',
      'it paid, and more than was due: the surplus cannot be told apart',
      [note('overpaid', key)],
    ],
    ['delivered', 'another one paid twice', [note('paid_twice', 'tx:8453:0x1:log3')]],
    ['refunded', 'the price was paid already', [note('paid_twice', key)]],
    ['refunded', 'it came late', [note('late', key)]],
    ['refunded', 'what it bought was taken back', [note('overpaid', key), note('undeliverable', key)]],
  ])('%s: %s', async (kind, _, notes) => {
    expect(await classWith({ state: 'Delivered', notes })).toBe(kind)
  })

  test('also under the name that transfers had before, and in a row without notes', async () => {
    expect(await classWith({ state: 'Delivered', notes: [note('late', formerKey)] }, formerKey)).toBe(
      'refunded',
    )
    expect(await classWith({ state: 'Delivered' })).toBe('delivered')
  })

  test('DATA-08 nobody can tell if the intent cannot be read', async () => {
    expect(await classWith({ state: 'Delivered', notes: 'wrong' })).toBe('broken')
  })
})

describe('DATA-04 what --rebuild books, so that it buys nothing more', () => {
  const CLOSED_MS = 1_000_000
  const entry = (seed: number, change: object = {}) =>
    ({
      tx: `0x${String(seed).padStart(64, '0')}`,
      logIndex: 0,
      payer: '0xb',
      microUsdc: 1n,
      blockIndex: 0,
      why: 'unattributed',
      atMs: CLOSED_MS,
      authorization: null,
      ...change,
    }) as Unexplained
  const isBooked = async ({ tx, logIndex }: Unexplained) =>
    (await book.redis.exists(KEYS.spent(transferKey(8453, tx, logIndex)))) === 1

  test.each<[string, Unexplained, { booked: number; later: number }]>([
    ['an ordinary transfer of when money closed', entry(1), { booked: 1, later: 0 }],
    ['one of later', entry(2, { atMs: CLOSED_MS + 1 }), { booked: 0, later: 1 }],
    [
      'one by an authorization: its buyer may still send that again',
      entry(3, { authorization: 'auth:k' }),
      { booked: 0, later: 0 },
    ],
    [
      'one for a claim that is void: a person looks at it',
      entry(4, { why: 'void' }),
      { booked: 0, later: 0 },
    ],
    ['one whose row is broken: the ledger knows it', entry(6, { why: 'broken' }), { booked: 0, later: 0 }],
    ['a sale whose money is gone', entry(5, { why: 'not_on_chain', atMs: null }), { booked: 0, later: 0 }],
  ])('%s', async (_, one, count) => {
    const ask = () => bookUnknown(book.redis, { chainId: 8453, unexplained: [one] }, CLOSED_MS)
    expect([await ask(), await isBooked(one)]).toEqual([count, count.booked === 1])
    expect(await ask()).toEqual({ ...count, booked: 0 }) //  booked only once
  })
})

describe('DATA-08 a row that cannot be read is told as such, and the rest of the books is joined', () => {
  const name = 'ab'.repeat(32)
  const view = () =>
    createLedgerView({
      redis: book.redis,
      ledger: book.ledger,
      intents: createIntentLedger(book.redis),
      chainId: 8453,
    })
  test.each<[string, string, (redis: typeof book.redis) => Promise<unknown>]>([
    ['a claim of another type', 'tx:1', (redis) => redis.set('claim:tx:1', 'wrong')],
    [
      'a claim with a word for a number',
      'tx:2',
      (redis) => redis.hset('claim:tx:2', { state: 'settled', amount: 'x' }),
    ],
    ['an intent of another type', `intent:${name}`, (redis) => redis.set(`intent:${name}`, 'wrong')],
    [
      'an intent that is no JSON',
      `intent:${name}`,
      (redis) => redis.hset(`intent:${name}`, { v: 1, body: '{' }),
    ],
    [
      'an intent without a state',
      `intent:${name}`,
      (redis) => redis.hset(`intent:${name}`, { v: 1, body: '{}' }),
    ],
  ])('%s', async (_, owner, spoil) => {
    await book.redis.del(`intent:${name}`)
    await spoil(book.redis)
    const transfer = { tx: `0x${'7'.repeat(64)}`, logIndex: 0, blockIndex: 0 } as const
    await book.redis.set(KEYS.spent(transferKey(8453, transfer.tx, 0)), owner)
    expect(classOf(await view().known(transfer, null), 0, 1)).toBe('broken')
  })

  test('an entry of the journal whose amount is no number is no sale', async () => {
    const entry = { atMs: 5, rail: 'usdc_eth', purchasePath: 'x402', attestationId: 'a', tx: '0x1' }
    const text = JSON.stringify({ ...entry, logIndex: 0, payer: '0xb', amountMicroUsdc: 'wrong' })
    await book.redis.xadd(KEYS.sales, '1-0', 'sale', text)
    const all = { fromMs: 0, untilMs: 10_000 }
    const asked = { redis: book.redis, chainId: 1, rail: 'usdc_eth' } as Parameters<
      typeof createLedgerView
    >[0]
    expect(await createLedgerView(asked).sales(all, all)).toEqual([])
    await book.redis.del(KEYS.sales)
  })

  test.each([
    ['a part was store credit', { creditMicroUsdc: '1230000' }, 1_256_530n],
    ['none was', { creditMicroUsdc: '0' }, 2_486_530n],
    ['an older entry does not say', {}, 2_486_530n],
  ])('I3 the money of a sale is what has to be on its chain: %s', async (_, part, microUsdc) => {
    const entry = { atMs: 5, rail: 'usdc_eth', purchasePath: 'classic', attestationId: 'a', tx: '0x1' }
    const paid = { logIndex: 0, payer: '0xb', amountMicroUsdc: '2486530', ...part }
    await book.redis.xadd(KEYS.sales, '1-0', 'sale', JSON.stringify({ ...entry, ...paid }))
    const all = { fromMs: 0, untilMs: 10_000 }
    const asked = { redis: book.redis, chainId: 1, rail: 'usdc_eth' } as Parameters<
      typeof createLedgerView
    >[0]
    expect(await createLedgerView(asked).sales(all, all)).toMatchObject([{ microUsdc }])
    await book.redis.del(KEYS.sales)
  })
})

describe('I3 the books of a whole range', () => {
  test('are the sums of their parts', () => {
    const asked = { chainId: 8453, asset: '0x1', receivers: [], from: 1n, until: 4n } as const
    const part = (from: bigint, microUsdc: bigint) => ({
      ...asked,
      from,
      until: from + 1n,
      inflowMicroUsdc: microUsdc,
      unexplained: [{ microUsdc }],
      classes: { ...noClasses(), void: { count: 1, microUsdc } },
    })
    const books = [part(1n, 5n), part(3n, 7n)].reduce(
      (sum, one) => withPart(sum, one as unknown as Part),
      noBooks(asked),
    )
    expect(books).toMatchObject({
      from: 1n,
      until: 4n,
      inflowMicroUsdc: 12n,
      unexplainedCount: 2,
      unexplainedMicroUsdc: 12n,
      classes: { void: { count: 2, microUsdc: 12n }, delivered: { count: 0, microUsdc: 0n } },
    })
    expect(books.unexplained).toHaveLength(2)
  })

  test('look at every sale, however many there are', async () => {
    const entry = (at: number) => ({
      atMs: 5,
      rail: 'usdc_base',
      purchasePath: 'x402',
      attestationId: `a${at}`,
      tx: '0x1',
      logIndex: 0,
      payer: '0xb',
      amountMicroUsdc: '1',
    })
    const pipeline = book.redis.pipeline()
    for (let at = 0; at < 2_001; at++)
      pipeline.xadd(KEYS.sales, `${5 + at}-0`, 'sale', JSON.stringify(entry(at)))
    await pipeline.exec()
    const view = createLedgerView({ redis: book.redis, chainId: 8453 } as Parameters<
      typeof createLedgerView
    >[0])
    const all = { fromMs: 0, untilMs: 10_000 }
    expect(await view.sales(all, all)).toHaveLength(2_001)
  })
})

describe('how far a closed ledger was gone through', () => {
  const at = (number: bigint) => ({
    number,
    hash: `0x${number}` as const,
    timeMs: Number(number) * 2 * SECOND,
  })
  const chain = { blockAt: async (number: bigint) => at(number) }
  const progress = (change: object = {}) =>
    createProgress(book.redis, 'usdc_base', 'rebuilt', { epoch: 'e', beat: 1, ...change })

  test('counts from the block it began at, for the same ledger and the same chain, and for nothing before', async () => {
    expect(await progress().after(10n, chain)).toBeNull()
    await progress().keep(10n, at(20n))
    expect(await progress().after(10n, chain)).toEqual(at(20n))
    expect(await progress().after(15n, chain)).toEqual(at(20n))
    expect(await progress().after(20n, chain)).toEqual(at(20n))
    expect(await progress().after(9n, chain)).toBeNull()
    expect(await progress().after(21n, chain)).toBeNull()
    for (const other of [{ epoch: 'f' }, { beat: 2 }])
      expect(await progress(other).after(10n, chain)).toBeNull()
    const rewritten = { blockAt: async (number: bigint) => ({ ...at(number), hash: '0xother' as const }) }
    expect(await progress().after(10n, rewritten)).toBeNull()
  })

  test.each([
    [302_400n, null],
    [302_401n, 'long ago'],
  ])('a ledger that was last open %d blocks ago: %s', async (blocks, words) => {
    const head = at(1_000_000n)
    const asked: bigint[] = []
    const arrivals = async (_asset: unknown, _receivers: unknown, from: bigint, until: bigint) => {
      asked.push(from)
      return { until, inflows: [] }
    }
    const join = createJoin({
      chain: { ...chain, head: async () => head, arrivals } as unknown as BooksPorts['chain'] & {
        head(): Promise<typeof head>
      },
      ledger: {} as BooksPorts['ledger'],
      asked: { chainId: 8453, asset: '0x1', receivers: [], partBlocks: 1_000_000n },
      progressOf: () => ({ after: async () => null, keep: async () => {} }),
      now: () => head.timeMs,
    })
    const problem = await join({ epoch: 'e', beat: at(head.number - blocks).timeMs + HOUR, ended: false })
    if (words === null) expect([problem, asked]).toEqual([null, [head.number - blocks]])
    else expect([problem, asked]).toEqual([expect.stringContaining(words), []])
  })
})
