import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceError } from '../../ops/errors.ts'
import {
  createBodySpace,
  createHttpClient,
  type HttpClient,
  HttpError,
  retryAfterOf,
  type Stamp,
} from '../../ops/http.ts'
import { parseRetryAfter } from '../../ops/retryAfter.ts'
import { type Answer, serveAnswers } from '../ingest/support/answers.ts'
import { freePort } from '../support/ports.ts'

const MAX_BYTES = 100_000
let answer: Answer = {}
const asked: { method: string; body: string; headers: Record<string, unknown> }[] = []
let server: Awaited<ReturnType<typeof serveAnswers>>
let client: HttpClient

beforeAll(async () => {
  server = await serveAnswers((path, _url, body, request) => {
    asked.push({ method: request.method ?? '', body, headers: request.headers })
    return path === '/followed' ? { json: { followed: true } } : answer
  })
  client = createHttpClient({ timeoutMs: 1_000, maxBytes: MAX_BYTES })
})
afterAll(async () => {
  await client.close()
  await server.close()
})

const read = (given: Answer, path = '/page?secret=1') => {
  answer = given
  return client.readJson({ url: server.url + path })
}
const failure = async (given: Answer): Promise<HttpError> => {
  const error = await read(given).then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HttpError)) throw error
  return error
}

describe('what is read', () => {
  test('JSON, plain and gzipped, with its size', async () => {
    expect(await read({ json: { a: [1, 'é'] } })).toEqual({ json: { a: [1, 'é'] }, bytes: 14 })
    const zipped = gzipSync('{"a":1}')
    expect(await read({ body: zipped, headers: { 'content-encoding': 'gzip' } })).toEqual({
      json: { a: 1 },
      bytes: 7,
    })
  })
  test('a post carries JSON; localised texts are never asked for', async () => {
    answer = { json: [] }
    await client.readJson({ url: `${server.url}/books`, post: [{ token_id: '1' }] })
    expect(asked.at(-1)).toMatchObject({
      method: 'POST',
      body: '[{"token_id":"1"}]',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'accept-language': 'en',
        'accept-encoding': 'gzip',
        'user-agent': 'agent-micro-data-service/1',
      },
    })
  })
  test('a body exactly as large as allowed', async () => {
    const body = JSON.stringify('x'.repeat(MAX_BYTES - 2))
    expect((await read({ body })).bytes).toBe(MAX_BYTES)
    const packed = { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
    expect((await read(packed)).bytes).toBe(MAX_BYTES)
  })
  test('a space is used again and grows to the largest body, never beyond what is allowed', async () => {
    const space = createBodySpace()
    const readInto = (body: string) => {
      answer = { body }
      return client.readBytes({ url: server.url, space })
    }
    await readInto('x'.repeat(100))
    expect(space.bytes.length).toBeLessThan(1_000)
    const long = 'x'.repeat(80_000)
    expect(String(await readInto(long))).toBe(long)
    const { bytes } = space
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    const short = await readInto('short')
    expect(String(short)).toBe('short')
    expect([space.bytes, short.buffer]).toEqual([bytes, bytes.buffer])
    await expect(readInto('x'.repeat(MAX_BYTES + 1))).rejects.toMatchObject({ code: 'http_too_large' })
    expect(space.bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    expect(String(await readInto('after'))).toBe('after')
  })
})

describe('however the network cuts an answer', () => {
  const serve = async (onSocket: (socket: Socket) => void) => {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => onSocket(socket))
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`, raw }
  }
  test('a head in halves is read as it was sent', async () => {
    const body = Buffer.alloc(50_000, '1')
    const { url, raw } = await serve(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nage: 4711\r\ndate: Sat, 21 Nov')
      await sleep(50)
      const rest = ` 2026 12:00:00 GMT\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`
      socket.end(Buffer.concat([Buffer.from(rest), body]))
    })
    const heard: Stamp[] = []
    expect(await client.readBytes({ url, onStamp: (stamp) => heard.push(stamp) })).toEqual(body)
    expect(heard).toMatchObject([{ age: '4711', date: 'Sat, 21 Nov 2026 12:00:00 GMT' }])
    raw.close()
  })
  test('a body in pieces is put together, and its space grows no further than is allowed', async () => {
    const pieces = [Buffer.alloc(60_000, '1'), Buffer.alloc(30_000, '2')] as const
    const { url, raw } = await serve(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 90000\r\nconnection: close\r\n\r\n')
      socket.write(pieces[0])
      await sleep(50)
      socket.end(pieces[1])
    })
    const space = createBodySpace()
    expect((await client.readBytes({ url, space })).equals(Buffer.concat(pieces))).toBe(true)
    expect(space.bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    raw.close()
  })
  test('VEN-15 a body that comes byte by byte, each in time, ends with the time for the whole read', async () => {
    const { url, raw } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const drip = setInterval(() => socket.write('1'), 50)
      socket.once('close', () => {
        clearInterval(drip)
        left()
      })
    })
    let left = () => {}
    const isLeft = new Promise<void>((resolve) => {
      left = resolve
    })
    await expect(client.readBytes({ url })).rejects.toMatchObject({ code: 'http_timeout', retryable: true })
    await isLeft //  its connection is given back
    raw.close()
  })
  test('a body that is under way when the caller gives up is waited for no longer', async () => {
    const { url, raw } = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n1')
    })
    const patient = createHttpClient({ timeoutMs: 100_000, maxBytes: 2 })
    const stop = new AbortController()
    const reading = patient.readBytes({ url, signal: stop.signal })
    await sleep(100)
    stop.abort()
    await expect(reading).rejects.toMatchObject({ code: 'http_aborted', retryable: false })
    await patient.close()
    raw.close()
  })
  test.each(['', 'content-length: 65537\r\n'])(
    '%j of a refusal: its body is not waited for',
    async (length) => {
      const { url, raw } = await serve((socket) => {
        socket.write(`HTTP/1.1 500 Oops\r\n${length}\r\nhalf`)
      })
      const patient = createHttpClient({ timeoutMs: 100_000, maxBytes: MAX_BYTES })
      await expect(patient.readBytes({ url })).rejects.toMatchObject({ code: 'http_status', status: 500 })
      await patient.close()
      raw.close()
    },
  )
  test('large bodies at the same time are each as they were sent', async () => {
    const large = createHttpClient({ timeoutMs: 10_000, maxBytes: 8_000_000 })
    const bodies = [1, 2, 3, 4, 5].map((seed) => Buffer.alloc(1_500_000 * seed, `body ${seed} `))
    let next = 0
    const { url, raw } = await serve((socket) => {
      const body = bodies[next++]!
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`)
      socket.end(body)
    })
    const read = await Promise.all(bodies.map(() => large.readBytes({ url })))
    const sorted = read.sort((x, y) => x.length - y.length)
    for (const [at, body] of bodies.entries()) expect(sorted[at]!.equals(body)).toBe(true)
    await large.close()
    raw.close()
  })
})

describe('VEN-01 and VEN-15: every other answer is a typed error', () => {
  const gzip = { 'content-encoding': 'gzip' }
  test.each<[string, Answer, string, boolean, number | null]>([
    ['too many requests', { status: 429 }, 'http_rate_limited', true, 429],
    ['internal error', { status: 500, body: 'oops' }, 'http_status', true, 500],
    ['unavailable', { status: 503 }, 'http_status', true, 503],
    ['engine restarts', { status: 425 }, 'http_status', true, 425],
    ['not found', { status: 404, json: {} }, 'http_status', false, 404],
    ['validation', { status: 422, json: {} }, 'http_status', false, 422],
    ['a redirect', { status: 302, headers: { location: '/followed' } }, 'http_redirect', false, 302],
    ['HTML', { body: '<html>' }, 'http_not_json', true, null],
    ['nothing', { body: '' }, 'http_not_json', true, null],
    ['NaN', { body: '{"bestBid":NaN}' }, 'http_not_json', true, null],
    ['half a JSON', { body: '{"events":[' }, 'http_not_json', true, null],
    ['a cut connection', { body: '{"events":[1,2,3]}', cut: true }, 'http_unreachable', true, null],
    ['cut gzip', { body: gzipSync('{"a":1}').subarray(0, 12), headers: gzip }, 'http_encoding', true, null],
    ['no gzip at all', { body: '{}', headers: gzip }, 'http_encoding', true, null],
    [
      'an encoding nobody asked for',
      { body: '{}', headers: { 'content-encoding': 'br' } },
      'http_encoding',
      false,
      null,
    ],
    ['one byte too many', { body: JSON.stringify('x'.repeat(MAX_BYTES - 1)) }, 'http_too_large', false, null],
    [
      'a bomb: 100 MB in 100 kB',
      { body: gzipSync(Buffer.alloc(100_000_000, 32)).subarray(0, MAX_BYTES), headers: gzip },
      'http_too_large',
      false,
      null,
    ],
    [
      'one byte too many when it is unpacked',
      { body: gzipSync(JSON.stringify('x'.repeat(MAX_BYTES - 1))), headers: gzip },
      'http_too_large',
      false,
      null,
    ],
    ['silence', { hang: true }, 'http_timeout', true, null],
  ])('%s', async (_, given, code, retryable, status) => {
    const error = await failure(given)
    expect(error).toBeInstanceOf(ServiceError)
    expect({ code: error.code, retryable: error.retryable, status: error.status }).toEqual({
      code,
      retryable,
      status,
    })
    expect(error.message).not.toContain('secret')
  })
  test('a refusal with more than anybody would read is told by its status', async () => {
    expect((await failure({ status: 500, body: 'x'.repeat(3 * MAX_BYTES) })).code).toBe('http_status')
    expect((await read({ json: 1 })).json).toBe(1)
  })
  test('nobody there', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    await expect(client.readJson({ url })).rejects.toMatchObject({
      code: 'http_unreachable',
      retryable: true,
    })
  })
  test('the caller gives up', async () => {
    answer = { hang: true }
    const stop = new AbortController()
    const reading = client.readJson({ url: server.url, signal: stop.signal })
    stop.abort()
    await expect(reading).rejects.toMatchObject({ code: 'http_aborted', retryable: false })
  })
  test('the client goes on after any of them', async () => {
    await failure({ body: '{', cut: true })
    expect((await read({ json: 1 })).json).toBe(1)
  })
})

describe('VEN-08: what an answer says about time', () => {
  const stamps = async (given: Answer): Promise<Stamp[]> => {
    answer = given
    const heard: Stamp[] = []
    await client.readBytes({ url: server.url, onStamp: (stamp) => heard.push(stamp) }).catch(() => undefined)
    return heard
  }
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
  test('is told once, as its headers stand, between asking and their arrival', async () => {
    const beforeMs = Date.now()
    const [stamp, ...more] = await stamps({ json: 1, headers: { date, age: '7' } })
    expect(more).toEqual([])
    expect(stamp).toMatchObject({ date, age: '7' })
    expect(beforeMs).toBeLessThanOrEqual(stamp!.sentMs)
    expect(stamp!.sentMs).toBeLessThanOrEqual(stamp!.arrivedMs)
    expect(stamp!.arrivedMs).toBeLessThanOrEqual(Date.now())
    expect((await stamps({ json: 1, headers: { date } }))[0]!.age).toBeUndefined()
  })
  test('the headers arrive before a body that takes long', async () => {
    const slow = createServer((_, response) => {
      response.writeHead(200, { date })
      response.write('"')
      setTimeout(() => response.end('"'), 300)
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const heard: Stamp[] = []
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    await client.readBytes({ url, onStamp: (stamp) => heard.push(stamp) })
    expect(Date.now() - heard[0]!.arrivedMs).toBeGreaterThanOrEqual(200)
    await new Promise((resolve) => {
      slow.close(resolve)
      slow.closeAllConnections()
    })
  })
  test.each<[Answer, number]>([
    [{ status: 200, json: 1 }, 1],
    [{ status: 204 }, 1],
    [{ status: 302 }, 0], //  nobody knows whose Date that is
    [{ status: 429 }, 0],
    [{ status: 500 }, 0],
    [{ hang: true }, 0],
  ])('%j: told %i times', async (given, times) => {
    expect(await stamps(given)).toHaveLength(times)
  })
})

describe('Retry-After is obeyed with 429 and 503', () => {
  test.each<[Answer, number | null]>([
    [{ status: 429, headers: { 'retry-after': '7' } }, 7_000],
    [{ status: 503, headers: { 'retry-after': '0' } }, 0],
    [{ status: 429 }, null],
    [{ status: 500, headers: { 'retry-after': '7' } }, null],
    [{ status: 429, headers: { 'retry-after': 'soon' } }, null],
    [{ status: 429, headers: { 'retry-after': '-5' } }, null],
  ])('%j: %s ms', async (given, expected) => {
    const error = await failure(given)
    expect([error.retryAfterMs, retryAfterOf(error)]).toEqual([expected, expected])
  })
  test('nobody asks for anything in another failure', () => {
    expect(retryAfterOf(new Error('x'))).toBeNull()
  })
  test('as a date, never negative', () => {
    const nowMs = Date.parse('Sat, 21 Nov 2026 10:00:00 GMT')
    expect(parseRetryAfter('Sat, 21 Nov 2026 10:00:30 GMT', nowMs)).toBe(30_000)
    expect(parseRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', nowMs)).toBe(0)
    expect(parseRetryAfter('2026', nowMs)).toBe(2_026_000)
  })
})
