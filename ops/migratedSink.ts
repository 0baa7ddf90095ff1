import type { ClickHouseClient } from '@clickhouse/client'
import { clickhouseSink } from './clickhouseSink.ts'
import type { DrainSink } from './drainStream.ts'
import { UnavailableError } from './errors.ts'

/**
 * The sink of a process that does not migrate itself: nothing is written before the database is at `version`. Earlier
 * rows would lack the columns, and the views that count them, which the rest of a migration brings.
 */
export const migratedSink = (client: ClickHouseClient, version: number): DrainSink => ({
  ...clickhouseSink(client),
  ready: () => refuseOlder(client, version),
})

/** @throws UnavailableError when the database is not at `version` yet, or does not say. */
export async function refuseOlder(client: ClickHouseClient, version: number): Promise<void> {
  let applied = 0
  try {
    const answer = await client.query({
      query: 'SELECT max(version) AS version FROM schema_migrations',
      format: 'JSONEachRow',
    })
    applied = (await answer.json<{ version: number }>())[0]?.version ?? 0
  } catch (error) {
    throw new UnavailableError('clickhouse_query', 'schema_migrations cannot be read', error)
  }
  if (applied < version)
    throw new UnavailableError('clickhouse_migration', `the database is at ${applied}, ${version} is needed`)
}
