import { connect, type Socket as TcpSocket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { END_WITHIN_MS, MAX_WAITING_BYTES } from '../../../api/http/exchange.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { createSocket, PINGS_UNREAD_MAX } from '../../../api/http/socket.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'

/** The server's side of a WebSocket whose reader takes only what the test lets it take. */
function wire(waits: number) {
  const state = { waits, ended: [] as number[], closed: 0, sent: [] as unknown[] }
  const socket = createSocket({
    send(message, isBinary) {
      state.sent.push([message, isBinary])
      return state.waits > 0 ? 0 : 1
    },
    getBufferedAmount: () => state.waits,
    end: (code) => void state.ended.push(code),
    close: () => state.closed++,
  })
  return { state, socket }
}

describe('a WebSocket that we end', () => {
  test('at once when nothing waits', () => {
    const { state, socket } = wire(0)
    socket.end(1001, '')
    expect(state).toMatchObject({ ended: [1001], closed: 0 })
  })

  test('behind what waits; nothing more is written, and what still comes is not looked at', () => {
    const { state, socket } = wire(10)
    expect(socket.isOver()).toBe(false)
    socket.end(4408, '')
    expect([state.ended, socket.isOver(), socket.write('more')]).toEqual([[], true, false])
    state.waits = 0
    socket.drained()
    expect(state).toMatchObject({ ended: [4408], closed: 0 })
  })

  test.each([
    ['is cut off when he reads nothing', false, 1],
    ['is not touched once it is gone', true, 0],
  ])('%s', (_, leaves, closed) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { state, socket } = wire(10)
    socket.end(4408, '')
    if (leaves) socket.gone()
    vi.advanceTimersByTime(END_WITHIN_MS - 1)
    expect(state.closed).toBe(0)
    vi.advanceTimersByTime(1)
    expect(state).toMatchObject({ ended: [], closed })
  })
})

describe('a WebSocket that is written to', () => {
  test('each write is a text message, and says whether to go on', () => {
    const { state, socket } = wire(0)
    expect(socket.write('one')).toBe(true)
    state.waits = 3
    expect([socket.write('two'), socket.waiting()]).toEqual([false, 3])
    expect(state.sent).toEqual([
      ['one', false],
      ['two', false],
    ])
  })

  test('as many bytes wait as may; with one more it is cut off, and that is not sent', () => {
    const { state, socket } = wire(MAX_WAITING_BYTES - 3)
    socket.write('two')
    expect(state).toMatchObject({ closed: 0, sent: [['two', false]] })
    expect(socket.write('more')).toBe(false)
    expect(state).toMatchObject({ closed: 1, sent: [['two', false]] })
  })

  test('that there is room again is told when nothing waits any more', () => {
    const { state, socket } = wire(10)
    let drained = 0
    socket.onDrained(() => drained++)
    socket.drained()
    expect(drained).toBe(0)
    state.waits = 0
    socket.drained()
    expect(drained).toBe(1)
  })

  test('that it is gone is told once, also to who asks later; then nothing is done to it', () => {
    const { state, socket } = wire(10)
    const told: string[] = []
    socket.onDrained(() => told.push('drained'))
    socket.onClosed(() => told.push('closed'))
    expect(told).toEqual([])
    socket.gone()
    socket.gone()
    socket.onClosed(() => told.push('closed before'))
    state.waits = 0
    socket.drained()
    socket.end(1001, '')
    state.waits = MAX_WAITING_BYTES
    socket.pinged()
    socket.end(1001, '')
    expect([socket.write('x'), socket.waiting(), socket.isOver()]).toEqual([false, 0, true])
    expect(told).toEqual(['closed', 'closed before'])
    expect(state).toMatchObject({ closed: 0, ended: [], sent: [] })
  })
})

describe('HTTP-18 pings: the server keeps its answers until they are read', () => {
  test('who reads may ping as often as he likes', () => {
    const { state, socket } = wire(0)
    for (let at = 0; at < 100 * PINGS_UNREAD_MAX; at++) socket.pinged()
    expect(state.closed).toBe(0)
  })

  test('so many while bytes wait, then cut off; a reader that comes level begins anew', () => {
    const { state, socket } = wire(10)
    for (let at = 0; at < PINGS_UNREAD_MAX; at++) socket.pinged()
    state.waits = 0
    socket.pinged()
    state.waits = 10
    for (let at = 0; at < PINGS_UNREAD_MAX; at++) socket.pinged()
    expect(state.closed).toBe(0)
    socket.pinged()
    expect(state.closed).toBe(1)
  })

  test('who came level between two pings begins anew, though bytes wait again', () => {
    const { state, socket } = wire(10)
    for (let at = 0; at < PINGS_UNREAD_MAX; at++) socket.pinged()
    state.waits = 0
    socket.drained()
    state.waits = 10
    for (let at = 0; at < PINGS_UNREAD_MAX; at++) socket.pinged()
    expect(state.closed).toBe(0)
    socket.pinged()
    expect(state.closed).toBe(1)
  })
})

describe('over the wire', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  const opened = async (): Promise<TcpSocket> => {
    const handler = { opened() {}, message() {}, closed() {} }
    const server = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([]),
      sockets: [{ path: '/socket', maxMessageBytes: 100, accept: () => handler }],
      log: quietLog,
    })
    ends.push(() => server.close())
    const socket = connect(server.port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.on('error', () => {})
    const answered = new Promise((resolve) => socket.once('data', resolve))
    socket.write(
      'GET /socket HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    expect(String(await answered)).toMatch(/^HTTP\/1.1 101 /)
    return socket
  }
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)])
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => ping))
  /** Half of what the server once buffered for each connection, on top of the system's own buffers. */
  const FLOOD_BYTES = 24 * 1024 * 1024

  test('who pings and reads none of the answers is cut off before they are many', async () => {
    const socket = await opened()
    socket.pause()
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })
    let sent = 0
    for (; sent < FLOOD_BYTES && !isClosed; sent += pings.length)
      if (!socket.write(pings))
        await Promise.race([
          new Promise((resolve) => socket.once('drain', resolve)),
          new Promise((resolve) => socket.once('close', resolve)),
        ])
    await until('it is cut off', () => isClosed)
    expect(sent).toBeLessThan(FLOOD_BYTES)
  })

  test('who reads them has each answered', async () => {
    const socket = await opened()
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
    })
    for (let at = 0; at < 20; at++) socket.write(pings)
    await until('all pongs', () => bytes === 20_000 * (2 + 125))
  })
})
