import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Door } from '../../../api/feed/access.ts'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { eventFrame } from '../../../api/feed/frames.ts'
import { createHub } from '../../../api/feed/hub.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'
import { SLOW_BYTES, SLOW_MS } from '../../../api/feed/reader.ts'
import type { FeedStatus } from '../../../api/feed/status.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { someCard } from '../../support/boards.ts'
import { someEvent } from '../../support/feed.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000
const FRESH: FeedStatus = {
  ...{ mode: 'sandbox', recorded: false, snapshotVersion: 1, maxAgeMs: 1, stale: false, staleVenues: [] },
  ...{ asOf: { a: null, b: null }, ageMs: { a: null, b: null } },
}
const STALE: FeedStatus = { ...FRESH, stale: true, staleVenues: ['b'] }

/** What a reader hears, in words: of what tells the age of the data, whether it is stale. */
const heardOf = (text: string): string => {
  const { kind, stale } = JSON.parse(text)
  return stale === undefined ? kind : `${kind} ${stale ? 'stale' : 'fresh'}`
}

/** A hub whose time is moved by hand; `join` opens a reader that takes everything unless `stuck`. */
function openHub(answer: Awaited<ReturnType<Door['admitToken']>>) {
  const now: { feed: Feed; status: FeedStatus } = {
    feed: { log: new FeedLog(10_000, '0-0'), open: nothingOpen() },
    status: FRESH,
  }
  const admitted = { key: 'k', expiresMs: Date.now() + 3_600 * SECOND }
  const door: Door = { admit: () => admitted, admitToken: async () => answer }
  const hub = createHub({
    feed: () => now.feed,
    status: () => now.status,
    door,
    clock: { nowMs: () => Date.now() },
    metrics: createMetrics('test'),
  })
  const join = (afterId: string | null = null) => {
    const said: string[] = []
    const texts: string[] = []
    const ended: string[] = []
    const wire = { stuck: false, drain: () => {} }
    hub.join(
      { token: 't', admitted, topics: new Set(['gaps']), afterId },
      {
        outlet: {
          write: (chunk) => {
            texts.push(String(Buffer.from(chunk as Uint8Array)))
            said.push(heardOf(texts.at(-1)!))
            return !wire.stuck
          },
          waiting: () => 0,
          onDrained: (listener) => {
            wire.drain = () => {
              wire.stuck = false
              listener()
            }
          },
          onClosed: () => {},
        },
        bytes: ({ text }) => text,
        heartbeat: () => said.push('heartbeat'),
        end: (why) => ended.push(why),
      },
    )
    return { said, texts, ended, wire }
  }
  const tell = (ms: number) => {
    now.feed.log.append(someFrame(ms))
    hub.pumpAll()
  }
  /** The feed begins anew with so many events, of two kilobytes each. */
  const beginAnew = (count: number) => {
    now.feed = { log: new FeedLog(10_000, '0-0'), open: nothingOpen() }
    for (let at = 0; at < count; at++) now.feed.log.append(someFrame(1_000 + at, 'x'.repeat(2_000)))
    hub.resetAll()
  }
  return { now, join, tell, beginAnew }
}
const someFrame = (ms: number, topic = '') =>
  eventFrame(`${ms}-0`, someEvent({ kind: 'opened', card: someCard({ topic }) }))

function join(answer: Awaited<ReturnType<Door['admitToken']>>) {
  const { tell, ...opened } = openHub(answer)
  return { tell, ...opened.join() }
}
const KNOWN = { key: 'k', expiresMs: Number.MAX_SAFE_INTEGER }

test('a heartbeat every fifteen seconds, and none to a reader whose bytes wait', async () => {
  const { said, wire, tell } = join(KNOWN)
  await vi.advanceTimersByTimeAsync(45 * SECOND)
  expect(said).toEqual(['snapshot fresh', 'heartbeat', 'heartbeat', 'heartbeat'])
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
  expect(said).toEqual(['snapshot fresh', 'opened'])
  await vi.advanceTimersByTimeAsync(SLOW_MS - SECOND)
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

describe('every reader knows how old the data is', () => {
  test('told by the snapshot, and once when it changes', async () => {
    const { now, join } = openHub(KNOWN)
    const fresh = join()
    now.status = STALE
    const stale = join('0-0')
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(fresh.said).toEqual(['snapshot fresh', 'status stale'])
    expect(stale.said).toEqual(['status fresh', 'status stale'])
    now.status = FRESH
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(fresh.said.slice(2)).toEqual(['status fresh'])
    expect(stale.said.slice(2)).toEqual(['status fresh'])
  })

  test.each([
    ['fresh', FRESH],
    ['stale', STALE],
  ])('told first when a stream resumes: %s', async (word, status) => {
    const { now, join, tell } = openHub(KNOWN)
    tell(1)
    tell(2)
    now.status = status
    await vi.advanceTimersByTimeAsync(SECOND)
    const { said } = join('1-0')
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual([`status ${word}`, 'opened'])
  })

  test('as of the last second, however long nothing has changed', async () => {
    const { now, join } = openHub(KNOWN)
    await vi.advanceTimersByTimeAsync(600 * SECOND)
    now.status = { ...FRESH, snapshotVersion: 2, ageMs: { a: 5, b: 6 } }
    await vi.advanceTimersByTimeAsync(SECOND)
    expect(JSON.parse(join('0-0').texts[0]!)).toEqual({ kind: 'status', ...now.status })
  })

  test('told to whoever begins while it is stale: once, by the snapshot', async () => {
    const { now, join } = openHub(KNOWN)
    now.status = STALE
    const { said } = join()
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual(['snapshot stale'])
  })

  test('told by the snapshot behind a gap and behind a reset', async () => {
    const { now, join, beginAnew } = openHub(KNOWN)
    const { said } = join('9-9')
    now.status = STALE
    beginAnew(1)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said).toEqual(['gap', 'snapshot fresh', 'gap', 'snapshot stale'])
  })

  test('a change while his bytes wait is told when they have gone, before what was told since', async () => {
    const { now, join, tell } = openHub(KNOWN)
    const { said, wire } = join()
    wire.stuck = true
    tell(1)
    now.status = STALE
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    tell(2)
    expect(said).toEqual(['snapshot fresh', 'opened'])
    wire.drain()
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(said.slice(2)).toEqual(['status stale', 'opened'])
  })

  test('what changed and changed back while his bytes waited is not told', async () => {
    const { now, join, tell } = openHub(KNOWN)
    const { said, wire } = join()
    wire.stuck = true
    tell(1)
    now.status = STALE
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    now.status = FRESH
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    wire.drain()
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect(said).toEqual(['snapshot fresh', 'opened'])
  })
})

describe('the feed begins anew', () => {
  const MANY = Math.ceil(SLOW_BYTES / 2_000) // more bytes than a reader may be behind

  test('what the store retained is nothing that a reader owes: he stays, and hears what comes', async () => {
    const { join, tell, beginAnew } = openHub(KNOWN)
    tell(1)
    const { said, ended, wire } = join()
    await vi.advanceTimersByTimeAsync(SECOND)
    wire.stuck = true //  the snapshot is more than one write takes
    beginAnew(MANY)
    await vi.advanceTimersByTimeAsync(5 * SECOND)
    wire.drain()
    tell(900_000)
    expect([said, ended]).toEqual([['snapshot fresh', 'gap', 'snapshot fresh', 'opened'], []])
  })

  test('who is too far behind since then is slow all the same', async () => {
    const { join, tell, beginAnew, now } = openHub(KNOWN)
    const { said, ended, wire } = join()
    wire.stuck = true
    beginAnew(0)
    for (let at = 0; at < MANY; at++) now.feed.log.append(someFrame(1_000 + at, 'x'.repeat(2_000)))
    tell(900_000)
    await vi.advanceTimersByTimeAsync(SECOND)
    expect([said.at(-1), ended]).toEqual(['slow', ['slow']])
  })

  test('again and again does not give a stuck reader more time', async () => {
    const { join, tell, beginAnew } = openHub(KNOWN)
    const { ended, wire } = join()
    wire.stuck = true
    tell(1)
    for (let seconds = 0; seconds < SLOW_MS / SECOND; seconds += 10) {
      await vi.advanceTimersByTimeAsync(10 * SECOND)
      beginAnew(1)
    }
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect(ended).toEqual(['slow'])
  })
})
