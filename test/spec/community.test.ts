import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FEEDBACK_KEPT_MS, FeedbackKept, MESSAGE_MAX_CHARS } from '../../api/community/feedback.ts'
import { Patrons } from '../../api/community/patron.ts'
import { Referrals } from '../../api/community/referrals.ts'
import { Reminders } from '../../api/community/reminders.ts'
import { communityRoutes } from '../../api/community/routes.ts'
import { createShelf } from '../../api/community/shelf.ts'
import { accountDigest } from '../../api/entitlements/credit.ts'
import { createRouter } from '../../api/http/router.ts'
import { type Server, serveHttp } from '../../api/http/server.ts'
import { type CardLedger, createCardLedger } from '../../api/ledger/cards.ts'
import { KEYS } from '../../api/ledger/keys.ts'
import { sha256Hex } from '../../api/receipts/canonical.ts'
import { type Answer, get, rawRequest } from '../support/buyer.ts'
import { openLedger, quietLog } from '../support/ledger.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let redisServer: TestRedis
let opened: ReturnType<typeof openLedger>
let cards: CardLedger
let server: Server
let base: string
const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
beforeAll(async () => {
  redisServer = await startRedis({ appendfsync: 'always' })
  opened = openLedger(redisServer.url)
  cards = createCardLedger(opened.redis)
})
beforeEach(async () => {
  await opened.redis.flushall()
  await server?.close()
  const { redis, ledger } = opened
  const routes = communityRoutes({
    redis,
    ledger,
    cards,
    clock,
    secret: Buffer.alloc(32, 7),
    mode: 'sandbox',
  })
  server = await serveHttp({ host: '127.0.0.1', port: 0, handler: createRouter(routes), log: quietLog })
  base = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  await server?.close()
  opened?.close()
  await redisServer?.stop()
})

const post = (path: string, body: unknown): Promise<Answer> =>
  rawRequest(base, { path, method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })
const outcome = ({ status, json }: Answer) => [status, json.code]
const everythingKept = async (): Promise<string> => {
  const rows = await Promise.all(
    (await opened.redis.keys('*')).map(async (key) =>
      (await opened.redis.type(key)) === 'string' ? `${key}=${await opened.redis.get(key)}` : key,
    ),
  )
  return rows.join('\n')
}

describe('4.2 POST /feedback with consent=true', () => {
  test('is kept for half a year with nothing that was not sent', async () => {
    const answer = await rawRequest(base, {
      path: '/feedback',
      method: 'POST',
      headers: { 'x-agent-id': 'agent-who-must-not-be-kept' },
      body: JSON.stringify({ consent: true, message: 'fine reads', rating: 5, sku: 'SKU_AG_PING_01' }),
    })
    expect(answer.status).toBe(201)
    const { feedbackId, deleteToken } = FeedbackKept.parse(answer.json)
    const kept = await everythingKept()
    expect(kept).toContain('fine reads')
    expect(kept).not.toContain('agent-who-must-not-be-kept')
    expect(kept).not.toContain('127.0.0.1')
    expect(kept).not.toContain(deleteToken)
    const row = JSON.parse((await opened.redis.get(`community:feedback:${feedbackId}`))!)
    expect(Object.keys(row).sort()).toEqual(['atMs', 'consent', 'deleteDigest', 'message', 'rating', 'sku'])
    const ttlMs = await opened.redis.pttl(`community:feedback:${feedbackId}`)
    expect(ttlMs).toBeGreaterThan(FEEDBACK_KEPT_MS - MINUTE)
    expect(ttlMs).toBeLessThanOrEqual(FEEDBACK_KEPT_MS)
  })

  test('consent may stand in the query', async () => {
    expect((await post('/feedback?consent=true', { message: 'fine' })).status).toBe(201)
    expect(outcome(await post('/feedback?consent=false', { message: 'fine' }))).toEqual([
      400,
      'consent_missing',
    ])
  })

  test.each<[string, unknown]>([
    ['is missing', { message: 'x' }],
    ['is false', { consent: false, message: 'x' }],
    ['is the word', { consent: 'true', message: 'x' }],
    ['is 1', { consent: 1, message: 'x' }],
  ])('consent %s: nothing is kept', async (_, body) => {
    expect(outcome(await post('/feedback', body))).toEqual([400, 'consent_missing'])
    expect(await everythingKept()).toBe('')
  })

  test.each<[string, unknown, number, string]>([
    ['no message', { consent: true }, 400, 'invalid_parameter'],
    ['an empty message', { consent: true, message: '  ' }, 400, 'invalid_parameter'],
    [
      'a message one too long',
      { consent: true, message: 'x'.repeat(MESSAGE_MAX_CHARS + 1) },
      400,
      'invalid_parameter',
    ],
    ['rating 0', { consent: true, message: 'x', rating: 0 }, 400, 'invalid_parameter'],
    ['rating 6', { consent: true, message: 'x', rating: 6 }, 400, 'invalid_parameter'],
    ['rating 4.5', { consent: true, message: 'x', rating: 4.5 }, 400, 'invalid_parameter'],
    ['more than was asked', { consent: true, message: 'x', email: 'a@b.c' }, 400, 'invalid_parameter'],
    ['no JSON', 'message=x', 400, 'malformed_request'],
    ['a key twice', '{"consent":false,"consent":true,"message":"x"}', 400, 'malformed_request'],
    ['17 KiB', { consent: true, message: 'x'.repeat(17_000) }, 413, 'body_too_large'],
  ])('%s', async (_, body, status, code) => {
    expect(outcome(await post('/feedback', body))).toEqual([status, code])
    expect(await everythingKept()).toBe('')
  })

  test('a message as long as may be', async () => {
    expect((await post('/feedback', { consent: true, message: 'x'.repeat(MESSAGE_MAX_CHARS) })).status).toBe(
      201,
    )
  })

  test('is deleted with its own token and no other', async () => {
    const [mine, theirs] = await Promise.all(
      ['mine', 'theirs'].map(async (message) => (await post('/feedback', { consent: true, message })).json),
    )
    const withdraw = (feedbackId: string, deleteToken: string) =>
      post('/feedback', { consent: false, feedbackId, deleteToken })
    expect(outcome(await withdraw(theirs.feedbackId, mine.deleteToken))).toEqual([404, 'kept_unknown'])
    expect(outcome(await withdraw('../x', mine.deleteToken))).toEqual([404, 'kept_unknown'])
    expect((await withdraw(mine.feedbackId, mine.deleteToken)).json).toEqual({ ok: true, deleted: true })
    expect(await everythingKept()).not.toContain('mine')
    expect(await everythingKept()).toContain('theirs')
    expect(outcome(await withdraw(mine.feedbackId, mine.deleteToken))).toEqual([404, 'kept_unknown'])
  })

  test('GET /feedback-intake says what is asked, kept and for how long', async () => {
    const { json } = await get(`${base}/feedback-intake`)
    expect(json).toMatchObject({ ok: true, days: 180, send: { method: 'POST', path: '/feedback' } })
    expect(JSON.stringify(json.send.schema)).toContain('"rating"')
    expect(json.keptForADay).toEqual([expect.stringContaining('digest of the network')])
  })
})

describe('bounds', () => {
  test('a shelf keeps so many and refuses more; what is there is not overwritten; what is over makes room', async () => {
    const { redis } = opened
    const shelf = createShelf(redis, { name: 'small', schema: z.string(), ttlMs: 60_000, max: 2 })
    const keep = (id: string) => shelf.keep(id, id.toUpperCase())
    expect([await keep('a'), await keep('b'), await keep('c')]).toEqual(['kept', 'kept', 'full'])
    expect([await shelf.keep('a', '9'), await shelf.find('a')]).toEqual(['there', 'A'])
    expect(await shelf.newest(1)).toEqual(['B'])
    expect(await redis.pttl('community:small'), 'an unused one goes').toBeGreaterThan(0)
    // the first has expired: the store forgets it, and its place is free while the second is still kept
    await redis.multi().zincrby('community:small', -60_000, 'a').del('community:small:a').exec()
    expect([await keep('c'), await keep('d')]).toEqual(['kept', 'full'])
    expect(await shelf.newest(9)).toEqual(['C', 'B'])
  })

  test('one place leaves its share of a day and no more; what others leave has room', async () => {
    const shelf = createShelf(opened.redis, {
      name: 'shared',
      schema: z.string(),
      ttlMs: 60_000,
      max: 10,
      perDay: 2,
    })
    const from = async (place: string, ...ids: string[]) => {
      const told: string[] = []
      for (const id of ids) told.push(await shelf.keep(id, id, place))
      return told
    }
    const share = 'community:shared:from:here'
    expect(await from('here', 'a')).toEqual(['kept'])
    expect(await opened.redis.pttl(share)).toBeGreaterThan(23 * 60 * MINUTE)
    await opened.redis.pexpire(share, MINUTE)
    expect(await from('here', 'b', 'b', 'c')).toEqual(['kept', 'there', 'share'])
    expect(await opened.redis.pttl(share), 'the day begins with the first').toBeLessThanOrEqual(MINUTE)
    expect(await from('there', 'd')).toEqual(['kept'])
    expect(await shelf.newest(9)).toEqual(['d', 'b', 'a'])
  })

  test('one address fills no shelf: fifty pieces of feedback in a day, in whatever rhythm', async () => {
    const give = async () => outcome(await post('/feedback', { consent: true, message: 'x' }))
    for (let n = 0; n < 50; n++) {
      expect(await give()).toEqual([201, undefined])
      clock.atMs += MINUTE
    }
    expect(await give()).toEqual([429, 'rate_limited'])
    expect(await opened.redis.zcard('community:feedback')).toBe(50)
  })

  test('an address leaves at most twenty things a minute, and may go on after that', async () => {
    const give = async () => (await post('/feedback', { consent: true, message: 'x' })).status
    for (let n = 0; n < 20; n++) expect(await give()).toBe(201)
    const refused = await post('/feedback', { consent: true, message: 'x' })
    expect(outcome(refused)).toEqual([429, 'rate_limited'])
    expect(Number(refused.header('retry-after'))).toBe(3)
    clock.atMs += 3_000
    expect(await give()).toBe(201)
    expect(await give()).toBe(429)
  })

  test('the ledger away: 503', async () => {
    opened.redis.disconnect()
    const answer = await get(`${base}/referrals/me?code=someone`)
    expect(outcome(answer)).toEqual([503, 'ledger_unavailable'])
    opened.close()
    opened = openLedger(redisServer.url)
    cards = createCardLedger(opened.redis)
  })
})

describe('4.2 GET /referrals/me?code=', () => {
  test.each([
    ['agent-one', 'agent-one'],
    [`0x${'A'.repeat(40)}`, `0x${'a'.repeat(40)}`],
  ])('%s has earned nothing before a sale of his is settled (ENT-17)', async (code, shown) => {
    const { json } = await get(`${base}/referrals/me?code=${code}`)
    expect(Referrals.parse(json)).toMatchObject({
      code: shown,
      settledSales: 0,
      earningsUsdc: 0,
      paidOutUsdc: 0,
      sharePct: 5,
    })
    expect(await everythingKept()).toBe('')
  })

  test('a wallet is one code, however its letters are written', async () => {
    const account = `0x${'c'.repeat(40)}`
    await opened.redis.hset(KEYS.referral(accountDigest(account)), {
      sales: 2,
      earned: 130_000,
      paid: 30_000,
    })
    for (const code of [account, `0x${'C'.repeat(40)}`]) {
      const { json } = await get(`${base}/referrals/me?code=${code}`)
      expect(json).toMatchObject({
        mode: 'sandbox',
        code: account,
        settledSales: 2,
        earningsUsdc: 0.13,
        paidOutUsdc: 0.03,
      })
    }
  })

  test.each(['', '?code=', '?code=a%20b', `?code=${'x'.repeat(129)}`, '?code=a&code=b', '?code=%ff'])(
    '%s is no code',
    async (query) => {
      expect(outcome(await get(`${base}/referrals/me${query}`))).toEqual([400, 'invalid_parameter'])
    },
  )
})

describe('/patron', () => {
  const receipt = async (id: string, sku: string) => {
    await opened.redis.set(`attestation:${id}`, JSON.stringify({ payload: { sku } }))
    return id
  }

  test('who tipped may be named, once, as plain text, and unnamed again', async () => {
    const attestationId = await receipt('tip-1', 'SKU_TIP_00')
    const named = await post('/patron', { consent: true, attestationId, name: '\u202eAda\u0000 <b>' })
    expect(named.status, named.text).toBe(201)
    const list = Patrons.parse((await get(`${base}/patron`)).json)
    expect(list.patrons).toEqual([{ name: 'Ada <b>' }])
    expect(list.tip).toMatchObject({ sku: 'SKU_TIP_00', minUsdc: 0.01, maxUsdc: 1_000 })
    expect(outcome(await post('/patron', { consent: true, attestationId, name: 'Eve' }))).toEqual([
      400,
      'invalid_parameter',
    ])
    const other = { consent: false, attestationId, deleteToken: `delete_${'A'.repeat(22)}` }
    expect(outcome(await post('/patron', other))).toEqual([404, 'kept_unknown'])
    const { deleteToken } = named.json
    expect((await post('/patron', { consent: false, attestationId, deleteToken })).status).toBe(200)
    expect((await get(`${base}/patron`)).json.patrons).toEqual([])
  })

  test.each([
    ['a receipt of something else', 'ping-1', 'SKU_AG_PING_01'],
    ['a receipt nobody has', 'none', null],
  ])('%s names nobody', async (_, id, sku) => {
    if (sku !== null) await receipt(id, sku)
    const answer = await post('/patron', { consent: true, attestationId: id, name: 'Eve' })
    expect(outcome(answer)).toEqual([400, 'invalid_parameter'])
    expect((await get(`${base}/patron`)).json.patrons).toEqual([])
  })

  describe('ENT-15, RCP-07 a tip whose money went back', () => {
    const gone = (id: string) => opened.redis.set(`revoked:${id}`, Date.now())
    test('names nobody, until the money is back', async () => {
      const attestationId = await receipt('tip-3', 'SKU_TIP_00')
      await gone(attestationId)
      const named = () => post('/patron', { consent: true, attestationId, name: 'Mallory' })
      expect(outcome(await named())).toEqual([400, 'invalid_parameter'])
      await opened.redis.del(`revoked:${attestationId}`)
      expect((await named()).status).toBe(201)
    })

    test('takes the name off the list, and no other', async () => {
      for (const name of ['Ada', 'Mallory', 'Eve']) {
        const attestationId = await receipt(`tip-of-${name}`, 'SKU_TIP_00')
        expect((await post('/patron', { consent: true, attestationId, name })).status).toBe(201)
      }
      const names = async () =>
        Patrons.parse((await get(`${base}/patron`)).json).patrons.map(({ name }) => name)
      await gone('tip-of-Mallory')
      expect((await names()).sort()).toEqual(['Ada', 'Eve'])
      await opened.redis.del('revoked:tip-of-Mallory')
      expect((await names()).sort()).toEqual(['Ada', 'Eve', 'Mallory'])
    })
  })

  test.each(['', '   ', '\u200b', 'x'.repeat(41)])('%j is no name', async (name) => {
    const attestationId = await receipt('tip-2', 'SKU_TIP_00')
    expect((await post('/patron', { consent: true, attestationId, name })).status).toBe(400)
  })
})

describe('/checkout/reminders', () => {
  const checkoutId = `checkout_${'A'.repeat(22)}`
  const openCheckout = () =>
    cards.open({
      digest: sha256Hex(checkoutId),
      sku: 'SKU_TOR_MCP_PRO',
      amountMicroUsdc: 1n,
      agent: '',
      referral: '',
      from: null,
      sessionId: 'cs_1',
      url: 'http://127.0.0.1/c',
      requestHash: 'r',
      input: null,
      draft: '{}',
      createdMs: clock.atMs,
      expiresMs: clock.atMs + 60 * MINUTE,
    })
  const list = (token: string) => get(`${base}/checkout/reminders?token=${token}`)

  test('one list for many checkouts, due after the time that was named and only while open', async () => {
    await openCheckout()
    const asked = await post('/checkout/reminders', {
      checkoutIds: [checkoutId, `checkout_${'B'.repeat(22)}`],
      remindAfterS: 60,
    })
    expect(asked.status, asked.text).toBe(201)
    const { reminderToken } = asked.json
    expect(await everythingKept()).not.toContain(checkoutId)
    const early = Reminders.parse((await list(reminderToken)).json)
    expect(early.reminders).toMatchObject([
      { position: 0, sku: 'SKU_TOR_MCP_PRO', status: 'open', due: false, checkoutUrl: 'http://127.0.0.1/c' },
      { position: 1, sku: null, status: 'unknown', due: false, checkoutUrl: null },
    ])
    clock.atMs += MINUTE
    expect((await list(reminderToken)).json.reminders.map(({ due }: { due: boolean }) => due)).toEqual([
      true,
      false,
    ])
    await opened.redis.hset(`card:checkout:${sha256Hex(checkoutId)}`, 'status', 'paid')
    expect((await list(reminderToken)).json.reminders[0]).toMatchObject({
      status: 'paid',
      due: false,
      checkoutUrl: null,
    })

    expect((await post('/checkout/reminders', { reminderToken, delete: true })).status).toBe(200)
    expect(outcome(await list(reminderToken))).toEqual([404, 'kept_unknown'])
  })

  test('is forgotten after two days', async () => {
    const { reminderToken } = (await post('/checkout/reminders', { checkoutIds: [checkoutId] })).json
    const ttlMs = await opened.redis.pttl(`community:reminders:${sha256Hex(reminderToken)}`)
    expect(Math.round(ttlMs / DAY)).toBe(2)
  })

  test.each([
    ['no checkout', { checkoutIds: [] }],
    ['21 checkouts', { checkoutIds: Array(21).fill(checkoutId) }],
    ['an id of another shape', { checkoutIds: ['x'] }],
    ['more than a day', { checkoutIds: [checkoutId], remindAfterS: 86_401 }],
    ['before now', { checkoutIds: [checkoutId], remindAfterS: -1 }],
    ['somewhere to send it', { checkoutIds: [checkoutId], url: 'http://127.0.0.1' }],
  ])('%s is refused', async (_, body) => {
    expect(outcome(await post('/checkout/reminders', body))).toEqual([400, 'invalid_parameter'])
  })

  test.each(['', 'x', `reminders_${'A'.repeat(21)}`])('token %j is none', async (token) => {
    expect(outcome(await list(token))).toEqual([400, 'invalid_parameter'])
  })
})
