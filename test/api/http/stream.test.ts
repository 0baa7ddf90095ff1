import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { MAX_WAITING_BYTES, type Reply, type StreamSink } from '../../../api/http/exchange.ts'
import { createRouter } from '../../../api/http/router.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { createStreamSink } from '../../../api/http/streamSink.ts'
import { quietLog } from '../../support/ledger.ts'
import { sleep, until } from '../../support/process.ts'
import { headOf, openRaw } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function serve(stream: (sink: StreamSink) => void): Promise<Server> {
  const reply: Reply = { status: 200, headers: [['content-type', 'text/plain']], body: { stream } }
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler: createRouter([{ method: 'GET', path: '/stream', handler: () => Promise.resolve(reply) }]),
    log: quietLog,
  })
  ends.push(() => server.close())
  return server
}

/** A reader that takes nothing before `read()`. */
function slowReader(port: number): { socket: Socket; bytes(): number; read(): void; text(): string } {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n'))
  socket.pause()
  socket.on('error', () => {})
  ends.push(() => socket.destroy())
  let bytes = 0
  let tail = ''
  return {
    socket,
    bytes: () => bytes,
    text: () => tail,
    read() {
      socket.on('data', (data) => {
        bytes += data.length
        tail = (tail + data.toString('latin1')).slice(-100)
      })
      socket.resume()
    },
  }
}

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

describe('a streamed reply', () => {
  test('chunks arrive when they are written, and the end ends it', async () => {
    let open: StreamSink | null = null
    const { port } = await serve((sink) => {
      open = sink
      sink.write('first,')
    })
    const answer = await fetch(`http://127.0.0.1:${port}/stream`)
    expect(answer.headers.get('content-type')).toBe('text/plain')
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('first,')
    open!.write(Buffer.from('sécond'))
    expect((await reader.read()).value).toBe('sécond')
    open!.end()
    expect((await reader.read()).done).toBe(true)
    expect(open!.write('late')).toBe(false)
  })

  test('error: a stream that throws ends, and the server lives', async () => {
    const { port } = await serve((sink) => {
      sink.write('half')
      throw new Error('broken')
    })
    expect(await (await fetch(`http://127.0.0.1:${port}/stream`)).text()).toBe('half')
    expect((await fetch(`http://127.0.0.1:${port}/stream`)).status).toBe(200)
  })

  test('HEAD has the head of the reply, and the stream is never started', async () => {
    let started = 0
    const { port } = await serve(() => {
      started++
    })
    const answer = await fetch(`http://127.0.0.1:${port}/stream`, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain'])
    expect(await answer.text()).toBe('')
    expect(started).toBe(0)
  })

  test('HTTP-05 a reader that goes away is told of once, and later writes are nothing', async () => {
    let closed = 0
    let open: StreamSink | null = null
    const { port } = await serve((sink) => {
      open = sink
      sink.onClosed(() => closed++)
      sink.write('hello')
    })
    const stop = new AbortController()
    await fetch(`http://127.0.0.1:${port}/stream`, { signal: stop.signal })
    stop.abort()
    await until('closed', () => closed > 0)
    expect(open!.write('late')).toBe(false)
    open!.end()
    expect([closed, open!.waiting()]).toEqual([1, 0])
  })
})

describe('HTTP-18 a slow reader', () => {
  test('makes write say false, waiting counts, and all arrives once he reads', async () => {
    let open: StreamSink | null = null
    let drained = 0
    let written = 0
    const { port } = await serve((sink) => {
      setTimeout(() => {
        sink.onDrained(() => drained++)
        while (written < 12 && sink.write(MEGABYTE)) written++
        written++
        open = sink
      }, 10)
    })
    const reader = slowReader(port)
    await until('the stream is full', () => open)
    expect(written).toBeLessThan(13) //   the system's own buffers are smaller than that
    expect(open!.waiting()).toBeGreaterThan(0)
    expect(drained).toBe(0)
    reader.read()
    await until('drained', () => drained > 0)
    expect(open!.waiting()).toBe(0)
    open!.write('last')
    open!.end()
    await until('the end', () => reader.text().endsWith('last\r\n0\r\n\r\n'))
    expect(reader.bytes()).toBeGreaterThan(written * MEGABYTE.length)
  })

  test('what waits when the stream ends still goes out', async () => {
    const { port } = await serve((sink) => {
      for (let at = 0; at < 12; at++) sink.write(MEGABYTE)
      sink.end()
    })
    const reader = slowReader(port)
    await sleep(50)
    reader.read()
    await until('the end', () => reader.text().endsWith('0\r\n\r\n'))
    expect(reader.bytes()).toBeGreaterThan(12 * MEGABYTE.length)
  })

  test('is cut off when more waits than the bound', async () => {
    let closed = false
    let most = 0
    const { port } = await serve((sink) => {
      sink.onClosed(() => {
        closed = true
      })
      for (let at = 0; at < 40; at++) {
        sink.write(MEGABYTE)
        most = Math.max(most, sink.waiting())
      }
    })
    slowReader(port)
    await until('cut off', () => closed)
    expect(most).toBeLessThanOrEqual(MAX_WAITING_BYTES + 64 * 1024)
  })
})

describe('HTTP-08, HTTP-18 an answer goes out as fast as its client reads', () => {
  const LONG = 'x'.repeat(300_000)
  const SHORT = 'y'.repeat(1_000)
  /** More than the system holds for one connection. */
  const HUGE = Array.from({ length: 1_600_000 }, (_, at) => at.toString(36).padStart(8, '.')).join('')

  async function serveTexts() {
    const begun: Record<string, number> = {}
    const text = (path: string, body: string | Uint8Array, isLater = false) => ({
      method: 'GET' as const,
      path,
      handler: (): Reply | Promise<Reply> => {
        begun[path] = (begun[path] ?? 0) + 1
        const reply: Reply = { status: 200, headers: [['content-type', 'text/plain']], body }
        return isLater ? Promise.resolve(reply) : reply
      },
    })
    const server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([
        text('/long', LONG),
        text('/short', SHORT),
        text('/huge', HUGE),
        text('/later', Buffer.from(HUGE), true),
      ]),
      log: quietLog,
    })
    ends.push(() => server.close())
    return { base: `http://127.0.0.1:${server.port}`, begun }
  }

  async function ask(base: string, bytes: string) {
    const connection = await openRaw(base)
    ends.push(() => connection.socket.destroy())
    connection.socket.pause()
    connection.socket.write(bytes)
    return connection
  }

  test.each([
    ['/long', 1_000, 100],
    ['/short', 20_000, 10_000],
  ] as const)(
    'who asks for %s %d times and reads nothing is cut off, and others are served',
    async (path, times, most) => {
      const { base, begun } = await serveTexts()
      const { socket, closed } = await ask(base, headOf(path).repeat(times))
      await until('the first answer is begun', () => begun[path])
      expect((await fetch(`${base}/short`)).status).toBe(200)
      socket.resume()
      await closed
      expect(begun[path]).toBeLessThan(most)
    },
  )

  test.each(['/huge', '/later'])(
    'who reads %s late has all of it, and the connection goes on',
    async (path) => {
      const { base } = await serveTexts()
      const { socket, received } = await ask(base, headOf(path))
      await sleep(200)
      socket.resume()
      await until('the whole text', () => received().endsWith(HUGE.slice(-100)))
      expect(received().slice(received().indexOf('\r\n\r\n') + 4) === HUGE).toBe(true)
      socket.write(headOf('/short'))
      await until('the next answer', () => received().endsWith(SHORT))
    },
  )

  test('who reads late and said that he leaves has all of it, and the connection ends', async () => {
    const { base } = await serveTexts()
    const { socket, received, closed } = await ask(base, headOf('/huge', { connection: 'close' }))
    await sleep(200)
    socket.resume()
    await closed
    expect(received().slice(received().indexOf('\r\n\r\n') + 4) === HUGE).toBe(true)
  })

  test('who leaves in the middle is forgotten, and a server that closes waits for nobody who reads nothing', async () => {
    const { base } = await serveTexts()
    const gone = await ask(base, headOf('/huge'))
    await ask(base, headOf('/huge'))
    await sleep(100)
    gone.socket.resetAndDestroy()
    expect((await fetch(`${base}/short`)).status).toBe(200)
  }) //  the server is closed after it
})

test('the server closes: open streams are ended, and nothing hangs', async () => {
  let closed = 0
  const server = await serve((sink) => {
    sink.onClosed(() => closed++)
    sink.write('open')
  })
  const answers = await Promise.all([1, 2, 3].map(() => fetch(`http://127.0.0.1:${server.port}/stream`)))
  const texts = answers.map((answer) => answer.text())
  await server.close()
  ends.pop()
  expect(await Promise.all(texts)).toEqual(['open', 'open', 'open'])
  expect(closed).toBe(3)
})

/** The server's side of a stream: what of it was given in each cork, and how much the system takes. */
function pipe(takes: () => boolean) {
  const corks: number[][] = []
  const sink = createStreamSink(
    {
      cork: (work) => {
        corks.push([])
        work()
      },
      write: (chunk) => {
        corks.at(-1)!.push(Buffer.byteLength(chunk))
        return takes()
      },
      end: () => {},
      close: () => {},
    },
    () => {},
  )
  return { sink, given: () => corks.filter(({ length }) => length > 0) }
}

describe('HTTP-18 the server drops what does not fit into its cork while the system takes nothing', () => {
  const CORK = 16 * 1024
  const FRAME = '\r\n4000\r\n'.length

  test.each([1, 15_999, 16_000, 16_001, CORK, 50_000])(
    '%i bytes: one piece in each, whole with its frame',
    (size) => {
      const { sink, given } = pipe(() => true)
      sink.begin()
      expect(sink.write(Buffer.alloc(size))).toBe(true)
      expect(given().every((pieces) => pieces.length === 1 && pieces[0]! + FRAME <= CORK)).toBe(true)
      expect(
        given()
          .flat()
          .reduce((all, piece) => all + piece, 0),
      ).toBe(size)
    },
  )

  test('nothing goes into the cork in which the request is answered; who wrote meanwhile hears when it is out', () => {
    const { sink, given } = pipe(() => true)
    let drained = 0
    sink.onDrained(() => drained++)
    expect([sink.write('first'), sink.waiting(), given(), drained]).toEqual([false, 5, [], 0])
    sink.begin()
    expect([sink.waiting(), given(), drained]).toEqual([0, [[5]], 1])
  })

  test('whoever has gone before that is not written to', () => {
    const { sink, given } = pipe(() => true)
    sink.write('first')
    sink.gone()
    sink.begin()
    expect(given()).toEqual([])
  })

  test('a piece that the system does not take is the last until it can be written again', () => {
    let takes = false
    const { sink, given } = pipe(() => takes)
    sink.begin()
    expect(sink.write(Buffer.alloc(40_000))).toBe(false)
    expect([given().length, sink.waiting()]).toEqual([1, 40_000])
    takes = true
    sink.writable()
    expect([given().length, sink.waiting()]).toEqual([3, 0])
  })
})
