import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { digestOfCheckout } from '../../api/checkout/open.ts'
import { CheckoutOpened, CheckoutStatus } from '../../api/checkout/show.ts'
import { createFeedAccess } from '../../api/entitlements/feedToken.ts'
import { GAP_CARDS } from '../../engine/contract/gapCards.ts'
import { eventOf, signatureOf } from '../../ops/sandbox/cardpay/events.ts'
import { DAY } from '../../ops/units.ts'
import { snapshotOf, someCard } from '../support/boards.ts'
import { type Answer, get, rawRequest } from '../support/buyer.ts'
import { type Cards, startCards, WEBHOOK_SECRET } from '../support/cards.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { sleep, until } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const LICENSE = 'SKU_TOR_MCP_PRO'
const FEED_SKU = 'SKU_SIGNAL_FEED_29'
const DLQ = 'SKU_DLQ_01'
const AGENT = { 'x-agent-id': 'agent-one' }

let chain: TestChain
let cards: Cards
let service: Service
let one: string
let two: string
beforeAll(async () => {
  ;[chain, cards] = await Promise.all([startTestChain(), startCards()])
  service = await startService({ chain, env: cards.env })
  ;[one, two] = service.bases as [string, string]
  await service.publish(snapshotOf(GAP_CARDS, { cards: [someCard()], unqualified: {} }))
  await until('the cards are held', async () => {
    await sleep(500) // one address may open 60 checkouts a minute
    return (await open({ sku: FEED_SKU })).status === 200
  })
})
afterAll(async () => {
  await service?.stop()
  await cards?.stop()
  await chain?.stop()
})
beforeEach(() => {
  cards.tell('')
  cards.failing(false)
})

const post = (base: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  rawRequest(base, {
    path,
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const open = (order: object, headers: Record<string, string> = AGENT) =>
  post(one, '/cardpay/checkout', { buyerId: 'agent-one', ...order }, headers)
const opened = async (order: object) => {
  const answer = await open(order)
  expect(answer.status, answer.text).toBe(200)
  const { checkoutId, checkoutUrl } = answer.json as { checkoutId: string; checkoutUrl: string }
  return { checkoutId, checkoutUrl, sessionId: checkoutUrl.slice(checkoutUrl.lastIndexOf('/') + 1), answer }
}
const statusOf = (checkoutId: string, headers: Record<string, string> = AGENT, base = two): Promise<Answer> =>
  get(`${base}/cardpay/checkout-status?checkout_id=${checkoutId}`, headers)
/** Polls as a buyer does; the provider is asked at most every two seconds. */
const becomes = (checkoutId: string, status: string): Promise<Answer> =>
  until(`it is ${status}`, async () => {
    const answer = await statusOf(checkoutId)
    return answer.status === 200 && answer.json.status === status ? answer : null
  })
const saleOf = (sessionId: string) => cards.sales().find(({ id }) => id === sessionId)!
const event = (type: string, sessionId: string) =>
  JSON.stringify(eventOf(type, saleOf(sessionId), cards.url, Math.floor(Date.now() / 1_000)))
const nowS = () => Math.floor(Date.now() / 1_000)
const tell = (body: string, signature = signatureOf(body, WEBHOOK_SECRET, nowS()), base = one) =>
  post(base, '/cardpay/webhook', body, { 'stripe-signature': signature })
const journal = async (checkoutId: string, attestationId: string): Promise<string[]> => {
  expect(checkoutId).not.toBe('')
  const entries = await service.ledger.redis.xrange('sales', '-', '+')
  return entries.map(([, fields]) => fields[1]!).filter((text) => text.includes(attestationId))
}
/** The request hash, by the recipe of the descriptor. */
const requestHash = (sku: string, cents: number, checkoutId: string, payload: string): string => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  return sha256(['POST', '/cardpay/checkout', sku, cents, sha256(checkoutId), payload].join('\n'))
}
const verified = async (unlockKey: string): Promise<boolean> => {
  const answer = await post(one, '/api/tor-mcp/verify', { unlockKey })
  return answer.json.valid === true
}

describe('2.3, 4.2 POST /cardpay/checkout: for human SKUs only, at the agent price', () => {
  test.each([
    [LICENSE, 1235, {}],
    [FEED_SKU, 2535, {}],
    [DLQ, 1045, { payload: { samples: ['ECONNREFUSED 10.0.0.1:5432'] } }],
    [DLQ, 1045, {}],
  ])('%s costs %i cents', async (sku, cents, more) => {
    const { sessionId, answer } = await opened({ sku, ...more })
    expect(CheckoutOpened.parse(answer.json)).toMatchObject({ sku, status: 'open', priceUsd: cents / 100 })
    expect(saleOf(sessionId)).toMatchObject({ cents, status: 'open' })
    expect(answer.header('cache-control')).toContain('no-store')
  })

  test.each([
    ['an agent SKU', { sku: 'SKU_AG_PING_01' }, 'not_sold_by_card'],
    ['store credit', { sku: 'SKU_AG_CREDITS_10' }, 'not_sold_by_card'],
    ['the tip', { sku: 'SKU_TIP_00' }, 'not_sold_by_card'],
    ['no SKU', {}, 'invalid_parameter'],
    ['a field that is not known', { sku: LICENSE, amount: 1 }, 'invalid_parameter'],
    ['a buyerId with a space', { sku: LICENSE, buyerId: 'a b' }, 'invalid_parameter'],
    ['a payload the good cannot read', { sku: DLQ, payload: { samples: [] } }, 'invalid_parameter'],
    ['a payload that cannot be signed', { sku: DLQ, payload: { samples: ['\ud800'] } }, 'invalid_parameter'],
    [
      'a part of it nobody reads',
      { sku: DLQ, payload: { samples: ['a'], n: '\udfff' } },
      'invalid_parameter',
    ],
    ['ENT-17 a referral of oneself', { sku: LICENSE, referralCode: 'agent-one' }, 'invalid_parameter'],
  ])('CLS-19 %s is refused with 400, and nobody is sent to pay', async (_, order, code) => {
    const before = cards.sales().length
    const answer = await open(order)
    expect([answer.status, answer.json.code]).toEqual([400, code])
    expect(cards.sales()).toHaveLength(before)
  })

  test('CLS-19 an unknown SKU is 404', async () => {
    const answer = await open({ sku: 'SKU_NONE' })
    expect([answer.status, answer.json.code]).toEqual([404, 'sku_unknown'])
  })

  test('what cannot be delivered now is not taken to the till', async () => {
    const before = cards.sales().length
    const answer = await open({ sku: 'SKU_INQUIRY_01' })
    expect(answer.status, answer.text).toBe(503)
    expect(cards.sales()).toHaveLength(before)
  })

  test.each([
    ['no JSON', '{', 400],
    ['too long', JSON.stringify({ sku: LICENSE, buyerId: 'a', payload: { x: 'y'.repeat(300_000) } }), 413],
  ])('a body that is %s', async (_, body, status) => {
    expect((await post(one, '/cardpay/checkout', body)).status).toBe(status)
  })

  test('a provider that is down: 503 and to be tried again', async () => {
    cards.failing(true)
    const answer = await open({ sku: LICENSE })
    expect([answer.status, answer.json.code, answer.json.retryable]).toEqual([
      503,
      'card_provider_unavailable',
      true,
    ])
  })
})

describe('3, 4.2 GET /cardpay/checkout-status: paid returns what was bought inline', () => {
  test('open first; paid once the card has paid, without any event', async () => {
    const { checkoutId, checkoutUrl, sessionId } = await opened({ sku: LICENSE })
    const before = CheckoutStatus.parse((await statusOf(checkoutId)).json)
    expect(before).toMatchObject({ status: 'open', checkoutUrl })
    expect(before).not.toHaveProperty('result')
    expect(cards.act(sessionId, 'pay')).toBe(true)
    const paid = (await becomes(checkoutId, 'paid')).json
    expect(paid.torUnlock.unlockKey).toMatch(/^unlock_/)
    expect(paid.result.torUnlock).toEqual(paid.torUnlock)
    expect(await verified(paid.torUnlock.unlockKey)).toBe(true)
    const receipt = await post(one, '/api/receipt-oracle/verify', {
      payload: paid.paymentAttestation.payload,
      signature: paid.paymentAttestation.signature,
    })
    expect(receipt.json.valid).toBe(true)
    expect(paid.paymentAttestation.payload).toMatchObject({ sku: LICENSE, amount: '12.35', asset: 'USD' })
    expect(paid.paymentAttestation.payload.transaction).toBe(saleOf(sessionId).payment!.id)
    expect(paid.paymentAttestation.payload.requestHash).toBe(requestHash(LICENSE, 1235, checkoutId, '{}'))
  })

  test('the thirty-day feed comes as feedAccess', async () => {
    const { checkoutId, sessionId } = await opened({ sku: FEED_SKU })
    cards.act(sessionId, 'pay')
    const { feedAccess } = (await becomes(checkoutId, 'paid')).json
    expect(feedAccess.header).toBe('X-Marketplace-Token')
    const row = await createFeedAccess(service.ledger.ledger).check(feedAccess.feedToken)
    expect(row!.expiresMs - Date.now()).toBeGreaterThan(29 * 86_400_000)
  })

  test('a service comes as result; its input may come after the payment', async () => {
    const payload = { samples: ['ECONNREFUSED 10.0.0.1:5432'] }
    const early = await opened({ sku: DLQ, payload })
    const late = await opened({ sku: DLQ })
    expect(late.answer.json.awaiting).toBe('payload')
    for (const { sessionId } of [early, late]) cards.act(sessionId, 'pay')
    const { result } = (await becomes(early.checkoutId, 'paid')).json
    expect(result.dlq.samples).toBe(1)
    expect((await becomes(late.checkoutId, 'paid')).json).toMatchObject({ awaiting: 'payload' })
    const header = (value: unknown) => ({
      'x-service-payload': Buffer.from(JSON.stringify(value)).toString('base64'),
    })
    const wrong = await statusOf(late.checkoutId, header({ samples: 'x' }))
    expect([wrong.status, wrong.json.code]).toEqual([400, 'invalid_parameter'])
    const unsignable = await statusOf(late.checkoutId, header({ ...payload, n: '\ud800' }))
    expect([unsignable.status, unsignable.json.detail]).toEqual([
      400,
      'X-Service-Payload: holds text or numbers that cannot be signed',
    ])
    const sent = await statusOf(late.checkoutId, header(payload))
    expect(sent.json.result.dlq).toEqual(result.dlq)
    for (const [{ checkoutId }, { paymentAttestation }] of [
      [early, result],
      [late, sent.json.result],
    ])
      expect(paymentAttestation.payload.requestHash).toBe(
        requestHash(DLQ, 1045, checkoutId, JSON.stringify(payload)),
      )
    expect((await statusOf(late.checkoutId, header({ samples: ['other'] }))).json.result).toEqual(
      sent.json.result,
    )
  })

  test.each([
    ['no id', '', 400],
    ['an id of another shape', 'checkout_x', 400],
    ['an id nobody has', `checkout_${'A'.repeat(22)}`, 404],
  ])('%s', async (_, id, status) => {
    expect((await statusOf(id)).status).toBe(status)
  })

  test('CRD-06 x-agent-id twice: 400, whichever would be read', async () => {
    const headers = { 'x-agent-id': ['agent-one', 'agent-two'] } as never
    const refused = await open({ sku: FEED_SKU }, headers)
    expect([refused.status, refused.json.code]).toEqual([400, 'malformed_request'])
    const { checkoutId } = await opened({ sku: FEED_SKU })
    const path = `/cardpay/checkout-status?checkout_id=${checkoutId}`
    const asked = await rawRequest(two, { path, headers })
    expect([asked.status, asked.json.code]).toEqual([400, 'malformed_request'])
  })

  test('another agent does not see it; the ledger and the provider do not know its id', async () => {
    const { checkoutId } = await opened({ sku: LICENSE })
    expect((await statusOf(checkoutId, { 'x-agent-id': 'agent-two' })).json.code).toBe('checkout_unknown')
    expect((await statusOf(checkoutId, {})).status).toBe(200)
    const { redis } = service.ledger
    expect(await redis.keys('cards:at:*')).toHaveLength(1) //  the count of its address, which is stored as a digest
    for (const key of await redis.keys('*card*')) {
      expect(key).not.toContain(checkoutId)
      if ((await redis.type(key)) === 'hash')
        expect(JSON.stringify(await redis.hgetall(key))).not.toContain(checkoutId)
    }
  })

  test.each([
    ['buyerId alone', { buyerId: 'one-name' }, {}],
    ['x-agent-id alone', {}, { 'x-agent-id': 'one-name' }],
    ['both, the same', { buyerId: 'one-name' }, { 'x-agent-id': 'one-name' }],
  ])(
    '5.4 buyerId and x-agent-id are one identifier: opened by %s, it is seen by that name only',
    async (_, order, headers) => {
      const { status, json } = await post(one, '/cardpay/checkout', { sku: LICENSE, ...order }, headers)
      expect(status).toBe(200)
      const seenBy = async (name: string) => (await statusOf(json.checkoutId, { 'x-agent-id': name })).status
      expect([await seenBy('one-name'), await seenBy('another')]).toEqual([200, 404])
      expect((await statusOf(json.checkoutId, {})).status).toBe(200)
    },
  )

  test.each([
    ['two different ones', { buyerId: 'one-name' }, { 'x-agent-id': 'another' }, /differs from x-agent-id/],
    ['none', {}, {}, /is needed/],
  ])('5.4 %s: 400, and nobody is sent to pay', async (_, order, headers, why) => {
    const before = cards.sales().length
    const { status, json } = await post(one, '/cardpay/checkout', { sku: LICENSE, ...order }, headers)
    expect([status, json.code]).toEqual([400, 'invalid_parameter'])
    expect(json.detail).toMatch(why)
    expect(cards.sales()).toHaveLength(before)
  })

  test('a HEAD neither asks nor answers', async () => {
    const { checkoutId } = await opened({ sku: LICENSE })
    const path = `/cardpay/checkout-status?checkout_id=${checkoutId}`
    expect((await rawRequest(one, { path, method: 'HEAD' })).status).toBe(405)
  })

  test('while the provider is down, what was delivered is still shown, and what is open is not guessed', async () => {
    const [paid, unpaid] = [await opened({ sku: LICENSE }), await opened({ sku: LICENSE })]
    cards.act(paid.sessionId, 'pay')
    const before = await becomes(paid.checkoutId, 'paid')
    cards.failing(true)
    expect((await statusOf(paid.checkoutId)).json.torUnlock).toEqual(before.json.torUnlock)
    const guessed = await until('the provider is asked', async () => {
      const answer = await statusOf(unpaid.checkoutId)
      return answer.status === 503 ? answer : null
    })
    expect(guessed.json.code).toBe('card_provider_unavailable')
  })
})

describe('OPS-19 events only say where to look', () => {
  test('duplicated, from two processes at once: one unlock, one sale', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const body = event('checkout.session.completed', sessionId)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => tell(body, undefined, at % 2 === 0 ? one : two)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await tell(body)).json).toEqual({ ok: true, duplicate: true })
    const first = (await becomes(checkoutId, 'paid')).json
    const again = (await statusOf(checkoutId)).json
    expect(again.torUnlock).toEqual(first.torUnlock)
    expect(again.paymentAttestation).toEqual(first.paymentAttestation)
    expect(await journal(checkoutId, first.paymentAttestation.attestationId)).toHaveLength(1)
  })

  test('forged: a paid session that the provider knows as open stays open', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    const honest = JSON.parse(event('checkout.session.completed', sessionId))
    honest.data.object = { ...honest.data.object, payment_status: 'paid', status: 'complete' }
    expect((await tell(JSON.stringify(honest))).status).toBe(200)
    expect((await statusOf(checkoutId)).json.status).toBe('open')
  })

  test.each<[string, (body: string) => string]>([
    ['no signature', () => ''],
    ['a signature by another secret', (body) => signatureOf(body, 'whsec_other', nowS())],
    ['a signature over other bytes', (body) => signatureOf(`${body} `, WEBHOOK_SECRET, nowS())],
    ['a signature ten minutes old', (body) => signatureOf(body, WEBHOOK_SECRET, nowS() - 600)],
    ['rubbish', () => 't=1,v1=zz'],
  ])('%s is refused', async (_, sign) => {
    const { sessionId } = await opened({ sku: LICENSE })
    const asked = cards.requests(sessionId)
    const body = event('checkout.session.completed', sessionId)
    const answer = await tell(body, sign(body))
    expect([answer.status, answer.json.code]).toEqual([400, 'webhook_refused'])
    expect(cards.requests(sessionId) - asked).toBeLessThanOrEqual(1) // the worker may look meanwhile
  })

  test('out of order: told late that it expired, it stays paid', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    const stale = event('checkout.session.expired', sessionId)
    cards.act(sessionId, 'pay')
    await tell(event('checkout.session.completed', sessionId))
    await tell(stale)
    expect((await becomes(checkoutId, 'paid')).json.torUnlock).toBeDefined()
  })

  test('the refund is told before the payment: nothing is delivered', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const paid = event('checkout.session.completed', sessionId)
    cards.act(sessionId, 'refund')
    await tell(event('charge.refunded', sessionId))
    await tell(paid)
    const { json } = await statusOf(checkoutId)
    expect(json.status).toBe('refunded')
    expect(json).not.toHaveProperty('result')
  })

  test('about somebody else on the same account: taken, nothing done', async () => {
    const body = JSON.stringify({
      id: 'evt_foreign',
      object: 'event',
      type: 'checkout.session.completed',
      data: { object: { id: 'cs_foreign', object: 'checkout.session', client_reference_id: 'their-order' } },
    })
    expect((await tell(body)).status).toBe(200)
    const payout = JSON.stringify({ id: 'evt_payout', data: { object: { id: 'po_1', object: 'payout' } } })
    expect((await tell(payout)).status).toBe(200)
  })

  test.each([
    ['has no id', { object: 'balance' }],
    ['is of a kind that none has today', { id: 7, object: 'checkout.session', payment_intent: [] }],
    ['is nothing', null],
  ])('signed, about what %s: taken, or it would come for days', async (name, object) => {
    const body = JSON.stringify({ id: `evt ${name}`, object: 'event', data: { object } })
    expect((await tell(body)).json).toEqual({ ok: true, duplicate: false })
  })

  test('while the provider is down the event is not taken, so that it is sent again', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const body = event('checkout.session.completed', sessionId)
    cards.failing(true)
    expect((await tell(body)).status).toBe(503)
    cards.failing(false)
    expect((await tell(body)).json).toEqual({ ok: true, duplicate: false })
    await becomes(checkoutId, 'paid')
  })

  test('the provider itself tells us, and nobody has to poll', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.tell(`${one}/cardpay/webhook`)
    cards.act(sessionId, 'pay')
    await until('it is booked', async () => {
      const keys = await service.ledger.redis.keys('card:checkout:*')
      const rows = await Promise.all(keys.map((key) => service.ledger.redis.hgetall(key)))
      return rows.some((row) => row.sessionId === sessionId && row.status === 'paid')
    })
    await becomes(checkoutId, 'paid')
  })
})

describe('OPS-19 whoever looks: the worker', () => {
  test('finds a payment that nobody polls and no event tells, and delivers it', async () => {
    const { sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const { redis } = service.ledger
    await until('it is delivered', async () => {
      for (const key of await redis.keys('card:checkout:*')) {
        const row = await redis.hgetall(key)
        if (row.sessionId !== sessionId) continue
        return (await redis.hget(`claim:card:${key.slice('card:checkout:'.length)}`, 'body')) !== null
      }
      return false
    })
  })
})

describe('I4 an answer that was composed without its buyer waits for him', () => {
  test('as long as its checkout is known; the day for which it can be fetched again begins when he first comes', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const { redis } = service.ledger
    const claim = `claim:card:${digestOfCheckout(checkoutId)}`
    await until('it is answered', async () => (await redis.hexists(claim, 'body')) === 1)
    expect(await redis.pttl(claim)).toBeGreaterThan(539 * DAY)

    const first = (await statusOf(checkoutId)).json
    expect(await verified(first.torUnlock.unlockKey)).toBe(true)
    const endsMs = await redis.pexpiretime(claim)
    expect(endsMs).toBeLessThanOrEqual(Date.now() + DAY)
    expect((await statusOf(checkoutId)).json).toEqual(first)
    expect(await redis.pexpiretime(claim)).toBe(endsMs)
  })
})

describe('OPS-19 paid after cancel, expiry, refund, chargeback', () => {
  test('expired is expired, and cannot be paid any more', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'expire')
    expect((await becomes(checkoutId, 'expired')).json).toMatchObject({ checkoutUrl: null })
    expect(cards.act(sessionId, 'pay')).toBe(false)
  })

  test('went back to the shop, and paid after all', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    expect((await statusOf(checkoutId)).json.status).toBe('open')
    cards.act(sessionId, 'pay')
    expect((await becomes(checkoutId, 'paid')).json.torUnlock).toBeDefined()
  })

  test('a slow payment of a session that we had seen expire is delivered once', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'expire')
    await becomes(checkoutId, 'expired')
    const sale = saleOf(sessionId)
    sale.status = 'open'
    cards.act(sessionId, 'pay')
    await tell(event('checkout.session.completed', sessionId))
    expect((await becomes(checkoutId, 'paid')).json.torUnlock).toBeDefined()
  })

  test('refund: the key and the receipt stop holding, the key is not shown again; the journal says so once', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE })
    cards.act(sessionId, 'pay')
    const paid = (await becomes(checkoutId, 'paid')).json
    expect(await verified(paid.torUnlock.unlockKey)).toBe(true)
    const receipt = async () => {
      const { attestationId: id } = paid.paymentAttestation
      return (await post(one, '/api/receipt-oracle/verify', { id })).json
    }
    expect(await receipt()).toMatchObject({ valid: true })
    cards.act(sessionId, 'refund')
    await tell(event('charge.refunded', sessionId))
    await tell(event('charge.refunded', sessionId))
    const after = (await statusOf(checkoutId)).json
    expect(after.status).toBe('refunded')
    expect(JSON.stringify(after)).not.toContain(paid.torUnlock.unlockKey)
    expect(await verified(paid.torUnlock.unlockKey)).toBe(false)
    expect(await receipt()).toMatchObject({ valid: false, reason: 'revoked' })
    const entries = await journal(checkoutId, paid.paymentAttestation.attestationId)
    const told = entries.map((text) => JSON.parse(text))
    expect(told.map(({ amountMicroUsdc, chainId }) => [amountMicroUsdc, chainId])).toEqual([
      ['12350000', 0],
      ['-12350000', 0],
    ])
  })

  test('chargeback: the feed token stops; when the dispute is won it works again; when lost it does not', async () => {
    const { checkoutId, sessionId } = await opened({ sku: FEED_SKU })
    cards.act(sessionId, 'pay')
    const { feedToken } = (await becomes(checkoutId, 'paid')).json.feedAccess
    const works = async () =>
      (await createFeedAccess(service.ledger.ledger).check(feedToken))!.expiresMs > Date.now() + 1_000
    expect(await works()).toBe(true)
    cards.act(sessionId, 'dispute')
    await tell(event('charge.dispute.created', sessionId))
    expect(await works()).toBe(false)
    expect((await statusOf(checkoutId)).json.status).toBe('refunded')
    cards.act(sessionId, 'win')
    await tell(event('charge.dispute.closed', sessionId))
    expect(await works()).toBe(true)
    expect((await statusOf(checkoutId)).json.feedAccess.feedToken).toBe(feedToken)
  })
})

describe('ENT-17 referrals earn from settled sales, and only as long as they stay settled', () => {
  const earned = async (code: string) => (await get(`${one}/referrals/me?code=${code}`)).json
  test('opened: nothing; paid: 5 %; told again: the same; refunded: nothing', async () => {
    const { checkoutId, sessionId } = await opened({ sku: LICENSE, referralCode: 'friend-of-ours' })
    expect(await earned('friend-of-ours')).toMatchObject({ settledSales: 0, earningsUsdc: 0 })
    cards.act(sessionId, 'pay')
    await becomes(checkoutId, 'paid')
    await tell(event('checkout.session.completed', sessionId))
    expect(await earned('friend-of-ours')).toMatchObject({ settledSales: 1, earningsUsdc: 0.6175 })
    cards.act(sessionId, 'refund')
    await tell(event('charge.refunded', sessionId))
    await tell(event('charge.refunded', sessionId))
    expect(await earned('friend-of-ours')).toMatchObject({ settledSales: 0, earningsUsdc: 0 })
  })
})
