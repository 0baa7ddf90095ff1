import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import { Session } from 'chdb'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { QUOTE_STREAM, SWEEP_KEY } from '../../../ingest/contract/stream.ts'
import type { ExportTable } from '../../../ops/scripts/exportOrder.ts'
import { exportTable } from '../../../ops/scripts/exportTable.ts'
import { serveAnswers } from '../../ingest/support/answers.ts'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { type Running, runMain, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { readCsv } from './pages/csv.ts'
import { ROUNDS, type Story, storyOf } from './pages/listing.ts'
import { venueA } from './pages/venueA.ts'
import { SERIES_B, venueB } from './pages/venueB.ts'

/** What a venue says is what an analyst reads: generated pages through the real ingest, Redis and ClickHouse. */
const SEED = 20_261_201

let redisServer: TestRedis
let redis: Redis
let clickhouse: TestClickhouse
let client: ClickHouseClient
let folder: string
let running: Running | null = null

beforeAll(async () => {
  redisServer = await startRedis()
  redis = new Redis(redisServer.url.slice('unix:'.length))
  clickhouse = await startClickhouse()
  client = clickhouse.client({ database: 'microdata' })
  folder = await mkdtemp(join(tmpdir(), 'microdata-pages-'))
})
afterAll(async () => {
  await running?.kill()
  redis?.disconnect()
  await clickhouse?.stop()
  await redisServer?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Each venue shows one round until it is told to show the next; a sweep that has begun sees one round to its end. */
async function serve(stories: Record<'a' | 'b', Story>) {
  let round = 0
  const latched = { a: 0, b: 0 }
  const page = (venue: 'a' | 'b', isFirst: boolean) => {
    if (isFirst) latched[venue] = round
    return stories[venue].pages[latched[venue]]![isFirst ? 0 : 1]!
  }
  const { url, close } = await serveAnswers((path, asked) => {
    if (path === '/series') return { json: { series: SERIES_B } }
    if (path === '/events/keyset') {
      const isFirst = !asked.searchParams.has('after_cursor')
      return { body: `{"events": ${page('a', isFirst)}${isFirst ? ', "next_cursor": "2"' : ''}}` }
    }
    if (path !== '/events') return { status: 404 }
    const isFirst = !asked.searchParams.has('cursor')
    return { body: `{"cursor": "${isFirst ? '2' : ''}", "events": ${page('b', isFirst)}}` }
  })
  return {
    url,
    close,
    show: (next: number) => {
      round = next
    },
  }
}

async function start(url: string, pollEveryMs: number): Promise<Running> {
  const env = {
    REDIS_URL: redisServer.url,
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_DATABASE: 'microdata',
    VENUE_A_CATALOG_URL: url,
    VENUE_A_BOOK_URL: url,
    VENUE_B_URL: url,
    POLL_EVERY_MS: `${pollEveryMs}`,
    OPERATOR_PORT: '0',
  }
  running = runMain('ingest/main.ts', { env })
  await running.says(/"operatorPort":(\d+)/)
  return running
}

const sweptSince = (sinceMs: number) =>
  until(
    'a sweep of each venue that began since',
    async () => {
      const sweeps = Object.values(await redis.hgetall(SWEEP_KEY)).map(
        (json) => JSON.parse(json) as { startedMs: number },
      )
      return sweeps.length === 2 && sweeps.every(({ startedMs }) => startedMs > sinceMs)
    },
    100_000,
  )

/** Shows all rounds; ingest and ClickHouse are killed in between. @returns when each round was shown. */
async function play(stories: Record<'a' | 'b', Story>): Promise<{ fromMs: number; toMs: number }[]> {
  const venues = await serve(stories)
  const shown: { fromMs: number; toMs: number }[] = []
  try {
    let ingest = await start(venues.url, 100)
    for (let round = 0; round < ROUNDS; round++) {
      const fromMs = Date.now()
      venues.show(round)
      if (round === 2) {
        //  just after a sweep: a job that is killed is given to another after a minute only
        await sweptSince(Date.now())
        await ingest.kill()
        ingest = await start(venues.url, 100)
      }
      await sweptSince(fromMs)
      shown.push({ fromMs, toMs: Date.now() })
      if (round === 3) {
        const { port } = new URL(clickhouse.url)
        await clickhouse.kill()
        await clickhouse.restart({ port })
      }
    }
    await ingest.stop()
    ingest = await start(venues.url, 600_000)
    await until('nothing waits', async () => {
      const [newest] = await redis.xrevrange(QUOTE_STREAM, '+', '-', 'COUNT', 1)
      return (await redis.hget('drain:archive', 'cursor')) === newest?.[0]
    })
    await ingest.stop()
  } finally {
    await venues.close()
  }
  return shown
}

/** Rows of a table as JSON, and as read from both exports. */
async function readings(table: ExportTable): Promise<Record<string, Record<string, unknown>[]>> {
  const files = async (format: 'csv' | 'parquet') => {
    const out = join(folder, `${table}-${format}`)
    const order = { table, format, from: day(-1), to: day(1), out } as const
    await exportTable(client, order, () => {})
    return (await readdir(out)).sort().map((name) => join(out, name))
  }
  const csv: Record<string, unknown>[] = []
  for (const file of await files('csv')) csv.push(...readCsv(await readFile(file, 'utf8')))
  const parquet: Record<string, unknown>[] = []
  for (const file of await files('parquet')) parquet.push(...(await readParquet(file)))
  return { csv, parquet }
}
const day = (after: number) => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10)

async function readParquet(file: string): Promise<Record<string, unknown>[]> {
  const reader = new Session(join(folder, 'reader'))
  try {
    const answer = await reader.queryAsync(`SELECT * FROM file('${file}', Parquet)`, {
      format: 'JSONEachRow',
    })
    const lines = Buffer.from(answer.bytes()).toString('utf8').trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  } finally {
    reader.close()
  }
}

/** The fields of `like`: what CSV has as text is a number or a truth where that is wanted, in whatever spelling. */
const only = (row: Record<string, unknown> | undefined, like: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, read(row?.[name], like[name])]))
function read(value: unknown, like: unknown): unknown {
  if (typeof value !== 'string') return value
  if (typeof like === 'number') return Number(value)
  return typeof like === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value
}
const instant = (ms: unknown) =>
  typeof ms === 'number' ? new Date(ms).toISOString().replace('T', ' ').slice(0, 23) : null
const msOf = (text: unknown) => Date.parse(`${String(text).replace(' ', 'T')}Z`)

test('what the venues say is what analysts read', { timeout: 240_000 }, async () => {
  //  another story: PAGES_SEED=$RANDOM
  const seed = Number(process.env.PAGES_SEED ?? SEED)
  const [[a, b]] = fc.sample(fc.tuple(storyOf(venueA), storyOf(venueB)), { numRuns: 1, seed }) as [
    [Story, Story],
  ]
  const shown = await play({ a, b })
  const markets = [a, b].flatMap(({ rows }) => [...rows.markets.values()]).map(withInstants)
  for (const [format, rows] of Object.entries(await readings('markets'))) {
    const byId = new Map(rows.map((row) => [`${row.venue} ${row.market_id}`, row]))
    for (const row of markets)
      expect(only(byId.get(`${row.venue} ${row.market_id}`), row), `${format}, seed ${seed}`).toEqual(row)
    expect(rows.length, format).toBe(markets.length)
  }
  const quotes = [...a.rows.quotes, ...b.rows.quotes]
  for (const [format, rows] of Object.entries(await readings('quotes'))) {
    const byId = Map.groupBy(rows, (row) => `${row.venue} ${row.market_id}`)
    for (const [id, wanted] of Map.groupBy(quotes, (row) => `${row.venue} ${row.market_id}`)) {
      const found = byId.get(id) ?? []
      const told = wanted.map(({ round: _, venue_ms, ...row }) => ({ ...row, venue_at: instant(venue_ms) }))
      expect(
        found.map((row, at) => only(row, told[at] ?? row)),
        `${format} of ${id}, seed ${seed}`,
      ).toEqual(told)
      for (const [at, { round }] of wanted.entries()) {
        const seenMs = msOf(found[at]!.seen_at)
        expect(seenMs).toBeGreaterThanOrEqual(shown[round]!.fromMs)
        expect(seenMs).toBeLessThanOrEqual(shown[round]!.toMs)
      }
    }
    expect(rows.length, format).toBe(quotes.length)
  }
  for (const [format, rows] of Object.entries(await readings('closings'))) {
    const left = [a, b].flatMap(({ venue, rows: { closings } }) =>
      [...closings].flatMap(([id, times]) => Array<string>(times).fill(`${venue} ${id}`)),
    )
    expect(rows.map((row) => `${row.venue} ${row.market_id}`).sort(), `${format}, seed ${seed}`).toEqual(
      left.sort(),
    )
  }
})

const withInstants = (row: Record<string, unknown>): Record<string, unknown> => ({
  ...row,
  open_at: instant(row.open_at),
  close_at: instant(row.close_at),
  expected_at: instant(row.expected_at),
  game_at: instant(row.game_at),
})
