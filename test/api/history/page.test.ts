import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { historyRoute } from '../../../api/history/index.ts'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import { createRouter } from '../../../api/http/router.ts'
import { serveHttp } from '../../../api/http/server.ts'
import { openApi } from '../../../api/openapi/openApi.ts'
import { HISTORY_SCHEMA_KEY, type HistorySchema } from '../../../engine/contract/history.ts'
import { ANALYST_BOUNDS } from '../../../ops/analyst.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { someFacts } from '../../support/facts.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { judgeOf } from '../openapi/judge.ts'
import { asSent } from '../openapi/support.ts'

const SCHEMA: HistorySchema = {
  database: 'microdata',
  tables: [
    {
      name: 'gap_episodes',
      kind: 'table',
      comment: 'Every gap that ended',
      retention: '2 years',
      columns: [
        { name: 'pair_id', type: 'String', comment: 'a:market|b:market' },
        { name: 'closed_at', type: "DateTime64(3, 'UTC')", comment: 'end' },
      ],
    },
    {
      name: 'gap_days_feeder',
      kind: 'materialized view',
      comment: 'Fills gap_days',
      retention: null,
      columns: [],
    },
  ],
}

const judge = judgeOf(asSent(openApi(someFacts())))
let server: TestRedis
let redis: Redis
let http: { port: number; close(): Promise<void> }
let nowMs = 0
const log = createLog('test', 'silent')
const get = async (accept?: string) => {
  const answer = await fetch(`http://127.0.0.1:${http.port}/history`, {
    headers: accept === undefined ? {} : { accept },
  })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}
const publish = (schema: unknown) => redis.set(HISTORY_SCHEMA_KEY, JSON.stringify(schema))

beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, { log, name: 'test' })
  const route = historyRoute({
    redis,
    steady: { nowMs: () => nowMs },
    paths: () => ['/', '/history'],
    publicUrl: 'https://data.example',
  })
  http = await serveHttp({ host: '127.0.0.1', port: 0, handler: createRouter([route]), log })
})
afterAll(async () => {
  await http?.close()
  redis?.disconnect()
  await server?.stop()
})

describe('GET /history', () => {
  test('before the database was ever seen: 503, and it may be asked again', async () => {
    const { status, text } = await get()
    expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'no_data', retryable: true }])
    await publish({ tables: 'of another version' })
    expect((await get()).status).toBe(503)
  })
  test('JSON: what the database said, the queries, how to come in', async () => {
    await publish(SCHEMA)
    const { status, text } = await get()
    const { ok, tables, queries, access } = JSON.parse(text)
    expect([status, ok, tables]).toEqual([200, true, SCHEMA.tables])
    expect(queries).toEqual(EXAMPLE_QUERIES)
    expect(access).toMatchObject({
      user: 'analyst',
      database: 'microdata',
      bounds: { queriesPerHour: 1_000 },
    })
  })
  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['image/png', 'application/json'],
    ['text/markdown', 'text/markdown; charset=utf-8'],
    ['application/json;q=0.1, text/markdown', 'text/markdown; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
  ])('Accept %s: %s', async (accept, type) => {
    expect((await get(accept)).type).toBe(type)
  })
  test('the bounds of an analyst are those that hold, in every form', async () => {
    const words = 'A query has 60 s, 1024 MiB and 5,000,000 rows of answer; 4 run at once, 1,000 an hour.'
    for (const form of ['text/markdown', 'text/html']) expect((await get(form)).text).toContain(words)
    expect(JSON.parse((await get()).text).access).toMatchObject({ readOnly: true, bounds: ANALYST_BOUNDS })
  })
  test('a query that takes parameters says which, in every form', async () => {
    for (const form of ['text/markdown', 'text/html'])
      expect((await get(form)).text.match(/a day, UTC, market clock/g)).toHaveLength(
        EXAMPLE_QUERIES.filter(({ params }) => 'day' in params).length,
      )
  })
  test('markdown: every table with its columns and retention, every query', async () => {
    const { text } = await get('text/markdown')
    expect(text).toContain(
      '### `gap_episodes`\n\nTable. Every gap that ended. Rows are removed after 2 years.\n',
    )
    expect(text).toContain('| `pair_id` | `String` | a:market\\|b:market |')
    expect(text).toContain('### `gap_days_feeder`\n\nMaterialized view. Fills gap_days.\n')
    for (const { title, sql } of EXAMPLE_QUERIES) {
      expect(text).toContain(`### ${title}\n`)
      expect(text).toContain(sql)
    }
  })
  test('HTML: the same for people, whole and with nothing inline', async () => {
    const { text } = await get('text/html')
    expect(text.match(/<h1/g)).toHaveLength(1)
    expect(text).toContain('<a href="/history" aria-current="page">')
    for (const name of ['link rel="canonical" href', 'meta property="og:url" content'])
      expect(text).toContain(`<${name}="https://data.example/history">`)
    expect(text).toContain('<td data-label="Meaning" class="">a:market|b:market</td>')
    for (const { name } of EXAMPLE_QUERIES) expect(text).toContain(`<div id="${name}">`)
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]*\s(?:style|on\w+)=/i)
  })
  test('each form has a tag of its own, and is not sent to who has it', async () => {
    const ask = (accept: string, tag = '') =>
      fetch(`http://127.0.0.1:${http.port}/history`, { headers: { accept, 'if-none-match': tag } })
    const forms = ['text/html', 'text/markdown', 'application/json']
    const tags = await Promise.all(forms.map(async (form) => (await ask(form)).headers.get('etag')!))
    expect(new Set(tags).size).toBe(3)
    for (const [at, form] of forms.entries()) {
      expect((await ask(form)).headers.get('vary')).toBe('accept') //  so that a cache on the way keeps the forms apart
      const same = await ask(form, tags[at])
      const headerNames = [...same.headers.keys()]
      const answer = { status: same.status, headerNames, header: () => '', text: '', json: null }
      expect([same.status, judge.wrongWith('GET', '/history', answer)]).toEqual([304, null])
      expect((await ask(form, tags[(at + 1) % 3])).status).toBe(200)
    }
  })
  test('no cache shows it without asking: it names a style that is gone after an upgrade', async () => {
    const answer = await fetch(`http://127.0.0.1:${http.port}/history`, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })
  test('what the database says of itself about keeping is not said twice', async () => {
    const [table, ...others] = SCHEMA.tables
    const comment = 'Every gap that ended. Kept 2 years'
    await publish({ ...SCHEMA, tables: [{ ...table, comment }, ...others] })
    nowMs += 60_000
    const { text } = await get('text/markdown')
    expect(text.match(/2 years/g)).toHaveLength(1)
    await publish(SCHEMA)
    nowMs += 60_000
  })
  test('held for a minute, then what is new; Redis away: what is held', async () => {
    const first = (await get()).text
    await publish({ ...SCHEMA, database: 'other' })
    nowMs += 59_999
    expect((await get()).text).toBe(first)
    nowMs += 1
    expect(JSON.parse((await get()).text).access.database).toBe('other')
    await server.kill()
    nowMs += 120_000
    expect(JSON.parse((await get()).text).access.database).toBe('other')
    await server.restart()
  })
})
