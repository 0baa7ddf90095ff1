import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Handler, SocketRoute } from '../../../api/http/exchange.ts'
import { jsonReply } from '../../../api/http/respond.ts'
import { type Server, serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { headOf, openRaw, type RawConnection, statusesOf } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const HELD = '/held'
/** An answer of so many bytes waits for its client: no system takes it at once. */
const LONG_BYTES = 12_000_000
const SOCKET: SocketRoute = {
  path: '/ws',
  maxMessageBytes: 100,
  accept: () => ({ opened() {}, message() {}, closed() {} }),
}

/** A server with one request under way until `release`, so that it keeps closing for as long as a test wants. */
async function closing(graceMs?: number) {
  const asked: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const handler: Handler = async (request) => {
    asked.push(request.path)
    if (request.path === HELD) await held
    if (request.method === 'POST') await request.body(100)
    return jsonReply(200, {
      path: request.path,
      text: request.rawQuery === 'long' ? 'x'.repeat(LONG_BYTES) : '',
    })
  }
  const server: Server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler,
    sockets: [SOCKET],
    log: quietLog,
  })
  const base = `http://127.0.0.1:${server.port}`
  const opened = async (): Promise<RawConnection> => {
    const connection = await openRaw(base)
    ends.push(() => connection.socket.destroy())
    return connection
  }
  /** A connection that has had an answer and is kept open. */
  const kept = async () => {
    const connection = await opened()
    connection.socket.write(headOf('/'))
    await until('the first answer', () => statusesOf(connection.received()).length === 1)
    return connection
  }
  const underWay = await opened()
  underWay.socket.write(headOf(HELD))
  await until('it is under way', () => asked.includes(HELD))
  const close = (withinMs = graceMs) => server.close(withinMs)
  ends.push(() => {
    release()
    return close()
  })
  return { base, asked, kept, opened, underWay, close, release }
}

describe('OPS-01 a server that closes takes nothing new', () => {
  test('a request on a connection that was kept: 503, come back, and the connection ends; no handler sees it', async () => {
    const { asked, kept, close } = await closing()
    const connections = await Promise.all([kept(), kept()])
    void close()
    asked.length = 0
    connections[0]!.socket.write(headOf('/more', { 'payment-signature': 'AAAA' }))
    connections[1]!.socket.write('POST /more HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc')
    await Promise.all(connections.map(({ closed }) => closed))
    for (const { received } of connections) {
      const answer = received().slice(received().lastIndexOf('HTTP/1.1 '))
      expect(statusesOf(received())).toEqual([200, 503])
      expect(answer).toMatch(/\r\nconnection: close\r\n/i)
      expect(answer).toMatch(/\r\nretry-after: \d+\r\n/)
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'restarting', retryable: true })
    }
    expect(asked).toEqual([])
  })

  test('what was under way is answered, and says that its connection ends', async () => {
    const { underWay, close, release } = await closing()
    const closed = close()
    release()
    await Promise.all([underWay.closed, closed])
    expect(statusesOf(underWay.received())).toEqual([200])
    expect(underWay.received()).toMatch(/\r\nconnection: close\r\n/i)
  })

  test.each([
    ['begun before', '/?long'],
    ['given meanwhile', `${HELD}?long`],
  ])('a long answer %s reaches a client who takes his time', async (_, path) => {
    const { opened, asked, close, release } = await closing()
    const slow = await opened()
    asked.length = 0
    slow.socket.write(headOf(path))
    slow.socket.pause()
    await until('it is under way', () => asked.length === 1)
    const closed = close()
    release()
    await sleep(50) //  everybody else is answered, and the rest of this waits
    slow.socket.resume()
    await closed
    await slow.closed
    expect(statusesOf(slow.received())).toEqual([200])
    expect(slow.received().length).toBeGreaterThan(LONG_BYTES)
  })

  test('an answer without a body says it too', async () => {
    const { kept, asked, close } = await closing()
    const connection = await kept()
    void close()
    asked.length = 0
    connection.socket.write('HEAD /more HTTP/1.1\r\nhost: a\r\n\r\n')
    await until('its answer', () => statusesOf(connection.received()).length === 2)
    expect(connection.received()).toMatch(/503 [\s\S]*\r\nconnection: close\r\n/)
    expect(asked).toEqual([])
  })

  test.each(['GET', 'HEAD'])(
    '%s of a client who asks for the end himself is told of it once',
    async (method) => {
      const { kept, close } = await closing()
      const connection = await kept()
      void close()
      connection.socket.write(`${method} /more HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      await connection.closed
      expect(statusesOf(connection.received())).toEqual([200, 503])
      expect(connection.received().match(/^connection: close\r$/gim)).toHaveLength(1)
    },
  )

  test('nobody can connect any more', async () => {
    const { base, close } = await closing()
    void close()
    await expect(openRaw(base)).rejects.toThrow('ECONNREFUSED')
  })

  test('WebSockets are told that we go; an upgrade is refused', async () => {
    const { base, kept, close } = await closing()
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`)
    const code = new Promise<number>((resolve) =>
      socket.addEventListener('close', (end) => resolve(end.code)),
    )
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    const connection = await kept()
    void close()
    expect(await code).toBe(1001)
    const upgrade = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' }
    connection.socket.write(headOf('/ws', { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }))
    await connection.closed
    expect(statusesOf(connection.received())).toEqual([200, 503])
  })
})

describe('OPS-01 a server that closes ends, whatever handlers and clients do', () => {
  test('a request without an answer when the grace is over is told to come back with the same payment', async () => {
    const { underWay, close } = await closing(20)
    await close()
    await underWay.closed
    expect(statusesOf(underWay.received())).toEqual([503])
    expect(underWay.received()).toContain('with the same payment')
  })

  test('who closes it with a grace after somebody who has time waits for that grace only', async () => {
    const { underWay, close } = await closing()
    const patient = close()
    await close(20)
    await Promise.all([patient, underWay.closed])
    expect(statusesOf(underWay.received())).toEqual([503])
  })

  test('who does not take the rest of a long answer is cut off', async () => {
    const { opened, asked, close, release } = await closing(20)
    const slow = await opened()
    asked.length = 0
    slow.socket.write(headOf('/?long'))
    slow.socket.pause()
    await until('it is under way', () => asked.length === 1)
    release()
    await close()
    slow.socket.resume()
    await slow.closed
    expect(slow.received().length).toBeLessThan(LONG_BYTES)
  })

  test('so is a body that never comes', async () => {
    const { opened, asked, close } = await closing(20)
    const slow = await opened()
    slow.socket.write('POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nabc')
    await until('it is under way', () => asked.includes('/slow'))
    await close()
    await slow.closed
    expect(statusesOf(slow.received())).toEqual([503])
  })
})
