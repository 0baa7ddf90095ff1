import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { isAlive, runMain, until } from '../../support/process.ts'

const MAIN = 'ops/sandbox/clickhouse/main.ts'
let server: TestClickhouse
afterEach(() => server.stop())

const TABLE = `CREATE TABLE microdata.rows (batch UInt32, id UInt32) ENGINE MergeTree ORDER BY (batch, id)
  SETTINGS non_replicated_deduplication_window = 1000`

const insert = (batch: number, token?: string, count = 500) =>
  server.client().insert({
    table: 'microdata.rows',
    values: Array.from({ length: count }, (_, id) => ({ batch, id })),
    format: 'JSONEachRow',
    ...(token === undefined ? {} : { clickhouse_settings: { insert_deduplication_token: token } }),
  })
const scalar = async (query: string) =>
  (await (await server.client().query({ query, format: 'TabSeparated' })).text()).trimEnd()

describe('what was acknowledged stays', () => {
  test('kill -9 in the middle of inserts: every acknowledged batch is whole, no batch is half there', async () => {
    server = await startClickhouse()
    await server.client().command({ query: TABLE })
    const acknowledged: number[] = []
    let batch = 0
    let killed = false
    const writer = async () => {
      while (!killed) {
        batch += 1
        const own = batch
        await insert(own).then(
          () => acknowledged.push(own),
          () => undefined,
        )
      }
    }
    const writers = [writer(), writer(), writer()]
    await until('some batches', () => acknowledged.length >= 30)
    await server.kill()
    killed = true
    await Promise.all(writers)
    await server.restart()
    const counts = await scalar('SELECT batch, count() FROM microdata.rows GROUP BY batch ORDER BY batch')
    const there = new Map(counts.split('\n').map((line) => line.split('\t').map(Number) as [number, number]))
    expect([...there.values()].every((count) => count === 500)).toBe(true)
    expect(acknowledged.filter((one) => !there.has(one))).toEqual([])
    const left = async () => (await readdir(join(server.dir, 'http'))).sort().join()
    await until('no file of a query is left', async () => (await left()) === 'config.xml,users.xml')
  })

  test('a deduplication token counts once: at once, after SIGTERM, after kill -9', async () => {
    server = await startClickhouse()
    await server.client().command({ query: TABLE })
    await insert(1, 'first')
    await insert(1, 'first')
    expect(await scalar('SELECT count() FROM microdata.rows')).toBe('500')
    await server.restart()
    await insert(1, 'first')
    await insert(2, 'second')
    await server.kill()
    await server.restart()
    await Promise.all([insert(1, 'first'), insert(2, 'second'), insert(3, 'third')])
    expect(await scalar('SELECT batch, count() FROM microdata.rows GROUP BY batch ORDER BY batch')).toBe(
      '1\t500\n2\t500\n3\t500',
    )
    await insert(1, 'another token, same rows')
    expect(await scalar('SELECT count() FROM microdata.rows')).toBe('2000')
  })
})

describe('one process owns a directory', () => {
  test('a second one ends with 75 and says who has it; the first goes on', async () => {
    server = await startClickhouse()
    const second = runMain(MAIN, { env: { DATA_DIR: server.dir } })
    expect(await second.exited).toEqual({ code: 75, signal: null })
    expect(second.stdout()).toContain(`DATA_DIR is in use by process ${server.pid}`)
    expect(second.stdout()).not.toContain('"ready":true')
    expect(await scalar('SELECT 1')).toBe('1')
  })

  test('without a directory, with one the engine would read as a pattern, or open to others without a password: refused', async () => {
    server = await startClickhouse()
    const ends = async (env: Record<string, string>) => {
      const main = runMain(MAIN, { env })
      const { code } = await main.exited
      return [
        code,
        /DATA_DIR: is missing|DATA_DIR: must not contain|CLICKHOUSE_PASSWORD: is missing/.exec(
          main.stderr(),
        )?.[0],
      ]
    }
    const dir = await mkdtemp(join(tmpdir(), 'microdata-clickhouse-'))
    expect(await ends({})).toEqual([1, 'DATA_DIR: is missing'])
    expect(await ends({ DATA_DIR: join(dir, '{a,b}') })).toEqual([1, 'DATA_DIR: must not contain'])
    expect(await ends({ DATA_DIR: dir, HOST: '0.0.0.0' })).toEqual([1, 'CLICKHOUSE_PASSWORD: is missing'])
    await rm(dir, { recursive: true })
  })
})

describe('stopping', () => {
  test('SIGTERM: what runs is finished and answered, what is new is refused, the exit code is 0', async () => {
    server = await startClickhouse()
    await server.client().command({ query: TABLE })
    const slow = server.client().command({
      query: 'INSERT INTO microdata.rows SELECT 1, number + sleepEachRow(0.3) FROM numbers(5)',
    })
    const running = "SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO microdata.rows%'"
    await until('it runs', async () => (await scalar(running)) === '1')
    const stopping = server.restart()
    await expect(slow).resolves.toMatchObject({ summary: {} })
    await stopping
    expect(await scalar('SELECT count() FROM microdata.rows')).toBe('5')
  })

  test('the parent goes: so do we', async () => {
    server = await startClickhouse()
    const dir = await mkdtemp(join(tmpdir(), 'microdata-clickhouse-'))
    const child = runMain(MAIN, { env: { DATA_DIR: dir }, ipc: true })
    await child.says(/"ready":true/)
    child.child.disconnect()
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(isAlive(child.pid)).toBe(false)
    await rm(dir, { recursive: true })
  })
})

describe('a damaged disk gives errors and no hang', () => {
  /** The folder of the table's newest part. */
  async function newestPart(): Promise<string> {
    return (
      await scalar("SELECT path FROM system.parts WHERE table = 'rows' AND active ORDER BY name DESC LIMIT 1")
    ).replace(/\/$/, '')
  }

  test('a part that is overwritten while the server runs', async () => {
    server = await startClickhouse()
    await server.client().command({ query: TABLE })
    await insert(1, 'good', 5_000)
    const part = await newestPart()
    const data = (await readdir(part)).filter((name) => name.endsWith('.bin'))
    expect(data.length).toBeGreaterThan(0)
    await server.kill()
    for (const name of data) await writeFile(join(part, name), 'garbage')
    await server.restart()
    const broken = await fetch(`${server.url}/`, {
      method: 'POST',
      body: 'SELECT sum(id) FROM microdata.rows',
    })
    const text = await broken.text()
    // If the engine finds the damage at start, it puts the part aside; on reading, it fails. The sum is never wrong.
    expect(broken.status === 200 ? text : broken.headers.get('x-clickhouse-exception-code')).toMatch(
      /^(0\n|\d+)$/,
    )
    expect(text).not.toBe('12497500\n')
    await insert(2, 'after', 10)
    expect(await scalar('SELECT count() FROM microdata.rows WHERE batch = 2')).toBe('10')
  })

  test('a part of which a file is missing is put aside at start', async () => {
    server = await startClickhouse()
    await server.client().command({ query: TABLE })
    await insert(1, 'good')
    const part = await newestPart()
    await server.kill()
    await rm(join(part, 'checksums.txt'))
    await rm(join(part, 'columns.txt'))
    await cp(part, join(part, '..', 'all_9_9_0'), { recursive: true })
    await server.restart()
    const answer = await fetch(`${server.url}/`, {
      method: 'POST',
      body: 'SELECT count() FROM microdata.rows',
    })
    expect([200, 500]).toContain(answer.status)
    await answer.text()
    expect(await scalar('SELECT 1')).toBe('1')
  })
})
