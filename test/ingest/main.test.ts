import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ClickHouseClient } from '@clickhouse/client'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Venue } from '../../ingest/contract/market.ts'
import { Batch, QUOTE_STREAM, SWEEP_KEY, WANTED_BOOKS_KEY } from '../../ingest/contract/stream.ts'
import { leaseKey } from '../../ingest/publish.ts'
import { migrate } from '../../ops/migrate.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../support/clickhouse.ts'
import { freePort } from '../support/ports.ts'
import { type Running, runMain, until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { serveAnswers } from './support/answers.ts'
import { eventA, eventB, marketA, marketB } from './support/rows.ts'

/** The ingest process as started in production, with both venues, Redis and the real engine around it. */
let redisServer: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
let client: ClickHouseClient
let venues: Awaited<ReturnType<typeof serveAnswers>>
let deadUrl: string
const running: Running[] = []
const MARKETS = 25
/** How far the Date of each venue is moved, ms. */
let ahead = { a: 0, b: 0 }
/** While set, venue a asks for a pause; how often it was asked all the same. */
let refusals: { count: number } | null = null

beforeAll(async () => {
  redisServer = await startRedis()
  redis = new Redis(redisServer.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
  client = clickhouse.client({ database: 'archive' })
  deadUrl = `http://127.0.0.1:${await freePort()}`
  venues = await serveAnswers((path, url) => {
    //  a price that differs at every sweep
    const cents = Math.floor(Date.now() / 50) % 40
    const price = (at: number) => (0.3 + ((cents + at) % 40) / 100).toFixed(4)
    if (path === '/series') return { status: 404 }
    if (path === '/books')
      return {
        json: [{ asset_id: '1', timestamp: '1778997825875', bids: [{ price: '0.4', size: '5' }], asks: [] }],
      }
    if (path === '/markets/orderbooks') {
      const books = url.searchParams.getAll('tickers').map((ticker) => ({
        ticker,
        orderbook_fp: { yes_dollars: [['0.4000', '7.00']], no_dollars: [['0.5000', '9.00']] },
      }))
      return { json: { orderbooks: books } }
    }
    const list = Array.from({ length: MARKETS }, (_, at) => at)
    const date = (venue: Venue) => ({ date: new Date(Date.now() + ahead[venue]).toUTCString() })
    if (path === '/events/keyset' && refusals !== null) {
      refusals.count++
      return { status: 429, headers: { 'retry-after': '3600' } }
    }
    if (path === '/events/keyset')
      return {
        headers: date('a'),
        json: {
          events: list.map((at) =>
            eventA([marketA({ id: `${at}`, bestBid: Number(price(at)) })], { id: `e${at}` }),
          ),
        },
      }
    const markets = list.map((at) =>
      marketB({ ticker: `T-${at}`, yes_bid_dollars: price(at), yes_ask_dollars: '0.9900' }),
    )
    return { headers: date('b'), json: { events: [eventB(markets)], cursor: '' } }
  })
})
/** What a test that failed leaves behind is not the next one's. */
afterEach(async () => {
  for (const process of running.splice(0)) await process.kill()
  ahead = { a: 0, b: 0 }
  refusals = null
})
afterAll(async () => {
  redis.disconnect()
  await venues.close()
  await clickhouse.stop()
  await redisServer.stop()
})

const start = async (env: Record<string, string> = {}): Promise<{ process: Running; operator: string }> => {
  const process = runMain('ingest/main.ts', {
    env: {
      REDIS_URL: redisServer.url,
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_DATABASE: 'archive',
      VENUE_A_CATALOG_URL: venues.url,
      VENUE_A_BOOK_URL: venues.url,
      VENUE_B_URL: venues.url,
      POLL_EVERY_MS: '100',
      OPERATOR_PORT: '0',
      ...env,
    },
  })
  running.push(process)
  const [, port] = await process.says(/"operatorPort":(\d+)/)
  return { process, operator: `http://127.0.0.1:${port}` }
}
/** What the stream has told, each entry read once: it is asked for many times a second. */
const heard = { batches: new Map<string, z.infer<typeof Batch>>(), last: '-' }
const stream = async () => {
  for (const [id, [, json]] of await redis.xrange(QUOTE_STREAM, heard.last, '+')) {
    if (!heard.batches.has(id)) heard.batches.set(id, Batch.parse(JSON.parse(json!)))
    heard.last = id
  }
  return [...heard.batches].map(([id, batch]) => ({ id, batch }))
}
const flush = async () => {
  await redis.flushall()
  Object.assign(heard, { batches: new Map(), last: '-' })
}
const sweeps = async () =>
  (await stream()).filter(({ batch }) => batch.kind === 'sweep' && batch.sweep.complete).length
/** Newest sweeps of both venues, added up: rises by one a complete sweep. */
const newestSweeps = async () => {
  const newest = { a: 0, b: 0 }
  for (const { batch } of await stream())
    if (batch.kind === 'sweep' && batch.sweep.complete)
      newest[batch.venue] = Math.max(newest[batch.venue], batch.sweep.sweepId)
  return newest.a + newest.b
}
const metric = async (operator: string, name: RegExp): Promise<number> => {
  const text = await (await fetch(`${operator}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => name.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
/** Quotes of the stream and of the archive by their event ids. */
const compare = async () => {
  const entries = await stream()
  const expected = entries.flatMap(({ id, batch }) =>
    batch.kind === 'changes'
      ? batch.quotes.map((quote) => `${id} ${quote.venue} ${quote.marketId} ${quote.bidBps}`)
      : [],
  )
  const answer = await client.query({
    query: `SELECT concat(toString(stream_ms), '-', toString(stream_seq), ' ', venue, ' ', market_id, ' ', toString(bid_bps)) AS id FROM quotes`,
    format: 'JSONEachRow',
  })
  const archived = (await answer.json<{ id: string }>()).map(({ id }) => id)
  return { expected: expected.sort(), archived: archived.sort() }
}

describe('the ingest process', () => {
  test('DATA-13: polls while ClickHouse is away, and stops cleanly', async () => {
    const { process, operator } = await start({ CLICKHOUSE_URL: deadUrl })
    await until('complete sweeps of both venues', async () => (await sweeps()) >= 4)
    expect(await (await fetch(`${operator}/readyz`)).json()).toMatchObject({ ok: true })
    expect((await fetch(`${operator}/healthz`)).status).toBe(200)
    const board = (await (await fetch(`${operator}/queues/api/queues`)).json()) as {
      queues: { name: string }[]
    }
    expect(board.queues.map(({ name }) => name).sort()).toEqual(
      ['books-a', 'books-b', 'sweep-a', 'sweep-b'].map((name) => `ingest-${name}`),
    )
    expect(await metric(operator, /^ingest_sweeps_total.*outcome="complete"/)).toBeGreaterThanOrEqual(4)
    expect(await metric(operator, /^ingest_changes_total.*kind="quote"/)).toBeGreaterThan(MARKETS * 2)
    expect(await process.stop()).toEqual({ code: 0, signal: null })
  })

  test('DATA-12: its jobs carry no data at all', async () => {
    const kept = await Promise.all(
      (await redis.keys('bull:*')).map(async (key) =>
        (await redis.type(key)) === 'hash' ? redis.hget(key, 'data') : null,
      ),
    )
    expect(new Set(kept.filter((data) => data !== null))).toEqual(new Set(['{}']))
  })

  test('OPS-01: a ClickHouse that takes what it is sent and says nothing keeps nobody from stopping', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const connected = once(silent, 'connection')
    const { process } = await start({ CLICKHOUSE_URL: `http://127.0.0.1:${port}` })
    await connected
    expect(await process.stop()).toEqual({ code: 0, signal: null })
    silent.close()
  })

  test.each(['drain-inserted', 'drain-table', 'drain-claimed'])(
    'then is killed while it archives that, at %s',
    async (point) => {
      const { process } = await start({ FAULT_POINT: `${point}:kill` })
      expect(await process.exited).toMatchObject({ signal: 'SIGKILL' })
    },
  )

  test('and goes on, and its archive keeps up', async () => {
    const { process, operator } = await start({ POLL_EVERY_MS: '1000' }) //  ten sweeps a second outrun the archive of a busy host
    const before = await sweeps()
    await until('it goes on', async () => (await sweeps()) >= before + 6, 30_000)
    await until(
      'the archive keeps up',
      async () => (await metric(operator, /^ingest_archive_backlog_batches/)) <= 2,
    )
    expect(await process.stop()).toEqual({ code: 0, signal: null })
  })

  test('all of it is archived exactly once, though it was killed between insert and acknowledgement', async () => {
    const { process } = await start({ POLL_EVERY_MS: '600000' })
    await until('nothing waits', async () => {
      const [newest] = await redis.xrevrange(QUOTE_STREAM, '+', '-', 'COUNT', 1)
      return (await redis.hget('drain:archive', 'cursor')) === newest?.[0]
    })
    expect(await process.stop()).toEqual({ code: 0, signal: null })
    const { expected, archived } = await compare()
    expect(expected.length).toBeGreaterThan(100)
    expect(archived).toEqual(expected)
  })

  test('books of wanted markets are read and published; books that are not in the set are not', async () => {
    await redis.sadd(WANTED_BOOKS_KEY, 'a:0|1', 'b:T-1', 'c:nonsense', 'a:no-token')
    const { process } = await start()
    const books = await until(
      'books of both venues',
      async () => {
        const found = (await stream()).flatMap(({ batch }) => (batch.kind === 'books' ? batch.books : []))
        return new Set(found.map(({ venue }) => venue)).size === 2 ? found : null
      },
      45_000,
    )
    expect(books.find(({ venue }) => venue === 'a')).toMatchObject({
      marketId: '0',
      bids: [[4000, 5]],
      asks: [],
    })
    expect(books.find(({ venue }) => venue === 'b')).toMatchObject({
      marketId: 'T-1',
      bids: [[4000, 7]],
      asks: [[5000, 9]],
    })
    const count = async () => (await stream()).filter(({ batch }) => batch.kind === 'books').length
    const [published, swept] = [await count(), await newestSweeps()]
    await until('more sweeps', async () => (await newestSweeps()) >= swept + 6, 45_000)
    expect(await count()).toBe(published) // unchanged books are not sent again so soon
    await process.stop()
  })

  test('VEN-18: two processes: every sweep has an id of its own, rising', async () => {
    const both = await Promise.all([start(), start()])
    const before = await newestSweeps()
    await until('many sweeps', async () => (await newestSweeps()) >= before + 10, 45_000)
    for (const { process } of both) await process.stop()
    for (const venue of ['a', 'b']) {
      const ids = (await stream()).flatMap(({ batch }) =>
        batch.kind === 'sweep' && batch.venue === venue ? [batch.sweep.sweepId] : [],
      )
      expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right))
    }
  })

  test('two processes share the venues, and go on with what is theirs until one of them is killed', async () => {
    const ownerOf = (venue: Venue, kind: 'sweep' | 'books' = 'sweep') =>
      redis.hget(leaseKey(`${kind}:${venue}`), 'owner')
    await redis.sadd(WANTED_BOOKS_KEY, 'a:0|1', 'b:T-1')
    const earlier = [await ownerOf('a'), await ownerOf('b')]
    const both = await Promise.all([start(), start()])
    await until('each sweeps one venue', async () => {
      const [ofA, ofB] = [await ownerOf('a'), await ownerOf('b')]
      return ofA !== ofB && !earlier.includes(ofA) && !earlier.includes(ofB)
    })
    const owners = [await ownerOf('a'), await ownerOf('b')]
    const before = await newestSweeps()
    await until('many sweeps', async () => (await newestSweeps()) >= before + 20)
    expect([await ownerOf('a'), await ownerOf('b')]).toEqual(owners)
    expect([await ownerOf('a', 'books'), await ownerOf('b', 'books')]).toEqual(owners) //  the venue sees one of us
    const told = await Promise.all(both.map(({ operator }) => metric(operator, /^ingest_markets\{/)))
    expect(told).toEqual([MARKETS, MARKETS]) //  each tells of its own venue only
    await both[0]!.process.kill()
    await until('the other one sweeps both', async () => (await ownerOf('a')) === (await ownerOf('b')))
    const alone = await newestSweeps()
    await until('more sweeps', async () => (await newestSweeps()) >= alone + 4)
    expect(await both[1]!.process.stop()).toEqual({ code: 0, signal: null })
    const leases = ['sweep:a', 'sweep:b'] as const
    const untilMs = await Promise.all(leases.map((feed) => redis.hget(leaseKey(feed), 'untilMs')))
    expect(untilMs).toEqual(['0', '0']) //  who stops leaves nothing to wait for
  })

  test('VEN-02: a pause that a venue asks for is observed by the other process as well', async () => {
    const both = await Promise.all([start(), start()])
    const complete = ({ operator }: { operator: string }) =>
      metric(operator, /^ingest_sweeps_total\{.*outcome="complete"/)
    await until('both sweep', async () => (await Promise.all(both.map(complete))).every((count) => count > 0))
    refusals = { count: 0 }
    await until('venue a is asked', () => (refusals?.count ?? 0) > 0)
    const before = await newestSweeps()
    await until('many sweeps of venue b', async () => (await newestSweeps()) >= before + 80)
    expect(refusals.count).toBe(1)
    refusals = null
    for (const { process } of both) await process.stop()
    await flush() //  the pause was for an hour, and theirs
  })

  test('VEN-08: tells how far the clock of each venue is ahead, but not where markets have a clock of their own', async () => {
    const aheadOf = (operator: string, venue: Venue) =>
      metric(operator, new RegExp(`^ingest_clock_ahead_ms\\{.*venue="${venue}"`))
    const { process, operator } = await start()
    const before = await newestSweeps()
    await until('sweeps', async () => (await newestSweeps()) >= before + 4)
    expect([await aheadOf(operator, 'a'), await aheadOf(operator, 'b')]).toEqual([0, 0])
    ahead = { a: 3_600_000, b: -60_000 }
    await until('an hour ahead', async () => (await aheadOf(operator, 'a')) >= 3_598_000)
    await until('a minute behind', async () => (await aheadOf(operator, 'b')) <= -58_000)
    expect(await aheadOf(operator, 'a')).toBeLessThanOrEqual(3_600_000)
    expect(await aheadOf(operator, 'b')).toBeGreaterThanOrEqual(-60_000)
    ahead = { a: 0, b: 0 }
    await until('it is over', async () => (await aheadOf(operator, 'a')) === 0)
    await process.stop()
    const [marketMs, realMs] = [Date.now() - 86_400_000, Date.now()]
    const replay = await start({ MARKET_CLOCK: `${marketMs}:${realMs}:1` })
    const swept = await newestSweeps()
    await until('sweeps of the replay', async () => (await newestSweeps()) >= swept + 4)
    const text = await (await fetch(`${replay.operator}/metrics`)).text()
    expect(text).toContain('# TYPE ingest_clock_ahead_ms gauge')
    expect(text).not.toMatch(/^ingest_clock_ahead_ms[ {]/m)
    await replay.process.stop()
  })

  test('a shorter pace than that of the process before begins at once', async () => {
    const { process: slow } = await start({ POLL_EVERY_MS: '600000' })
    const { process: fast } = await start()
    const before = await newestSweeps()
    await until('sweeps', async () => (await newestSweeps()) >= before + 4, 45_000)
    await fast.stop()
    await slow.stop()
  })

  test('VEN-08 after a clock that was a day ahead: its sweeps are not called fresh, and the next does not wait for the day', async () => {
    const tomorrow = 'const now = Date.now; Date.now = () => now() + 86_400_000'
    const { process: ahead } = await start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tomorrow)}`,
    })
    const last = await newestSweeps()
    await until('sweeps', async () => (await newestSweeps()) >= last + 4)
    await ahead.stop()
    const away = { VENUE_A_CATALOG_URL: deadUrl, VENUE_B_URL: deadUrl }
    const { process: idle, operator } = await start(away)
    const readiness = z.object({ checks: z.array(z.unknown()) })
    const { checks } = readiness.parse(await (await fetch(`${operator}/readyz`)).json())
    expect(checks).toContainEqual({
      name: 'sweep-a',
      problem: 'the newest complete sweep is stamped later than it is here: a clock is wrong',
    })
    await idle.stop()
    const before = await newestSweeps()
    const { process } = await start()
    await until('sweeps of today', async () => (await newestSweeps()) >= before + 4)
    await process.stop()
  }, 90_000)

  test('says what it is not ready for: sweeps that are missing or old, of each venue, and files that contradict the database', async () => {
    await flush()
    const database = sliceOf(clickhouse, 'edited')
    await migrate(database)
    const record = (checksum: string) =>
      clickhouse.client({ database: 'edited' }).command({
        query: `ALTER TABLE schema_migrations UPDATE checksum = ${checksum} WHERE version = 1 SETTINGS mutations_sync = 2`,
      })
    await record("concat('x', checksum)")
    const quiet = { VENUE_A_CATALOG_URL: deadUrl, VENUE_B_URL: deadUrl, CLICKHOUSE_DATABASE: 'edited' }
    const { process, operator } = await start({ ...quiet, MARKET_MAX_AGE_MS: '60000' })
    const readiness = z.object({
      ok: z.boolean(),
      checks: z.array(z.object({ name: z.string(), problem: z.string().nullable() })),
    })
    const problems = async () => {
      const answer = await fetch(`${operator}/readyz`)
      const { ok, checks } = readiness.parse(await answer.json())
      expect([answer.status, ok]).toEqual(
        checks.some(({ problem }) => problem !== null) ? [503, false] : [200, true],
      )
      return Object.fromEntries(checks.map(({ name, problem }) => [name, problem]))
    }
    const none = 'no complete sweep yet'
    const edited = await until('the files are looked at', async () => (await problems()).migrations)
    expect(edited).toMatch(/^001_archive\.sql was edited after it was applied/)
    expect(await problems()).toEqual({ redis: null, 'sweep-a': none, 'sweep-b': none, migrations: edited })
    const sweep = {
      sweepId: 1,
      finishedMs: 0,
      changedMs: 0,
      complete: true,
      markets: 1,
      pages: 1,
      dropped: {},
    }
    const swept = (venue: Venue, ageMs: number) =>
      redis.hset(SWEEP_KEY, venue, JSON.stringify({ ...sweep, venue, startedMs: Date.now() - ageMs }))
    await swept('a', 75_000)
    expect(await problems()).toMatchObject({
      'sweep-a': expect.stringMatching(/^newest complete sweep is (7[5-9]|8\d) s old$/),
      'sweep-b': none,
    })
    await swept('a', 0)
    await swept('b', 0)
    expect(await problems()).toEqual({ redis: null, 'sweep-a': null, 'sweep-b': null, migrations: edited })
    await record('substring(checksum, 2)')
    await until(
      'the files are those of the database',
      async () => (await problems()).migrations === null,
      30_000,
    )
    await process.stop()
  }, 90_000)

  test('the schedule comes back when Redis was emptied, however seldom it is due', async () => {
    const { process } = await start({ POLL_EVERY_MS: '600000' })
    await until('a sweep', async () => (await sweeps()) >= 1)
    await flush()
    await until('a sweep again', async () => (await sweeps()) >= 1, 45_000)
    await process.stop()
  }, 90_000)
})
