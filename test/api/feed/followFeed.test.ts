import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { followFeed } from '../../../api/feed/followFeed.ts'
import { FEED_STREAM, FEED_TOPICS } from '../../../engine/contract/feed.ts'
import { someEvent, tell } from '../../support/feed.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
let following: ReturnType<typeof followFeed>
let resets: number
let shown: (string | undefined)[] //  the newest id, whenever readers are told to look
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
  shown = []
})
afterEach(() => following.stop())

const PAIRS = ['a:M1|b:K1', 'a:M2|b:K2', 'a:M3|b:K3'] as const
const follow = (reader = redis.duplicate()) => {
  const onEvents = () => shown.push(following.feed()?.log.lastId)
  following = followFeed({ reader, log: quietLog, onEvents, onReset: () => resets++ })
}
const openGaps = () => [...(following.feed()?.open.gaps.keys() ?? [])].sort()
const reaches = (id: string) => until('it has come', () => following.feed()?.log.lastId === id)

/** A connection on which something happens once, between the first two things it asks for. */
function readerWith(happen: () => Promise<unknown>): Redis {
  const reader = redis.duplicate()
  let asked = 0
  const before = async () => {
    if (++asked === 2) await happen()
  }
  const [multi, xrange] = [reader.multi.bind(reader), reader.xrange.bind(reader)]
  reader.multi = ((...args: Parameters<typeof multi>) => {
    const transaction = multi(...args)
    const exec = transaction.exec.bind(transaction)
    transaction.exec = (async () => {
      await before()
      return exec()
    }) as typeof exec
    return transaction
  }) as typeof reader.multi
  reader.xrange = (async (...args: Parameters<typeof xrange>) => {
    await before()
    return xrange(...args)
  }) as typeof reader.xrange
  return reader
}

test('what is told while the feed is read in is open too, and so is what is told then', async () => {
  await tell(redis, [someEvent({}, PAIRS[0])])
  follow(readerWith(() => tell(redis, [someEvent({}, PAIRS[1])])))
  await until('both', () => following.feed()?.log.end === 2)
  expect(openGaps()).toEqual(PAIRS.slice(0, 2))
  const [, last] = await tell(redis, [someEvent({}, PAIRS[2]), someEvent({ kind: 'closed' }, PAIRS[0])])
  await reaches(last!)
  expect([openGaps(), resets]).toEqual([PAIRS.slice(1), 0])
})

test.each(FEED_TOPICS)('what is closed under topic %s stays open under the other', async (topic) => {
  await tell(redis, [someEvent({ topic: 'gaps' }), someEvent({ topic: 'edges' })])
  follow()
  await until('both', () => following.feed()?.log.end === 2)
  const [closed] = await tell(redis, [someEvent({ kind: 'closed', topic })])
  await reaches(closed!)
  const { open } = following.feed()!
  const other = topic === 'gaps' ? 'edges' : 'gaps'
  expect([[...open[topic].keys()], [...open[other].keys()]]).toEqual([[], [PAIRS[0]]])
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

test('the first events that are ever trimmed, trimmed while the feed is read in: who has such an id is told of it, or misses nothing', async () => {
  const ids = await tell(redis, [someEvent({}, PAIRS[0]), someEvent({}, PAIRS[1]), someEvent({}, PAIRS[2])])
  follow(readerWith(() => redis.xtrim(FEED_STREAM, 'MAXLEN', 1)))
  await reaches(ids[2]!)
  const { log } = following.feed()!
  const resume = log.resume(ids[0]!)
  const missed = 'at' in resume ? [log.at(resume.at)?.id, log.at(resume.at + 1)?.id] : resume.gap
  expect([ids.slice(1), 'trimmed']).toContainEqual(missed)
})

test('trimmed while the feed is read in, beyond the page that was read: it is read in anew before anybody sees it, since what is open is newer', async () => {
  const older = await tell(
    redis,
    Array.from({ length: 150 }, () => someEvent({}, PAIRS[0])),
  )
  const [newest] = await tell(redis, [someEvent({}, PAIRS[1])])
  follow(readerWith(() => redis.xtrim(FEED_STREAM, 'MAXLEN', 10)))
  await reaches(newest!)
  expect([shown, resets, openGaps()]).toEqual([[newest], 0, PAIRS.slice(0, 2)])
  expect(following.feed()!.log.resume(older[0]!)).toEqual({ gap: 'trimmed' })
})

test('the first events of all, some of them trimmed before they were read: it begins anew', async () => {
  follow()
  await until('it has begun', () => following.feed() !== null)
  const event = ['event', JSON.stringify(someEvent({}, PAIRS[0]))] as const
  await redis
    .multi()
    .xadd(FEED_STREAM, '1-0', ...event)
    .xadd(FEED_STREAM, '2-0', ...event)
    .xtrim(FEED_STREAM, 'MAXLEN', 1)
    .exec()
  await reaches('2-0')
  expect([resets, following.feed()!.log.resume('1-0')]).toEqual([1, { gap: 'trimmed' }])
})

test.each([
  ['the newest events', 1],
  ['all of them', 0],
])('the store lost %s, and none comes: it begins anew even so', async (_what, left) => {
  await tell(redis, [someEvent({}, PAIRS[0]), someEvent({}, PAIRS[1])])
  const [[oldest, fields], [newest]] = (await redis.xrange(FEED_STREAM, '-', '+')) as [
    [string, string[]],
    [string, string[]],
  ]
  follow()
  await reaches(newest)
  const lost = redis.multi().del(FEED_STREAM)
  if (left === 1) lost.xadd(FEED_STREAM, oldest, ...fields)
  await lost.exec()
  await until('it has begun anew', () => resets === 1)
  expect(following.feed()!.log.resume(newest)).toEqual({ gap: 'unknown_id' })
})
