import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { agentDigest, digestOfCheckout } from '../../../api/checkout/open.ts'
import { pollCheckouts } from '../../../api/checkout/poll.ts'
import type { CardEvent } from '../../../api/checkout/provider.ts'
import { checkoutRoutes } from '../../../api/checkout/routes.ts'
import { tokenKindOf } from '../../../api/entitlements/issue.ts'
import { digestOfToken, tokenOf } from '../../../api/entitlements/token.ts'
import { sellableOfSku } from '../../../api/goods/index.ts'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { cardKey, createCardLedger } from '../../../api/ledger/cards.ts'
import { createCreditLedger } from '../../../api/ledger/credits.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { createReferralLedger } from '../../../api/ledger/referrals.ts'
import { attestationIdOf } from '../../../api/receipts/attestation.ts'
import { answerClaims } from '../../../api/worker/answerClaims.ts'
import { realClock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { openLedger, quietLog } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { MAX_AGE, NOW } from '../goods/support.ts'
import { newKey, ringOf } from '../receipts/keys.ts'
import { createModelTill, type Deed, Garbled, type ModelSale } from './modelTill.ts'
import { answers, boards } from './till.ts'

/** The real requests and duties of the worker over a real ledger; a card provider that does what it may do. */
let redis: TestRedis
let book: ReturnType<typeof openLedger>
beforeAll(async () => {
  redis = await startRedis()
  book = openLedger(redis.url)
})
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  book?.close()
  await redis?.stop()
})

const SAMPLES = { samples: ['timeout'] }
const ORDERS = {
  license: { sku: 'SKU_TOR_MCP_PRO' },
  feed: { sku: 'SKU_SIGNAL_FEED_29' },
  report: { sku: 'SKU_INQUIRY_01', payload: { q: 'fed' } },
  'long report': { sku: 'SKU_INQUIRY_01', payload: { q: 'fed '.repeat(2_000) } }, //  not kept until it is paid
  triage: { sku: 'SKU_DLQ_01', payload: SAMPLES },
  'triage of what comes later': { sku: 'SKU_DLQ_01' },
}
export type OrderName = keyof typeof ORDERS
export const ORDER_NAMES = Object.keys(ORDERS) as OrderName[]
export const WEATHER = [
  'provider down',
  'provider talks nonsense',
  'provider slips',
  'provider up',
  'no boards',
  'old boards',
  'boards',
  'seconds',
  'minute',
  'ten minutes',
  'hour',
  'day',
] as const
export type Weather = (typeof WEATHER)[number]

const AGENT = 'buyer'
const FRIEND = 'friend'
const receiptKey = newKey()
const { secret } = answers

export type Reply = { status: number; json: Record<string, unknown> }
type Through = <Port extends object>(port: Port) => Port

/** @property trouble of one whose money buys nothing here. */
type Bought = { checkoutId: string; order: OrderName; sale: ModelSale; trouble: Trouble | null }
export type Trouble = 'another sum' | 'the ledger has forgotten it'
/** Whether events reach us, and whether buyers look, once all is calm. */
export type Ends = 'told' | 'told and asked' | 'asked'
type Beginning = {
  orders: readonly OrderName[]
  begins: readonly Deed[] // what happens to the first
  booked: 'not' | 'paid' | 'answered' // how far we are with it
  trouble: Trouble | null // of the first
  ends: Ends
}

/** Checkouts with what has happened to the first of them, and what may happen to all. */
export async function scene({ orders, begins, trouble, booked, ends }: Beginning) {
  await book.redis.flushall()
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['Date'] })
  const till = createModelTill()
  const goods = [boards(7), boards(7)]
  const bought: Bought[] = []
  const taken = new Set<string>() //  events that were answered with 2xx

  const pass = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms)
    for (const { sale } of bought) {
      const row = KEYS.checkout(sale.reference)
      if (await book.redis.hexists(row, 'lookedMs')) await book.redis.hincrby(row, 'lookedMs', -ms)
      const claim = KEYS.claim(cardKey(sale.reference))
      const leftMs = await book.redis.pttl(claim)
      if (leftMs > 0 && leftMs <= Math.min(ms, DAY)) await book.redis.del(claim) //  it was fetched a day ago
    }
  }
  const look = (change = {}) => {
    goods[1] = boards(9, change)
  }
  const weather: Record<Weather, () => unknown> = {
    'provider down': () => till.saysNow('nothing'),
    'provider talks nonsense': () => till.saysNow('nonsense'),
    'provider slips': () => till.slipsOnce(),
    'provider up': () => till.saysNow('truth'),
    'no boards': () => {
      goods[1] = { ...boards(9), boards: {} }
    },
    'old boards': () => look({ asOfMs: { a: NOW - MAX_AGE - 1, b: NOW - MAX_AGE - 1 } }),
    boards: () => look(),
    seconds: () => pass(3 * SECOND),
    minute: () => pass(MINUTE),
    'ten minutes': () => pass(10 * MINUTE),
    hour: () => pass(HOUR),
    day: () => pass(DAY),
  }
  const portsOf = (through: Through, side = 0) => ({
    cards: through(createCardLedger(book.redis)),
    ledger: through(book.ledger),
    credits: through(createCreditLedger(book.redis)),
    provider: through(till.provider),
    goods: goods[side]!,
    answers: { ...answers, receiptKey, receiptKeys: ringOf(receiptKey) },
    finality: { reached: async () => true },
    faultPoint: () => {},
    clock: realClock,
    answerTtlMs: DAY,
    log: quietLog,
  })
  const ask = async (
    path: string,
    ports: ReturnType<typeof portsOf>,
    { rawQuery = '', headers = {} as Record<string, string>, body = {} as unknown },
  ): Promise<Reply> => {
    const readEvent = (raw: Buffer) => JSON.parse(raw.toString())
    const { handler } = checkoutRoutes({ provider: ports.provider, readEvent }, ports).find(
      (route) => route.path === path,
    )!
    const request = {
      header: (name: string) => headers[name] ?? '',
      headerCount: (name: string) => (name in headers ? 1 : 0),
      address: '203.0.113.7',
      rawQuery,
      body: async () => Buffer.from(JSON.stringify(body)),
    }
    const { status, body: text } = await handler(request as unknown as HttpRequest)
    return { status, json: JSON.parse(String(text)) }
  }
  const set = {
    till,
    bought,
    taken,
    portsOf,
    change: (what: Weather) => weather[what](),
    pass,
    /** Its buyer learns of it only if the request is answered. */
    async open(order: OrderName, ports: ReturnType<typeof portsOf>) {
      const body = { ...ORDERS[order], buyerId: AGENT, referralCode: FRIEND }
      const { status, json } = await ask('/cardpay/checkout', ports, { body })
      if (status !== 200) return
      const { checkoutId, checkoutUrl } = json as { checkoutId: string; checkoutUrl: string }
      const sale = till.sales.find(({ sessionId }) => checkoutUrl.endsWith(`/${sessionId}`))!
      bought.push({ checkoutId, order, sale, trouble: null })
    },
    /** The buyer looks, with what his order lacks. */
    poll: (checkoutId: string, ports: ReturnType<typeof portsOf>) =>
      ask('/cardpay/checkout-status', ports, {
        rawQuery: `checkout_id=${checkoutId}`,
        headers: {
          'x-agent-id': AGENT,
          'x-service-payload': Buffer.from(JSON.stringify(SAMPLES)).toString('base64'),
        },
      }),
    /** The provider sends an event: this one, or one of those that were not taken, else of those that were. */
    async tell(which: CardEvent | number, ports: ReturnType<typeof portsOf>) {
      const waiting = till.events.filter(({ id }) => !taken.has(id))
      const from = waiting.length > 0 ? waiting : till.events
      const event = typeof which === 'number' ? from[which % from.length] : which
      if (event === undefined) return
      const { status } = await ask('/cardpay/webhook', ports, { body: event })
      if (status === 200) taken.add(event.id)
    },
  }
  const calmPorts = portsOf((port) => port)
  for (const order of orders) await set.open(order, calmPorts)
  const [first] = bought as [Bought]
  first.trouble = trouble
  if (trouble === 'another sum') first.sale.cents -= 1
  if (trouble === 'the ledger has forgotten it') await book.redis.del(KEYS.checkout(first.sale.reference))
  for (const deed of begins) till.act(first.sale, deed)
  if (booked === 'answered') await settleDown(set, ends)
  if (booked === 'paid') await catchUp(set, ends)
  return set
}
export type Scene = Awaited<ReturnType<typeof scene>>
export type Ports = ReturnType<Scene['portsOf']>

/** A provider that does not answer ends a request or a pass, and nothing else. */
export const isAway = (error: unknown) => error instanceof Garbled || error instanceof UnavailableError

export async function duty(kind: 'worker' | 'answers', ports: ReturnType<Scene['portsOf']>) {
  if (kind === 'worker') await pollCheckouts(ports, Date.now() + MINUTE)
  else await answerClaims(ports, Date.now() + 4 * SECOND)
}

/** Events are sent until they are taken, or else the worker looks. */
async function catchUp(set: Scene, ends: Ends, ports = set.portsOf((port) => port)) {
  if (ends !== 'asked')
    for (const _ of set.till.events.filter(({ id }) => !set.taken.has(id))) await set.tell(0, ports)
  await duty('worker', ports)
}

/**
 * The provider answers and both processes have boards: what happened is told, the duties are done, and buyers look.
 * @returns what they are shown in the end.
 */
export async function settleDown(set: Scene, ends: Ends): Promise<Reply[]> {
  for (const what of ['provider up', 'boards'] as const) set.change(what)
  const ports = set.portsOf((port) => port)
  let last: Reply[] = []
  for (const ms of [SECOND, MINUTE, MINUTE]) {
    await set.pass(ms)
    await catchUp(set, ends, ports)
    await duty('answers', ports)
    if (ends === 'told') continue
    last = []
    for (const { checkoutId } of set.bought) last.push(await set.poll(checkoutId, ports))
  }
  return last
}

/** What the books say of one checkout. */
export async function figures({ sale, checkoutId }: Bought) {
  const digest = digestOfCheckout(checkoutId)
  const row = await createCardLedger(book.redis).find(digest)
  const strays = await createCardLedger(book.redis).strays()
  const claim = await book.ledger.find(cardKey(digest))
  const good = row && sellableOfSku(row.sku)!
  const kind = good && tokenKindOf(good)
  const token = kind && tokenOf(secret, kind, cardKey(digest))
  const grant = kind && (await book.ledger.grant(kind, digestOfToken(token!)))
  const receipt = attestationIdOf(secret, cardKey(digest))
  const listed = async (list: string): Promise<string[]> => await book.redis.zrange(list, '0', '-1')
  const waiting = [...(await listed(KEYS.claims.undelivered)), ...(await listed(KEYS.undrawn))]
  const entries = await book.redis.xrange(KEYS.sales, '-', '+')
  const journal = entries
    .map(([, [, text]]) => JSON.parse(text!))
    .filter((one) => one.attestationId === receipt)
  return {
    status: row?.status ?? null,
    isGiven: journal.filter(({ purchasePath }) => purchasePath === 'card').length,
    works: kind === null ? null : grant != null && grant.expiresMs > (await book.ledger.nowMs()),
    isRevoked: (await book.ledger.revokedMs(receipt)) !== null,
    netMicro: journal.reduce((sum, { amountMicroUsdc }) => sum + BigInt(amountMicroUsdc), 0n),
    waits:
      (claim?.state === 'settled' && claim.answer === null) ||
      [cardKey(digest), digest].some((member) => waiting.includes(member)),
    isFollowed: (await listed(KEYS.checkouts)).includes(digest),
    strays: strays.filter(({ sessionId, done }) => sessionId === sale.sessionId && done === null).length,
    price: row?.amountMicroUsdc ?? 0n,
    claimed: row?.claimed ?? false,
    hasToken: kind !== null,
  }
}

export type Figures = Awaited<ReturnType<typeof figures>>

export const referred = () => createReferralLedger(book.redis).earnings(agentDigest(FRIEND))
