import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { isCoveredByPass } from '../../../api/goods/good.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { someGap, someSnapshot } from '../../support/boards.ts'
import { get, offerOf, paid, payment, rawRequest } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { callTool, connectMcp } from '../../support/mcp.ts'
import { sleep } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const HOUR_PASS = '/x402/v1/hour-pass'
const SPREAD = '/x402/v1/spread'
const PING = '/x402/v1/ping'
const MATCH = '/x402/v1/match' //  needs q

let chain: TestChain
let service: Service
let one: string
let two: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[one, two] = service.bases as [string, string]
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const buy = async (path: string) => {
  const { header } = await payment(await offerOf(one, path), chain.buyers[0]!)
  const answer = await get(`${one}${path}`, paid(header))
  expect(answer.status, answer.text).toBe(200)
  return answer
}
const buyPass = async () => (await buy(HOUR_PASS)).json.result.token as string
const byPass = (token: string) => ({ 'x-service-pass': token })
const rowOf = (token: string) => `grant:pass:${digestOfToken(token)}`
const callsLeft = async (token: string) => Number(await service.ledger.redis.hget(rowOf(token), 'calls'))

describe('4.1 rule 12 hour-pass', () => {
  test('costs 0.50 and returns token, expiresAt in an hour, callsRemaining 600', async () => {
    expect((await offerOf(one, HOUR_PASS)).amount).toBe('500000')
    const { result, sku } = (await buy(HOUR_PASS)).json
    expect(sku).toBe('SKU_AG_HOUR_PASS_01')
    expect(result).toMatchObject({ callsRemaining: 600, header: 'X-Service-Pass' })
    expect(Math.abs(Date.parse(result.expiresAt) - Date.now() - HOUR)).toBeLessThan(60 * SECOND)
  })

  test('the token is sent as X-Service-Pass: an answer in the usual envelope, a call less, no money moves', async () => {
    const token = await buyPass()
    const before = await chain.balance(chain.receiver)
    const first = await get(`${one}${SPREAD}`, byPass(token))
    expect(first.status, first.text).toBe(200)
    expect(first.header('cache-control')).toBe('private, no-store')
    expect(first.json).toMatchObject({
      ok: true,
      protocol: 'hour-pass',
      sku: 'SKU_AG_SPREAD_01',
      pass: { callsRemaining: 599 },
    })
    expect((await get(`${two}${SPREAD}`, byPass(token))).json.pass.callsRemaining).toBe(598)
    expect(await chain.balance(chain.receiver)).toBe(before)
  })

  test('gives the very result that is sold for money', async () => {
    const { paymentAttestation, ...bought } = (await buy(SPREAD)).json.result
    const { result } = (await get(`${one}${SPREAD}`, byPass(await buyPass()))).json
    expect(paymentAttestation).toBeDefined()
    expect(result).toEqual({ ...bought, ageMs: { a: expect.any(Number), b: expect.any(Number) } })
  })
})

describe('8 what a pass covers', () => {
  const excluded = GOODS.filter((good) => !isCoveredByPass(good)).map(({ path }) => path)

  test('credit packs, feed tokens, permits, another pass and what is dated by its payment are excluded, the rest is covered', () => {
    const words = /credits|bot-fuel-day|alpha-day|alpha-7d|tor-call|hour-pass|receipt-oracle/
    expect(excluded.sort()).toEqual(
      GOODS.map(({ path }) => path)
        .filter((path) => words.test(path))
        .sort(),
    )
    expect(excluded.length).toBeGreaterThanOrEqual(5)
  })

  test.each(excluded)('ENT-04 %s is refused with its own 402, and costs no call', async (path) => {
    const token = await buyPass()
    const answer = await get(`${one}${path}`, byPass(token))
    expect([answer.status, answer.json.code]).toEqual([402, 'pass_not_covering'])
    expect(answer.header('payment-required')).not.toBeNull()
    expect(await callsLeft(token)).toBe(600)
  })

  test('ENT-05 a pass buys no second one, alone or beside a payment, before any money moves; money buys another', async () => {
    const token = await buyPass()
    const { header } = await payment(await offerOf(one, HOUR_PASS), chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    const asked = [byPass(token), { ...byPass(token), ...paid(header) }]
    const refusals = await Promise.all(asked.map((headers) => get(`${one}${HOUR_PASS}`, headers)))
    expect(refusals.map(({ json }) => json.code)).toEqual(['pass_not_covering', 'two_payments'])
    expect(await chain.balance(chain.receiver)).toBe(before)
    expect(await callsLeft(token)).toBe(600)
    const second = await get(`${one}${HOUR_PASS}`, paid(header))
    expect(await callsLeft(second.json.result.token)).toBe(600)
    expect(await callsLeft(token)).toBe(600)
  })
})

describe('ENT-03 a refusal costs no call', () => {
  test.each([
    ['a missing parameter', '/x402/v1/match', 400, 'invalid_parameter'],
    ['a bad window', '/x402/v1/move?window=year', 400, 'invalid_parameter'],
    ['a malformed query', '/x402/v1/spread?q=%zz', 400, 'malformed_request'],
    ['no data', '/x402/v1/bot-fuel-pack', 503, 'no_data'],
  ])('%s', async (_, path, status, code) => {
    const token = await buyPass()
    const answer = await get(`${one}${path}`, byPass(token))
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(await callsLeft(token)).toBe(600)
  })

  test.each([
    ['made up', `pass_${'A'.repeat(43)}`, 'pass_unknown'],
    ['of another kind', `feed_${'A'.repeat(43)}`, 'pass_unknown'],
    ['nonsense', 'nonsense', 'pass_unknown'],
  ])('a token that is %s is answered 402 and says so', async (_, token, code) => {
    const answer = await get(`${one}${SPREAD}`, byPass(token))
    expect([answer.status, answer.json.code]).toEqual([402, code])
    expect(answer.json.accepts).toHaveLength(1)
  })

  test('used up and expired passes are told apart', async () => {
    const [used, old] = [await buyPass(), await buyPass()]
    await service.ledger.redis.hset(rowOf(used), 'calls', 1)
    await service.ledger.redis.hset(rowOf(old), 'expires', Date.now() - 1)
    expect((await get(`${one}${SPREAD}`, byPass(used))).json.pass.callsRemaining).toBe(0)
    expect((await get(`${one}${SPREAD}`, byPass(used))).json.code).toBe('pass_used_up')
    expect((await get(`${one}${SPREAD}`, byPass(old))).json.code).toBe('pass_expired')
  })

  test.each([MATCH, `${SPREAD}?q=%zz`])(
    '7. a pass that is none is a 402 before %s is looked at',
    async (asked) => {
      const [used, old] = [await buyPass(), await buyPass()]
      await service.ledger.redis.hset(rowOf(used), 'calls', 0)
      await service.ledger.redis.hset(rowOf(old), 'expires', Date.now() - 1)
      for (const [token, code] of [
        [`pass_${'A'.repeat(43)}`, 'pass_unknown'],
        [used, 'pass_used_up'],
        [old, 'pass_expired'],
      ] as const) {
        const answer = await get(`${one}${asked}`, byPass(token))
        expect([answer.status, answer.json.code]).toEqual([402, code])
      }
    },
  )

  test('VAL-15, ENT-08 a pass and a payment in one request: 400, neither is used', async () => {
    const token = await buyPass()
    const { header } = await payment(await offerOf(one, SPREAD), chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    for (const other of [paid(header), { 'x-payment': '{"intentId":"x"}' }]) {
      const answer = await get(`${one}${SPREAD}`, { ...byPass(token), ...other })
      expect([answer.status, answer.json.code]).toEqual([400, 'two_payments'])
    }
    expect(await callsLeft(token)).toBe(600)
    expect(await chain.balance(chain.receiver)).toBe(before)
  })
})

describe('I12 never more than 600 answers', () => {
  test('ENT-01 1,000 calls at once over two processes: 600 are answered, the others are told it is used up', async () => {
    const token = await buyPass()
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => get(`${at % 2 ? one : two}${SPREAD}`, byPass(token))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600)
    expect(answers.filter(({ status }) => status === 402).map(({ json }) => json.code)).toEqual(
      Array(400).fill('pass_used_up'),
    )
  })

  test('ENT-02, CRA-13 500 calls at once on 300 left, over two processes: one stands still, then is killed', async () => {
    const token = await buyPass()
    await service.ledger.redis.hset(rowOf(token), 'calls', 300)
    const calls = Array.from({ length: 500 }, (_, at) =>
      get(`${at % 2 ? one : two}${SPREAD}`, byPass(token)).catch(() => null),
    )
    const { pid, kill } = service.apis[1]!
    await sleep(20)
    process.kill(pid, 'SIGSTOP')
    await sleep(300)
    process.kill(pid, 'SIGCONT')
    await sleep(10)
    await kill()
    const answers = await Promise.all(calls)
    const delivered = answers.filter((answer) => answer?.status === 200).length
    expect(delivered).toBeLessThanOrEqual(300)
    expect(await callsLeft(token)).toBeLessThanOrEqual(300 - delivered)
    expect(await callsLeft(token)).toBeGreaterThanOrEqual(0)
    const lost = answers.filter((answer) => answer === null).length
    expect(await callsLeft(token)).toBeGreaterThanOrEqual(300 - delivered - lost)
    await service.restartApi(1)
  })
})

describe('CRA-13 a call with an Idempotency-Key is answered on retry, and taken once', () => {
  const named = (token: string, key: string) => ({ ...byPass(token), 'idempotency-key': key })

  test('the process dies between the call and its answer: asked again, of any process, there it is', async () => {
    const token = await buyPass()
    await service.restartApi(1, { FAULT_POINT: 'CP11:kill' })
    expect(await get(`${two}${SPREAD}`, named(token, 'k')).catch(() => null)).toBeNull()
    expect(await callsLeft(token)).toBe(599)
    await service.publish(someSnapshot([someGap({ gapCents: 11 })], { version: 2 }))
    await service.restartApi(1)
    const [first, again] = [
      await get(`${one}${SPREAD}`, named(token, 'k')),
      await get(`${two}${SPREAD}`, named(token, 'k')),
    ]
    expect(first.json).toMatchObject({
      ok: true,
      pass: { callsRemaining: 599 },
      result: { spread: { gapCents: 7 } },
    })
    expect(again.text).toBe(first.text)
    expect(await callsLeft(token)).toBe(599)
    const fresh = await get(`${one}${SPREAD}`, byPass(token))
    expect(fresh.json).toMatchObject({ pass: { callsRemaining: 598 }, result: { spread: { gapCents: 11 } } })
  })

  test('a key that cannot be read is refused, and takes no call', async () => {
    const token = await buyPass()
    for (const key of ['', '\u00e9', '\u00e9\u00fc\u00df'])
      expect((await get(`${one}${SPREAD}`, named(token, key))).json.code).toBe('malformed_request')
    expect(await callsLeft(token)).toBe(600)
  })

  test('64 at once over two processes: one call, one answer', async () => {
    const token = await buyPass()
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => get(`${at % 2 ? one : two}${SPREAD}`, named(token, 'k'))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(64).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await callsLeft(token)).toBe(599)
  })

  test('another spelling of a question is the same question, as it is for money; so it is over MCP', async () => {
    const token = await buyPass()
    const first = await get(`${one}${MATCH}?q=fed%20rate`, named(token, 'k'))
    expect(first.json.pass.callsRemaining).toBe(599)
    for (const query of ['q=fed+rate', '%71=f%65d%20rate', '&q=fed%20rate'])
      expect((await rawRequest(two, { path: `${MATCH}?${query}`, headers: named(token, 'k') })).text).toBe(
        first.text,
      )
    const client = await connectMcp(two)
    const meta = { 'service/pass': token, 'service/idempotency-key': 'k' }
    const called = await callTool(client, 'match', { q: 'fed rate' }, meta)
    expect(JSON.parse(called.text)).toEqual(first.json)
    await client.close()
    expect(await callsLeft(token)).toBe(599)
  })

  test('another key, another question, another read or another pass: another call', async () => {
    const [token, other] = [await buyPass(), await buyPass()]
    const calls = [
      [SPREAD, named(token, 'k')],
      [SPREAD, named(token, 'l')],
      [`${SPREAD}?q=fed`, named(token, 'k')],
      [PING, named(token, 'k')],
    ] as const
    for (const [at, [path, headers]] of calls.entries())
      expect((await get(`${one}${path}`, headers)).json.pass.callsRemaining).toBe(599 - at)
    expect((await get(`${one}${SPREAD}`, named(other, 'k'))).json.pass.callsRemaining).toBe(599)
  })

  test('the last call of a pass is answered again when the pass is used up, and when it has expired; no other is', async () => {
    const token = await buyPass()
    await service.ledger.redis.hset(rowOf(token), 'calls', 1)
    const last = await get(`${one}${SPREAD}`, named(token, 'last'))
    expect(last.json.pass.callsRemaining).toBe(0)
    for (const change of [{}, { expires: Date.now() - 1 }]) {
      await service.ledger.redis.hset(rowOf(token), { sku: 'SKU_AG_HOUR_PASS_01', ...change })
      expect((await get(`${two}${SPREAD}`, named(token, 'last'))).text).toBe(last.text)
      expect((await get(`${two}${SPREAD}`, named(token, 'next'))).status).toBe(402)
    }
  })

  test('kept for five minutes, and nothing is kept of a call that was refused', async () => {
    const token = await buyPass()
    const keys = async () => (await service.ledger.redis.keys('call:*')).length
    const before = await keys()
    expect((await get(`${one}${MATCH}`, named(token, 'k'))).status).toBe(400)
    expect(await keys()).toBe(before)
    await get(`${one}${SPREAD}`, named(token, 'k'))
    expect(await keys()).toBe(before + 1)
    const untils = await Promise.all(
      (await service.ledger.redis.keys('call:*')).map((key) => service.ledger.redis.pttl(key)),
    )
    expect(Math.min(...untils)).toBeGreaterThan(0)
    expect(Math.max(...untils)).toBeLessThanOrEqual(5 * MINUTE)
  })

  test.each(['x'.repeat(65), 'two words'])(
    'a key that is none: 400, and no call is taken: %s',
    async (key) => {
      const token = await buyPass()
      const answer = await get(`${one}${SPREAD}`, named(token, key))
      expect([answer.status, answer.json.code]).toEqual([400, 'malformed_request'])
      expect(await callsLeft(token)).toBe(600)
    },
  )

  test('a made-up pass with a key is unknown, and is counted as a guess', async () => {
    const answer = await get(`${one}${SPREAD}`, named(`pass_${'A'.repeat(43)}`, 'k'))
    expect([answer.status, answer.json.code]).toEqual([402, 'pass_unknown'])
  })
})

describe('4.1 rule 13 tor-call', () => {
  const redeem = (headers: Record<string, string>, base = one) =>
    get(`${base}/api/v1/tor-call-permit`, headers)
  const buyPermit = async () => (await buy('/x402/v1/tor-call')).json.result.torCallPermit

  test('sells a permit for one call that is redeemed once at its redeemUrl', async () => {
    const permit = await buyPermit()
    expect(permit).toMatchObject({
      callsRemaining: 1,
      redeemUrl: 'http://127.0.0.1:8402/api/v1/tor-call-permit',
    })
    const first = await redeem({ 'x-service-permit': permit.token })
    expect(first.json).toMatchObject({ ok: true, torCallPermit: { granted: true, callsRemaining: 0 } })
    const second = await redeem({ 'x-service-permit': permit.token })
    expect([second.status, second.json.code]).toEqual([409, 'permit_refused'])
  })

  test('I13, ENT-13 64 at once over two processes: one is granted', async () => {
    const { token } = await buyPermit()
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => redeem({ 'x-service-permit': token }, at % 2 ? one : two)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test.each([
    ['x-service-permit', (token: string) => ({ 'x-service-permit': [token, `permit_${'A'.repeat(43)}`] })],
    ['idempotency-key', (token: string) => ({ 'x-service-permit': token, 'idempotency-key': ['a', 'b'] })],
  ])('VAL-15 %s twice: 400, and no call is taken', async (name, headersOf) => {
    const { token } = await buyPermit()
    const headers = headersOf(token) as never
    const refused = await rawRequest(one, { path: '/api/v1/tor-call-permit', headers })
    expect([refused.status, refused.json.code]).toEqual([400, 'malformed_request'])
    expect(refused.json.detail).toContain(name)
    expect((await redeem({ 'x-service-permit': token })).json.torCallPermit.callsRemaining).toBe(0)
  })

  test('ENT-13 with an Idempotency-Key a lost reply is asked for again, of any process, for this permit only', async () => {
    const [mine, other] = [await buyPermit(), await buyPermit()]
    const key = { 'idempotency-key': 'call-1' }
    const first = await redeem({ 'x-service-permit': mine.token, ...key })
    expect((await redeem({ 'x-service-permit': mine.token, ...key })).text).toBe(first.text)
    await service.restartApi(1)
    expect((await redeem({ 'x-service-permit': mine.token, ...key }, two)).text).toBe(first.text)
    expect((await redeem({ 'x-service-permit': other.token, ...key })).json.torCallPermit.granted).toBe(true)
    expect((await redeem({ 'x-service-permit': mine.token })).status).toBe(409)
  })

  test('ENT-14 used, expired and made up are refused in the same words', async () => {
    const [used, old] = [await buyPermit(), await buyPermit()]
    await redeem({ 'x-service-permit': used.token })
    const row = `grant:permit:${digestOfToken(old.token)}`
    await service.ledger.redis.hset(row, 'expires', Date.now() - 1)
    const tokens = [used.token, old.token, `permit_${'A'.repeat(43)}`]
    const answers = await Promise.all(tokens.map((token) => redeem({ 'x-service-permit': token })))
    const words = answers.map(({ status, text }) => `${status} ${text}`)
    expect(words[0]).toContain('409')
    expect(new Set(words).size).toBe(1)
    expect(await service.ledger.redis.hget(row, 'calls')).toBe('1')
  })

  test.each([
    ['none', {}, 401, 'permit_missing'],
    ['made up', { 'x-service-permit': `permit_${'A'.repeat(43)}` }, 409, 'permit_refused'],
    ['a pass', { 'x-service-permit': `pass_${'A'.repeat(43)}` }, 409, 'permit_refused'],
  ])('%s: refused', async (_, headers, status, code) => {
    const answer = await redeem(headers as Record<string, string>)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })
})
