import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outlet } from '../../../api/http/exchange.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'

const TOTAL_BYTES = 24_000_000
const SIZES = [100, 1_000, 15_999, 16_000, 16_001, 17_000, 20_000, 23_000, 30_000, 70_000]
const countOf = (size: number) => Math.min(3_000, Math.ceil(TOTAL_BYTES / size))
const chunkOf = (at: number, size: number) => `${at}`.padEnd(size, '.')

/** Writes as the feed does: until bytes wait, and on when they have been sent. */
function writeAll(outlet: Outlet, size: number, begin: (go: () => void) => void, end: () => void) {
  let at = 0
  const go = () => {
    while (at < countOf(size)) if (!outlet.write(Buffer.from(chunkOf(at++, size)))) return
    end()
  }
  outlet.onDrained(go)
  begin(go)
}

const BEGINS = {
  'at once': (go: () => void) => go(),
  later: (go: () => void) => void setTimeout(go, 20),
}

async function serve(size: number, begin: (go: () => void) => void): Promise<number> {
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter([
      {
        method: 'GET',
        path: '/stream',
        handler: () => ({
          status: 200,
          headers: [],
          body: { stream: (sink) => writeAll(sink, size, begin, () => sink.end()) },
        }),
      },
    ]),
    sockets: [
      {
        path: '/socket',
        maxMessageBytes: 100,
        accept: () => ({
          opened: (socket) => writeAll(socket, size, begin, () => socket.end(1000, 'all')),
          message: () => {},
          closed: () => {},
        }),
      },
    ],
    log: quietLog,
  })
  onTestFinished(() => server.close())
  return server.port
}

/** The contents of the chunks of HTTP/1.1 (RFC 9112, 7.1). */
function chunksOf(answer: Buffer): string[] {
  const chunks: string[] = []
  for (let at = answer.indexOf('\r\n\r\n') + 4; ; ) {
    const end = answer.indexOf('\r\n', at)
    const size = answer.toString('latin1', at, end)
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new Error(`not the size of a chunk: ${size.slice(0, 20)}`)
    const length = Number.parseInt(size, 16)
    if (length === 0) return chunks
    chunks.push(answer.toString('latin1', end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}

//  the system's buffers fill up again and again: who is written to reads slower than we write
describe.each(Object.entries(BEGINS))(
  'HTTP-18 what is written, begun %s, arrives whole and in order',
  (_, begin) => {
    test.each(SIZES)('a stream of %i bytes at a time', async (size) => {
      const port = await serve(size, begin)
      const read: Buffer[] = []
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n'))
      onTestFinished(() => void socket.destroy())
      socket.on('data', (data) => {
        read.push(data)
        if (read.length % 10 > 0) return
        socket.pause()
        setTimeout(() => socket.resume(), 2)
      })
      await until('the last chunk', () => read.at(-1)?.toString('latin1').endsWith('0\r\n\r\n'))
      const whole = Array.from({ length: countOf(size) }, (_, at) => chunkOf(at, size)).join('')
      expect(chunksOf(Buffer.concat(read)).join('') === whole).toBe(true)
    })

    test.each(SIZES)('a WebSocket, messages of %i bytes', async (size) => {
      const port = await serve(size, begin)
      const heard: unknown[] = []
      const client = new WebSocket(`ws://127.0.0.1:${port}/socket`)
      const closed = new Promise((resolve) => client.addEventListener('close', resolve))
      onTestFinished(() => client.close())
      client.addEventListener('message', ({ data }) => heard.push(data))
      await closed
      const whole = Array.from({ length: countOf(size) }, (_, at) => chunkOf(at, size))
      expect(heard).toEqual(whole)
    })
  },
)
