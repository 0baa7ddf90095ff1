import { createServer, type Server } from 'node:net'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EPISODE_STREAM } from '../../../engine/contract/episodes.ts'
import { FEED_STREAM } from '../../../engine/contract/feed.ts'
import { HISTORY_SCHEMA_KEY, HistorySchema } from '../../../engine/contract/history.ts'
import { drainHistory } from '../../../engine/history/drains.ts'
import { episodesOnce } from '../../../engine/history/episodesOnce.ts'
import { keepHistory } from '../../../engine/history/keepHistory.ts'
import { loadConfig } from '../../../ops/config.ts'
import { drainKey } from '../../../ops/drainBlock.ts'
import type { Drain } from '../../../ops/drainStream.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { instant } from '../../../ops/instant.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics, type Metrics } from '../../../ops/metrics.ts'
import { migrate } from '../../../ops/migrate.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { freePort } from '../../support/ports.ts'
import { sleep, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { at, end, episode, feedEvent, historyDrained, tell } from './support.ts'

let server: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
let client: ClickHouseClient
let database: string
let home: Awaited<ReturnType<TestClickhouse['database']>>
let metrics: Metrics
const drains: Drain[] = []
const log = createLog('test', 'silent')

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
  redis.on('error', () => {}) //  it ends before the last drain notices
  clickhouse = await startClickhouse()
  home = await clickhouse.database()
  ;({ name: database, client } = home)
  await migrated()
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
  await clickhouse?.stop()
})
beforeEach(async () => {
  await redis.flushall()
  ;({ name: database, client } = home)
})
afterEach(async () => {
  for (const drain of drains.splice(0)) await drain.stop()
  ;({ name: database, client } = home)
  await empty()
})

const migrated = () => migrate(sliceOf(clickhouse, database))
/** A migration takes the engine 700 ms of CPU, and this 30. What was inserted before counts as never inserted. */
async function empty(): Promise<void> {
  const filled = await rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0 AND name != 'schema_migrations'",
  )
  for (const { name } of filled) await client.command({ query: `TRUNCATE TABLE ${name}` })
}
const start = (options: Partial<Parameters<typeof drainHistory>[0]> = {}) => {
  metrics = createMetrics('test')
  const drain = drainHistory({ redis, clickhouse: client, metrics, log, flushMs: 10, ...options })
  drains.push(drain)
  return drain
}
const rows = async <Row>(query: string): Promise<Row[]> =>
  (await client.query({ query, format: 'JSONEachRow' })).json<Row>()
const figure = async (query: string) =>
  Number(Object.values((await rows<Record<string, unknown>>(query))[0] ?? {})[0])
const counted = async (name: string) =>
  (await metrics.registry.getMetricsAsJSON()).find((metric) => metric.name === name)?.values ?? []

let minute = 0
/** Publishes so many gaps: each is opened and closed once on the feed, and is one episode. */
async function gaps(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const openedMs = at(0, minute++)
    const id = String(n)
    await tell(redis, feedEvent('opened', { id, openedMs, atMs: openedMs }))
    await tell(redis, feedEvent('closed', { id, openedMs, atMs: openedMs + 1 }))
    await end(redis, episode(id, openedMs, openedMs + 1))
  }
}
beforeEach(() => {
  minute = 0
})
/** Expects each gap once, in the tables and in all that is counted from them. */
async function exact(count: number): Promise<void> {
  await historyDrained(redis)
  expect(await figure('SELECT count() FROM gap_episodes')).toBe(count)
  expect(await figure('SELECT uniqExact(episode_id) FROM gap_episodes')).toBe(count)
  expect(await figure('SELECT count() FROM feed_events')).toBe(2 * count)
  expect(await figure('SELECT uniqExact(event_id) FROM feed_events')).toBe(2 * count)
  expect(await figure('SELECT sum(episodes) FROM gap_days')).toBe(count)
  expect(await figure('SELECT sum(events) FROM feed_hours')).toBe(2 * count)
}

describe('each gap and each event is in history exactly once', () => {
  test('with one engine, whatever was there before it started', async () => {
    await gaps(20)
    start()
    await historyDrained(redis)
    await gaps(7)
    await exact(27)
  })
  test('DATA-03: an engine whose Redis lost its last second ends a gap again: it ended once', async () => {
    const [first, again] = [episode('1', at(1), at(2)), episode('1', at(1), at(3), { why_closed: 'gone' })]
    start()
    await end(redis, first)
    await historyDrained(redis)
    await end(redis, again)
    await end(redis, episode('2', at(1), at(3)))
    await end(redis, { ...again, samples: 9 })
    await historyDrained(redis)
    expect(await rows('SELECT episode_id, why_closed FROM gap_episodes ORDER BY episode_id')).toEqual([
      { episode_id: first.episode_id, why_closed: 'narrowed' },
      { episode_id: episode('2', at(1), at(3)).episode_id, why_closed: 'narrowed' },
    ])
    expect(await figure('SELECT sum(episodes) FROM gap_days')).toBe(2)
  })
  test('DATA-03: whichever of a block are ended again, whenever they opened', async () => {
    const ended = [1, 2].map((hour) => episode(String(hour), at(hour), at(3)))
    const first = start()
    for (const row of ended) await end(redis, row)
    await historyDrained(redis)
    await first.stop()
    await end(redis, episode('3', at(0), at(4)))
    for (const row of ended) await end(redis, { ...row, closed_at: instant(at(5)) })
    start()
    await historyDrained(redis)
    expect(await figure('SELECT count() FROM gap_episodes')).toBe(3)
    expect(await figure('SELECT sum(episodes) FROM gap_days')).toBe(3)
  })
  test('DATA-03: of an episode that the table has twice the first stays, whatever is filled again', async () => {
    const told = [9, 10].map((stream_seq) => ({
      ...episode('1', at(1), at(2)),
      stream_ms: at(2),
      stream_seq,
    }))
    expect(await episodesOnce(client, told)).toEqual([told[0]]) //  both in one block, and none in the table yet
    await client.insert({ table: 'gap_episodes', values: told, format: 'JSONEachRow' })
    expect(await episodesOnce(client, told)).toEqual([told[0]])
  })
  test('DATA-03: what cannot be compared with the table is not stored', async () => {
    const away = createClient({ url: `http://127.0.0.1:${await freePort()}` })
    const row = { ...episode('1', at(1), at(2)), stream_ms: at(2), stream_seq: 0 }
    await expect(episodesOnce(away, [row])).rejects.toBeInstanceOf(UnavailableError)
    await away.close()
  })
  test('with two engines side by side', async () => {
    const other = redis.duplicate()
    start()
    start({ redis: other })
    for (let round = 0; round < 8; round++) {
      await gaps(9)
      await sleep(10)
    }
    await exact(72)
    for (const drain of drains.splice(0)) await drain.stop()
    other.disconnect()
  })
  test('DATA-14: a block that was inserted but not recorded as such is repeated with no effect', async () => {
    await gaps(10)
    const first = start()
    await exact(10)
    await first.stop()
    for (const [name, stream] of [
      ['history-episodes', EPISODE_STREAM],
      ['history-feed', FEED_STREAM],
    ] as const) {
      const all = await redis.xrange(stream, '-', '+')
      await redis.del(drainKey(name)) //  Redis lost its last second: the claim is there, the advance is not
      await redis.hset(drainKey(name), {
        first: all[0]![0],
        last: all.at(-1)![0],
        count: all.length,
        dropped: 0,
      })
    }
    start()
    await exact(10)
  })
  test('a view that could not be filled is filled when the block is repeated', async () => {
    const [feeder] = await rows<{ sql: string }>(
      `SELECT as_select AS sql FROM system.tables WHERE database = '${database}' AND name = 'feed_hours_feeder'`,
    )
    const fillBy = (sql: string) =>
      client.command({ query: `ALTER TABLE feed_hours_feeder MODIFY QUERY ${sql}` })
    await fillBy(feeder!.sql.replace('count() AS events', 'count() + throwIf(count() > 0) AS events'))
    await gaps(4)
    start()
    await until('half an insert', async () => {
      const claimed = await redis.hget(drainKey('history-feed'), 'first')
      return claimed !== null && (await figure('SELECT count() FROM feed_events')) > 0
    })
    expect(await figure('SELECT sum(events) FROM feed_hours')).toBe(0)
    await fillBy(feeder!.sql)
    await exact(4)
  })
})

describe('what cannot be kept is counted, and holds nothing up', () => {
  test('entries that do not follow their contract', async () => {
    await gaps(2)
    await redis.xadd(FEED_STREAM, '*', 'event', '{"kind":"opened"}')
    await redis.xadd(EPISODE_STREAM, '*', 'episode', 'nonsense')
    start()
    await exact(2)
    expect(
      (await counted('history_unreadable_total')).map(({ labels, value }) => [labels.stream, value]),
    ).toEqual(
      expect.arrayContaining([
        ['feed', 1],
        ['episodes', 1],
      ]),
    )
  })
  test('entries a full stream threw away: a row of stream_gaps says which and how many', async () => {
    await gaps(3)
    start()
    await exact(3)
    for (const drain of drains.splice(0)) await drain.stop()
    await gaps(10)
    await redis.xtrim(EPISODE_STREAM, 'MAXLEN', 4)
    start()
    await historyDrained(redis)
    expect(await rows('SELECT stream, toUInt32(dropped) AS dropped FROM stream_gaps')).toEqual([
      { stream: EPISODE_STREAM, dropped: 6 },
    ])
    expect(await figure('SELECT count() FROM gap_episodes')).toBe(7)
    const lost = await counted('history_lost_total')
    expect(lost.filter(({ value }) => value > 0)).toMatchObject([
      { labels: { stream: 'episodes' }, value: 6 },
    ])
  })
})

test('the schema page has what the database says of itself', async () => {
  const env = { REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: database }
  const history = keepHistory({ config: loadConfig(env, 'engine'), log, metrics: createMetrics('test') })
  drains.push(history)
  const text = await until('it is published', () => redis.get(HISTORY_SCHEMA_KEY))
  const schema = HistorySchema.parse(JSON.parse(text))
  expect([schema.database, schema.tables.length > 0]).toEqual([database, true])
})

test('the schema page has it soon after a database that was away when the engine began', async () => {
  const port = new URL(clickhouse.url).port
  await clickhouse.kill()
  const env = { REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: database }
  drains.push(keepHistory({ config: loadConfig(env, 'engine'), log, metrics: createMetrics('test') }))
  await sleep(500)
  expect(await redis.exists(HISTORY_SCHEMA_KEY)).toBe(0)
  await clickhouse.restart({ port })
  await until('it is published', () => redis.get(HISTORY_SCHEMA_KEY))
})

describe('DATA-13: ClickHouse is away', () => {
  test('not migrated yet: everything waits, then all of it is there', async () => {
    ;({ name: database, client } = await clickhouse.database())
    start()
    await gaps(5)
    await until('it says how much waits', async () =>
      (await counted('history_backlog')).some(
        ({ labels, value }) => labels.stream === 'feed' && value === 10,
      ),
    )
    await migrated()
    await exact(5)
  })
  test('stopped for a while: the streams keep what is told meanwhile, whoever publishes notices nothing, and all is caught up', async () => {
    const config = loadConfig(
      {
        REDIS_URL: server.url,
        CLICKHOUSE_URL: clickhouse.url,
        CLICKHOUSE_DATABASE: database,
      },
      'engine',
    )
    const port = new URL(clickhouse.url).port
    metrics = createMetrics('test')
    const history = keepHistory({ config, log, metrics })
    drains.push(history)
    await gaps(5)
    await exact(5)
    await clickhouse.kill()
    await gaps(20) //  the publisher's side: plain writes to Redis, none of which waits
    expect(await redis.xlen(FEED_STREAM)).toBe(50)
    await until('it says how much waits', async () =>
      (await counted('history_backlog')).some(
        ({ labels, value }) => labels.stream === 'feed' && value === 40,
      ),
    )
    await clickhouse.restart({ port })
    client = clickhouse.client({ database })
    await exact(25)
  })
  test('it accepts and never answers: an engine stops all the same', async () => {
    const silent: Server = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const config = loadConfig({ REDIS_URL: server.url, CLICKHOUSE_URL: `http://127.0.0.1:${port}` }, 'engine')
    await gaps(1)
    metrics = createMetrics('test')
    const history = keepHistory({ config, log, metrics })
    await sleep(100)
    await history.stop() //  the client itself would wait for half a minute
    silent.close()
  }, 20_000)
})
