import { afterEach, describe, expect, test } from 'vitest'
import { BodyTooLarge, ClientGone, type Handler } from '../../../api/http/exchange.ts'
import { jsonReply, problemReply } from '../../../api/http/respond.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { exchangeRaw, openRaw, statusesOf } from '../../support/rawHttp.ts'

const MAX_BYTES = 10_000

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** What a handler reads of this body, which comes in chunks of these lengths. */
async function readAs(text: string, lengths: (at: number) => number): Promise<string> {
  let read = 'nothing'
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    log: quietLog,
    async handler(request) {
      try {
        read = (await request.body(MAX_BYTES)).toString()
      } catch (error) {
        read =
          error instanceof BodyTooLarge ? 'too large' : error instanceof ClientGone ? 'cut off' : 'failed'
      }
      return { status: 200, headers: [], body: '' }
    },
  })
  ends.push(() => server.close())
  let chunks = ''
  for (let from = 0, at = 0; from < text.length; at++) {
    const piece = text.slice(from, from + lengths(at))
    chunks += `${piece.length.toString(16)}\r\n${piece}\r\n`
    from += piece.length
  }
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'
  await exchangeRaw(`http://127.0.0.1:${server.port}`, `${head}${chunks}0\r\n\r\n`)
  return read
}

const long = Array.from({ length: 2_000 }, (_, at) => `${at}.`)
  .join('')
  .slice(0, 9_000)

describe('HTTP-08 a body is bounded in bytes and in pieces, for each costs a call whatever it holds', () => {
  test.each<[string, (at: number) => number]>([
    ['whole', () => long.length],
    ['in halves', () => 4_500],
    ['in odd pieces', (at) => 1 + ((at * 37) % 101)],
    ['nine bytes each', () => 9],
  ])('%s: read as it was sent', async (_, lengths) => {
    expect(await readAs(long, lengths)).toBe(long)
  })

  test('as long as it may be, and a byte more', async () => {
    expect(await readAs('x'.repeat(MAX_BYTES), () => 512)).toBe('x'.repeat(MAX_BYTES))
    expect(await readAs('x'.repeat(MAX_BYTES + 1), () => 512)).toBe('too large')
  })

  test('short, in more pieces than anybody sends: cut off', async () => {
    expect(await readAs('x'.repeat(1_000), () => 1)).toBe('x'.repeat(1_000))
    expect(await readAs('x'.repeat(6_000), () => 1)).toBe('cut off')
  })

  test('too long, and then in many pieces: cut off, and the server goes on', async () => {
    expect(await readAs('x'.repeat(2 * MAX_BYTES + 6_000), (at) => (at === 0 ? 2 * MAX_BYTES : 1))).toBe(
      'cut off',
    )
  })

  const refusing: Handler = async (request) => {
    try {
      return jsonReply(200, { bytes: (await request.body(MAX_BYTES)).length })
    } catch (error) {
      if (error instanceof BodyTooLarge) return problemReply({ problem: 'body_too_large' })
      throw error
    }
  }

  //  one byte more than is read, and no more: a client still writing may see the connection go before the answer
  const CHUNKS = `${`10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(16)}2711\r\n${'x'.repeat(MAX_BYTES + 1)}`
  test.each([
    ['by its length', 'content-length: 8000000', 'x'.repeat(1024 * 1024 + MAX_BYTES + 1)],
    ['in chunks', 'transfer-encoding: chunked', CHUNKS],
    ['in chunks, by one who leaves', 'connection: close\r\ntransfer-encoding: chunked', CHUNKS],
  ])('megabytes too long, %s: told so, once, and the connection ends', async (_, header, body) => {
    const server = await serveHttp({ host: '127.0.0.1', port: 0, log: quietLog, handler: refusing })
    ends.push(() => server.close())
    const { socket, received, closed } = await openRaw(`http://127.0.0.1:${server.port}`)
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n${body}`)
    await closed
    expect(statusesOf(received())).toEqual([413])
    expect(received()).toMatch(/\r\nconnection: close\r\n/i)
    expect(received()).toContain('"code":"body_too_large"')
  })
})
