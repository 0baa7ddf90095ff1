import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GOODS } from '../../api/goods/index.ts'
import type { ResponseObject } from '../../api/openapi/build.ts'
import type { OpenApi } from '../../api/openapi/openApi.ts'
import { type NameServer, serveNames } from '../../ops/sandbox/dns/server.ts'
import { ZONE } from '../../ops/sandbox/dns/zone.ts'
import { cardsBody, moversBody, topicsBody } from '../api/goods/support.ts'
import { type Judge, judgeOf } from '../api/openapi/judge.ts'
import { operationsIn } from '../api/openapi/support.ts'
import {
  snapshotOf,
  someBookRow,
  someCard,
  someEdge,
  someGap,
  someMover,
  someNet,
  someSnapshot,
  someTopic,
} from '../support/boards.ts'
import { get, offerOf, paid, payment, rawRequest } from '../support/buyer.ts'
import { type Cards, startCards } from '../support/cards.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { type Service, startService } from '../support/service.ts'

let chain: TestChain
let names: NameServer
let cards: Cards
let service: Service
let base: string
let document: OpenApi
let check: Judge['check']
let wrongWith: Judge['wrongWith']
let wrongHeader: Judge['wrongHeader']
beforeAll(async () => {
  ;[chain, names, cards] = await Promise.all([startTestChain(), serveNames({ zone: ZONE }), startCards()])
  const env = { ...cards.env, DNS_RESOLVERS: `127.0.0.1:${names.port}`, LOG_LEVEL: 'debug' }
  service = await startService({ chain, processes: 1, env })
  base = service.bases[0]!
  const five = [1, 2, 3, 4, 5]
  const bodies = {
    nets: { rows: [someNet()] },
    edges: { rows: five.map((n) => someEdge({ pairId: `p${n}` })) },
    gapCards: cardsBody(five.map((n) => someCard({ pairId: `p${n}` }))),
    movers: moversBody({ day: [someMover()] }),
    book: { a: [someBookRow()], b: [] },
    topics: topicsBody([someTopic()]),
  }
  for (const [name, body] of Object.entries(bodies)) await service.publish(snapshotOf(name, body))
  document = (await get(`${base}/openapi.json`)).json
  ;({ check, wrongWith, wrongHeader } = judgeOf(document))
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([chain?.stop(), names?.close(), cards?.stop()])
})

const decoded = (header: string | null) => JSON.parse(Buffer.from(header ?? '', 'base64').toString())
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  rawRequest(base, {
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('every route is described, and nothing else is', () => {
  test('the document against the route table of the process', async () => {
    const [, list] = await service.apis[0]!.says(/"routes":(\[[^\]]*\])/)
    const served = (JSON.parse(list!) as string[]).map((route) =>
      route.replace(/\/(receipts|tasks)\/\*$/, '/$1/{id}').replace(/ \/assets\/.*/, ' /assets/{file}'),
    )
    const described = operationsIn(document).map(({ method, path }) => `${method} ${path}`)
    const [inTable, inDocument] = [new Set(served), new Set(described)]
    expect({
      undescribed: [...inTable].filter((route) => !inDocument.has(route)).sort(),
      notServed: [...inDocument].filter((route) => !inTable.has(route)).sort(),
    }).toEqual({ undescribed: [], notServed: [] })
  })
})

describe('RCP-10, ENT-09, design 4: every route has a rate limit, and says which', () => {
  const PROVIDERS = ['POST /cardpay/webhook'] //  the provider repeats its calls until it gets an answer, and signs them
  const MESSAGE = '{"jsonrpc":"2.0","id":1,"method":"ping"}' //  the body may hold the payment, so it is read first

  test('the route table of the process, route by route', async () => {
    const [, list] = await service.apis[0]!.says(/"routes":(\[[^\]]*\])/)
    const routes = JSON.parse(list!) as string[]
    const without: string[] = []
    for (const route of routes) {
      const [method, path] = route.replace('*', 'x').split(' ') as [string, string]
      const ask = (by: string) =>
        rawRequest(base, {
          path,
          method: by,
          body: by === 'POST' ? MESSAGE : '',
          headers: { 'content-type': 'application/json' },
        })
      const asHead = method === 'GET' ? await ask('HEAD') : null //  a stream does not end
      const answer = asHead === null || asHead.status === 405 ? await ask(method) : asHead
      if (!/^"[a-z]+";q=\d+;w=\d+$/.test(answer.header('ratelimit-policy') ?? '')) without.push(route)
    }
    expect(routes.length).toBeGreaterThan(90)
    expect(without).toEqual(PROVIDERS)
  })
})

const queryOf = (good: (typeof GOODS)[number]) => {
  const [first] = good.parameters
  return first === undefined ? '' : `?${first.name}=${encodeURIComponent(first.example)}`
}

describe('paid reads are what the document says: 402, price, 200', () => {
  test.each(GOODS.map((good) => [good.path, good] as const))('%s', async (path, good) => {
    const unpaid = await get(`${base}${path}`)
    expect(wrongWith('GET', path, unpaid)).toBeNull()
    expect(
      check({ $ref: '#/components/schemas/PaymentRequired' }, decoded(unpaid.header('payment-required'))),
    ).toBeNull()
    const { price } = document.paths[path]!.get!['x-payment-info'] as { price: { amount: string } }

    const { header } = await payment(await offerOf(base, path), chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    const answer = await get(`${base}${path}${queryOf(good)}`, paid(header))
    expect([answer.status, wrongWith('GET', path, answer)]).toEqual([200, null])
    expect(((await chain.balance(chain.receiver)) - before).toString()).toBe(
      (Number(price.amount) * 1e6).toFixed(0),
    )
    const response = decoded(answer.header('payment-response'))
    expect(check({ $ref: '#/components/schemas/PaymentResponse' }, response)).toBeNull()
  })

  test.each([
    ['no JSON in the header', '/x402/v1/ping', { 'payment-signature': 'e30=' }, 400],
    ['a pass of nobody', '/x402/v1/spread', { 'x-service-pass': `pass_${'a'.repeat(43)}` }, 402],
    ['two payments', '/x402/v1/spread', { 'x-service-pass': 'x', 'x-payment': 'y' }, 400],
    ['credit of nobody', '/x402/v1/net', { 'x-service-credit-auth': 'a'.repeat(16), 'x-agent-id': 'a' }, 402],
  ])('refused: %s', async (_, path, headers, status) => {
    const answer = await get(`${base}${path}`, headers as Record<string, string>)
    expect([answer.status, wrongWith('GET', path, answer)]).toEqual([status, null])
  })

  test('a parameter that is missing', async () => {
    const { header } = await payment(await offerOf(base, '/x402/v1/match'), chain.buyers[0]!)
    const answer = await get(`${base}/x402/v1/match`, paid(header))
    expect([answer.status, wrongWith('GET', '/x402/v1/match', answer)]).toEqual([400, null])
  })
})

describe('tokens that were bought open what the document says', () => {
  const buy = async (path: string) => {
    const { header } = await payment(await offerOf(base, path), chain.buyers[1]!)
    return (await get(`${base}${path}`, paid(header))).json.result
  }

  test('an hour pass answers a read', async () => {
    const { token } = await buy('/x402/v1/hour-pass')
    const answer = await get(`${base}/x402/v1/spread`, { 'x-service-pass': token })
    expect([answer.status, wrongWith('GET', '/x402/v1/spread', answer)]).toEqual([200, null])
  })

  test('a feed token reads the feed; none and a wrong one do not', async () => {
    const { token } = await buy('/x402/v1/bot-fuel-day')
    for (const [headers, status] of [
      [{ 'x-service-feed-token': token }, 200],
      [{ 'x-service-feed-token': `feed_${'a'.repeat(43)}` }, 401],
      [{}, 401],
    ] as const) {
      const answer = await get(`${base}/api/v1/alpha-feed`, headers)
      expect([answer.status, wrongWith('GET', '/api/v1/alpha-feed', answer)]).toEqual([status, null])
    }
  })

  test('a permit is redeemed once', async () => {
    const { torCallPermit } = await buy('/x402/v1/tor-call')
    for (const status of [200, 409]) {
      const answer = await get(`${base}/api/v1/tor-call-permit`, { 'x-service-permit': torCallPermit.token })
      expect([answer.status, wrongWith('GET', '/api/v1/tor-call-permit', answer)]).toEqual([status, null])
    }
  })
})

describe('everything that is free answers as the document says', () => {
  const NEEDS_MORE = ['/live', '/receipts/{id}', '/assets/{file}'] //  a stream that does not end; a name

  test('every GET, asked with the examples of its parameters, as JSON', async () => {
    const free = operationsIn(document).filter(
      ({ method, path, operation }) =>
        method === 'GET' && !('x-payment-info' in operation) && !NEEDS_MORE.includes(path),
    )
    expect(free.length).toBeGreaterThan(30)
    for (const { path, operation } of free) {
      const query = (operation.parameters ?? [])
        .flatMap((each) => ('in' in each && each.in === 'query' && each.required ? [each] : []))
        .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
      const answer = await get(`${base}${path}?${query.join('&')}`, { accept: 'application/json' })
      expect([path, wrongWith('GET', path, answer)]).toEqual([path, null])
      if (!path.startsWith('/api/v1/'))
        expect([path, answer.status < 500 || path === '/history']).toEqual([path, true])
    }
  })

  test('pages in each of their forms', async () => {
    const pages = operationsIn(document).filter(({ operation }) => operation.operationId.startsWith('page'))
    expect(pages.length).toBeGreaterThan(5)
    for (const { path } of [...pages, { path: '/' }])
      for (const accept of ['text/html', 'text/markdown', 'application/json']) {
        const answer = await get(`${base}${path}`, { accept })
        expect([path, answer.status, answer.header('content-type')?.split(';')[0]]).toEqual([
          path,
          200,
          accept,
        ])
      }
  })

  test('a receipt, by its id and by its address', async () => {
    const { header } = await payment(await offerOf(base, '/x402/v1/ping'), chain.buyers[2]!)
    const { result } = (await get(`${base}/x402/v1/ping`, paid(header))).json
    const { attestationId, payload, signature } = result.paymentAttestation
    const shown = await get(`${base}/receipts/${attestationId}`, { accept: 'application/json' })
    expect([shown.status, wrongWith('GET', '/receipts/{id}', shown)]).toEqual([200, null])
    const verdict = await post('/api/receipt-oracle/verify', { id: attestationId, payload, signature })
    expect([verdict.json.valid, wrongWith('POST', '/api/receipt-oracle/verify', verdict)]).toEqual([
      true,
      null,
    ])
  })
})

describe('POST', () => {
  const status: Record<string, number> = {
    '/purchase-intent': 402,
    '/fulfill': 404,
    '/checkout/settle': 404,
    '/quote': 200,
    '/cardpay/checkout': 200,
    '/cardpay/webhook': 400,
    '/api/tor-mcp/verify': 200,
    '/api/receipt-oracle/verify': 200,
    '/feedback': 201,
    '/patron': 400,
    '/checkout/reminders': 201,
    '/mcp': 200,
    '/a2a/message:send': 200,
    '/sandbox/sign': 200,
  }

  //  acting on a task of the agent needs no body, and there is no task: test/spec/storefront/directories
  const withBody = () =>
    operationsIn(document).filter(({ method, path }) => method === 'POST' && path !== '/a2a/tasks/{id}')

  test('every one of them, with the example of its body', async () => {
    const posts = withBody()
    expect(posts.map(({ path }) => path).sort()).toEqual(Object.keys(status).sort())
    for (const { path, operation } of posts) {
      const answer = await post(path, operation.requestBody!.content['application/json']!.example)
      expect([path, answer.status, wrongWith('POST', path, answer)]).toEqual([path, status[path], null])
    }
  })

  test('a body that is no JSON', async () => {
    for (const { path } of withBody()) {
      const answer = await rawRequest(base, {
        path,
        method: 'POST',
        body: '{"a":',
        headers: { 'content-type': 'application/json', 'x-agent-id': 'agent-2' },
      })
      expect([path, answer.status, wrongWith('POST', path, answer)]).toEqual([path, 400, null])
    }
  })

  test('INP-13 bytes that are not UTF-8: refused as what is no JSON, whatever else is said', async () => {
    const described = withBody()
    const others = ['/cardpay/webhook', '/mcp'] //  signed bytes · test/api/mcp
    for (const { path, operation } of described.filter(({ path }) => !others.includes(path))) {
      const text = JSON.stringify(operation.requestBody!.content['application/json']!.example)
      const withMember = (bytes: number[]) =>
        Buffer.concat([Buffer.from(`${text.slice(0, -1)},"more":"`), Buffer.from(bytes), Buffer.from('"}')])
      const send = async (body: Buffer) => {
        const headers = { 'content-type': 'application/json', 'x-agent-id': 'agent-4' }
        const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: new Uint8Array(body) })
        return [path, answer.status, ((await answer.json()) as { code?: string }).code]
      }
      expect(await send(withMember([0xff]))).toEqual([path, 400, 'malformed_request'])
      expect(await send(withMember([0xc3, 0xa9]))).not.toEqual([path, 400, 'malformed_request'])
    }
  })

  test('a purchase that is open: nothing has come yet, and where it stands', async () => {
    const { json } = await post('/purchase-intent', { sku: 'SKU_TIP_00', options: { tipUsdc: 1 } })
    const { intentId } = json.payment
    const fulfilled = await post('/fulfill', { intentId })
    expect([fulfilled.status, wrongWith('POST', '/fulfill', fulfilled)]).toEqual([202, null])
    const standing = await post('/checkout/settle', { intentId })
    expect([standing.status, wrongWith('POST', '/checkout/settle', standing)]).toEqual([200, null])
  })

  test('a purchase that store credit pays, and the same fetched again', async () => {
    const buyerId = 'agent-4'
    const creditSpendAuth = 'a secret of mine'.replaceAll(' ', '-')
    const { header } = await payment(await offerOf(base, '/x402/v1/credits-2'), chain.buyers[2]!)
    const account = { 'x-agent-id': buyerId, 'x-service-credit-auth': creditSpendAuth }
    expect((await get(`${base}/x402/v1/credits-2`, { ...paid(header), ...account })).status).toBe(200)
    const bought = await post('/purchase-intent', { sku: 'SKU_AG_PING_01', buyerId, creditSpendAuth })
    expect([bought.status, wrongWith('POST', '/purchase-intent', bought)]).toEqual([200, null])
    const again = await post('/fulfill', { intentId: bought.json.payment.intentId, buyerId })
    expect([again.status, wrongWith('POST', '/fulfill', again)]).toEqual([200, null])
    for (const answer of [bought, again])
      expect(
        check({ $ref: '#/components/schemas/PaymentResponse' }, decoded(answer.header('payment-response'))),
      ).toBeNull()
  })

  test.each([
    ['SKU_TOR_MCP_PRO', {}],
    ['SKU_SIGNAL_FEED_29', {}],
    ['SKU_INQUIRY_01', {}],
    ['SKU_DLQ_01', { samples: ['ECONNREFUSED 10.0.0.1:5432'] }],
  ])('a card checkout of %s that is paid', async (sku, payload) => {
    const { json } = await post('/cardpay/checkout', { sku, buyerId: 'agent-3', payload })
    cards.act(json.checkoutUrl.slice(json.checkoutUrl.lastIndexOf('/') + 1), 'pay')
    const path = '/cardpay/checkout-status'
    const ask = () => get(`${base}${path}?checkout_id=${json.checkoutId}`, { 'x-agent-id': 'agent-3' })
    await expect.poll(async () => (await ask()).json.status, { interval: 1_000 }).toBe('paid')
    const answer = await ask()
    expect([answer.json.paymentAttestation.payload.sku, wrongWith('GET', path, answer)]).toEqual([sku, null])
  })

  test('feedback that is deleted again', async () => {
    const { json } = await post('/feedback', { consent: true, message: 'Thanks.' })
    const { feedbackId, deleteToken } = json
    const deleted = await post('/feedback', { consent: false, feedbackId, deleteToken })
    expect([deleted.status, wrongWith('POST', '/feedback', deleted)]).toEqual([200, null])
  })
})

describe('refusals are what the document says', () => {
  test.each([
    ['/api/v1/stream', 426, 'upgrade', 'websocket'],
    ['/api/v1/stream', 426, 'connection', 'upgrade, close'], //  rawRequest asks for the end of its connection
    ['/api/v1/tor-call-permit', 401, 'www-authenticate', 'Permit header="X-Service-Permit"'],
    ['/api/v1/alpha-feed', 401, 'www-authenticate', 'FeedToken header="X-Service-Feed-Token"'],
  ])('HTTP-19 %s: %d with %s: %s', async (path, status, name, value) => {
    const answer = await rawRequest(base, { path })
    expect([answer.status, answer.header(name)]).toEqual([status, value])
    expect(wrongWith('GET', path, answer)).toBeNull()
  })

  test('409: a payment that was made for another request', async () => {
    const { header } = await payment(await offerOf(base, '/x402/v1/spread'), chain.buyers[3]!)
    expect((await get(`${base}/x402/v1/spread`, paid(header))).status).toBe(200)
    const answer = await get(`${base}/x402/v1/net`, paid(header))
    expect([answer.status, wrongWith('GET', '/x402/v1/net', answer)]).toEqual([409, null])
  })

  test('429: too often', async () => {
    const body = { consent: true, message: 'Once more.' }
    const answers = await Promise.all(Array.from({ length: 30 }, () => post('/feedback', body)))
    const refused = answers.find(({ status }) => status === 429)!
    expect([refused?.status, wrongWith('POST', '/feedback', refused)]).toEqual([429, null])
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(0)
  })

  test.each([
    [404, 'GET', '/x402/v1/nothing'],
    [405, 'POST', '/x402/v1/spread'],
    [405, 'GET', '/quote'],
  ])('%d %s %s: what is no operation is refused as responses.Problem says', async (status, method, path) => {
    const answer = await rawRequest(base, { path, method })
    const problem = document.components.responses!.Problem as ResponseObject
    expect([answer.status, answer.header('content-type')]).toEqual([status, 'application/problem+json'])
    expect(check(problem.content!['application/problem+json']!.schema, answer.json)).toBeNull()
    expect(wrongHeader(problem, answer)).toBeNull()
  })

  test('402 and 404 as a page, to a browser', async () => {
    const html = { accept: 'text/html' }
    const price = await get(`${base}/x402/v1/spread`, html)
    expect([price.header('content-type'), wrongWith('GET', '/x402/v1/spread', price)]).toEqual([
      expect.stringMatching(/^text\/html/),
      null,
    ])
    const nothing = await get(`${base}/x402/v1/nothing`, html)
    const { content } = document.components.responses!.Problem as ResponseObject
    expect(Object.keys(content!)).toContain(nothing.header('content-type')!.split(';')[0])
  })

  test.each([
    [400, '/referrals/me'],
    [400, '/api/receipt-oracle/verify'],
    [401, '/api/v1/alpha-feed'],
    [401, '/api/v1/tor-call-permit'],
    [404, '/receipts/{id}'],
    [404, '/assets/{file}'],
  ])('%d of %s as a page, to a browser: the operation names that form too', async (status, path) => {
    const answer = await get(`${base}${path.replace(/{.*}/, 'nothing')}`, { accept: 'text/html' })
    expect([answer.status, answer.header('content-type')]).toEqual([
      status,
      expect.stringMatching(/^text\/html/),
    ])
    expect(wrongWith('GET', path, answer)).toBeNull()
  })

  test('503: data too old to sell', async () => {
    const { header } = await payment(await offerOf(base, '/x402/v1/spread'), chain.buyers[4]!)
    const asOfMs = { a: Date.now(), b: Date.now() - 7_200_000 }
    await service.publish(someSnapshot([someGap()], { version: 9, asOfMs }))
    const ask = () => get(`${base}/x402/v1/spread`, paid(header))
    await expect.poll(async () => (await ask()).status).toBe(503)
    const answer = await ask()
    expect([answer.json.code, wrongWith('GET', '/x402/v1/spread', answer)]).toEqual(['stale_data', null])
  })
})
