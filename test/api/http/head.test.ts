import { Agent, request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { Handler, Reply } from '../../../api/http/exchange.ts'
import { INSTRUMENTS } from '../../../api/http/exchange.ts'
import { PreparedReply, prepareReply } from '../../../api/http/prepared.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { exchangeRaw } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const body = { ok: true, pad: 'x'.repeat(5_000) }

describe('HTTP-07 HEAD has the length of the GET and no body, and the server lives on', () => {
  test.each<[string, number, Handler]>([
    ['answered at once', 200, () => jsonReply(200, body)],
    ['answered later', 200, async () => jsonReply(200, body)],
    [
      'a handler that fails at once',
      500,
      () => {
        throw new Error('fails')
      },
    ],
  ])('%s', async (_, status, handler) => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog })
    ends.push(() => server.close())
    const ask = async (method: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/`, { method })
      return {
        status: answer.status,
        length: answer.headers.get('content-length'),
        body: await answer.text(),
      }
    }
    const got = await ask('GET')
    expect(got.status).toBe(status)
    for (let again = 0; again < 3; again++) expect(await ask('HEAD')).toEqual({ ...got, body: '' })
    expect(await ask('GET')).toEqual(got)
  })
})

const LONG = 'x'.repeat(5_000)
const answered: Record<string, Reply> = {
  '/200': { status: 200, headers: [['content-type', 'text/plain']], body: LONG },
  '/bytes': { status: 200, headers: [], body: Buffer.from('é') },
  '/empty': { status: 200, headers: [], body: '' },
  '/204': { status: 204, headers: [], body: '' },
  '/304': { status: 304, headers: [['etag', '"a"']], body: '' },
  '/402': new PreparedReply(
    prepareReply({ status: 402, headers: [['payment-required', 'e30=']], body: '{"at":"####"}' }, ['####']),
    ['1234'],
  ),
  '/404': jsonReply(404, { ok: false }),
  '/stream': { status: 200, headers: [], body: { stream: (sink) => sink.end() } },
}
const LENGTHS: Record<string, string[]> = {
  '/200': ['5000'],
  '/bytes': ['2'],
  '/empty': ['0'],
  '/204': [],
  '/304': [],
  '/402': ['13'],
  '/404': ['12'],
  '/stream': [],
}
const WHEN: [string, Handler][] = [
  ['at once', ({ path }) => answered[path]!],
  ['later', async ({ path }) => answered[path]!],
  ['after a while', ({ path }) => new Promise((resolve) => setTimeout(resolve, 5, answered[path]!))],
]

describe.each(WHEN)('HTTP-07 a HEAD answered %s is whole: its connection goes on', (_, handler) => {
  const serve = async () => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog })
    ends.push(() => server.close())
    return server.port
  }

  test.each(Object.keys(answered))('%s: GET and POST follow on the same connection', async (path) => {
    const port = await serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    ends.push(() => agent.destroy())
    const ask = (method: string, on: string) =>
      new Promise<unknown[]>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, agent, method, path: on }, (answer) => {
          const names = answer.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
          const lengths = names
            .filter((name) => name === 'content-length')
            .map(() => answer.headers['content-length'])
          answer.resume()
          answer.on('end', () => resolve([answer.statusCode, sent.reusedSocket, lengths]))
        })
        sent.on('error', reject)
        sent.end()
      })
    const { status } = answered[path]!
    expect(await ask('HEAD', path)).toEqual([status, false, LENGTHS[path]])
    for (const [method, on] of [
      ['GET', '/200'],
      ['HEAD', path],
      ['HEAD', path],
      ['POST', '/404'],
    ] as const)
      expect(await ask(method, on)).toEqual([answered[on]!.status, true, LENGTHS[on]])
  })
})

describe.each(WHEN)('RFC 9112 9.6 who asks for the end of his connection, answered %s', (_, handler) => {
  //  node-fetch 2 asks for it in each request, also on a keep-alive agent: its second request met a closed socket
  test.each(
    Object.keys(answered).flatMap((path) => [
      ['GET', path],
      ['HEAD', path],
    ]),
  )('%s %s: is told that it ends, once', async (method, path) => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog })
    ends.push(() => server.close())
    const bytes = `${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`
    const received = await exchangeRaw(`http://127.0.0.1:${server.port}`, bytes)
    expect(received.match(/^connection: close\r$/gim)).toHaveLength(1)
    const kept = `${method} ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
    expect(await exchangeRaw(`http://127.0.0.1:${server.port}`, kept)).not.toMatch(/\r\nconnection:/i)
  })
})

test('HTTP-07 four requests in one packet: each has its answer, in order', async () => {
  const server = await serveHttp({ host: '127.0.0.1', port: 0, handler: WHEN[0]![1], log: quietLog })
  ends.push(() => server.close())
  const ask = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
  const bytes = [ask('HEAD', '/200'), ask('HEAD', '/402'), ask('GET', '/404'), ask('HEAD', '/304')].join('')
  const received = await exchangeRaw(`http://127.0.0.1:${server.port}`, bytes)
  const [first, second, third, rest = ''] = received.split('\r\n\r\n')
  expect([first, second, third].map((head) => head?.slice(9, 12))).toEqual(['200', '402', '404'])
  expect(rest.slice(0, rest.indexOf('\r\n'))).toBe('{"ok":false}HTTP/1.1 304 Not Modified')
})

test('HTTP-07 behind a HEAD nothing is seen that pays, spends or redeems', async () => {
  const seen: unknown[] = []
  const route = createRouter([
    {
      method: 'GET',
      path: '/a',
      handler: (request) => {
        for (const name of [...INSTRUMENTS, 'x-service-permit', 'x-service-payload'] as const)
          seen.push(request.header(name), request.headerCount(name))
        return { status: 200, headers: [], body: '' }
      },
    },
  ])
  const sent = { header: () => 'x', headerCount: () => 1, body: async () => Buffer.of() }
  await route({ method: 'HEAD', path: '/a', rawQuery: '', address: '127.0.0.1', ...sent })
  expect([seen.length, ...new Set(seen)]).toEqual([12, '', 0])
})

test('HTTP-07 what chooses among answers, and what may be read again and again, a HEAD is asked for like its GET', async () => {
  const shown = [
    'accept',
    'if-none-match',
    'content-length',
    'transfer-encoding',
    'x-agent-id',
    'x-service-feed-token',
    'x-marketplace-token',
  ] as const
  const seen: unknown[] = []
  const route = createRouter([
    {
      method: 'GET',
      path: '/a',
      handler: async (request) => {
        for (const name of shown) seen.push(`${request.header(name)} ${request.headerCount(name)}`)
        seen.push(
          request.method,
          request.path,
          request.rawQuery,
          request.address,
          String(await request.body(9)),
        )
        return { status: 200, headers: [], body: '' }
      },
    },
  ])
  const sent = { header: (name: string) => name, headerCount: () => 1, body: async () => Buffer.from('b') }
  await route({ method: 'HEAD', path: '/a', rawQuery: 'q=1', address: '127.0.0.1', ...sent })
  expect(seen).toEqual([...shown.map((name) => `${name} 1`), 'HEAD', '/a', 'q=1', '127.0.0.1', 'b'])
})
