import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openOrSetAside } from '../../../ops/sandbox/clickhouse/setAside.ts'
import { startClickhouse } from '../../support/clickhouse.ts'
import { quietLog } from '../../support/ledger.ts'

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'microdata-aside-'))
  folder = join(parent, 'clickhouse')
  await mkdir(folder)
  await writeFile(join(folder, 'table'), 'rows')
})
afterEach(() => rm(parent, { recursive: true }))

const unreadable = async (path: string) => {
  if ((await readdir(path)).includes('table')) throw new Error('cannot parse definition')
  await writeFile(join(path, 'table'), 'garbage again')
}

describe('DATA-15: a folder of tables that cannot be read', () => {
  test('the engine itself: a definition that a power cut left as zeros; it starts, with none', async () => {
    const clickhouse = await startClickhouse()
    try {
      const client = clickhouse.client()
      await client.command({ query: 'CREATE TABLE microdata.one (n UInt8) ENGINE = MergeTree ORDER BY n' })
      await clickhouse.kill()
      const metadata = join(clickhouse.dir, 'metadata', 'microdata')
      await writeFile(join(metadata, 'one.sql'), Buffer.alloc(6))
      await clickhouse.restart()
      const answer = await clickhouse
        .client()
        .query({ query: 'SHOW TABLES FROM microdata', format: 'JSONEachRow' })
      expect(await answer.json()).toEqual([])
      const beside = (await readdir(dirname(clickhouse.dir))).filter((name) =>
        name.startsWith(`${basename(clickhouse.dir)}.broken-`),
      )
      expect(beside).toHaveLength(1)
      const aside = join(dirname(clickhouse.dir), beside[0]!)
      expect(execFileSync('find', ['-L', aside, '-name', 'one.sql']).toString()).toContain('one.sql')
      await rm(aside, { recursive: true })
    } finally {
      await clickhouse.stop()
    }
  })
  test('is kept beside the new one; only the newest two are', async () => {
    for (const ms of [1_000, 999, 2_000, 10_000]) await openOrSetAside(folder, ms, unreadable, quietLog)
    expect((await readdir(parent)).sort()).toEqual([
      'clickhouse',
      'clickhouse.broken-10000',
      'clickhouse.broken-2000',
    ])
    expect(await readFile(join(parent, 'clickhouse.broken-10000', 'table'), 'utf8')).toBe('garbage again')
  })
  test('stays where it is when an empty one cannot be opened either: a full disk is not its fault', async () => {
    const full = () => Promise.reject(new Error('No space left on device'))
    await expect(openOrSetAside(folder, 1, full, quietLog)).rejects.toThrow('No space left')
    expect(await readdir(parent)).toEqual(['clickhouse'])
    expect(await readFile(join(folder, 'table'), 'utf8')).toBe('rows')
  })
  test('older ones that cannot be removed leave what was opened alone', async () => {
    const elsewhere = `${parent}-elsewhere`
    const opensAndLoses = async (path: string) => {
      if ((await readdir(path)).includes('table')) throw new Error('cannot parse definition')
      await rename(parent, elsewhere) //  older ones can no longer be looked for
      return 'opened'
    }
    expect(await openOrSetAside(folder, 1, opensAndLoses, quietLog)).toBe('opened')
    expect((await readdir(elsewhere)).sort()).toEqual(['clickhouse', 'clickhouse.broken-1'])
    await rename(elsewhere, parent)
  })
})
