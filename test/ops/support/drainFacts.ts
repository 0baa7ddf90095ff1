import { connectClickhouse } from '../../../ops/clickhouse.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import type { DrainOptions, StreamEntry, TableRows } from '../../../ops/drainStream.ts'
import { drainStream } from '../../../ops/drainStream.ts'
import { createFaultPoint } from '../../../ops/faultPoint.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'

/** A drain of a made-up stream into two tables; run as a process it can be killed. */
export const FACTS = 'test:facts'

export const FACT_TABLES = ['odd', 'even', 'holes'].map(
  (table) =>
    `CREATE TABLE IF NOT EXISTS ${table} (${
      table === 'holes'
        ? 'after_id String, before_id String, dropped UInt64'
        : 'n UInt64, stream_ms Int64, stream_seq UInt32'
    }) ENGINE = MergeTree ORDER BY tuple() SETTINGS non_replicated_deduplication_window = 1000`,
)

export function factRows(entry: StreamEntry): TableRows[] {
  const from = Number(entry.fields.n)
  const rows = (rest: number) =>
    [0, 1, 2, 3]
      .filter((step) => step % 2 === rest)
      .map((step) => ({ n: from * 4 + step, stream_ms: entry.ms, stream_seq: entry.seq }))
  return [
    { table: 'even', rows: rows(0) },
    { table: 'odd', rows: rows(1) },
  ]
}

export const FACTS_DRAIN: Pick<DrainOptions, 'stream' | 'name' | 'tables' | 'map' | 'gap'> = {
  stream: FACTS,
  name: 'facts',
  tables: ['odd', 'even'],
  map: factRows,
  gap: ({ afterId, beforeId, dropped }) => ({
    table: 'holes',
    rows: [{ after_id: afterId, before_id: beforeId, dropped }],
  }),
}

if (process.argv[1] === import.meta.filename) {
  const { REDIS_URL = '', CLICKHOUSE_URL = '', DATABASE = '', FAULT_POINT = '' } = process.env
  const log = createLog('facts', 'warn')
  drainStream({
    ...FACTS_DRAIN,
    redis: connectRedis(REDIS_URL, { log, name: 'facts' }),
    sink: clickhouseSink(
      connectClickhouse({
        clickhouseUrl: CLICKHOUSE_URL,
        clickhouseUser: 'default',
        clickhousePassword: '',
        clickhouseDatabase: DATABASE,
      }),
    ),
    log,
    flushMs: 10,
    maxEntries: 7,
    fault: createFaultPoint(FAULT_POINT),
  })
  process.stdout.write('draining\n')
}
