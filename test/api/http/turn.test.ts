import { afterEach, describe, expect, test } from 'vitest'
import type { Handler } from '../../../api/http/exchange.ts'
import { jsonReply, problemReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { createTurn } from '../../../api/http/turn.ts'
import { quietLog } from '../../support/ledger.ts'
import { headOf, openRaw, statusesOf } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function serve(handler: Handler): Promise<string> {
  const routes = createRouter([
    { method: 'GET', path: '/read', handler },
    { method: 'POST', path: '/post', handler },
  ])
  const server = await serveHttp({ host: '127.0.0.1', port: 0, handler: routes, log: quietLog })
  ends.push(() => server.close())
  return `http://127.0.0.1:${server.port}`
}

/** A handler that answers at once, after this much work. */
function busy(ms: number) {
  let calls = 0
  const handler: Handler = () => {
    calls++
    for (const fromMs = performance.now(); performance.now() - fromMs < ms; );
    return jsonReply(200, { call: calls })
  }
  return { handler, calls: () => calls }
}

const READ = headOf('/read')
const MANY = 400

describe('HTTP-18 what one connection sends at once does not hold up all the others', () => {
  test.each([
    ['GET', READ],
    ['HEAD', READ.replace('GET', 'HEAD')],
    ['POST', 'POST /post HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'],
  ])(
    '%s in hundreds, in one packet: answered until the turn is long, then the connection ends',
    async (_, one) => {
      const work = busy(2)
      const base = await serve(work.handler)
      const { socket, received, closed } = await openRaw(base)
      socket.write(one.repeat(MANY))
      await closed
      expect(work.calls()).toBeGreaterThan(0)
      expect(work.calls()).toBeLessThan(MANY / 2)
      expect(statusesOf(received()).length).toBeLessThanOrEqual(work.calls())
      expect((await fetch(`${base}/read`)).status).toBe(200)
    },
  )

  test('a few in one packet are all answered, in their order, however long they take', async () => {
    const base = await serve(busy(10).handler)
    const { socket, received } = await openRaw(base)
    socket.write(READ.repeat(9))
    await expect.poll(() => statusesOf(received())).toEqual(Array(9).fill(200))
    expect([...received().matchAll(/"call":(\d)/g)].map(([, call]) => call).join('')).toBe('123456789')
    socket.destroy()
  })

  test('of many connections with one request each, everyone gets its answer, and can ask again', async () => {
    const base = await serve(busy(2).handler)
    const readers = await Promise.all(Array.from({ length: 40 }, () => openRaw(base)))
    for (const round of [1, 2]) {
      for (const { socket } of readers) socket.write(READ)
      for (const { received } of readers)
        await expect.poll(() => statusesOf(received()), { timeout: 10_000 }).toEqual(Array(round).fill(200))
    }
    for (const { socket } of readers) socket.destroy()
  })

  test('streams that are asked for in a long turn get no more places than there are', async () => {
    const most = 40
    const work = busy(2)
    const follow: Handler = (request) => {
      void work.handler(request)
      if (open >= most) return problemReply({ problem: 'busy' })
      return { status: 200, headers: [], body: { stream: () => open++ } }
    }
    let open = 0
    const base = await serve(follow)
    const readers = await Promise.all(Array.from({ length: 2 * most }, () => openRaw(base)))
    for (const { socket } of readers) socket.write(READ)
    for (const { received } of readers)
      await expect.poll(() => statusesOf(received()).length, { timeout: 10_000 }).toBe(1)
    const statuses = readers.flatMap(({ received }) => statusesOf(received()))
    expect(statuses.filter((status) => status === 200)).toHaveLength(most)
    expect(open).toBe(most)
    for (const { socket } of readers) socket.destroy()
  })
})

test('a turn is long after the time is over and some requests have come, and ends with the turn of the event loop', async () => {
  let nowMs = 0
  const turn = createTurn(() => nowMs)
  const count = (requests: number) => {
    for (let at = 0; at < requests; at++) turn.count()
  }
  count(100)
  nowMs = 20
  expect(turn.isLong()).toBe(false)
  nowMs = 21
  expect(turn.isLong()).toBe(true)
  await new Promise(setImmediate)
  expect(turn.isLong()).toBe(false)
  count(32)
  nowMs = 1_000
  expect(turn.isLong()).toBe(false)
  count(1)
  expect(turn.isLong()).toBe(true)
})
