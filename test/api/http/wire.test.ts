import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_HEAD_BYTES } from '../../../api/http/server.ts'
import { startWorld, type World } from '../../spec/storefront/world.ts'
import { offerOf, paid, payment, rawRequest } from '../../support/buyer.ts'
import { until } from '../../support/process.ts'
import { exchangeRaw, headOf } from '../../support/rawHttp.ts'

let world: World
let paths: string[] = []
beforeAll(async () => {
  world = await startWorld()
  await until('the free samples are taken: both documents change by that', async () => {
    const nowMs = Date.now()
    const [wire, preview] = [(await ask('/venue-wire/gaps')).json, (await ask('/alpha/preview')).json]
    return wire.refreshedAt !== null && Date.parse(preview.nextAt) - preview.delayMs <= nowMs
  })
  const { paths: described } = (await ask('/openapi.json')).json
  const listed = [...(await ask('/sitemap.xml')).text.matchAll(/<loc>https?:\/\/[^/]+([^<]*)<\/loc>/g)]
  const all = new Set([...Object.keys(described), ...listed.map(([, path]) => path || '/'), '/nothing'])
  //  '/live' is a stream without end
  paths = [...all].filter((path) => !path.includes('{') && path !== '/live').sort()
})
afterAll(() => world?.stop())

const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  rawRequest(world.base, { path, method, headers })

describe('every path there is, asked as it stands', () => {
  test('HTTP-07 HEAD has the status and the headers of GET, and no body; only what redeems has none', async () => {
    expect(paths.length).toBeGreaterThan(70)
    const without: string[] = []
    for (const path of paths) {
      const [got, head] = [await ask(path), await ask(path, 'HEAD')]
      expect([path, head.text]).toEqual([path, ''])
      if (head.status === 405 && got.status !== 405) without.push(path)
      else
        for (const name of SAME)
          expect([path, name, head.header(name)]).toEqual([path, name, got.header(name)])
    }
    expect(without).toEqual(['/api/v1/tor-call-permit', '/cardpay/checkout-status'])
  })

  test('HTTP-14 what is refused, or asks for money, is kept by no cache; what may be kept says for how long', async () => {
    for (const path of paths) {
      const { status, header } = await ask(path)
      const cache = header('cache-control')
      if (status === 200) expect([path, cache]).toEqual([path, expect.stringMatching(KEPT)])
      else expect([path, status, cache]).toEqual([path, status, 'private, no-store'])
    }
  })

  test('a version that is known is not sent again, however the tag is written', async () => {
    let tagged = 0
    for (const path of paths) {
      const { status, header } = await ask(path)
      const etag = header('etag')
      if (status !== 200 || etag === null || LIVE.has(path)) continue
      tagged++
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask(path, 'GET', { 'if-none-match': known })
        expect([path, known, again.status, again.text]).toEqual([path, known, 304, ''])
        expect(again.header('etag')).toBe(etag)
      }
      expect((await ask(path, 'GET', { 'if-none-match': '"other"' })).status).toBe(200)
    }
    expect(tagged).toBeGreaterThan(25)
  })

  test('any page may ask: preflight and answer name what a payment needs', async () => {
    for (const path of paths) {
      const preflight = await ask(path, 'OPTIONS', { 'access-control-request-method': 'GET' })
      expect([path, preflight.status]).toEqual([path, 204])
      expect(preflight.header('access-control-allow-headers')).toContain('payment-signature')
      const { header } = await ask(path)
      expect([path, header('access-control-allow-origin')]).toEqual([path, '*'])
      expect(header('access-control-expose-headers')).toMatch(/PAYMENT-REQUIRED, PAYMENT-RESPONSE/)
      expect(header('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
    }
  })
})

/** What a cache may do with an answer that is the same for everybody: it is not left to guess. */
const KEPT = /^(public, max-age=\d+(, immutable)?|no-cache)$/
/** Documents that may change between two requests. */
const LIVE = new Set(['/', '/live.json'])
const SAME = [
  'content-type',
  'cache-control',
  'vary',
  'link',
  'allow',
  'ratelimit-policy',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'retry-after',
]

test('what was paid for is kept by no cache', async () => {
  const [buyer] = world.chain.buyers
  const { header } = await payment(await offerOf(world.base, '/x402/v1/ping'), buyer!)
  const answer = await ask('/x402/v1/ping', 'GET', paid(header))
  expect([answer.status, answer.header('cache-control')]).toEqual([200, 'private, no-store'])
  expect(answer.header('payment-response')).not.toBeNull()
  for (const name of ['payment-signature', 'x-payment', 'x-service-pass'])
    expect(answer.header('vary')).toContain(name)
})

describe('8. the rate limits that are published are the ones that hold', () => {
  test.each([
    ['kept', '/feedback'],
    ['openings', '/quote'],
    ['looks', '/fulfill'],
    ['checks', '/api/receipt-oracle/verify'],
  ])('%s: POST %s as often as it says, then 429', async (name, path) => {
    const { rateLimits } = (await ask('/x402/services.json')).json
    const { burst, perS } = rateLimits.find((limit: { name: string }) => limit.name === name)
    const statuses: number[] = []
    const startMs = Date.now()
    let last: Awaited<ReturnType<typeof ask>> | null = null
    while (last === null && statuses.length <= 2 * burst) {
      //  some at once: on a busy machine one after the other may come no faster than the allowance flows in
      for (const answer of await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => ask(path, 'POST')))) {
        expect(answer.header('ratelimit-policy')).toBe(`"${name}";q=${burst};w=${Math.ceil(burst / perS)}`)
        if (answer.status === 429) last ??= answer
        else statuses.push(answer.status)
      }
    }
    if (last === null) throw new Error('the limit was never met')
    const flownIn = Math.ceil(((Date.now() - startMs) / 1_000) * perS)
    expect(statuses.length).toBeGreaterThanOrEqual(burst)
    expect(statuses.length).toBeLessThanOrEqual(burst + flownIn)
    expect(last.json).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(last.header('ratelimit')).toMatch(new RegExp(`^"${name}";r=0;t=\\d+$`))
    expect(Number(last.header('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(last.header('cache-control')).toBe('private, no-store')
  })

  test.each([
    ['free', 'GET', '/llms.txt'],
    ['unpaid', 'GET', '/x402/v1/ping'],
    ['mcp', 'POST', '/mcp'],
    ['checks', 'GET', '/api/receipt-oracle/verify'],
    ['checks', 'POST', '/api/tor-mcp/verify'],
    ['checks', 'POST', '/a2a/message:send'],
    ['free', 'POST', '/cardpay/checkout'], //  switched off here
    ['community', 'GET', '/referrals/me'],
  ])('%s is what %s %s answers with', async (name, method, path) => {
    const { rateLimits } = (await ask('/x402/services.json')).json
    const { burst, perS } = rateLimits.find((limit: { name: string }) => limit.name === name)
    const headers = { 'content-type': 'application/json' }
    const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : ''
    const { header } = await rawRequest(world.base, { path, method, headers, body })
    expect(header('ratelimit-policy')).toBe(`"${name}";q=${burst};w=${Math.max(1, Math.ceil(burst / perS))}`)
  })
})

test('a refusal below HTTP is HTML, as the guide says', async () => {
  const long = await exchangeRaw(world.base, headOf('/', { a: 'x'.repeat(MAX_HEAD_BYTES) }))
  expect(long).toMatch(/^HTTP\/1\.1 431 [\s\S]+<h1>/)
  expect(await exchangeRaw(world.base, 'GET / HTTP/3.0\r\nhost: a\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 505 [\s\S]+<h1>/,
  )
  const guide = (await ask('/llms-full.txt')).text
  expect(guide).toContain('400, 431 or 505 with a line of HTML')
})
