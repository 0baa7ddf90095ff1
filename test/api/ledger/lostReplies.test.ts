import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCardLedger, type Undone } from '../../../api/ledger/cards.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { type CreditEntry, createFinalityLedger } from '../../../api/ledger/finality.ts'
import { createIntentLedger, INTENT_LIMITS } from '../../../api/ledger/intents.ts'
import { authorizationKey, type Sale, transferKey } from '../../../api/ledger/ledger.ts'
import { SETTLER_FENCE } from '../../../api/ledger/redis.ts'
import { named, openLedger, somePayment, someSettled, someTerms } from '../../support/ledger.ts'
import { REPOSITORY } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const COMMANDS = join(REPOSITORY, 'api/ledger/commands')
/** Every money script by its digest: a client sends that, or the script. */
const SCRIPTS = new Map(
  readdirSync(COMMANDS).map((name) => {
    const lua = readFileSync(join(COMMANDS, name), 'utf8')
    return [createHash('sha1').update(lua).digest('hex'), { name, lua }]
  }),
)

/** In front of a store: the first reply to each script is lost, after the store has done what it says (E1). */
async function startLosing(store: TestRedis) {
  const lost = new Set<string>()
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(store.url.slice('unix:'.length))
    let isDeaf = false
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    near.on('data', (piece) => {
      const text = piece.toString('latin1')
      for (const [digest, { name, lua }] of SCRIPTS)
        if ((text.includes(digest) || text.includes(lua.slice(0, 80))) && !lost.has(name)) {
          lost.add(name)
          isDeaf = true
        }
      far.write(piece)
    })
    far.on('data', (piece) => (isDeaf ? end() : near.write(piece)))
  })
  const path = join(store.dir, 'losing.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    url: `unix:${path}`,
    lost,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const FAR = 4_000_000_000_000
const sale = (eventId: string) => ({ eventId, attestationId: `a-${eventId}` }) as Sale
const digest = (letter: string) => letter.repeat(64)
const holder = { account: 'holder', auth: 'secret' }

/** One of everything that moves money or an entitlement, each step once. */
async function doEverything({ ledger, redis }: ReturnType<typeof openLedger>): Promise<void> {
  const credits = createCreditLedger(redis)
  const intents = createIntentLedger(redis)
  const cards = createCardLedger(redis)
  const finality = createFinalityLedger(redis)

  const withKey = (payment: ReturnType<typeof somePayment>) => ({ payment, key: authorizationKey(payment) })
  const [paid, refused] = [withKey(somePayment(1)), withKey(somePayment(2))]
  await ledger.claim(refused.key, 'owner', someTerms(), refused.payment)
  await ledger.recordRefused(refused.key, 'transfer_failed', 'refused')
  await ledger.claim(paid.key, 'owner', someTerms(), paid.payment)
  await ledger.recordBroadcast([paid.key], '0xdead', '1')
  await ledger.recordSettled(paid.key, someSettled(1), 8453)
  const grant = {
    kind: 'pass',
    digest: digest('a'),
    sku: 'S',
    expiresMs: FAR,
    fields: { calls: '600' },
  } as const
  await ledger.deliver(paid.key, {
    ...{ body: 'body', paymentResponse: '', attestationId: 'a', attestation: '{}', sale: sale('one'), grant },
  })
  await ledger.spendCalls('pass', 'operation', new Map([[digest('a'), 3]]))
  await ledger.claimTransfer(transferKey(8453, '0xcafe', 0), someTerms(), someSettled(2), 8453)
  await redis.zadd('claims:watched', 1, 'auth:gone')
  await ledger.list('watched', 10, 1)

  await finality.gone(paid.key, someSettled(1), 8453)
  const entitled = { token: grant, lot: null, referral: { account: 'friend', micro: 5n } }
  await finality.suspend(paid.key, entitled, sale('one'))
  await finality.restore(paid.key, entitled, sale('one'))
  await finality.move(paid.key, { ...someSettled(1), blockNumber: 78n }, 8453)

  await credits.deposit('lot-1', 5_000_000n, holder.account, holder.auth)
  await credits.deposit('lot-2', 2_000_000n, holder.account, null)
  await credits.openLot('lot-2', holder)
  const note = { digest: 'lot-2', micro: 2_000_000n, account: null }
  await finality.takeBack(note, { eventId: 'note' } as CreditEntry)
  await finality.giveBack(note, { eventId: 'note' } as CreditEntry)
  await credits.claim('credit:one', someTerms({ amountMicroUsdc: 10_000n }), holder, 'question')
  await credits.answered('question', 'credit:one')
  const told = await credits.look({ lot: 'lot-3', micro: 7n, ...holder, way: 'bought' })
  await ledger.deliver('credit:one', {
    ...{ body: 'body', paymentResponse: '', attestationId: 'c', attestation: '{}', sale: sale('three') },
    ...{ grant: null, credit: { lot: 'lot-3', micro: 7n, ...holder, way: 'bought', told } },
  })
  await credits.hold('purchase-1', 100_000n, holder, FAR, named())
  await credits.endHold('purchase-1', holder.account, 'spent')
  await credits.hold('purchase-2', 300_000n, holder, FAR, { ...named('two'), isNamed: false })
  const lot = { digest: 'lot-2', micro: 2_000_000n, account: null }
  const entry = { eventId: 'e', kind: 'late', transfers: [], amountMicroUsdc: '2000000', mode: 'sandbox' }
  await finality.takeBack(lot, { ...entry, change: 'revoked' })
  await finality.giveBack(lot, { ...entry, change: 'restored' })

  const seven = { amount: 'usdc_base:7', untilMs: FAR, kinds: 100 }
  await intents.open('intent', 'v1', { graceUntilMs: FAR, buyer: 'buyer', amounts: [seven] })
  const step = { buyer: 'buyer', waiting: false, unanswered: true, forgetAtMs: null }
  await intents.step('intent', 1, { ...step, body: 'v2', transfers: ['tx:1:0xbeef:log0'] })
  const few = createIntentLedger(redis, { ...INTENT_LIMITS, kept: 0 })
  await few.open('unpaid', 'v1', { graceUntilMs: FAR, buyer: 'buyer', amounts: [] })
  await few.step('unpaid', 1, { ...step, body: 'v2', unanswered: false, forgetAtMs: FAR, transfers: [] })
  await intents.reserveSlot('buyer')
  const hold = { purchase: 'purchase-2', micro: 300_000n, holder }
  await intents.claim(
    'intent',
    2,
    someTerms(),
    { tx: '0xbeef', index: 0, atMs: 1 },
    {
      ...{ hold, saleBuyer: null, referral: { account: 'friend', micro: 7n }, body: 'v3' },
    },
  )
  await intents.unwatch('intent', 3)
  await intents.unwatch('intent', 3)

  await cards.open({
    ...{ digest: digest('c'), sku: 'SKU_TOR_MCP_PRO', amountMicroUsdc: 12_350_000n, agent: '' },
    ...{ referral: 'friend', sessionId: 'cs', url: 'http://127.0.0.1/c', requestHash: 'r', input: null },
    ...{ draft: '{}', createdMs: FAR, expiresMs: FAR },
  })
  const checkout = (await cards.find(digest('c')))!
  const undone: Undone = { issued: null, entry: sale('card') }
  const look = async () => (await cards.look(digest('c'), 0, 1_000))!
  await cards.paid(checkout, await look(), { terms: someTerms(), tx: 'pi', paidMs: 5 }, undone)
  await cards.end((await cards.find(digest('c')))!, await look(), 'refunded', undone)
}

/** Everything a store holds, without what differs from run to run: times. */
async function booksOf(redis: Redis): Promise<Record<string, string>> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: async (key) => Object.entries(await redis.hgetall(key)).sort(),
    set: async (key) => (await redis.smembers(key)).sort(),
    zset: (key) => redis.zrange(key, '0', '-1', 'WITHSCORES'),
    stream: async (key) => (await redis.xrange(key, '-', '+')).map(([, fields]) => fields),
  }
  const keys = (await redis.keys('*')).sort()
  const rows = await Promise.all(keys.map(async (key) => read[await redis.type(key)]!(key)))
  const text = (row: unknown) => JSON.stringify(row).replaceAll(/\b1[6-9]\d{11}\b/g, 'now')
  return Object.fromEntries(keys.map((key, at) => [key, text(rows[at])]))
}

describe('DATA-02, E1 the reply of every money script is lost once, and the client sends it again', () => {
  let stores: [TestRedis, TestRedis]
  let admins: [ReturnType<typeof openLedger>, ReturnType<typeof openLedger>]
  beforeAll(async () => {
    stores = await Promise.all([startRedis({ appendfsync: 'always' }), startRedis({ appendfsync: 'always' })])
    admins = [openLedger(stores[0].url), openLedger(stores[1].url)]
    for (const { redis } of admins) {
      await redis.set(SETTLER_FENCE, '1')
      for (const { lua } of SCRIPTS.values()) await redis.script('LOAD', lua)
    }
  })
  afterAll(async () => {
    for (const admin of admins ?? []) admin.close()
    await Promise.all((stores ?? []).map((store) => store.stop()))
  })

  test('the books are those of a store whose replies all came', async () => {
    const losing = await startLosing(stores[0])
    const client = openLedger(losing.url)
    try {
      await doEverything(client)
      await doEverything(admins[1])
      expect([...losing.lost].sort()).toEqual([...SCRIPTS.values()].map(({ name }) => name).sort())
      const [lost, whole] = await Promise.all(admins.map(({ redis }) => booksOf(redis)))
      //  a number that nobody heard of is drawn again: only the later of two counts
      const checkout = `card:checkout:${digest('c')}`
      const drawn = /\["(?:asked|booked)","\d"\]/g
      for (const books of [lost!, whole!]) books[checkout] = books[checkout]!.replaceAll(drawn, '')
      expect(lost).toEqual(whole)
    } finally {
      client.close()
      await losing.stop()
    }
  })
})
