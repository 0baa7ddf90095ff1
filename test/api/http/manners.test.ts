import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Handler } from '../../../api/http/exchange.ts'
import type { Limit } from '../../../api/http/limits.ts'
import { createRateLimit } from '../../../api/http/rateLimit.ts'
import { createRequestIds } from '../../../api/http/requestIds.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { createRouter, type Route } from '../../../api/http/router.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { HEADERS } from '../../../api/openapi/headers.ts'
import type { Log } from '../../../ops/log.ts'
import { callerBehind, parseTrustedProxies } from '../../../ops/trustedProxies.ts'
import { rawRequest } from '../../support/buyer.ts'
import { exchangeRaw, statusesOf } from '../../support/rawHttp.ts'

const clock = { atMs: 1_790_000_000_000, nowMs: () => clock.atMs }
const rateOf = (limit: Partial<Limit> & { name: string }) =>
  createRateLimit({ covers: 'tests', burst: 4, perS: 2, ...limit }, clock)
const logged: object[] = []
const log = { error: (fields: object) => logged.push(fields) } as unknown as Log

const ok: Handler = () => jsonReply(200, { ok: true })
const free = rateOf({ name: 'free', burst: 1_000, perS: 1_000 })
const routes: Route[] = [
  { method: 'GET', path: '/', handler: ok },
  {
    method: 'GET',
    path: '/openapi.json',
    handler: () => Promise.resolve(jsonReply(200, { openapi: '3.1.0' })),
  },
  { method: 'GET', path: '/x402/services.json', handler: ok },
  {
    method: 'GET',
    path: '/x402/v1/ping',
    handler: ok,
    limit: rateOf({ name: 'unpaid', payers: 'pass' }),
  },
  { method: 'GET', path: '/redeem', head: false, handler: ok },
  { method: 'POST', path: '/unnamed', handler: ok },
  { method: 'POST', path: '/own', limit: 'own', handler: ok },
  { method: 'POST', path: '/provider', limit: 'none', handler: ok },
  { method: 'POST', path: '/few', handler: ok, limit: rateOf({ name: 'few' }) },
  { method: 'POST', path: '/addresses', handler: (request) => jsonReply(200, { address: request.address }) },
  {
    method: 'GET',
    path: '/addresses/later',
    async handler(request) {
      const { address } = request
      await setImmediate()
      return jsonReply(200, { address, later: request.address })
    },
  },
  {
    method: 'GET',
    path: '/said',
    handler: () =>
      jsonReply(200, {}, [
        ['access-control-allow-origin', 'https://a.example'],
        ['x-content-type-options', 'nosniff'],
      ]),
  },
  {
    method: 'GET',
    path: '/throws',
    handler: () => {
      throw new Error('broken')
    },
  },
  { method: 'GET', path: '/rejects', handler: () => Promise.reject(new Error('broken')) },
]
const trusted = parseTrustedProxies('127.0.0.1, 10.0.0.0/8, 2001:db8::/32')!

let server: Server
let behind: Server
let base: string
beforeAll(async () => {
  const handler = createRouter(routes, free)
  server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log })
  behind = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler,
    log,
    findCaller: (peer, forwardedFor) => callerBehind(trusted, peer, forwardedFor),
  })
  base = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  await server?.close()
  await behind?.close()
})
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  rawRequest(base, { path, method, headers })

describe('any page may read any answer, and nothing is guessed about its type', () => {
  test.each(['/', '/openapi.json', '/x402/v1/ping', '/nothing', '/throws'])('%s', async (path) => {
    const answer = await ask(path)
    expect(answer.header('access-control-allow-origin')).toBe('*')
    expect(answer.header('access-control-allow-credentials')).toBeNull()
    for (const name of [
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Allow',
    ])
      expect(answer.header('access-control-expose-headers')).toContain(name)
    expect(answer.header('x-content-type-options')).toBe('nosniff')
  })

  test('of every header that the interface description names, but those that browsers show or use by themselves', async () => {
    const exposed = (await ask('/')).header('access-control-expose-headers')!.toLowerCase().split(', ')
    const named = Object.keys(HEADERS).filter((name) => name !== 'cache-control' && name !== 'upgrade')
    expect(named.filter((name) => !exposed.includes(name))).toEqual([])
  })

  test('a document that says so itself says it once', async () => {
    expect((await ask('/said')).header('x-content-type-options')).toBe('nosniff')
  })
})

describe('OPTIONS', () => {
  test.each(['/', '/x402/v1/ping', '/few', '/nothing'])(
    'preflight of %s: 204 with what may be sent',
    async (path) => {
      const answer = await ask(path, 'OPTIONS', {
        origin: 'https://agent.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'payment-signature, x-service-pass',
      })
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.header('access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS')
      const allowed = answer.header('access-control-allow-headers')!.split(', ')
      for (const name of [
        'payment-signature',
        'x-payment',
        'x-service-pass',
        'x-agent-id',
        'content-type',
        'access-control-expose-headers',
        'authorization', //  `*` does not cover it
      ])
        expect(allowed).toContain(name)
      for (const name of ['origin', 'content-length', 'stripe-signature']) expect(allowed).not.toContain(name)
      expect(Number(answer.header('access-control-max-age'))).toBeGreaterThan(0)
      expect(answer.header('access-control-allow-origin')).toBe('*')
    },
  )

  test.each([
    ['/', 204, 'GET, HEAD, OPTIONS'],
    ['/x402/v1/ping', 204, 'GET, HEAD, OPTIONS'],
    ['/redeem', 204, 'GET, OPTIONS'],
    ['/few', 204, 'POST, OPTIONS'],
    ['/nothing', 404, null],
  ])('without a preflight: %s says %d, Allow %s', async (path, status, allow) => {
    const answer = await ask(path, 'OPTIONS')
    expect([answer.status, answer.header('allow')]).toEqual([status, allow])
  })
})

describe('HTTP-07 HEAD is GET without its body, and never pays', () => {
  test.each(['/', '/openapi.json'])('%s', async (path) => {
    const [got, head] = [await ask(path), await ask(path, 'HEAD')]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'ratelimit-policy', 'link'])
      expect(head.header(name)).toBe(got.header(name))
  })

  test.each([
    ['/redeem', 'GET, OPTIONS'],
    ['/few', 'POST, OPTIONS'],
  ])('%s: 405 with Allow %s', async (path, allow) => {
    const answer = await ask(path, 'HEAD')
    expect([answer.status, answer.header('allow')]).toEqual([405, allow])
  })
})

describe('whoever is lost is shown where things are', () => {
  const LINKS = '</openapi.json>; rel="service-desc", </x402/services.json>; rel="service-desc"'

  test.each([
    ['/', 'GET', 200],
    ['/nothing', 'GET', 404],
    ['/few', 'GET', 405],
  ])('%s by %s: Link names the documents there are, and no others', async (path, method, status) => {
    const answer = await ask(path, method)
    expect([answer.status, answer.header('link')]).toEqual([status, LINKS])
  })

  test.each([
    ['/x402/v1/ping/', '/x402/v1/ping'],
    ['/X402/v1/Ping', '/x402/v1/ping'],
    ['//x402//v1/ping//', '/x402/v1/ping'],
    ['//', '/'],
  ])('HTTP-10 %s is not served, and means %s', async (path, meant) => {
    const answer = await ask(path)
    expect([answer.status, answer.json.code, answer.json.didYouMean]).toEqual([404, 'not_found', meant])
  })

  test.each([
    '/x402/v1/pin',
    '/x402/v1/%70ing',
    '/x402/v1/ping;',
    '/x402/v1/../v1/ping',
    '/x402/v1/%2e%2e/v1/ping',
  ])('%s means nothing we know', async (path) => {
    const answer = await ask(path)
    expect([answer.status, answer.json.didYouMean]).toEqual([404, undefined])
  })
})

describe('X-Request-Id on every answer', () => {
  test('one for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await ask('/')).header('x-request-id')),
    )
    expect(new Set(ids).size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
  })

  test('none tells how many others have asked since the one before: nothing in it stays or counts', () => {
    const idOf = createRequestIds()
    const ids = Array.from({ length: 2_000 }, () => idOf(''))
    for (const half of [ids.map((id) => id.slice(0, 6)), ids.map((id) => id.slice(6))])
      expect(new Set(half).size).toBe(ids.length)
    const rising = ids.filter((id, nth) => id > (ids[nth - 1] ?? ''))
    expect(rising.length).toBeGreaterThan(800)
    expect(rising.length).toBeLessThan(1_200)
  })

  test.each([
    ['4bf92f3577b34da6a3ce929d0e0e4736', true],
    ['short', false],
    ['x'.repeat(65), false],
    ['12345678 9', false],
    ['12345678\u00e9', false],
    ['"><script>x', false],
  ])('the caller’s own %s is kept: %s', async (sent, kept) => {
    expect((await ask('/', 'GET', { 'x-request-id': sent })).header('x-request-id') === sent).toBe(kept)
  })

  test.each(['/throws', '/rejects'])(
    'HTTP-06 %s: 500 in our words, and the log has the same id',
    async (path) => {
      const answer = await ask(path)
      expect([answer.status, answer.json.code]).toEqual([500, 'internal'])
      expect(answer.text).not.toContain('broken')
      expect(logged.at(-1)).toMatchObject({ requestId: answer.header('x-request-id') })
    },
  )
})

describe('8. rate limits', () => {
  test('429 with Retry-After, problem and both headers; half of it gone is said before', async () => {
    const said = []
    for (let n = 0; n < 5; n++) said.push(await ask('/few', 'POST'))
    expect(said.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
    for (const answer of said) expect(answer.header('ratelimit-policy')).toBe('"few";q=4;w=2')
    expect(said.map((answer) => answer.header('ratelimit'))).toEqual([
      null,
      null,
      '"few";r=1;t=2',
      '"few";r=0;t=2',
      '"few";r=0;t=2',
    ])
    //  a request that claims to pay passes the limit where something is for sale, and nowhere else
    expect((await ask('/few', 'POST', { 'payment-signature': 'x' })).status).toBe(429)
    const refused = said.at(-1)!
    expect(refused.header('content-type')).toBe('application/problem+json')
    expect([refused.json.code, refused.json.retryable, refused.header('retry-after')]).toEqual([
      'rate_limited',
      true,
      '1',
    ])
    clock.atMs += 500
    expect((await ask('/few', 'POST')).status).toBe(200)
  })

  test('an unpaid path: whoever pays is let through when nobody else is; HTTP-14 caches are told what it depends on', async () => {
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push((await ask('/x402/v1/ping')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    for (const name of ['payment-signature', 'x-payment', 'x-service-pass', 'x-service-credit-auth'])
      expect((await ask('/x402/v1/ping', 'GET', { [name]: 'x' })).status).toBe(200)
    expect((await ask('/x402/v1/ping')).header('vary')).toContain('payment-signature')
  })
})

describe('HTTP-16 the caller is whom a proxy of ours names, and nobody else', () => {
  const addressOf = async (at: Server, forwarded: string | string[]) =>
    (
      await rawRequest(`http://127.0.0.1:${at.port}`, {
        path: '/addresses',
        method: 'POST',
        headers: { 'x-forwarded-for': forwarded as string },
      })
    ).json.address

  test('an address that is trusted is that one and not its neighbour', () => {
    const one = parseTrustedProxies('10.0.0.1, 2001:db8::1')!
    const peers = ['10.0.0.1', '10.0.0.2', '2001:db8::1', '2001:db8::2']
    expect(peers.map((peer) => callerBehind(one, peer, '192.0.2.7'))).toEqual([
      '192.0.2.7',
      '10.0.0.2',
      '192.0.2.7',
      '2001:db8:0:0:0:0:0:2',
    ])
  })

  test('without trusted proxies the header says nothing', async () => {
    expect(await addressOf(server, '203.0.113.9')).toBe('127.0.0.1')
  })

  test.each<[string | string[], string]>([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'], //  the first was written by the caller
    ['203.0.113.9, 10.1.2.3', '203.0.113.9'], //       a second proxy of ours
    ['198.51.100.1, 203.0.113.9, 10.1.2.3, 10.9.9.9', '203.0.113.9'],
    [['198.51.100.1', '203.0.113.9'], '203.0.113.9'], // a line from each hop
    [['203.0.113.9', '10.1.2.3'], '203.0.113.9'],
    ['10.1.2.3', '10.1.2.3'], //                         called from inside
    ['203.0.113.9, nonsense', '127.0.0.1'], //           nothing beyond an unreadable entry is believed
    ['', '127.0.0.1'],
    ['2001:db9::1', '2001:db9:0:0:0:0:0:1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '127.0.0.1'],
  ])('%s: %s', async (forwarded, address) => {
    expect(await addressOf(behind, forwarded)).toBe(address)
  })

  test('who has looked once knows it when the request is gone', async () => {
    const { json } = await rawRequest(`http://127.0.0.1:${behind.port}`, {
      path: '/addresses/later',
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(json).toEqual({ address: '203.0.113.9', later: '203.0.113.9' })
  })

  test('what a balancer would say before the request (PROXY protocol) says nothing: nobody of ours speaks it', async () => {
    const request = 'POST /addresses HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'
    const binary = '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x09\x7f\0\0\x01\x04\xd2\x20\xd2'
    const text = 'PROXY TCP4 203.0.113.9 127.0.0.1 1234 8402\r\n'
    for (const at of [server, behind])
      for (const before of [binary, text]) {
        const said = await exchangeRaw(`http://127.0.0.1:${at.port}`, before + request)
        expect(said).not.toContain('203.0.113.9')
        if (statusesOf(said)[0] === 200) expect(said).toContain('"address":"127.0.0.1"')
      }
  })

  test.each(['10.0.0.0/33', 'proxy.example', '10.0.0.1,,', '10.0.0.1/x'])(
    'configuration: %s is refused',
    (text) => {
      expect(parseTrustedProxies(text)).toBeNull()
    },
  )

  test('configuration: nothing is no proxy', () => {
    expect(parseTrustedProxies('')).toEqual([])
  })
})

describe('design 4: a route that names no limit has that of everything free, whatever its method', () => {
  test.each([
    ['GET', '/redeem', 'free'],
    ['HEAD', '/', 'free'],
    ['POST', '/unnamed', 'free'],
    ['POST', '/few', 'few'],
    ['GET', '/x402/v1/ping', 'unpaid'],
    ['POST', '/own', undefined], //      its handler has its own limit
    ['POST', '/provider', undefined], // calls again until it is heard
  ])('%s %s: %s', async (method, path, name) => {
    const policy = (await ask(path, method)).header('ratelimit-policy')
    expect(policy?.split(';')[0]).toBe(name && `"${name}"`)
  })
})
