import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { Handler, HttpRequest, Reply } from '../../../api/http/exchange.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { MAX_HEAD_BYTES, serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { sleep, until } from '../../support/process.ts'
import { exchangeRaw, headOf, openRaw, type RawConnection, statusesOf } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** @returns origin; the server is closed after the test, which waits for every request under way. */
async function serve(handlers: Record<string, Handler>): Promise<string> {
  const routes = Object.entries(handlers).map(([path, handler]) => ({
    method: 'GET' as const,
    path,
    handler,
  }))
  const post = { method: 'POST' as const, path: '/post', handler: echo }
  const handler = createRouter([...routes, post])
  const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log: quietLog })
  ends.push(() => server.close())
  return `http://127.0.0.1:${server.port}`
}
const echo: Handler = async (request) => jsonReply(200, { body: (await request.body(1_000)).toString() })
const ok: Handler = () => jsonReply(200, { ok: true })

test('closed twice, at once and after its end: both wait for the request under way, and the process lives', async () => {
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<Reply>()]
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: () => {
      begun.resolve()
      return answered.promise
    },
    log: quietLog,
  })
  const asked = fetch(`http://127.0.0.1:${server.port}/`)
  await begun.promise
  const ended: string[] = []
  const closing = ['first', 'second'].map((name) => server.close().then(() => ended.push(name)))
  await sleep(50)
  expect(ended).toEqual([])
  answered.resolve(jsonReply(200, { ok: true }))
  expect((await asked).status).toBe(200)
  await Promise.all(closing)
  await server.close()
  expect(ended).toEqual(['first', 'second'])
})

describe('HTTP-01 the head of a request is bounded, and a smart wallet’s payment fits', () => {
  const headOfBytes = (bytes: number) => {
    const rest = headOf('/', { 'payment-signature': '' }).length
    return headOf('/', { 'payment-signature': 'A'.repeat(bytes - rest) })
  }

  test.each([
    [4_095, 200],
    [4_097, 200],
    [16 * 1024, 200],
    [MAX_HEAD_BYTES - 64, 200],
    [MAX_HEAD_BYTES + 64, 431],
  ])('%d bytes: %d', async (bytes, status) => {
    const base = await serve({ '/': ok })
    const head = headOfBytes(bytes)
    expect(head).toHaveLength(bytes)
    expect(statusesOf(await exchangeRaw(base, head))).toEqual([status])
  })
})

describe('HTTP-06 whatever handlers and clients do, the process lives and every request ends', () => {
  const late =
    (ms: number, reply: () => Reply): Handler =>
    async () => {
      await sleep(ms)
      return reply()
    }
  const handlers: Record<string, Handler> = {
    '/now': ok,
    '/late': late(3, () => jsonReply(200, { late: true })),
    '/throws': () => {
      throw new Error('broken')
    },
    '/rejects': late(2, () => {
      throw new Error('broken')
    }),
    '/stream': () => ({
      status: 200,
      headers: [],
      body: {
        stream: (sink) => {
          sink.write('x'.repeat(100_000))
          setTimeout(() => sink.end(), 2)
        },
      },
    }),
    '/body': echo,
  }

  test('2,000 requests, each cut off at a moment of its own', async () => {
    const base = await serve(handlers)
    const paths = Object.keys(handlers)
    const one = async (n: number) => {
      const { socket, closed } = await openRaw(base)
      socket.write(headOf(paths[n % paths.length]!))
      if (n % 3 > 0) await sleep(n % 7)
      if (n % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
      await closed
    }
    for (let from = 0; from < 2_000; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, n) => one(from + n)))
    expect((await fetch(`${base}/now`)).status).toBe(200)
  })

  test('a handler that fails before, at and after its first await: 500 each time, and the connection goes on', async () => {
    const base = await serve(handlers)
    for (const path of ['/throws', '/rejects', '/throws'])
      expect(statusesOf(await exchangeRaw(base, headOf(path)))).toEqual([500])
  })
})

describe('HTTP-06 the server frees a request at the first await of its handler', () => {
  const later =
    (read: (request: HttpRequest) => string): Handler =>
    async (request) => {
      await sleep(2)
      return jsonReply(200, { read: read(request) })
    }

  test('query and caller were copied by then; a header that nobody looked at is a failure of ours, not of the process', async () => {
    const handler = createRouter([
      { method: 'GET', path: '/query', handler: later(({ rawQuery }) => rawQuery) },
      { method: 'GET', path: '/caller', handler: later(({ address }) => address) },
      { method: 'GET', path: '/header', handler: later((request) => request.header('x-agent-id')) },
    ])
    const findCaller = (_: string, forwardedFor: string) => forwardedFor
    const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, findCaller, log: quietLog })
    ends.push(() => server.close())
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-agent-id': 'agent' }
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
      return [answer.status, ((await answer.json()) as { read?: string }).read]
    }
    expect(await ask('/query?q=a%2541')).toEqual([200, 'q=a%2541'])
    expect(await ask('/caller')).toEqual([200, '192.0.2.7'])
    expect(await ask('/header')).toEqual([500, undefined])
    expect(await ask('/query?q=b')).toEqual([200, 'q=b'])
  })
})

describe('HTTP-08 connections that say nothing, or little, keep nobody else out', () => {
  /** Both ends of each connection are in this process. */
  const descriptors = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  const IDLE = Math.min(5_000, Math.floor((descriptors - 2_000) / 2))

  const HEADS = 'GET / HTTP/1.1\r\nhost: a\r\nx-slow: '
  const BODIES = 'POST /post HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\nabc'
  const CHUNKS = 'POST /post HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'

  test(`${IDLE} idle ones, 450 whose head or body does not end, 100 that have their answer: who was there before is served, and who comes; they are closed in the end, and not at once`, async () => {
    const base = await serve({ '/': ok })
    const lives: number[] = []
    const open = async (bytes: string): Promise<RawConnection> => {
      const connection = await openRaw(base)
      const sinceMs = performance.now()
      if (bytes !== '') connection.socket.write(bytes)
      ends.push(() => connection.socket.destroy())
      void connection.closed.then(() => lives.push(performance.now() - sinceMs))
      return connection
    }
    const openMany = async (count: number, bytes = '') => {
      const opened: RawConnection[] = []
      for (let left = count; left > 0; left -= 250)
        opened.push(...(await Promise.all(Array.from({ length: Math.min(left, 250) }, () => open(bytes)))))
      return opened
    }
    const before = await openRaw(base)
    ends.push(() => before.socket.destroy())
    let asked = 0
    const askAgain = async () => {
      before.socket.write(headOf('/'))
      asked++
      await until('who was there is served', () => statusesOf(before.received()).length === asked)
    }
    await askAgain()
    const quiet = await openMany(IDLE)
    quiet.push(
      ...(await openMany(50, HEADS)),
      ...(await openMany(50, BODIES)),
      ...(await openMany(50, CHUNKS)),
    )
    quiet.push(
      ...(await openMany(50, headOf('/'))),
      ...(await openMany(50, headOf('/').replace('GET', 'HEAD'))),
    )
    //  every half second one byte, or a chunk of one byte
    const slow = [HEADS, BODIES, CHUNKS].map(async (begin) => ({
      piece: begin === CHUNKS ? '1\r\na\r\n' : 'a',
      connections: await openMany(100, begin),
    }))
    const slower = await Promise.all(slow)
    const all = [...quiet, ...slower.flatMap(({ connections }) => connections)]
    const opened = all.length
    expect(opened).toBe(IDLE + 550)
    for (let waited = 0; lives.length < opened && waited < 40; waited++) {
      for (const { piece, connections } of slower)
        for (const { socket } of connections) if (socket.writable) socket.write(piece)
      await askAgain()
      expect((await fetch(`${base}/`, { headers: { connection: 'close' } })).status).toBe(200)
      await sleep(500)
    }
    expect(lives).toHaveLength(opened)
    expect(Math.min(...lives)).toBeGreaterThan(5_000)
    expect(new Set(statusesOf(before.received()))).toEqual(new Set([200]))
  })
})

describe('HTTP-09 one request is one request: what its framing leaves unclear is not served', () => {
  const SMUGGLED = 'GET /secret HTTP/1.1\r\nhost: a\r\n\r\n'
  const post = (headers: string, body: string) => `POST /post HTTP/1.1\r\nhost: a\r\n${headers}\r\n${body}`

  test.each([
    [
      'CL and TE',
      post(
        `content-length: ${5 + SMUGGLED.length}\r\ntransfer-encoding: chunked\r\n`,
        `0\r\n\r\n${SMUGGLED}`,
      ),
    ],
    ['TE and CL', post(`transfer-encoding: chunked\r\ncontent-length: 4\r\n`, `0\r\n\r\n${SMUGGLED}`)],
    ['two lengths', post(`content-length: 0\r\ncontent-length: ${SMUGGLED.length}\r\n`, SMUGGLED)],
    ['a negative length', post('content-length: -1\r\n', SMUGGLED)],
    ['a length that is no number', post('content-length: 0x10\r\n', SMUGGLED)],
    ['a coding we do not know', post('transfer-encoding: xchunked\r\n', SMUGGLED)],
    ...[
      ['xchunked'],
      ['identity'],
      ['chunked, gzip'],
      ['gzip, chunked'],
      ['chunked', 'chunked'],
      ['chunked', 'identity'],
      ['identity', 'chunked'],
    ].map((codings): [string, string] => [
      `in chunks, said to be ${codings.join(' and ')}`,
      post(codings.map((coding) => `transfer-encoding: ${coding}\r\n`).join(''), `0\r\n\r\n${SMUGGLED}`),
    ]),
    ['an empty chunk size', post('transfer-encoding: chunked\r\n', `\r\n${SMUGGLED}`)],
    ['a space before the colon', post('content-length : 0\r\n', SMUGGLED)],
    ['lines that end in LF alone', `POST /post HTTP/1.1\nhost: a\ncontent-length: 0\n\n${SMUGGLED}`],
  ])('%s', async (_, bytes) => {
    const asked: string[] = []
    const base = await serve({
      '/secret': (request) => {
        asked.push(request.path)
        return jsonReply(200, {})
      },
    })
    await exchangeRaw(base, bytes)
    expect(asked).toEqual([])
  })

  test('two clear requests are two answers', async () => {
    const base = await serve({ '/secret': ok })
    expect(statusesOf(await exchangeRaw(base, SMUGGLED + SMUGGLED))).toEqual([200, 200])
    const chunks = post('transfer-encoding: Chunked\r\n', `2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`)
    expect(statusesOf(await exchangeRaw(base, chunks))).toEqual([200, 200])
  })
})

describe('HTTP-13 nothing a caller sends becomes a header of the answer', () => {
  test.each([
    ['a line break', 'abcdefgh%0d%0aset-cookie: a=b'],
    ['a control character', 'abcdefgh\u0001ijkl'],
    ['a byte beyond ASCII', 'abcdefgh\u00ffijkl'],
    ['a quote', 'abcdefgh"ijkl'],
  ])('%s in X-Request-Id, path and query', async (_, value) => {
    const base = await serve({ '/': ok })
    const answer = await exchangeRaw(
      base,
      headOf(`/${encodeURI(value)}?q=${encodeURI(value)}`, { 'x-request-id': value }),
    )
    const [head = ''] = answer.split('\r\n\r\n')
    expect(head).not.toContain('abcdefgh')
    expect(head).not.toContain('set-cookie')
    expect([...head].every((char) => char === '\r' || char === '\n' || (char >= ' ' && char <= '~'))).toBe(
      true,
    )
  })
})

test.each([
  ['chat', 'chat'],
  ['chat.v2, other', 'chat.v2'],
  ['', null],
  ['two words', null],
  ['a\ttab', null],
  ['"quoted"', null],
  ['token=a;b', null],
  ['chat, two words', null],
  ['ch\u00e4t', null],
])(
  'HTTP-13 what is repeated is a token: offered as subprotocol, %j: answered with %j',
  async (offered, answered) => {
    const server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([]),
      sockets: [
        { path: '/', maxMessageBytes: 9, accept: () => ({ opened() {}, message() {}, closed() {} }) },
      ],
      log: quietLog,
    })
    ends.push(() => server.close())
    const { socket, received } = await openRaw(`http://127.0.0.1:${server.port}`)
    ends.push(() => socket.destroy())
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': offered,
    }
    socket.write(headOf('/', upgrade), 'latin1')
    await until('it is answered', () => received().includes('\r\n\r\n'))
    expect(statusesOf(received())).toEqual([101])
    expect(/^sec-websocket-protocol: (.*)\r$/im.exec(received())?.[1] ?? null).toBe(answered)
  },
)
