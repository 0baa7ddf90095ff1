import type { DrainOptions, StreamEntry, TableRows } from '../../../ops/drainStream.ts'

/** A drain of a made-up stream into two tables. */
export const FACTS = 'test:facts'

export const FACT_TABLES = ['odd', 'even', 'holes'].map(
  (table) =>
    `CREATE TABLE IF NOT EXISTS ${table} (${
      table === 'holes'
        ? 'after_id String, before_id String, dropped UInt64'
        : 'n UInt64, stream_ms Int64, stream_seq UInt32'
    }) ENGINE = MergeTree ORDER BY tuple() SETTINGS non_replicated_deduplication_window = 1000`,
)

function factRows(entry: StreamEntry): TableRows[] {
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
