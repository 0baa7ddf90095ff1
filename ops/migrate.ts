import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { type ClickhouseSlice, connectClickhouse } from './clickhouse.ts'
import { ServiceError, UnavailableError } from './errors.ts'

/** The files and what the database remembers of them contradict each other: a person must look. */
export class MigrationError extends ServiceError {
  readonly code = 'migration_refused'
}

export type Migration = { version: number; name: string; checksum: string; statements: string[] }
export type Applied = { version: number; name: string; checksum: string }

export const MIGRATIONS = new URL('./migrations/', import.meta.url)

/**
 * Brings the database to the newest version: `NNN_name.sql` in order of their numbers, each recorded with its
 * checksum. Every statement must be safe to run twice (IF NOT EXISTS): ClickHouse has no transaction, so two
 * processes that start together, or one that died half-way, run the same file again. A database that is ahead
 * of these files is left alone: an older process works beside a newer one. Where a table or view has gone that they
 * make, all of them run again: what is recorded would keep it away for ever. So they do where one was REWRITTEN.
 * @returns names of the files that were applied now.
 * @throws MigrationError when an applied file was edited; UnavailableError when ClickHouse does not answer.
 */
export async function migrate(slice: ClickhouseSlice, directory: URL = MIGRATIONS): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const admin = connectClickhouse({ ...slice, clickhouseDatabase: 'default' })
  const client = connectClickhouse(slice)
  try {
    await run(admin, `CREATE DATABASE IF NOT EXISTS ${slice.clickhouseDatabase}`)
    await run(client, HISTORY)
    const applied = await readApplied(client)
    const pending = pendingMigrations(migrations, applied)
    const isRewritten = pending.some(({ version }) => applied.some((row) => row.version === version))
    const isLacking = await lacksSome(client, migrations, applied)
    const due = isRewritten || isLacking ? migrations : pending
    if (isLacking) await run(client, say(MAKING_AGAIN))
    for (const migration of due) {
      for (const statement of migration.statements) await run(client, statement)
      if (!isRewritten && pending.includes(migration)) await record(client, migration)
    }
    //  a record says that what earlier files made again is as the later ones leave it: not before they have run
    if (isRewritten) for (const migration of pending) await record(client, migration)
    if (isLacking) await run(client, say(APPLIED))
    return due.map(({ name }) => name)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new UnavailableError('clickhouse_migration', 'the migration did not go through', error)
  } finally {
    await Promise.all([admin.close(), client.close()])
  }
}

const APPLIED = 'Which files of ops/migrations were applied'
/**
 * The comment of `schema_migrations` while all files run again: what one makes is older than what a later one leaves, until
 * that has run.
 */
export const MAKING_AGAIN = 'All files of ops/migrations are to run again: something that they made was gone'
const say = (words: string): string => `ALTER TABLE schema_migrations MODIFY COMMENT '${words}'`

const HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = MergeTree
ORDER BY version
SETTINGS non_replicated_deduplication_window = 1000
COMMENT '${APPLIED}'`

/**
 * Has something gone that an applied file made (dropped, or left out of a copy that was restored), or was it made again
 * and not to the end? Of a database that is ahead nothing is said: our older views would replace its own.
 */
async function lacksSome(
  client: ClickHouseClient,
  migrations: Migration[],
  applied: Applied[],
): Promise<boolean> {
  const known = new Set(applied.map(({ version }) => version))
  const isAhead = applied.some(
    ({ version }) => !migrations.some((migration) => migration.version === version),
  )
  if (isAhead) return false
  const made = migrations
    .filter(({ version }) => known.has(version))
    .flatMap(({ statements }) => statements.flatMap((statement) => MAKES.exec(statement)?.[1] ?? []))
  const answer = await client.query({
    query: 'SELECT name, comment FROM system.tables WHERE database = currentDatabase()',
    format: 'JSONEachRow',
  })
  const there = new Map(
    (await answer.json<{ name: string; comment: string }>()).map(({ name, comment }) => [name, comment]),
  )
  return there.get('schema_migrations') === MAKING_AGAIN || made.some((name) => !there.has(name))
}

const MAKES =
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/

/**
 * Files that were edited once a version that had applied them was out, with the checksum from then: where that is
 * recorded, the file runs again and is recorded anew. Nothing may be added here; a new file is.
 */
const REWRITTEN: Readonly<Record<string, string>> = {
  '009_seen_to_end.sql': '65a995f5fb2f7a73b7d3b0984cdda73aff37503798b9fbe7dbbd59749023c704', // out for four hours on 2026-11-30
}

/** Pure. @throws MigrationError */
export function pendingMigrations(migrations: Migration[], applied: Applied[]): Migration[] {
  return migrations.filter(({ version, name, checksum }) => {
    const rows = applied.filter((row) => row.version === version)
    const edited = rows.find((row) => row.checksum !== checksum && row.checksum !== REWRITTEN[name])
    if (edited !== undefined)
      throw new MigrationError(
        `${name} was edited after it was applied as ${edited.name}; add a new file instead`,
      )
    return !rows.some((row) => row.checksum === checksum)
  })
}

export async function readMigrations(directory: URL): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const name of files) {
    const version = /^(\d{3})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (version === undefined) throw new MigrationError(`${name}: a migration is named NNN_words.sql`)
    const sql = await readFile(new URL(name, directory), 'utf8')
    migrations.push({
      version: Number(version),
      name,
      checksum: createHash('sha256').update(sql).digest('hex'),
      statements: splitStatements(sql),
    })
  }
  const versions = new Set(migrations.map(({ version }) => version))
  if (versions.size !== migrations.length) throw new MigrationError('two migrations have the same number')
  return migrations
}

/** Splits at `;` outside of quotes and comments; comments are left out. */
export function splitStatements(sql: string): string[] {
  const parts =
    sql.match(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\.|'')*'|`[^`]*`|"[^"]*"|;|[^;'"`/-]+|[/-]/g) ?? []
  const statements: string[] = []
  let statement = ''
  for (const part of [...parts, ';']) {
    if (part.startsWith('--') || part.startsWith('/*')) continue
    if (part !== ';') {
      statement += part
      continue
    }
    if (statement.trim() !== '') statements.push(statement.trim())
    statement = ''
  }
  return statements
}

async function run(client: ClickHouseClient, query: string): Promise<void> {
  await client.command({ query, clickhouse_settings: { wait_end_of_query: 1 } })
}

/**
 * Two processes that start at once record a migration once. A server that was killed may know a token and not its row:
 * the row is then inserted without a token.
 */
async function record(client: ClickHouseClient, { version, name, checksum }: Migration): Promise<void> {
  const write = (deduplication: ClickHouseSettings) =>
    client.insert({
      table: 'schema_migrations',
      values: [{ version, name, checksum }],
      format: 'JSONEachRow',
      clickhouse_settings: { async_insert: 0, ...deduplication },
    })
  await write({ insert_deduplication_token: `${version}:${checksum}` })
  const isThere = (await readApplied(client)).some(
    (row) => row.version === version && row.checksum === checksum,
  )
  if (!isThere) await write({ insert_deduplicate: 0 })
}

async function readApplied(client: ClickHouseClient): Promise<Applied[]> {
  const answer = await client.query({
    query: 'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
    format: 'JSONEachRow',
  })
  return answer.json<Applied>()
}
