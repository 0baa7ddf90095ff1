import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Door } from '../../../api/feed/access.ts'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { eventFrame } from '../../../api/feed/frames.ts'
import { createHub } from '../../../api/feed/hub.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'
import { SLOW_MS } from '../../../api/feed/reader.ts'
import { createMetrics } from '../../../ops/metrics.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000
const STATUS = {
  ...{ mode: 'sandbox', recorded: false, snapshotVersion: 1, maxAgeMs: 1, stale: false, staleVenues: [] },
  ...{ asOf: { a: null, b: null }, ageMs: { a: null, b: null } },
}

/** A hub whose time is moved by hand, with one reader that takes everything unless `stuck`. */
function join(answer: Awaited<ReturnType<Door['admitToken']>>) {
  const feed: Feed = { log: new FeedLog(100, '0-0'), open: nothingOpen() }
  const admitted = { key: 'k', expiresMs: Date.now() + 3_600 * SECOND }
  const door: Door = { admit: () => admitted, admitToken: async () => answer }
  const hub = createHub({
    feed: () => feed,
    status: () => STATUS,
    door,
    clock: { nowMs: () => Date.now() },
    metrics: createMetrics('test'),
  })
  const said: string[] = []
  const ended: string[] = []
  const wire = { stuck: false, drain: () => {} }
  hub.join(
    { token: 't', admitted, topics: new Set(['gaps']), afterId: null },
    {
      outlet: {
        write: (chunk) => {
          said.push(String(Buffer.from(chunk as Uint8Array)).match(/"kind":"(\w+)"/)?.[1] ?? '')
          return !wire.stuck
        },
        waiting: () => 0,
        onDrained: (listener) => {
          wire.drain = listener
        },
        onClosed: () => {},
      },
      bytes: ({ text }) => text,
      heartbeat: () => said.push('heartbeat'),
      end: (why) => ended.push(why),
    },
  )
  const tell = (ms: number) => {
    feed.log.append(eventFrame(`${ms}-0`, { kind: 'opened', topic: 'gaps' }))
    hub.pumpAll()
  }
  return { hub, said, ended, wire, tell }
}
const KNOWN = { key: 'k', expiresMs: Number.MAX_SAFE_INTEGER }

test('a heartbeat every fifteen seconds, and none to a reader whose bytes wait', async () => {
  const { said, wire, tell } = join(KNOWN)
  await vi.advanceTimersByTimeAsync(45 * SECOND)
  expect(said).toEqual(['snapshot', 'heartbeat', 'heartbeat', 'heartbeat'])
  wire.stuck = true
  tell(1)
  await vi.advanceTimersByTimeAsync(15 * SECOND)
  expect(said.slice(4)).toEqual(['opened'])
})

test('ENT-15 a token is looked up again every minute: a revoked one is told and ends', async () => {
  const { said, ended } = join({ problem: 'feed_token_unknown' })
  await vi.advanceTimersByTimeAsync(59 * SECOND)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(1 * SECOND)
  expect([said.at(-1), ended]).toEqual(['revoked', ['revoked']])
})

test('a ledger that does not answer ends no stream', async () => {
  const { ended } = join({ problem: 'ledger_unavailable' })
  await vi.advanceTimersByTimeAsync(180 * SECOND)
  expect(ended).toEqual([])
})

test('nothing is written while bytes wait; who drains in time hears all that was told meanwhile', async () => {
  const { said, ended, wire, tell } = join(KNOWN)
  wire.stuck = true
  for (const ms of [1, 2, 3]) tell(ms)
  expect(said).toEqual(['snapshot', 'opened'])
  await vi.advanceTimersByTimeAsync(SLOW_MS - SECOND)
  wire.stuck = false
  wire.drain()
  expect(said.filter((kind) => kind === 'opened')).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(60 * SECOND)
  expect(ended).toEqual([])
})

test('who is not level again within thirty seconds is told and sent away', async () => {
  const { said, ended, wire, tell } = join(KNOWN)
  await vi.advanceTimersByTimeAsync(600 * SECOND) // quiet hours do not count against him
  wire.stuck = true
  tell(1)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(2 * SECOND)
  expect([said.at(-1), ended]).toEqual(['slow', ['slow']])
})
