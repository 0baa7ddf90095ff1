import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GOODS } from '../../../api/goods/index.ts'
import type { StreamSink } from '../../../api/http/exchange.ts'
import { holdBoard } from '../../../api/live/held.ts'
import { openLive } from '../../../api/live/index.ts'
import { STUCK_MS } from '../../../api/live/readers.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { portsOver } from '../goods/support.ts'
import { show } from './show.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Redis is away: the board is looked at all the same. */
const redis = new Proxy({}, { get: () => () => Promise.reject(new Error('away')) }) as never

/** The live part with one reader, over boards in which nothing happens. */
function openQuiet() {
  const live = openLive({
    redis,
    goods: portsOver({}),
    sold: GOODS,
    mode: 'sandbox',
    speed: 1,
    log: quietLog,
  })
  const reader = { heard: 0, waiting: 0, ends: 0 }
  const sink: StreamSink = {
    write: () => {
      reader.heard++
      return true
    },
    waiting: () => reader.waiting,
    onDrained: () => {},
    onClosed: () => {},
    end: () => void reader.ends++,
  }
  const { body } = live.routes.find(({ path }) => path === '/live')!.handler({ address: 'a' } as never) as {
    body: { stream(sink: StreamSink): void }
  }
  body.stream(sink)
  return { live, reader }
}

test.each([
  ['nobody sets the clock', 0],
  ['the clock is set back', -10 * MINUTE],
  ['the clock is set ahead', 10 * MINUTE],
])('readers hear of us every five seconds, and the stuck are let go in time: %s', async (_, setMs) => {
  const { live, reader } = openQuiet()
  await vi.advanceTimersByTimeAsync(20 * SECOND)
  const before = reader.heard
  vi.setSystemTime(Date.now() + setMs)
  await vi.advanceTimersByTimeAsync(20 * SECOND)
  expect(reader.heard - before).toBe(4)

  reader.waiting = 1
  await vi.advanceTimersByTimeAsync(10 * SECOND)
  vi.setSystemTime(Date.now() + setMs)
  await vi.advanceTimersByTimeAsync(STUCK_MS - 10 * SECOND)
  expect(reader.ends).toBe(0)
  await vi.advanceTimersByTimeAsync(10 * SECOND)
  expect(reader.ends).toBe(1)
  await live.stop()
})

test('the service stops: readers are let go at once', async () => {
  const { live, reader } = openQuiet()
  await live.stop()
  expect(reader.ends).toBe(1)
})

test('what changed is sent at once, however short ago another change was; who joins begins with the board of now', () => {
  const steady = { ms: 0, nowMs: () => steady.ms }
  let pairs = 0
  const held = holdBoard(steady, () => {
    const board = show()
    return { ...board, counts: { ...board.counts, pairs } }
  })
  const join = () => {
    const heard: string[] = []
    const write = (chunk: string | Uint8Array) => heard.push(Buffer.from(chunk as Uint8Array).toString()) > 0
    held.readers.join({ write, waiting: () => 0, onDrained() {}, onClosed() {}, end() {} }, 'a', '')
    return () =>
      heard.splice(0).map((text) => /^event: (\w+)\ndata: .*"pairs":(\d+)/.exec(text)?.slice(1).join(' '))
  }
  const first = join()
  expect(first()).toEqual(['board 0'])
  for (pairs = 1; pairs <= 3; pairs++) {
    steady.ms += 1
    held.look()
  }
  expect(first()).toEqual(['change 1', 'change 2', 'change 3'])
  steady.ms += 1
  pairs = 3
  held.look()
  expect(first()).toEqual([])
  expect(join()()).toEqual(['board 3'])
})
