import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, ExchangeError, exchange, openPool, wasCut } from '../../../api/settlement/exchange.ts'

let peer: Server
let pool: Pool
beforeAll(async () => {
  peer = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => answers[request.url ?? '']?.(response, body, request.headers))
  })
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
  pool = openPool(`http://127.0.0.1:${(peer.address() as AddressInfo).port}`, 1)
})
afterAll(async () => {
  await pool.destroy()
  peer.closeAllConnections()
  await new Promise((resolve) => peer.close(resolve))
})

type Answer = (
  response: import('node:http').ServerResponse,
  body: string,
  headers: import('node:http').IncomingHttpHeaders,
) => unknown
const answers: Record<string, Answer> = {
  '/echo': (response, body, headers) =>
    response
      .writeHead(429, {
        'content-type': 'application/json',
        'retry-after': '3',
        'extension-responses': 'e',
        'stripe-should-retry': 'false',
      })
      .end(JSON.stringify({ body, coding: headers['accept-encoding'] })),
  '/thousand': (response) => response.end('x'.repeat(1_000)),
  '/more': (response) => response.end('x'.repeat(1_001)),
  '/silent': () => {},
  '/drips': (response) => {
    const timer = setInterval(() => response.write('x'), 10)
    response.on('close', () => clearInterval(timer))
  },
  '/reset': (response) => response.socket?.resetAndDestroy(),
  '/half': (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy())
  },
  '/early': (response) => {
    response.writeProcessing()
    response.writeHead(201).end('done')
  },
  '/elsewhere': (response) => response.writeHead(302, { location: '/echo' }).end(),
}
const ask = (path: string, change: Partial<Exchange> = {}) => {
  const common = {
    method: 'POST',
    headers: { a: 'b' },
    body: '{"é":1}',
    timeoutMs: 5_000,
    maxBytes: 1_000,
  } as const
  return exchange(pool, { ...common, path, ...change })
}
const failure = (asked: Promise<unknown>): Promise<[string, boolean]> =>
  asked.then(
    () => ['answered', true],
    (error: ExchangeError) => [error.reason, error.mayHaveArrived],
  )

describe('FAC-12, FAC-13 one exchange with a peer that is not trusted', () => {
  test('its answer with the headers we read, uncoded; a redirect and an early answer are followed by nothing', async () => {
    expect(await ask('/echo')).toEqual({
      status: 429,
      contentType: 'application/json',
      retryAfter: '3',
      extensionResponses: 'e',
      shouldRetry: 'false',
      text: JSON.stringify({ body: '{"é":1}', coding: 'identity' }),
    })
    expect(await ask('/elsewhere')).toMatchObject({ status: 302, text: '', retryAfter: null })
    expect(await ask('/early')).toMatchObject({ status: 201, text: 'done' })
  })

  test('a thousand bytes fit where a thousand may come, one more does not', async () => {
    expect((await ask('/thousand')).text).toHaveLength(1_000)
    expect(await failure(ask('/more'))).toEqual(['body_too_large', true])
  })

  test.each(['/silent', '/drips'])('%s: cut off when the time for the whole is over', async (path) => {
    expect(await failure(ask(path, { timeoutMs: 100 }))).toEqual(['timeout', true])
    expect((await ask('/thousand')).status).toBe(200)
  })

  test('who waits for a connection longer than his time is not sent at all', async () => {
    const before = failure(ask('/silent', { timeoutMs: 300 }))
    expect(await failure(ask('/thousand', { timeoutMs: 50 }))).toEqual(['timeout', true])
    expect((await ask('/thousand')).status).toBe(200)
    expect(await before).toEqual(['timeout', true])
  })

  test.each([
    ['/reset', 'ECONNRESET'],
    ['/half', 'UND_ERR_SOCKET'],
  ])('%s: it may have arrived', async (path, reason) => {
    expect(await failure(ask(path))).toEqual([reason, true])
  })

  test.each([
    ['is not listening', 'http://127.0.0.1:1', 'ECONNREFUSED'],
    ['its name does not lead to', `http://${'n'.repeat(64)}.invalid`, 'ENOTFOUND'], //  too long to be asked for
  ])('FAC-01 a peer that %s: it never left', async (_, origin, reason) => {
    const nobody = openPool(origin, 1)
    const asked = { method: 'GET', path: '/', headers: {}, timeoutMs: 5_000, maxBytes: 10 } as const
    expect(await failure(exchange(nobody, asked))).toEqual([reason, false])
    await nobody.destroy()
  })
})

test.each([
  ...['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].map((reason) => [reason, true] as const),
  ...['timeout', 'body_too_large', 'ECONNREFUSED'].map((reason) => [reason, false] as const),
])('FAC-18 %s: the peer has cut the connection: %s', (reason, is) => {
  expect(wasCut(new ExchangeError(reason, true))).toBe(is)
})
