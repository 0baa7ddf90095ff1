import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { sleep } from '../../support/process.ts'
import { exchangeRaw, openRaw, statusesOf } from '../../support/rawHttp.ts'

let server: Awaited<ReturnType<typeof serveHttp>>
let base = ''
let asked = 0
beforeAll(async () => {
  const handler = () => {
    asked++
    return jsonReply(200, { ok: true })
  }
  const [path, post] = ['/x402/v1/ping', '/post'] as const
  server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    log: quietLog,
    handler: createRouter([
      { method: 'GET', path, handler, head: false },
      { method: 'POST', path: post, handler },
    ]),
  })
  base = `http://127.0.0.1:${server.port}`
})
afterAll(() => server?.close())

const HOST = 'host: a\r\n'
const WANTED = `GET /x402/v1/ping HTTP/1.1\r\n${HOST}\r\n`
const get = (header: string) => `GET /x402/v1/ping HTTP/1.1\r\n${HOST}${header}\r\n\r\n`
const startLine = (line: string) => `${line}\r\n${HOST}\r\n`

describe('HTTP-19 a request by the grammar of RFC 9112 is served', () => {
  test.each([
    ['as clients write it', WANTED],
    ['names in other letters', `GET /x402/v1/ping HTTP/1.1\r\nHOST: a\r\nX-a: 1\r\n\r\n`],
    ['no blank behind the colon', get('x-a:1')],
    ['an empty value', get('x-a:')],
    ['a tab in a value', get('x-a: 1\t2')],
    ['bytes beyond ASCII in a value', get('x-a: \xc3\xa4')],
    ['a query', WANTED.replace(' HTTP', '?echo=a HTTP')],
    ['a length of nothing', `POST /post HTTP/1.1\r\n${HOST}content-length: 0\r\n\r\n`],
  ])('%s', async (_, bytes) => {
    expect(statusesOf(await exchangeRaw(base, bytes))).toEqual([200])
  })

  test.each([
    ['the method', 2],
    ['the path', 9],
    ['a header name', WANTED.indexOf('st: a')],
    ['a header value', WANTED.indexOf('a\r\n\r\n')],
    ['the end of the head', WANTED.length - 1],
  ])('in two packets, cut inside %s', async (_, cut) => {
    const { socket, received } = await openRaw(base)
    socket.setNoDelay(true)
    socket.write(WANTED.slice(0, cut))
    await sleep(20)
    socket.write(WANTED.slice(cut))
    await expect.poll(() => statusesOf(received())).toEqual([200])
    socket.destroy()
  })

  test('a packet that ends inside the words HTTP/1.1 is refused by the server we pin, and nothing is served', async () => {
    const before = asked
    const { socket, received } = await openRaw(base)
    socket.setNoDelay(true)
    socket.write(WANTED.slice(0, WANTED.indexOf('/1.1')))
    await expect.poll(() => statusesOf(received())).toEqual([505])
    socket.destroy()
    expect(asked).toBe(before)
  })
})

const MALFORMED: readonly (readonly [what: string, bytes: string])[] = [
  ['no version', startLine('GET /x402/v1/ping')],
  ['version 1.0', startLine('GET /x402/v1/ping HTTP/1.0')],
  ['version 2.0', startLine('GET /x402/v1/ping HTTP/2.0')],
  ['a version of more digits', startLine('GET /x402/v1/ping HTTP/1.11')],
  ['a version in small letters', startLine('GET /x402/v1/ping http/1.1')],
  ['another protocol', startLine('GET /x402/v1/ping HTTQ/1.1')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
  ['two blanks before the path', startLine('GET  /x402/v1/ping HTTP/1.1')],
  ['a tab before the path', startLine('GET\t/x402/v1/ping HTTP/1.1')],
  ['no path', startLine('GET HTTP/1.1')],
  ['a path without its slash', startLine('GET x402/v1/ping HTTP/1.1')],
  ['a whole URL, as for a proxy', startLine('GET http://a/x402/v1/ping HTTP/1.1')],
  ['a tunnel', startLine('CONNECT a:443 HTTP/1.1')],
  ['a control character in the path', startLine('GET /x402/v1/\x01ping HTTP/1.1')],
  ['a small-letter method', startLine('get /x402/v1/ping HTTP/1.1')],
  ['a method that is no token', startLine('G(T /x402/v1/ping HTTP/1.1')],
  ['an empty line first', `\r\n${WANTED}`],
  ['no host', 'GET /x402/v1/ping HTTP/1.1\r\n\r\n'],
  ['a blank before a name', get(' x-a: 1')],
  ['a blank before the colon', get('x-a : 1')],
  ['a folded value', get('x-a: 1\r\n 2')],
  ['no colon', get('x-a')],
  ['a control character in a name', get('x\x01a: 1')],
  ['a quote in a name', get('"x": 1')],
  ['NUL in a value', get('x-a: 1\x002')],
  ['a bell in a value', get('x-a: \x07')],
  ['a lone CR in a value', get('x-a: 1\r2')],
  ['lines that end in LF alone', WANTED.replaceAll('\r', '')],
  ['one line that ends in LF alone', WANTED.replace('host: a\r\n', 'host: a\n')],
]

/** Invalid lengths are tested under HTTP-02 and HTTP-09: their head follows the grammar, so a handler sees it. */
describe('HTTP-19 what is not by the grammar reaches no handler', () => {
  //  the server takes some for the beginning of a longer head, and waits for the rest
  const answers = new Map<string, Promise<string>>()
  let before = 0
  beforeAll(async () => {
    before = asked
    for (const [what, bytes] of MALFORMED) answers.set(what, exchangeRaw(base, bytes))
    await Promise.all(answers.values())
  })

  test.each(MALFORMED)('%s', async (what) => {
    const statuses = statusesOf((await answers.get(what))!)
    expect(statuses.filter((status) => status < 400)).toEqual([])
  })

  test('none of them was asked for, and others are served', async () => {
    expect(asked).toBe(before)
    expect((await fetch(`${base}/x402/v1/ping`)).status).toBe(200)
  })
})

describe('HTTP-19 an upgrade is not taken where there is nothing to upgrade to', () => {
  const upgrade = (path: string, to: string) =>
    `GET ${path} HTTP/1.1\r\n${HOST}connection: upgrade\r\nupgrade: ${to}\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`

  test.each(['websocket', 'h2c'])('%s: a path that is none is 404, any other answers as ever', async (to) => {
    expect(statusesOf(await exchangeRaw(base, upgrade('/nothing', to)))).toEqual([404])
    expect(statusesOf(await exchangeRaw(base, upgrade('/x402/v1/ping', to)))).toEqual([200])
  })
})
