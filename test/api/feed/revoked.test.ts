import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { CLOSE_CODES } from '../../../api/feed/feedSocket.ts'
import { CHECK_MS } from '../../../api/feed/holders.ts'
import { cardKey, createCardLedger, type Undone } from '../../../api/ledger/cards.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import type { Sale } from '../../../api/ledger/ledger.ts'
import { DAY, HOUR } from '../../../ops/units.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { openLedger, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const SKU = 'SKU_AG_ALPHA_7D'
const entry = { eventId: 'reversal', attestationId: 'receipt' } as Sale

const world = feedWorld()
let server: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  server = await startRedis({ appendfsync: 'always' })
  book = openLedger(server.url)
})
afterAll(async () => {
  book?.close()
  await server?.stop()
})

let sales = 0
/** A token that the ledger has sold, and how its money leaves. */
type Sold = { token: string; undo(): Promise<string> }

/** Delivers a token under this claim, for a week. */
async function deliver(key: string): Promise<{ token: string; digest: string }> {
  const token = `feed_${String(++sales).padStart(43, 'T')}`
  const digest = digestOfToken(token)
  const kept = await book.ledger.deliver(key, {
    body: '{}',
    paymentResponse: '',
    attestationId: `receipt-${sales}`,
    attestation: '{}',
    sale: entry,
    grant: { kind: 'feed', digest, sku: SKU, expiresMs: Date.now() + 7 * DAY, fields: {} },
  })
  expect(kept).toMatchObject({ body: '{}' })
  return { token, digest }
}

async function soldOnChain(): Promise<Sold> {
  const key = `tx:${sales}`
  await book.ledger.claimTransfer(key, someTerms({ sku: SKU }), someSettled(sales), 8453)
  const { token, digest } = await deliver(key)
  const entitled = { token: { kind: 'feed', digest } as const, lot: null }
  const finality = createFinalityLedger(book.redis)
  const undo = async () => {
    await finality.gone(key, someSettled(sales), 8453)
    return await finality.suspend(key, entitled, entry)
  }
  return { token, undo }
}

async function soldByCard(): Promise<Sold> {
  const cards = createCardLedger(book.redis)
  const checkoutId = String(sales).padStart(64, 'd')
  const nowMs = Date.now()
  await cards.open({
    digest: checkoutId,
    sku: SKU,
    amountMicroUsdc: 1_000_000n,
    agent: '',
    referral: '',
    from: null,
    sessionId: `cs_${randomUUID()}`,
    url: 'http://127.0.0.1/c',
    requestHash: 'r',
    input: null,
    draft: '{}',
    createdMs: nowMs,
    expiresMs: nowMs + HOUR,
  })
  const checkout = (await cards.find(checkoutId))!
  const look = async () => (await cards.look(checkoutId, 0, 1_000))!
  const terms = someTerms({ purchasePath: 'card', via: 'card', sku: SKU })
  const unissued: Undone = { issued: null, entry }
  expect(await cards.paid(checkout, await look(), { terms, tx: 'pi', paidMs: nowMs }, unissued)).toBe(
    'claimed',
  )
  const { token, digest } = await deliver(cardKey(checkoutId))
  const undone: Undone = { issued: { kind: 'feed', digest }, entry }
  return { token, undo: async () => cards.end(checkout, await look(), 'refunded', undone) }
}

test.each([
  ['its payment left the chain', soldOnChain, 'suspended'],
  ['its card payment went back', soldByCard, 'booked'],
])('ENT-15 %s: the token reads no more, and its open streams are told and end', async (_, sell, undone) => {
  const clock = { ms: 0, nowMs: () => clock.ms }
  const feed = await world.start(clock, book.ledger)
  const [taken, kept] = [await sell(), await sell()]
  const open = async ({ token }: Sold) => {
    const sse = await world.open(feed, { 'x-service-feed-token': token })
    const socket = await world.socket(feed)
    socket.send({ op: 'subscribe', token })
    await sse.hears('the snapshot', (heard) => heard.length === 1)
    await socket.hears('the snapshot', (heard) => heard.length === 1)
    return { sse, socket }
  }
  const [gone, staying] = [await open(taken), await open(kept)]

  expect(await taken.undo()).toBe(undone)
  clock.ms += CHECK_MS
  await gone.sse.hears('the end', () => gone.sse.ended)
  await gone.socket.hears('the end', () => gone.socket.closed)
  expect(gone.sse.heard.map(({ event }) => event)).toEqual(['snapshot', 'revoked'])
  expect(gone.sse.heard[1]!.data.next).toContain('/x402/v1/bot-fuel-day')
  expect(gone.socket.heard.map(({ kind }) => kind)).toEqual(['snapshot', 'revoked'])
  expect(gone.socket.closed!.code).toBe(CLOSE_CODES.token)
  const refused = await feed.get('', { 'x-service-feed-token': taken.token })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    401,
    'feed_token_revoked',
  ])
  const late = await world.socket(feed)
  late.send({ op: 'subscribe', token: taken.token })
  await late.hears('the end', () => late.closed)
  expect(late.closed!.code).toBe(CLOSE_CODES.token)

  expect((await feed.get('', { 'x-service-feed-token': kept.token })).status).toBe(200)
  expect([feed.streams(), staying.sse.ended, staying.socket.closed]).toEqual([2, false, null])
})
