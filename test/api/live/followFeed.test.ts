import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FEED_PAGE, followFeed } from '../../../api/live/followFeed.ts'
import { showTicker, type Ticker } from '../../../api/live/ticker.ts'
import { FEED_STREAM } from '../../../engine/contract/feed.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { someCard } from '../../support/boards.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, { log: quietLog, name: 'test-ticker' })
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const AT = 1_790_000_040_000
const event = { kind: 'opened', topic: 'gaps', atMs: AT, snapshotVersion: 1, card: someCard() }
const add = (...texts: string[]) =>
  texts.reduce((multi, text) => multi.xadd(FEED_STREAM, '*', 'event', text), redis.multi()).exec()
const opened = (ticker: Ticker) => showTicker(ticker, AT + 10 * 60_000).counts.opened

describe('the feed is followed in small looks', () => {
  test('from the newest there is, then what came since; nothing twice', async () => {
    await add(...Array.from({ length: FEED_PAGE + 10 }, () => JSON.stringify(event)))
    const ticker: Ticker = new Map()
    const feed = followFeed(redis, ticker)
    await feed.look()
    expect(opened(ticker)).toBe(FEED_PAGE)
    await feed.look()
    expect(opened(ticker)).toBe(FEED_PAGE)
    await add(JSON.stringify(event))
    await feed.look()
    expect(opened(ticker)).toBe(FEED_PAGE + 1)
  })

  test('an event is told with what it is about, its question and its band', async () => {
    const ticker: Ticker = new Map()
    const feed = followFeed(redis, ticker)
    const card = { ...someCard(), topic: 'Fed cuts rates', gapCents: 7.25, edgeCents: -1.5 }
    await redis.del(FEED_STREAM)
    await feed.look() //  nothing was ever told
    await add(...['gaps', 'edges'].map((topic) => JSON.stringify({ ...event, topic, card })))
    await feed.look()
    expect(showTicker(ticker, AT + 10 * 60_000).events).toMatchObject([
      { about: 'gaps', topic: 'Fed cuts rates', band: '5 to 10 cents' },
      { about: 'edges', topic: 'Fed cuts rates', band: '-5 to 0 cents' },
    ])
  })

  test('an entry that cannot be read is passed over, in the same look', async () => {
    const ticker: Ticker = new Map()
    const feed = followFeed(redis, ticker)
    await feed.look()
    const before = opened(ticker)
    await add('{"half":', '{"kind":"opened"}', 'null', JSON.stringify(event))
    await feed.look()
    expect(opened(ticker)).toBe(before + 1)
  })

  test('another stream, of a host whose clock is behind, is followed from its end on', async () => {
    const ticker: Ticker = new Map()
    const feed = followFeed(redis, ticker)
    await feed.look()
    const before = opened(ticker)
    const [newest] = await redis.xrevrange(FEED_STREAM, '+', '-', 'COUNT', 1)
    const behindMs = Number(newest![0].split('-')[0]) - 3_600_000
    const told = (ms: number) => redis.xadd(FEED_STREAM, `${ms}-0`, 'event', JSON.stringify(event))
    await redis.del(FEED_STREAM)
    await told(behindMs)
    await feed.look()
    await told(behindMs + 1)
    await feed.look()
    await feed.look()
    expect(opened(ticker)).toBe(before + 1)
    await redis.del(FEED_STREAM)
    await feed.look()
    await told(1)
    await feed.look()
    expect(opened(ticker)).toBe(before + 2)
  })
})
