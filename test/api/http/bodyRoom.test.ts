import net from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isProblem } from '../../../api/errors.ts'
import { createBodyRoom } from '../../../api/http/bodyRoom.ts'
import { readJson } from '../../../api/http/readJson.ts'
import { problemReply } from '../../../api/http/respond.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { quietLog } from '../../support/ledger.ts'

const KIB = 1024
const MAX_BYTES = 100 * KIB
/** JSON of exactly this many bytes. */
const text = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A server with room for this many bytes of bodies together, and its counters. */
async function serve(roomBytes: number) {
  const metrics = createMetrics('api')
  let begun = 0
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    log: quietLog,
    bodyRoom: createBodyRoom({ roomBytes, metrics }),
    async handler(request) {
      begun++
      const read = await readJson(request, z.object({ a: z.string() }), MAX_BYTES)
      if (isProblem(read)) return problemReply(read)
      return { status: 200, headers: [], body: 'read' }
    },
  })
  ends.push(() => server.close())
  const figure = async (name: string) =>
    (await metrics.registry.getSingleMetric(name)!.get()).values[0]!.value
  return {
    port: server.port,
    begun: () => begun,
    held: () => figure('http_bodies_held_bytes'),
    refused: () => figure('http_bodies_refused_total'),
  }
}

/** A POST that sends only a part of its body at first. `chunked`: its length is not announced. */
function post(
  port: number,
  { bytes, first, chunked = false }: { bytes: number; first: number; chunked?: boolean },
) {
  const body = text(bytes)
  const piece = (part: string) => (chunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part)
  const socket = net.connect(port, '127.0.0.1')
  const answer = new Promise<string>((resolve) => {
    let heard = ''
    socket.on('data', (data) => {
      heard += data
      if (/\r\n\r\n[\s\S]/.test(heard)) resolve(heard)
    })
    socket.on('error', () => resolve('cut off'))
    socket.on('close', () => resolve('cut off'))
  })
  ends.push(() => socket.destroy())
  const length = chunked ? 'transfer-encoding: chunked' : `content-length: ${bytes}`
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${length}\r\n\r\n`)
  if (first > 0) socket.write(piece(body.slice(0, first)))
  let sent = first
  return {
    answer,
    part: (bytes: number) => {
      socket.write(piece(body.slice(sent, sent + bytes)))
      sent += bytes
    },
    rest: () => socket.write(`${piece(body.slice(sent))}${chunked ? '0\r\n\r\n' : ''}`),
    leave: () => socket.destroy(),
  }
}
const statusOf = (answer: string) => Number(answer.split(' ')[1])

describe('HTTP-08 bodies that are half here hold so much memory of a process together', () => {
  test('whoever has room finishes; whoever finds none is told to send the same again', async () => {
    const { port, held, refused } = await serve(4 * 60 * KIB)
    const first = post(port, { bytes: 60 * KIB, first: 100 })
    await expect.poll(held).toBe(60 * KIB)
    const second = post(port, { bytes: 60 * KIB, first: 100 })
    await expect.poll(refused).toBe(1) //  one caller may have a quarter of the room
    second.rest()
    const answer = await second.answer
    expect(statusOf(answer)).toBe(503)
    expect(answer).toMatch(/^retry-after: 2\r$/im)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'no_room', retryable: true })
    first.rest()
    expect(statusOf(await first.answer)).toBe(200)
    await expect.poll(held).toBe(0)
    const third = post(port, { bytes: 60 * KIB, first: 100 })
    await expect.poll(held).toBe(60 * KIB)
    third.rest()
    expect(statusOf(await third.answer)).toBe(200)
  })

  test('one in a single piece needs no room', async () => {
    const { port, held } = await serve(0)
    expect(statusOf(await post(port, { bytes: 2 * KIB, first: 2 * KIB }).answer)).toBe(200)
    expect(await held()).toBe(0)
  })

  test('nor one whose headers come alone, however often', async () => {
    const { port, begun, held, refused } = await serve(4 * 2 * KIB)
    for (let sent = 1; sent <= 3; sent++) {
      const one = post(port, { bytes: 2 * KIB, first: 0 })
      await expect.poll(begun).toBe(sent)
      one.rest()
      expect(statusOf(await one.answer)).toBe(200)
    }
    expect([await held(), await refused()]).toEqual([0, 0])
  })

  test('headers that come alone, then a part: room is taken with the part', async () => {
    const { port, begun, held } = await serve(4 * 60 * KIB)
    const one = post(port, { bytes: 60 * KIB, first: 0 })
    await expect.poll(begun).toBe(1)
    expect(await held()).toBe(0)
    one.part(100)
    await expect.poll(held).toBe(60 * KIB)
    one.rest()
    expect(statusOf(await one.answer)).toBe(200)
    await expect.poll(held).toBe(0)
  })

  test('of one that does not tell its length the longest is expected', async () => {
    const { port, held } = await serve(8 * MAX_BYTES)
    const one = post(port, { bytes: 10 * KIB, first: 100, chunked: true })
    await expect.poll(held).toBe(MAX_BYTES)
    one.rest()
    expect(statusOf(await one.answer)).toBe(200)
    await expect.poll(held).toBe(0)
  })

  test('who leaves gives it back, and so does one that is too long', async () => {
    const { port, held } = await serve(8 * MAX_BYTES)
    const gone = post(port, { bytes: 60 * KIB, first: 100 })
    await expect.poll(held).toBe(60 * KIB)
    gone.leave()
    await expect.poll(held).toBe(0)
    const long = post(port, { bytes: MAX_BYTES + 1, first: 100 })
    await expect.poll(held).toBe(MAX_BYTES)
    long.rest()
    expect(statusOf(await long.answer)).toBe(413)
    await expect.poll(held).toBe(0)
  })
})

describe('a room for bodies', () => {
  test('an IPv6 /48 is one caller, as where checkouts and intents are opened', () => {
    const room = createBodyRoom({ roomBytes: 100 })
    expect(room.take('2001:0db8:0001:0001:0000:0000:0000:0001', 20)).not.toBeNull()
    expect(room.take('2001:0db8:0001:0002:0000:0000:0000:0001', 6)).toBeNull()
    expect(room.take('2001:0db8:0002:0002:0000:0000:0000:0001', 6)).not.toBeNull()
  })

  test('never has more out than there is, to all or to one; and all of it again when everybody is done', () => {
    const step = fc.record({
      caller: fc.constantFrom('1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4', '5.5.5.5'),
      bytes: fc.integer({ min: 0, max: 60 }),
      gives: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const room = createBodyRoom({ roomBytes: 100 })
        const out: { caller: string; bytes: number; give: () => void }[] = []
        const sum = (of: typeof out) => of.reduce((all, { bytes }) => all + bytes, 0)
        for (const { caller, bytes, gives } of steps) {
          if (gives) {
            const one = out.shift()
            one?.give()
            one?.give() // giving back twice counts once
            continue
          }
          const his = sum(out.filter((one) => one.caller === caller))
          const fits = sum(out) + bytes <= 100 && his + bytes <= 25
          const give = room.take(caller, bytes)
          expect(give !== null).toBe(fits)
          if (give !== null) out.push({ caller, bytes, give })
        }
        for (const { give } of out) give()
        for (const caller of ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'])
          expect(room.take(caller, 25)).not.toBeNull()
        expect(room.take('5.5.5.5', 1)).toBeNull()
      }),
    )
  })
})
