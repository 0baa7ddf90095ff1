import type { ClickHouseClient } from '@clickhouse/client'
import { OWNER_TABLES } from '../../ops/analyst.ts'
import { MIGRATIONS, readMigrations } from '../../ops/migrate.ts'
import { refuseOlder } from '../../ops/migratedSink.ts'
import { retentionOf } from '../../ops/retention.ts'
import type { HistorySchema } from '../contract/history.ts'

type Table = HistorySchema['tables'][number]

/** Internal tables, and those that analysts may not read, are not part of the schema page. */
const LEFT_OUT = ['schema_migrations', ...OWNER_TABLES]

const KINDS: Record<string, Table['kind']> = { View: 'view', MaterializedView: 'materialized view' }

const TABLES = `SELECT name, engine, comment, engine_full
FROM system.tables
WHERE database = currentDatabase() AND name NOT IN ({leftOut:Array(String)}) AND NOT startsWith(name, '.')
ORDER BY name`

/** A column that `SELECT *` leaves out would look like a fault of ours: computed columns are marked as such. */
const COLUMNS = `SELECT table, name, type, concat(comment, if(default_kind = 'ALIAS', '; computed: SELECT * leaves it out', '')) AS comment
FROM system.columns
WHERE database = currentDatabase()
ORDER BY table, position`

/**
 * What analysts find in the database, as the database itself describes it. @throws when it does not answer or lacks
 * some of our migrations: otherwise half of the tables would be shown for minutes beside queries that use the others.
 */
export async function readSchema(client: ClickHouseClient): Promise<HistorySchema> {
  const migrations = await readMigrations(MIGRATIONS)
  await refuseOlder(client, migrations.at(-1)!.version)
  const rows = async <Row>(query: string) => {
    const query_params = { leftOut: LEFT_OUT }
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>()
  }
  const tables = await rows<{ name: string; engine: string; comment: string; engine_full: string }>(TABLES)
  const columns = await rows<Table['columns'][number] & { table: string }>(COLUMNS)
  const [here] = await rows<{ database: string }>('SELECT currentDatabase() AS database')
  return {
    database: here!.database,
    tables: tables.map(({ name, engine, comment, engine_full }) => {
      const kind = KINDS[engine] ?? 'table'
      return {
        name,
        kind,
        comment,
        retention: retentionWords(engine_full),
        columns:
          kind === 'materialized view'
            ? []
            : columns
                .filter(({ table }) => table === name)
                .map((column) => ({ name: column.name, type: column.type, comment: column.comment })),
      }
    }),
  }
}

/** `… TTL toDateTime(…) + toIntervalDay(90) …` → `90 days`. */
export function retentionWords(engineFull: string): string | null {
  const kept = retentionOf(engineFull)
  return kept === null ? null : `${kept.amount} ${kept.unit}${kept.amount === '1' ? '' : 's'}`
}
