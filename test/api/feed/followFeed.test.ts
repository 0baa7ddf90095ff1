import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { followFeed } from '../../../api/feed/followFeed.ts'
import { FEED_STREAM } from '../../../engine/contract/feed.ts'
import { someEvent, tell } from '../../support/feed.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
let following: ReturnType<typeof followFeed>
let resets: number
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})
beforeEach(async () => {
  await redis.flushall()
  resets = 0
})
afterEach(() => following.stop())

const PAIRS = ['a:M1|b:K1', 'a:M2|b:K2', 'a:M3|b:K3'] as const
const follow = (reader = redis.duplicate()) => {
  following = followFeed({ reader, log: quietLog, onEvents: () => {}, onReset: () => resets++ })
}
const openGaps = () => [...(following.feed()?.open.gaps.keys() ?? [])].sort()
const reaches = (id: string) => until('it has come', () => following.feed()?.log.lastId === id)

test('what is told while the feed is read in is open too, and so is what is told then', async () => {
  await tell(redis, [someEvent({}, PAIRS[0])])
  const reader = redis.duplicate()
  const read = reader.xrange.bind(reader)
  //  after the open cards are read and before the events are
  reader.xrange = (async (...args: Parameters<typeof read>) => {
    if (following.feed() === null) await tell(redis, [someEvent({}, PAIRS[1])])
    return read(...args)
  }) as typeof reader.xrange
  follow(reader)
  await until('both', () => following.feed()?.log.end === 2)
  expect(openGaps()).toEqual(PAIRS.slice(0, 2))
  const [, last] = await tell(redis, [someEvent({}, PAIRS[2]), someEvent({ kind: 'closed' }, PAIRS[0])])
  await reaches(last!)
  expect([openGaps(), resets]).toEqual([PAIRS.slice(1), 0])
})

test('nothing that can be read: the feed is there all the same', async () => {
  const id = await redis.xadd(FEED_STREAM, '*', 'other', 'x')
  follow()
  await reaches(id!)
  expect(following.feed()?.log.end).toBe(0)
})

test('all was trimmed: who comes back with an older id is told, and who has the newest goes on', async () => {
  const [older, newest] = await tell(redis, [someEvent(), someEvent({ kind: 'closed' })])
  await redis.xtrim(FEED_STREAM, 'MAXLEN', 0)
  follow()
  await reaches(newest!)
  const log = following.feed()!.log
  expect([log.resume(older!), log.resume(newest!), resets]).toEqual([{ gap: 'trimmed' }, { at: 0 }, 0])
})
