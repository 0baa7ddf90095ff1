import type { ClickHouseClient } from '@clickhouse/client'
import { clickhouseSink } from './clickhouseSink.ts'
import type { DrainSink } from './drainStream.ts'
import { UnavailableError } from './errors.ts'
import { MAKING_AGAIN } from './migrate.ts'

/**
 * The sink of a process that does not migrate itself: nothing is written before the database is at `version`. Earlier
 * rows would lack the columns, and the views that count them, which the rest of a migration brings; so they would while what
 * had gone is made again.
 */
export const migratedSink = (client: ClickHouseClient, version: number): DrainSink => ({
  ...clickhouseSink(client),
  ready: () => refuseOlder(client, version),
})

const STATE = `SELECT
    max(version) AS version,
    (SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migrations') AS said
FROM schema_migrations`

/** @throws UnavailableError when the database is not at `version` yet, or not again, or does not say. */
export async function refuseOlder(client: ClickHouseClient, version: number): Promise<void> {
  let state: { version: number; said: string } | undefined
  try {
    const answer = await client.query({ query: STATE, format: 'JSONEachRow' })
    state = (await answer.json<{ version: number; said: string }>())[0]
  } catch (error) {
    throw new UnavailableError('clickhouse_query', 'schema_migrations cannot be read', error)
  }
  if (state?.said === MAKING_AGAIN)
    throw new UnavailableError('clickhouse_migration', 'tables that had gone are being made again')
  const applied = state?.version ?? 0
  if (applied < version)
    throw new UnavailableError('clickhouse_migration', `the database is at ${applied}, ${version} is needed`)
}
