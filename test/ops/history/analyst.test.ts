import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANALYST_BOUNDS, OWNER_TABLES } from '../../../ops/analyst.ts'
import { instant } from '../../../ops/instant.ts'
import { migrate } from '../../../ops/migrate.ts'
import { DAY, HOUR } from '../../../ops/units.ts'
import { readSource } from '../../house/sources.ts'
import { sliceOf, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'

const SOLD_MS = Date.now() - DAY //  the track record goes back two years

let server: TestClickhouse
beforeAll(async () => {
  server = await startClickhouse()
  await migrate(sliceOf(server, 'microdata'))
  await server.client({ database: 'microdata' }).insert({
    table: 'sales',
    values: [
      {
        event_id: 'e',
        at: instant(SOLD_MS - HOUR),
        stream_ms: SOLD_MS,
        payer: '0xbuyer',
        card_ids: ['c'],
      },
    ],
    format: 'JSONEachRow',
  })
})
afterAll(() => server?.stop())

async function ask(query: string): Promise<{ status: number; code: string | null; text: string }> {
  const response = await fetch(
    `${server.url}/?database=microdata&user=analyst&password=${server.analystPassword}`,
    {
      method: 'POST',
      body: query,
    },
  )
  const code = response.headers.get('x-clickhouse-exception-code')
  return { status: response.status, code, text: await response.text() }
}

describe('the analyst reads all of history, and nothing that names a buyer', () => {
  test('every table and view but the owner’s answers; new ones are covered without a change of grants', async () => {
    const client = server.client({ database: 'microdata' })
    const answer = await client.query({
      query: "SELECT name FROM system.tables WHERE database = 'microdata' ORDER BY name",
      format: 'JSONEachRow',
    })
    const names = (await answer.json<{ name: string }>()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...OWNER_TABLES, 'gap_episodes', 'track_record']))
    for (const name of names) {
      const { code } = await ask(`SELECT * FROM ${name} LIMIT 1`)
      expect([name, code]).toEqual([name, OWNER_TABLES.includes(name) ? '497' : null])
    }
  })
  test.each([
    'SELECT payer FROM sales',
    'SELECT * FROM microdata.sales',
    "SELECT * FROM merge('microdata', '^sales$')",
    "SELECT * FROM merge('microdata', 'sales|sold_cards')",
    'SELECT sold_at FROM sold_cards',
    'SELECT * FROM view(SELECT * FROM sales)',
    'SELECT count() FROM gap_episodes WHERE episode_id IN (SELECT payer FROM sales)',
    'SELECT day, (SELECT any(payer) FROM sales) FROM track_record',
    'SHOW CREATE TABLE sales',
  ])('%s', async (query) => {
    expect((await ask(query)).text).not.toContain('0xbuyer')
  })
  test('sales are counted by day all the same', async () => {
    expect((await ask('SELECT day, sold FROM track_record')).text).toBe(
      `${instant(SOLD_MS).slice(0, 10)}\t1\n`,
    )
  })
})

describe('the users file of the image says what the sandbox does', () => {
  const xml = readFileSync(new URL('../../../ops/image/clickhouse/analyst.xml', import.meta.url), 'utf8')
  test.each(OWNER_TABLES)(
    '%s is taken back from what is granted, and no copy of it under another name is',
    (table) => {
      expect(xml.match(/<query>GRANT [^<]*<\/query>/g)).toHaveLength(1)
      const granted = xml.indexOf('<query>GRANT SHOW, SELECT ON microdata.*</query>')
      const revoked = xml.indexOf(`<query>REVOKE SHOW, SELECT ON microdata.${table}</query>`)
      expect(granted).toBeGreaterThan(0)
      expect(revoked).toBeGreaterThan(granted)
    },
  )
  test('of the server’s own tables it grants nothing, and the server asks for a grant', () => {
    expect(xml).not.toMatch(/GRANT [^<]*(?:system|\*\.\*)/)
    const access = readSource('ops/image/clickhouse/access.xml')
    expect(access).toMatch(
      /<access_control_improvements>\s*<select_from_system_db_requires_grant>true<\/select_from_system_db_requires_grant>\s*<\/access_control_improvements>/,
    )
    expect(readSource('docker-compose.yml')).toContain(
      './ops/image/clickhouse/access.xml:/etc/clickhouse-server/config.d/access.xml:ro',
    )
  })
  test.each([
    ['max_execution_time', ANALYST_BOUNDS.seconds],
    ['max_memory_usage', ANALYST_BOUNDS.memoryBytes],
    ['max_result_rows', ANALYST_BOUNDS.resultRows],
    ['max_result_bytes', ANALYST_BOUNDS.resultBytes],
    ['max_concurrent_queries_for_user', ANALYST_BOUNDS.queriesAtOnce],
    ['queries', ANALYST_BOUNDS.queriesPerHour],
  ])('%s is %d', (name, value) => {
    expect(xml).toContain(`<${name}>${value}</${name}>`)
  })
  test('what the analyst may change is neither above its bound nor 0, which is no bound', () => {
    const profile = /<analyst>([\s\S]*?)<constraints>([\s\S]*?)<\/constraints>/.exec(xml)!
    const numbers = [...profile[1]!.matchAll(/<(max_\w+)>(\d+)<\/\1>/g)]
    expect(numbers).toHaveLength(7)
    for (const [, name, value] of numbers) {
      const bound = `<${name}><min>1</min><max>${value}</max></${name}>`
      expect(
        [bound, `<${name}><readonly/></${name}>`].filter((each) => profile[2]!.includes(each)),
      ).toHaveLength(1)
    }
  })
})
