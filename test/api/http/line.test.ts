import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createBodyRoom } from '../../../api/http/bodyRoom.ts'
import type { FindCaller } from '../../../api/http/copyRequest.ts'
import { type Handler, NoRoom } from '../../../api/http/exchange.ts'
import { createLine } from '../../../api/http/line.ts'
import { jsonReply, problemReply } from '../../../api/http/respond.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { quietLog } from '../../support/ledger.ts'
import { headOf, openRaw, statusesOf } from '../../support/rawHttp.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const MANY = 100
const POST = 'POST /post HTTP/1.1\r\nhost: a\r\ncontent-length: 20\r\n\r\n'
const BODY = 'x'.repeat(20)

/** Each body costs so much work; a read says how many bodies have been worked on before it. */
async function serve({
  workMs = 4,
  roomBytes = 1_000_000,
  findCaller = null,
}: {
  workMs?: number
  roomBytes?: number
  findCaller?: FindCaller | null
} = {}) {
  let done = 0
  const post: Handler = async (request) => {
    try {
      await request.body(100)
    } catch (error) {
      if (error instanceof NoRoom) return problemReply({ problem: 'no_room' })
      throw error
    }
    await null //  as in the SDK, which never leaves the turn
    for (const fromMs = performance.now(); performance.now() - fromMs < workMs; );
    done++
    return jsonReply(200, { done })
  }
  const handler = createRouter([
    { method: 'POST', path: '/post', handler: post },
    { method: 'GET', path: '/read', handler: () => jsonReply(200, { done }) },
  ])
  const bodyRoom = createBodyRoom({ roomBytes })
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handler,
    findCaller,
    bodyRoom,
    log: quietLog,
  })
  let closed: Promise<void> | null = null
  const close = (graceMs?: number) => {
    closed ??= server.close(graceMs) //  a server must be closed once
    return closed
  }
  ends.push(() => close())
  const base = `http://127.0.0.1:${server.port}`
  const open = async (count: number) => {
    const opened = await Promise.all(Array.from({ length: count }, () => openRaw(base)))
    ends.push(() => {
      for (const { socket } of opened) socket.destroy()
    })
    return opened
  }
  return { open, done: () => done, close }
}

describe('HTTP-08 bodies that come at once', () => {
  test.each([
    ['whole', (post: string) => [post]],
    ['after their heads', (post: string) => [post.slice(0, -1), post.slice(-1)]],
  ])('%s: whoever reads meanwhile does not wait for all of them, and all are answered', async (_, pieces) => {
    const { open, done } = await serve()
    const senders = await open(MANY)
    const [reader] = await open(1)
    const [first, last] = pieces(POST + BODY)
    for (const { socket } of senders) socket.write(first!)
    if (last !== undefined) {
      await sleep(100) //  they are on their way to the server
      for (const { socket } of senders) socket.write(last)
    }
    reader!.socket.write(headOf('/read'))
    await expect.poll(() => statusesOf(reader!.received())).toEqual([200])
    expect(Number(/"done":(\d+)/.exec(reader!.received())![1])).toBeLessThan(MANY / 2)
    for (const { received } of senders)
      await expect.poll(() => statusesOf(received()), { timeout: 10_000 }).toEqual([200])
    expect(done()).toBe(MANY)
  })

  test('an IPv6 /48 is one caller, however many addresses of it send: another one takes turns with all of them', async () => {
    const { open } = await serve({ findCaller: (_, forwardedFor) => forwardedFor })
    const senders = await open(MANY)
    const [other] = await open(1)
    const from = (address: string) =>
      POST.replace('\r\n\r\n', `\r\nx-forwarded-for: ${address}\r\n\r\n`) + BODY
    const neighbour = (index: number) => `2001:0db8:0000:${index.toString(16).padStart(4, '0')}:0:0:0:1`
    for (const [index, { socket }] of senders.entries()) socket.write(from(neighbour(index)))
    other!.socket.write(from('2001:0db8:0001:0000:0:0:0:1'))
    await expect.poll(() => statusesOf(other!.received()), { timeout: 10_000 }).toEqual([200])
    expect(Number(/"done":(\d+)/.exec(other!.received())![1])).toBeLessThan(MANY / 2)
  })

  test('one that waits takes room like one that is still coming; beyond that it is told so, and may come again', async () => {
    const { open, done } = await serve({ roomBytes: 4 * 10 * BODY.length }) //  ten of this caller's
    const senders = await open(MANY)
    for (const { socket } of senders) socket.write(POST + BODY)
    for (const { received } of senders)
      await expect.poll(() => statusesOf(received()).length, { timeout: 10_000 }).toBe(1)
    const refused = senders.filter(({ received }) => statusesOf(received())[0] === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(done()).toBe(MANY - refused.length)
    refused[0]!.socket.write(POST + BODY)
    await expect.poll(() => statusesOf(refused[0]!.received())).toEqual([503, 200])
  })

  test('of those whose clients leave none is worked on, and their room is free again', async () => {
    const { open, done } = await serve({ roomBytes: 4 * MANY * BODY.length })
    const senders = await open(MANY)
    for (const { socket } of senders) socket.write(POST + BODY)
    const [other] = await open(1)
    for (const { socket } of senders) socket.destroy()
    other!.socket.write(POST + BODY)
    await expect.poll(() => statusesOf(other!.received())).toEqual([200])
    expect(done()).toBeLessThan(MANY)
    const again = await open(MANY)
    for (const { socket } of again) socket.write(POST + BODY)
    for (const { received } of again)
      await expect.poll(() => statusesOf(received()), { timeout: 10_000 }).toEqual([200])
  })
})

test('those that still wait when the time of a closing server is over are told to come again, and are not worked on', async () => {
  const { open, done, close } = await serve()
  const senders = await open(MANY)
  for (const { socket } of senders) socket.write(POST + BODY)
  await expect.poll(done, { interval: 1 }).toBeGreaterThan(0)
  await close(0)
  for (const { received } of senders)
    await expect.poll(() => statusesOf(received()).length, { timeout: 10_000 }).toBe(1)
  const served = senders.filter(({ received }) => statusesOf(received())[0] === 200)
  expect(served.length).toBeLessThan(MANY)
  await sleep(MANY * 4)
  expect(done()).toBe(served.length)
})

test('callers take turns; in each turn of the event loop somebody goes on, however slow the clock says it is', async () => {
  let nowMs = 0
  const line = createLine(() => nowMs)
  expect(line.isLong()).toBe(false)
  nowMs = 20
  expect(line.isLong()).toBe(true)
  const gone: string[] = []
  const wait = (caller: string) =>
    line.wait(caller, () => {
      gone.push(caller)
      nowMs += 20
    })
  for (const caller of ['a', 'a', 'a', 'b', 'c', 'b']) wait(caller)
  expect(gone).toEqual([])
  for (let turns = 1; turns <= 6; turns++) {
    await new Promise(setImmediate)
    expect(gone.length, `turn ${turns}`).toBeLessThanOrEqual(turns)
    if (turns < 6) expect(line.isLong()).toBe(true)
  }
  await expect.poll(() => gone).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(line.isLong()).toBe(false)
})

test('as many go on in one turn as there is time for', async () => {
  let nowMs = 0
  const line = createLine(() => nowMs)
  const gone: number[] = []
  for (let nth = 1; nth <= 6; nth++)
    line.wait('a', () => {
      gone.push(nth)
      nowMs += 5
    })
  await new Promise(setImmediate)
  await new Promise(process.nextTick)
  expect(gone).toEqual([1, 2, 3, 4])
  await expect.poll(() => gone).toEqual([1, 2, 3, 4, 5, 6])
})
