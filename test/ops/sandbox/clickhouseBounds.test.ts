import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts'
import { until } from '../../support/process.ts'

let server: TestClickhouse
beforeAll(async () => {
  server = await startClickhouse({
    password: 'owner-password',
    args: ['--max-body-bytes=2000000', '--max-answer-bytes=3000000', '--max-spool-bytes=1500000'],
  })
  await ask('/', { body: 'CREATE TABLE microdata.t (id UInt32, name String) ENGINE MergeTree ORDER BY id' })
})
afterAll(() => server.stop())

const OWNER = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'owner-password' }

async function ask(
  path: string,
  { body, headers = OWNER }: { body: string | Buffer; headers?: Record<string, string> },
) {
  const response = await fetch(server.url + path, { method: 'POST', body, headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    status: response.status,
    text: bytes.toString('utf8'),
    bytes,
    code: response.headers.get('x-clickhouse-exception-code'),
  }
}
const select = (query: string) => ask('/?database=microdata', { body: query })

describe('bounds', () => {
  test('a body, a bomb, an answer and all waiting data have a largest size', async () => {
    const insert = '/?query=INSERT+INTO+microdata.t+FORMAT+TSV'
    const line = `1\t${'x'.repeat(97)}\n`
    const large = await ask(insert, { body: line.repeat(21_000) })
    expect([large.status, large.code]).toEqual([500, '243'])
    const text = await ask('/', { body: `SELECT 1 -- ${'x'.repeat(2_000_000)}` })
    expect([text.status, text.code]).toEqual([413, '229'])
    const bomb = await ask('/', {
      body: gzipSync(`SELECT 1 -- ${'x'.repeat(50_000_000)}`),
      headers: { ...OWNER, 'Content-Encoding': 'gzip' },
    })
    expect(bomb.code).toBe('229')
    // An INSERT gives back what it took of the shared room, so the next one finds it free.
    for (let again = 0; again < 3; again += 1)
      expect((await ask(insert, { body: line.repeat(14_000) })).status).toBe(200)
    const answer = await select("SELECT repeat('x', 1000) FROM numbers(4000)")
    expect([answer.status, answer.code]).toEqual([500, '396'])
    expect((await select("SELECT repeat('x', 1000) FROM numbers(2000)")).bytes.length).toBe(2_002_000)
  })

  test('an endless answer is stopped while it grows', async () => {
    expect((await select('SELECT number FROM system.numbers')).code).toBe('396')
  })

  test('a text that lexers may read in two ways is answered all the same, and bounded too', async () => {
    expect((await select("SELECT $a$it's$a$ /* a /* nested */ comment */ FORMAT CSV")).text).toBe('"it\'s"\n')
    expect((await select('SELECT 1 AS “quoted” FORMAT JSONEachRow')).text).toBe('{"quoted":1}\n')
    expect((await select("SELECT repeat('x', 1000) # comment\nFROM numbers(4000)")).code).toBe('396')
  })
})

describe('impolite clients', () => {
  test('a head that arrives in pieces is read as one', async () => {
    const pieces = [
      'INSERT INTO microdata',
      '.t FORMAT CSV',
      'WithNames',
      '\r',
      '\n',
      'name,id\n"a',
      ' b",7',
      '\n',
    ]
    async function* slowly() {
      for (const piece of pieces) {
        yield Buffer.from(piece)
        await sleep(20)
      }
    }
    await ask('/', { body: 'TRUNCATE TABLE microdata.t' })
    const answer = await request(server.url, {
      method: 'POST',
      body: Readable.from(slowly()),
      headers: OWNER,
    })
    expect([answer.statusCode, await answer.body.text()]).toEqual([200, ''])
    expect((await select('SELECT * FROM t')).text).toBe('7\ta b\n')
  })

  test('an upload that breaks off inserts nothing', async () => {
    await ask('/', { body: 'TRUNCATE TABLE microdata.t' })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST /?query=INSERT+INTO+microdata.t+FORMAT+TSV HTTP/1.1\r\nHost: x\r\nX-ClickHouse-User: default\r\nX-ClickHouse-Key: owner-password\r\nContent-Length: 1000\r\n\r\n1\tx\n2\ty\n`,
    )
    await sleep(200)
    socket.destroy()
    await until(
      'the engine is idle',
      async () => (await select('SELECT count() FROM system.processes')).text === '1\n',
    )
    expect((await select('SELECT count() FROM t')).text).toBe('0\n')
  })

  test('a refused upload on a kept connection does not spoil the next request', async () => {
    const dispatcher = new Agent({ connections: 1, pipelining: 1 })
    const post = async (body: string, key: string) => {
      const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': key }
      const answer = await request(server.url, { method: 'POST', body, headers, dispatcher })
      return [answer.statusCode, await answer.body.text()]
    }
    expect((await post(`SELECT 1 -- ${'x'.repeat(1_500_000)}`, 'wrong'))[0]).toBe(403)
    expect(await post('SELECT 1', 'owner-password')).toEqual([200, '1\n'])
    await dispatcher.close()
  })
})
