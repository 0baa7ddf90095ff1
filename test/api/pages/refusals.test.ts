import { describe, expect, test } from 'vitest'
import { PROBLEMS } from '../../../api/errors.ts'
import type { CapturedHeader, Handler, HttpRequest, Reply } from '../../../api/http/exchange.ts'
import { jsonReply, problemReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { encoded } from '../../../api/pages/client/try/terms.ts'
import { withRefusalPages } from '../../../api/pages/refusals.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const request = (
  path: string,
  accept = BROWSER,
  sent: Partial<Record<CapturedHeader, string>> = {},
  method = 'GET',
): HttpRequest => ({
  method,
  path,
  rawQuery: '',
  address: '127.0.0.1',
  header: (name) => (name === 'accept' ? accept : (sent[name] ?? '')),
  headerCount: () => 0,
  body: async () => Buffer.alloc(0),
})

const offer = { scheme: 'exact', network: 'eip155:8453', amount: '250000', asset: '0xa', payTo: '0xb' }
const required = {
  x402Version: 2,
  resource: { url: 'http://127.0.0.1/x402/v1/bot-fuel', description: 'The top gap card' },
  accepts: [{ ...offer, maxTimeoutSeconds: 300, extra: { name: 'USD Coin' } }],
}
const REFUSED: Reply = {
  status: 402,
  headers: [
    ['content-type', 'application/json'],
    ['cache-control', 'private, no-store'],
    ['payment-required', encoded(required)],
  ],
  body: JSON.stringify({ ok: false, code: 'payment_required', title: 'Payment required', payment: '</pre>' }),
}
const PATHS = ['/catalog', '/receipt-oracle', '/x402/v1/bot-fuel', '/later', '/fulfill']
const router = createRouter([
  { method: 'GET', path: '/catalog', handler: () => ({ status: 200, headers: [], body: 'here' }) },
  { method: 'GET', path: '/x402/v1/bot-fuel', handler: () => REFUSED },
  { method: 'GET', path: '/later', handler: async () => REFUSED },
  {
    method: 'GET',
    path: '/away',
    handler: async () =>
      problemReply({ problem: 'ledger_unavailable', detail: '<i>soon</i>', retryAfterS: 7 }),
  },
  {
    method: 'GET',
    path: '/wrong',
    handler: async () => problemReply({ problem: 'invalid_parameter', detail: 'id: is missing' }),
  },
  {
    method: 'GET',
    path: '/receipt',
    handler: () =>
      jsonReply(404, {
        ok: false,
        code: 'receipt_unknown',
        title: 'No such receipt',
        next: '<b> see /receipt-oracle, or POST /fulfill, or /gone.',
      }),
  },
  {
    method: 'GET',
    path: '/rpc',
    handler: () => jsonReply(400, { jsonrpc: '2.0', error: { code: -32600, message: 'no' }, id: null }),
  },
  { method: 'POST', path: '/fulfill', handler: () => ({ status: 200, headers: [], body: '' }) },
  { method: 'POST', path: '/purchase-intent', handler: async () => REFUSED },
])
const handler: Handler = withRefusalPages(router, () => PATHS)
const ask = async (...asked: Parameters<typeof request>) => {
  const { status, headers, body } = await handler(request(...asked))
  return { status, headers: new Map(headers), text: String(body) }
}

describe('a browser that is refused gets a page, with the same status and headers', () => {
  test('402: price, terms, the body, and the box that has chosen this read', async () => {
    const { status, headers, text } = await ask('/x402/v1/bot-fuel')
    expect(status).toBe(402)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('payment-required')).toBe(encoded(required))
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('vary')).toBe('accept')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const words of ['costs 0.25 USD', 'The top gap card', 'eip155:8453', '0xb', '300 seconds'])
      expect(text).toContain(words)
    expect(text).toContain('href="/catalog#try-bot-fuel"')
    expect(text).toContain('&quot;payment&quot;: &quot;&lt;/pre&gt;&quot;')
  })

  test.each([
    ['/no-such', 404, 'No such path'],
    ['/fulfill', 405, 'Method not allowed'],
  ])('%s: %d', async (path, expected, words) => {
    const { status, headers, text } = await ask(path)
    expect([status, text.includes(`<h1 id="h-top">${words}</h1>`)]).toEqual([expected, true])
    expect(headers.get('allow')).toBe(expected === 405 ? 'POST, OPTIONS' : undefined)
    expect(text).toContain('href="/catalog"')
  })

  test('an answer that comes later is one as well', async () => {
    expect((await ask('/later')).text).toContain('costs 0.25 USD')
  })

  test('what is away for a while says why and what to do, and looks again when it may', async () => {
    const { status, headers, text } = await ask('/away')
    expect([status, headers.get('retry-after'), headers.get('refresh')]).toEqual([503, '7', '7'])
    for (const words of ['&lt;i&gt;soon', 'reloads by itself', PROBLEMS.ledger_unavailable.next])
      expect(text).toContain(words)
  })

  test('what helps nobody to repeat does not look again', async () => {
    const { status, headers, text } = await ask('/wrong')
    expect([status, headers.has('refresh')]).toEqual([400, false])
    for (const words of ['id: is missing', PROBLEMS.invalid_parameter.next]) expect(text).toContain(words)
    expect(text).not.toContain('looks again')
  })

  test('a served path in what to do is a link; one that is not, or is posted to, is text', async () => {
    const { text } = await ask('/receipt')
    expect(text).toContain(
      '&lt;b&gt; see <a href="/receipt-oracle">/receipt-oracle</a>, or POST /fulfill, or /gone.',
    )
  })

  test('what was probably meant is a link', async () => {
    expect((await ask('/Catalog/')).text).toContain('Did you mean <a href="/catalog">/catalog</a>?')
  })

  test('a path is text, whatever it holds', async () => {
    const { text } = await ask('/<img/src=x>`a`[b](javascript:c)**d**')
    expect(text).toContain('<code>GET /&lt;img/src=x&gt;&#96;a&#96;[b](javascript:c)**d**</code>')
    expect(text).not.toMatch(/<img|href="javascript/)
  })
})

describe('everybody else gets it as it is', () => {
  test.each([
    '',
    '*/*',
    'application/json',
    'application/json, text/html;q=0.5',
    'text/html;q=0',
    'text/markdown, text/html, */*', //  a client that reads text lists markdown first
  ])('Accept: %s', async (accept) => {
    expect((await ask('/x402/v1/bot-fuel', accept)).headers.get('content-type')).toBe('application/json')
    expect((await ask('/no-such', accept)).headers.get('content-type')).toBe('application/problem+json')
  })

  test('a good answer', async () => {
    expect((await ask('/catalog')).text).toBe('here')
  })

  test.each([
    ...(['payment-signature', 'x-payment', 'x-service-pass', 'x-service-credit-auth'] as const),
    ...(['x-service-feed-token', 'x-marketplace-token', 'x-service-permit'] as const),
    ...(['x-service-claim-code', 'x-service-payer-signature', 'x-agent-id', 'idempotency-key'] as const),
  ])('a GET with %s, with a browser’s Accept', async (name) => {
    expect((await ask('/later', BROWSER, { [name]: 'e30=' })).text).toBe(REFUSED.body)
    expect((await ask('/x402/v1/bot-fuel', BROWSER, { [name]: 'e30=' })).text).toBe(REFUSED.body)
  })

  test('a POST with a browser’s Accept: some clients send it by default, and need what the body says', async () => {
    const said = await ask('/purchase-intent', BROWSER, {}, 'POST')
    expect([said.status, said.text]).toEqual([402, REFUSED.body])
    const lost = await ask('/no-such', BROWSER, {}, 'POST')
    expect(lost.headers.get('content-type')).toBe('application/problem+json')
  })

  test('who is refused in the words of another protocol', async () => {
    expect((await ask('/rpc')).headers.get('content-type')).toBe('application/json')
  })
})
