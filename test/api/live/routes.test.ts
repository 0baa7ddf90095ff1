import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { LiveBoard } from '../../../api/live/liveBoard.ts'
import { createReaders, READERS_PER_ADDRESS, STUCK_MS } from '../../../api/live/readers.ts'
import { someGap } from '../../support/boards.ts'
import { quietLog } from '../../support/ledger.ts'
import { gapsBody } from '../goods/support.ts'
import { type LiveWorld, MAX_AGE, MINUTE, NOW, startLive } from './world.ts'

/** Long enough: the boards are looked at every second. */
const SOON = { timeout: 10_000 }

let world: LiveWorld
beforeAll(async () => {
  world = await startLive()
})
afterAll(() => world.stop())

/** The events of a stream as they come, until the reader leaves. */
async function follow(base: string) {
  const leave = new AbortController()
  const answer = await fetch(`${base}/live`, { signal: leave.signal })
  const events: { event: string; data: Record<string, unknown> }[] = []
  const reading = (async () => {
    let text = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (event !== undefined) events.push({ event, data: JSON.parse(data!) })
      }
    }
  })().catch(() => {})
  return { answer, events, ended: reading, leave: () => leave.abort() }
}

/** Whether a new reader gets the board; it leaves again at once. */
async function joined(base: string): Promise<boolean> {
  const { answer, leave } = await follow(base)
  leave()
  return answer.status === 200
}

describe('GET /live.json', () => {
  test('is the board of the contract, sampled at once where there was none', async () => {
    await expect.poll(async () => (await world.live()).movers.rows, SOON).toHaveLength(2)
    const board = LiveBoard.parse(await world.live())
    expect(board).toMatchObject({
      service: { mode: 'sandbox', recorded: false, fromUsdc: '0.001' },
      clock: { now: new Date(NOW).toISOString(), ageMs: { a: 0, b: 0 } },
      selling: { open: true },
      gaps: { takenAt: new Date(NOW).toISOString(), rows: [{ gapBand: '5 to 10 cents', opposite: false }] },
      refused: { lookAlikes: [{ a: { title: 'Fed cuts rates in December' } }] },
    })
  })

  test('HEAD and If-None-Match', async () => {
    const head = await fetch(`${world.base}/live.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('cache-control')).toBe('public, max-age=1')
    const etag = head.headers.get('etag')!
    const same = await fetch(`${world.base}/live.json`, { headers: { 'if-none-match': etag } })
    expect(same.status).toBe(304)
    //  a proxy that compresses weakens the tag, and a caller may hold several
    for (const known of [`W/${etag}`, `"other", ${etag}`])
      expect((await fetch(`${world.base}/live.json`, { headers: { 'if-none-match': known } })).status).toBe(
        304,
      )
    world.clock.nowMs += 1
    await expect
      .poll(
        async () => (await fetch(`${world.base}/live.json`, { headers: { 'if-none-match': etag } })).status,
        SOON,
      )
      .toBe(200)
  })
})

describe('GET /live: the same as a stream', () => {
  test('the whole board first, then only what changed, and the clock in between', async () => {
    const { answer, events, leave } = await follow(world.base)
    const said = ['content-type', 'cache-control', 'x-accel-buffering'].map((name) =>
      answer.headers.get(name),
    )
    expect(said).toEqual(['text/event-stream', 'no-store', 'no'])
    await expect.poll(() => events.length, SOON).toBeGreaterThan(0)
    expect(events[0]!.event).toBe('board')
    LiveBoard.parse(events[0]!.data)
    world.hold('gaps', { ...gapsBody([someGap(), someGap()]), refused: { limit: 99 } })
    const news = () => events.findLast(({ event }) => event === 'change')?.data
    await expect.poll(news, SOON).toMatchObject({ counts: { quoted: 2, refused: 99 } })
    expect(Object.keys(news()!)).not.toContain('service')
    expect(Object.keys(news()!)).not.toContain('movers')
    await expect.poll(() => events.at(-1)?.event, SOON).toBe('clock')
    leave()
  })

  test('a venue that stops is told as soon as it is too old', async () => {
    const { events, leave } = await follow(world.base)
    await expect.poll(() => events.length, SOON).toBeGreaterThan(0)
    world.clock.nowMs += MAX_AGE + 1
    await expect
      .poll(() => events.at(-1)?.data, SOON)
      .toMatchObject({ venues: { a: { fresh: false } }, selling: { open: false, code: 'stale_data' } })
    world.hold('gaps', gapsBody([someGap()]))
    await expect.poll(() => events.at(-1)?.data, SOON).toMatchObject({ selling: { open: true } })
    leave()
  })

  test('the feed comes late, and an entry that cannot be read does not stop it', async () => {
    await world.redis.xadd('engine:feed', '*', 'event', '{"half":')
    await world.redis.xadd('engine:feed', '*', 'other', 'x')
    const atMs = world.clock.nowMs
    await world.tell({ kind: 'closed', topic: 'edges', atMs })
    expect((await world.live()).ticker.events).toEqual([])
    world.clock.nowMs = atMs + 6 * MINUTE
    world.hold('gaps', gapsBody([someGap()]))
    await expect
      .poll(async () => (await world.live()).ticker, SOON)
      .toMatchObject({
        counts: { closed: 1 },
        events: [{ kind: 'closed', about: 'edges', band: '0 to 5 cents' }],
      })
  })

  test('one address has a bound, and whoever leaves makes room', async () => {
    const readers = await Promise.all(Array.from({ length: READERS_PER_ADDRESS }, () => follow(world.base)))
    await expect.poll(() => readers.every(({ events }) => events.length > 0), SOON).toBe(true)
    const refused = await fetch(`${world.base}/live`)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'busy'])
    readers[0]!.leave()
    await expect.poll(() => joined(world.base), SOON).toBe(true)
    for (const { leave } of readers) leave()
    await expect.poll(() => joined(world.base), SOON).toBe(true)
  })

  test('a stream ends when the service stops', async () => {
    const { ended, events } = await follow(world.base)
    await expect.poll(() => events.length, SOON).toBeGreaterThan(0)
    await world.close()
    await ended
    await world.open()
  })
})

describe('a slow reader', () => {
  test('gets the newest when he reads again, never what he missed; stuck, he is let go; others are not held up', async () => {
    let nowMs = 0
    const text = 'x'.repeat(400_000)
    let version = 0
    const readers = createReaders({
      clock: { nowMs: () => nowMs },
      whole: () => `whole ${version} ${text}\n`,
    })
    const http = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      handler: createRouter([
        {
          method: 'GET',
          path: '/live',
          handler: ({ address }) => ({
            status: 200,
            headers: [],
            body: { stream: (sink) => readers.join(sink, address, '') },
          }),
        },
      ]),
      log: quietLog,
    })
    const reader = () => {
      const socket = connect(http.port, '127.0.0.1')
      const got = { text: '', ended: false }
      socket.setEncoding('latin1').on('data', (part: string) => {
        got.text += part.replaceAll('x', '') // kept whole, it would be searched by the megabyte
      })
      socket.on('close', () => {
        got.ended = true
      })
      socket.on('error', () => {})
      socket.write('GET /live HTTP/1.1\r\nhost: x\r\n\r\n')
      return { socket, got }
    }
    const [slow, stuck, quick] = [reader(), reader(), reader()]
    await expect.poll(() => readers.count(), SOON).toBe(3)
    slow.socket.pause()
    stuck.socket.pause()
    const versionsOf = (got: { text: string }) =>
      [...got.text.matchAll(/(part|whole) (\d+)/g)].map(([all]) => all)
    for (version = 1; version <= 60; version++) {
      readers.send(`part ${version} ${text}\n`)
      await expect.poll(() => versionsOf(quick.got), { ...SOON, interval: 2 }).toContain(`part ${version}`)
    }
    version = 60
    slow.socket.resume()
    const caughtUp = async () => {
      readers.send(`part ${version} \n`)
      return versionsOf(slow.got)
    }
    await expect.poll(caughtUp, { ...SOON, interval: 20 }).toContain('whole 60')
    expect(versionsOf(slow.got)).not.toContain('part 59')
    expect(readers.count()).toBe(3)
    nowMs = STUCK_MS + 1
    readers.send('part 61\n')
    expect(readers.count()).toBe(2)
    for (const { socket } of [slow, stuck, quick]) socket.destroy()
    await expect.poll(() => readers.count(), SOON).toBe(0)
    await http.close()
  })
})
