import type { ClickHouseClient } from '@clickhouse/client'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clickhouseSink } from '../../ops/clickhouseSink.ts'
import { drainKey } from '../../ops/drainBlock.ts'
import {
  type Drain,
  type DrainOptions,
  type DrainSink,
  type DrainStatus,
  drainStream,
  levelOf,
} from '../../ops/drainStream.ts'
import { createLog } from '../../ops/log.ts'
import { startClickhouse, type TestClickhouse } from '../support/clickhouse.ts'
import { type Running, runMain, sleep, until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { FACT_TABLES, FACTS, FACTS_DRAIN } from './support/drainFacts.ts'

let server: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
let client: ClickHouseClient
let database: string
let sink: DrainSink
const drains: Drain[] = []
const children: Running[] = []

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
  await clickhouse.stop()
})
beforeEach(async () => {
  await redis.flushall()
  ;({ name: database, client } = await clickhouse.database())
  for (const query of FACT_TABLES) await client.command({ query })
  sink = clickhouseSink(client)
})
afterEach(async () => {
  for (const drain of drains.splice(0)) await drain.stop()
  for (const child of children.splice(0)) await child.kill()
})

let produced = 0
const produce = async (count: number, text = '') => {
  const pipeline = redis.pipeline()
  for (let at = 0; at < count; at++) pipeline.xadd(FACTS, '*', 'n', produced++, 'text', text)
  await pipeline.exec()
}
beforeEach(() => {
  produced = 0
})

const start = (options: Partial<DrainOptions> = {}) => {
  const drain = drainStream({
    ...FACTS_DRAIN,
    redis,
    sink,
    log: createLog('test', 'silent'),
    flushMs: 10,
    maxEntries: 7,
    ...options,
  })
  drains.push(drain)
  return drain
}
const child = (fault: string) => {
  const running = runMain('test/ops/support/drainFactsMain.ts', {
    env: { REDIS_URL: server.url, CLICKHOUSE_URL: clickhouse.url, DATABASE: database, FAULT_POINT: fault },
  })
  children.push(running)
  return running
}
const numbers = async (table: string): Promise<number[]> => {
  const answer = await client.query({
    query: `SELECT toFloat64(n) AS n FROM ${table} ORDER BY n`,
    format: 'JSONEachRow',
  })
  return (await answer.json<{ n: number }>()).map(({ n }) => n)
}
const holes = async () => {
  const answer = await client.query({
    query: 'SELECT toFloat64(dropped) AS dropped FROM holes',
    format: 'JSONEachRow',
  })
  return (await answer.json<{ dropped: number }>()).map(({ dropped }) => dropped)
}
const all = (entries: number, rest: number, from = 0) =>
  Array.from({ length: (entries - from) * 2 }, (_, at) => from * 4 + at * 2 + rest)
/** Waits until the cursor is behind the last entry. */
const drained = () =>
  until('everything drained', async () => {
    const [last] = await redis.xrevrange(FACTS, '+', '-', 'COUNT', 1)
    const [cursor, first] = await redis.hmget(drainKey('facts'), 'cursor', 'first')
    return cursor === last?.[0] && first === null
  })
/** Exactly once: each number there, none twice. */
const exact = async (from = 0) => {
  expect(await numbers('even')).toEqual(all(produced, 0, from))
  expect(await numbers('odd')).toEqual(all(produced, 1, from))
}

describe('every entry is in its tables exactly once', () => {
  test('in an ordinary run, with entries before and after the start', async () => {
    await produce(20)
    start()
    await drained()
    await produce(13)
    await drained()
    await exact()
    expect(await holes()).toEqual([])
  })
  test('while two drains work side by side', async () => {
    //  they cut their blocks differently, and now one, now the other is slower
    const slow: DrainSink = {
      ...sink,
      insert: async (...args) => {
        await sleep(Math.random() * 15)
        await sink.insert(...args)
      },
    }
    const other = redis.duplicate()
    start({ sink: slow })
    start({ sink: slow, redis: other, maxEntries: 5 })
    for (let round = 0; round < 15; round++) {
      await produce(11)
      await sleep(10)
    }
    await drained()
    await exact()
    for (const drain of drains.splice(0)) await drain.stop()
    other.disconnect()
  })
})

describe('DATA-15, DATA-14: kill -9 at any step', () => {
  test.each(['drain-claimed', 'drain-table', 'drain-inserted', 'drain-advanced'])('at %s', async (point) => {
    await produce(30)
    const first = child(`${point}:kill`)
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
    const pending = await redis.hget(drainKey('facts'), 'first')
    expect(pending === null).toBe(point === 'drain-advanced')
    await produce(5) // must not change the block that is claimed
    child('')
    await drained()
    await exact()
  })
  test('again and again, at no step in particular', async () => {
    for (let round = 0; round < 5; round++) {
      const running = child('')
      await running.says(/draining/)
      await produce(40)
      await sleep(15 * round)
      await running.kill()
    }
    child('')
    await drained()
    await exact()
  })
})

describe('DATA-14: an insert that happened but whose reply was lost', () => {
  test('is repeated with the same token and has one effect', async () => {
    await produce(30)
    let calls = 0
    start({
      sink: {
        ...sink,
        insert: async (...args) => {
          await sink.insert(...args)
          if (++calls % 3 === 1) throw new Error('connection reset')
        },
      },
    })
    await drained()
    expect(calls).toBeGreaterThan(10)
    await exact()
  })
  test('a table that was killed when it had noted the token and not yet the rows gets them all the same', async () => {
    await produce(14)
    const tokens: string[] = []
    start({
      sink: {
        ...sink,
        insert: async (table, rows, token) => {
          await sink.insert(table, rows, token)
          const isLost = table === 'even' && !token.endsWith(':lost2') && !tokens.includes(token)
          tokens.push(token)
          if (!isLost) return
          //  a part that is mutated keeps its token
          await client.command({
            query: `ALTER TABLE even DELETE WHERE n IN (${rows.map(({ n }) => n)}) SETTINGS mutations_sync = 2`,
          })
          throw new Error('killed')
        },
      },
    })
    await drained()
    expect(tokens.filter((token) => token.endsWith(':lost2')).length).toBe(2)
    await exact()
    expect(await holes()).toEqual([])
  })
  test('a token that is seen again much later is still refused', async () => {
    const tokens: Parameters<DrainSink['insert']>[] = []
    await produce(70)
    const remember = async (...args: Parameters<DrainSink['insert']>) => {
      tokens.push(args)
      await sink.insert(...args)
    }
    start({ sink: { ...sink, insert: remember } })
    await drained()
    expect(tokens.length).toBe(20)
    await sink.insert(...tokens[0]!) // as by a drain that slept since its claim
    await exact()
  })
})

describe('DATA-13: the tables are away', () => {
  test('the stream keeps everything; status says so; it goes on by itself', async () => {
    let away = true
    let status: DrainStatus | undefined
    start({
      sink: {
        ...sink,
        newest: (table) => (away ? Promise.reject(new Error('away')) : sink.newest(table)),
        insert: (...args) => (away ? Promise.reject(new Error('away')) : sink.insert(...args)),
      },
      onStatus: (now) => {
        status = now
      },
    })
    await produce(25)
    await until('a status with the backlog', () => status?.backlogEntries === 25)
    expect(status?.failing).toContain('away')
    expect(status?.backlogMs).toBeGreaterThanOrEqual(0)
    away = false
    await drained()
    await until('a status without', () => status?.backlogEntries === 0 && status.failing === null)
    await exact()
  })
  test('the first failure is a note, and only one that lasts is a warning, again and again', () => {
    const told = Array.from({ length: 61 }, (_, at) => [at + 1, levelOf(at + 1)] as const)
    expect(told.filter(([, level]) => level !== null)).toEqual([
      [1, 'info'],
      [8, 'warn'],
      [20, 'warn'],
      [40, 'warn'],
      [60, 'warn'],
    ])
  })
  test.each([
    ['TOO_MANY_PARTS', /too many parts/i],
    ['READONLY', /readonly/i],
  ])('%s: the stream keeps everything, and it goes on where they take again', async (how, said) => {
    const parts = (most: number) =>
      client.command({
        query: `ALTER TABLE even MODIFY SETTING parts_to_throw_insert = ${most}, parts_to_delay_insert = ${most}`,
      })
    const readonly = clickhouse.client({ database, clickhouse_settings: { readonly: '1' } })
    const refusing = how === 'READONLY' ? clickhouseSink(readonly) : sink
    await client.command({ query: 'SYSTEM STOP MERGES even' })
    if (how === 'TOO_MANY_PARTS') await parts(2)
    let isOver = false
    const reasons: (string | null)[] = []
    const insert: DrainSink['insert'] = (...args) => (isOver ? sink : refusing).insert(...args)
    start({ sink: { ...sink, insert }, onStatus: ({ failing }) => reasons.push(failing) })
    await produce(35)
    await until('it is refused', () => reasons.some((reason) => reason !== null && said.test(reason)))
    expect(await redis.xlen(FACTS)).toBe(35)
    if (how === 'TOO_MANY_PARTS') await parts(3_000)
    isOver = true
    await drained()
    await exact()
    expect(await holes()).toEqual([])
  })
  test('the engine is killed in the middle and comes back', async () => {
    start({
      sink: {
        insert: (...args) => sink.insert(...args),
        upS: () => sink.upS(),
        newest: (table) => sink.newest(table),
        held: (...args) => sink.held(...args),
        keptFromMs: (table) => sink.keptFromMs(table),
      },
    })
    await produce(50)
    await until('some of it', async () => (await redis.hget(drainKey('facts'), 'cursor')) !== null)
    await clickhouse.kill()
    await produce(50)
    await clickhouse.restart() // on another port
    client = clickhouse.client({ database })
    sink = clickhouseSink(client)
    await drained()
    await exact()
  })
  test('stop() does not wait for them', async () => {
    const drain = start({ sink: { ...sink, newest: () => Promise.reject(new Error('away')) } })
    await produce(3)
    await sleep(50)
    await drain.stop()
    expect(await numbers('even')).toEqual([])
  })
})

describe('DATA-03: Redis lost its last second', () => {
  test('the cursor is behind what the tables hold: nothing is written twice, whatever the new blocks are', async () => {
    await produce(9)
    const first = start()
    await drained()
    const remembered = await redis.hgetall(drainKey('facts'))
    await produce(9)
    await drained()
    await first.stop()
    await redis.del(drainKey('facts'))
    await redis.hset(drainKey('facts'), remembered)
    await produce(4)
    start({ maxEntries: 5 })
    await drained()
    await exact()
  })
  test('and so soon that no command of a drain failed: it looks at the tables all the same', async () => {
    const other = redis.duplicate()
    other.on('error', () => {}) //  of a connection that is cut
    const drain = start({ redis: other })
    await produce(9)
    await drained()
    const remembered = await redis.hgetall(drainKey('facts'))
    await produce(9)
    await drained()
    const back = redis.multi().del(drainKey('facts')).hset(drainKey('facts'), remembered)
    for (let at = 0; at < 4; at++) back.xadd(FACTS, '*', 'n', produced++, 'text', '')
    await back.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes').exec()
    await drained()
    await exact()
    await drain.stop()
    other.disconnect()
  })
})

describe('DATA-14, DATA-15: tables that lost rows are filled again', () => {
  const retain = { ms: 3_600_000, entries: 1_000, bytes: 1_000_000 }
  const truncated = async (tables: string[]) => {
    for (const table of tables) await client.command({ query: `TRUNCATE TABLE ${table}` })
  }
  const stopped = async () => {
    for (const drain of drains.splice(0)) await drain.stop()
  }
  const again = async (options: Partial<DrainOptions> = {}) => {
    await stopped()
    let rounds = 0
    start({ ...options, onStatus: () => rounds++ })
    await until('the tables are looked at', () => rounds > 0)
    await drained()
  }
  test('all of them came back empty: every entry that the stream still has is there again, once', async () => {
    await produce(30)
    await again({ retain })
    await stopped()
    await truncated(['even', 'odd', 'holes'])
    await again({ retain, maxEntries: 5 })
    await exact()
    await produce(8)
    await drained()
    await exact()
    expect(await holes()).toEqual([])
    //  and later losses are counted as usual
    await stopped()
    await produce(10)
    await redis.xtrim(FACTS, 'MAXLEN', 4)
    start()
    await drained()
    expect(await holes()).toEqual([6])
  })
  test('what the stream has no longer is a hole, and counted', async () => {
    await produce(30)
    await again()
    await stopped()
    await truncated(['even', 'odd'])
    await redis.xtrim(FACTS, 'MAXLEN', 12)
    await again()
    expect(await holes()).toEqual([18])
    await exact(18)
    await produce(9)
    await drained()
    await exact(18)
    expect(await holes()).toEqual([18])
  })
  test('it is told of once, however often its block fails', async () => {
    await produce(30)
    await again()
    await stopped()
    await truncated(['even', 'odd'])
    await redis.xtrim(FACTS, 'MAXLEN', 12)
    let fails = 3
    const told: number[] = []
    const failing: DrainSink = {
      ...sink,
      insert: (table, ...rest) =>
        table === 'even' && fails-- > 0 ? Promise.reject(new Error('away')) : sink.insert(table, ...rest),
    }
    const drain = start({ sink: failing, onGap: ({ dropped }) => told.push(dropped) })
    await until('it is told', () => told.length > 0)
    await produce(9)
    await drained()
    await drain.stop()
    expect([fails < 0, told, await holes()]).toEqual([true, [18], [18]])
    await exact(18)
  })
  test('and so it is when the stream has nothing left of that time', async () => {
    await produce(30)
    await again()
    await stopped()
    await truncated(['even', 'odd'])
    await redis.xtrim(FACTS, 'MAXLEN', 0)
    await produce(4)
    await again()
    expect(await holes()).toEqual([30])
    await exact(30)
  })
  test('one table came back as it was some time ago: the other one gets nothing twice', async () => {
    await produce(40)
    await again()
    await stopped()
    await client.command({
      query: `ALTER TABLE odd DELETE WHERE n > 40 SETTINGS mutations_sync = 2`,
    })
    expect((await numbers('odd')).at(-1)).toBe(39)
    await produce(3)
    await again()
    await exact()
    expect(await holes()).toEqual([])
  })
  test('as it was before the stream begins: a hole, of nobody knows how many', async () => {
    await produce(40)
    await again()
    await stopped()
    await client.command({ query: `ALTER TABLE odd DELETE WHERE n > 40 SETTINGS mutations_sync = 2` })
    await redis.xtrim(FACTS, 'MAXLEN', 20)
    await again()
    expect(await holes()).toEqual([1])
    expect(await numbers('odd')).toEqual([...all(10, 1), ...all(40, 1, 20)])
    expect(await numbers('even')).toEqual(all(40, 0))
  })
  test('with a block under way, and two drains that find it out', async () => {
    await produce(21)
    await again({ maxEntries: 3 })
    await stopped()
    await produce(10)
    expect(await child('drain-claimed:kill').exited).toMatchObject({ signal: 'SIGKILL' })
    await truncated(['even'])
    const other = redis.duplicate()
    start({ redis: other, maxEntries: 4 })
    start()
    await drained()
    await exact()
    await stopped()
    other.disconnect()
  })
  test('found out without a restart, when the tables were away', async () => {
    let away = false
    const fail = () => Promise.reject(new Error('away'))
    let failing: string | null = null
    start({
      sink: { ...sink, insert: (...args) => (away ? fail() : sink.insert(...args)) },
      onStatus: (status) => {
        failing = status.failing
      },
    })
    await produce(10)
    await drained()
    away = true
    await produce(10)
    await until('it notices', () => failing !== null)
    await truncated(['even', 'odd'])
    away = false
    await drained()
    await exact()
  })
  test('found out without a failed insert, when the server was killed and came back with another folder', async () => {
    await produce(10)
    start()
    await drained()
    const port = new URL(clickhouse.url).port
    await sleep(2_000) //  the server tells for how many whole seconds it has run
    await clickhouse.kill()
    await clickhouse.restart({ port })
    await truncated(['even', 'odd'])
    await produce(4)
    await drained()
    await exact()
    expect(await holes()).toEqual([])
  })
  test('a server that was started just before the look is the same until it is started anew', async () => {
    let startedMs = performance.now()
    const told: string[] = []
    start({
      sink: { ...sink, upS: async () => Math.floor((performance.now() - startedMs) / 1_000) },
      onStatus: ({ failing }) => failing !== null && told.push(failing),
    })
    for (let round = 0; round < 15; round++) {
      await produce(2)
      await sleep(100)
    }
    await drained()
    expect(told).toEqual([])
    startedMs = performance.now()
    await produce(2)
    await drained()
    expect(told).toEqual([expect.stringContaining('started anew')])
    await exact()
  })
  test('entries that have no rows are no loss', async () => {
    const map: DrainOptions['map'] = (entry) => (Number(entry.fields.n) < 5 ? FACTS_DRAIN.map(entry) : [])
    await produce(12)
    await again({ map })
    await redis.xtrim(FACTS, 'MAXLEN', 3)
    await again({ map })
    expect(await numbers('even')).toEqual(all(5, 0))
    expect(await holes()).toEqual([])
  })
})

describe('DATA-03: Redis began anew, and its clock is behind', () => {
  test('entries older than what the tables hold are stored all the same', async () => {
    await redis.xadd(FACTS, `${Date.now() + 3_600_000}-0`, 'n', produced++, 'text', '')
    const first = start()
    await drained()
    await first.stop()
    await redis.flushall()
    await produce(20)
    start()
    await drained()
    await exact()
  })
})

describe('a stream that was full threw entries away', () => {
  test('the hole is counted and noted, the rest is archived', async () => {
    await produce(10)
    const first = start()
    await drained()
    await first.stop()
    await produce(20)
    await redis.xtrim(FACTS, 'MAXLEN', 12) // 8 of the 20 were never read
    start()
    await drained()
    expect(await holes()).toEqual([8])
    expect(await numbers('even')).toEqual([...all(10, 0), ...all(30, 0, 18)])
    await produce(5)
    await drained()
    expect(await holes()).toEqual([8])
  })
  test('even entries of a block that was claimed already', async () => {
    await produce(20)
    expect(await child('drain-claimed:kill').exited).toMatchObject({ signal: 'SIGKILL' })
    await redis.xtrim(FACTS, 'MAXLEN', 9) // 11 gone: the claimed 7 and 4 more
    start()
    await drained()
    expect((await holes()).reduce((sum, dropped) => sum + dropped, 0)).toBe(11)
    await exact(11)
  })
})

describe('what is kept for other readers', () => {
  const retain = { ms: 60_000, entries: 1_000, bytes: 1_000_000 }
  test('all of it within the retention', async () => {
    await produce(30)
    start({ retain })
    await drained()
    await sleep(50)
    expect(await redis.xlen(FACTS)).toBe(30)
  })
  test.each([
    ['entries', { ...retain, entries: 10 }, 10],
    ['time', { ...retain, ms: 0 }, 1], // the entry at the cursor itself stays
    ['bytes', { ...retain, bytes: 1 }, 8], // the newest block stays, and the entry it follows
  ])('not more than allowed by %s, and never what is not archived', async (_, allowed, left) => {
    await produce(28)
    let away = false
    start({
      retain: allowed,
      sink: {
        ...sink,
        insert: (...args) => (away ? Promise.reject(new Error('away')) : sink.insert(...args)),
      },
    })
    await drained()
    await until('trimmed', async () => (await redis.xlen(FACTS)) <= left)
    away = true
    await produce(40)
    await sleep(300)
    expect(await redis.xlen(FACTS)).toBeGreaterThanOrEqual(40)
    away = false
    await drained()
    await exact()
    expect(await holes()).toEqual([])
  })
})

describe('small inserts are dear: entries are gathered for flushMs', () => {
  test('what comes after a block waits for others to share the next one; a full block is followed at once', async () => {
    const blocks: number[] = []
    const note: DrainSink = {
      ...sink,
      insert: async (table, rows, token) => {
        await sink.insert(table, rows, token)
        if (table === 'even') blocks.push(rows.length / 2)
      },
    }
    await produce(16)
    const patient = start({ sink: note, flushMs: 60_000 })
    await drained()
    expect(blocks).toEqual([7, 7, 2])
    await produce(5)
    await sleep(300)
    expect(blocks).toEqual([7, 7, 2])
    await patient.stop() // does not wait for the minute
    start({ sink: note })
    await drained()
    expect(blocks).toEqual([7, 7, 2, 5])
    await exact()
  })
})

describe('blocks are bounded', () => {
  const sizes = async (options: Partial<DrainOptions>) => {
    const rows: number[] = []
    const note: DrainSink['insert'] = async (table, some, token) => {
      if (table === 'even') rows.push(some.length / 2)
      await sink.insert(table, some, token)
    }
    start({ ...options, sink: { ...sink, insert: note } })
    await drained()
    await exact()
    return rows
  }
  test('by entries', async () => {
    await produce(20)
    expect(await sizes({ maxEntries: 8 })).toEqual([8, 8, 4])
  })
  test('by bytes; an entry larger than the bound is a block of its own', async () => {
    await produce(4, 'x'.repeat(400))
    await produce(1, 'x'.repeat(5_000))
    await produce(2)
    expect(await sizes({ maxBytes: 1_000, maxEntries: 100 })).toEqual([2, 2, 1, 2])
  })
})
