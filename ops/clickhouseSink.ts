import type { ClickHouseClient } from '@clickhouse/client'
import type { DrainSink } from './drainStream.ts'
import { UnavailableError } from './errors.ts'
import { retentionOf } from './retention.ts'

/**
 * ClickHouse as the sink of a drain. The tables must have a deduplication window set and the columns
 * `stream_ms` and `stream_seq`.
 * @param narrowBy by table: the column of its partitions. Needed where `stream_ms` is a computed column, since a search
 *   by that alone would read all rows.
 */
export function clickhouseSink(
  client: ClickHouseClient,
  narrowBy: Readonly<Record<string, string>> = {},
): DrainSink {
  const read = async <Row>(query: string, query_params: Record<string, unknown>, table: string) => {
    try {
      return await (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>()
    } catch (error) {
      throw new UnavailableError('clickhouse_query', `${table} cannot be read`, error)
    }
  }
  /** Names of the parts with the newest inserts. Ordering all rows by a computed column would take minutes. */
  const newestParts = async (table: string) => {
    const parts = await read<{ name: string }>(
      `SELECT name FROM system.parts WHERE active AND rows > 0 AND database = currentDatabase() AND table = {table:String}
ORDER BY max_block_number DESC, name LIMIT {parts:UInt8}`,
      { table, parts: narrowBy[table] === undefined ? MONTHS_OF_A_BLOCK : 2 },
      table,
    )
    return parts.map(({ name }) => name)
  }
  return {
    insert: async (table, rows, token) => {
      try {
        await client.insert({
          table,
          values: rows,
          format: 'JSONEachRow',
          clickhouse_settings: {
            insert_deduplication_token: token,
            insert_deduplicate: 1,
            deduplicate_blocks_in_dependent_materialized_views: 1, // a view counts a repeated block once, too
            async_insert: 0, //       an acknowledged block is on disk
            wait_end_of_query: 1, //  an error after the first byte is still an error
            date_time_input_format: 'best_effort',
          },
        })
      } catch (error) {
        throw new UnavailableError('clickhouse_insert', `insert into ${table} failed`, error)
      }
    },
    upS: async () => {
      const [server] = await read<{ upS: number }>('SELECT toFloat64(uptime()) AS upS', {}, 'the uptime')
      return server!.upS
    },
    newest: async (table) => {
      //  a part that was merged away in between would be missed, so the parts are listed again
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const parts = await newestParts(table)
        const [row] = await read<Place>(
          `SELECT ${PLACE} FROM ${table} WHERE _part IN ({parts:Array(String)})
ORDER BY stream_ms DESC, stream_seq DESC LIMIT 1`,
          { parts },
          table,
        )
        if (`${await newestParts(table)}` === `${parts}`) return row ?? null
      }
      throw new UnavailableError('clickhouse_query', `${table} does not stand still`)
    },
    held: async (table, rows) => {
      const times = rows.map((row) => row.stream_ms)
      const narrow = narrowBy[table]
      const instants = narrow === undefined ? [''] : rows.map((row) => String(row[narrow])).sort()
      const found = await read<Place>(
        `SELECT DISTINCT ${PLACE} FROM ${table} WHERE stream_ms >= {fromMs:Int64} AND stream_ms <= {toMs:Int64}
${narrow === undefined ? '' : `AND ${narrow} >= {from:DateTime64(3, 'UTC')} AND ${narrow} <= {to:DateTime64(3, 'UTC')}`}`,
        {
          fromMs: Math.min(...times),
          toMs: Math.max(...times),
          from: instants[0],
          to: instants.at(-1),
        },
        table,
      )
      return new Set(found.map(({ ms, seq }) => `${ms}-${seq}`))
    },
    keptFromMs: async (table) => {
      const [said] = await read<{ of: string }>(
        'SELECT engine_full AS of FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
        { table },
        table,
      )
      const kept = retentionOf(said?.of ?? '')
      if (kept === null) return 0
      //  by the clock that removes the rows; it counts in whole seconds
      const [from] = await read<{ ms: number }>(
        `SELECT 1000 * toFloat64(toUnixTimestamp(now() - INTERVAL ${kept.amount} ${kept.unit}) + 1) AS ms`,
        {},
        table,
      )
      return from!.ms
    },
  }
}

type Place = { ms: number; seq: number }
const PLACE = 'toFloat64(stream_ms) AS ms, toFloat64(stream_seq) AS seq'
const MOST_TRIES = 5
/**
 * Gaps of several months may end together, and then each month has a part of the block. A table with `narrowBy` gets
 * its rows in the order of their time.
 */
const MONTHS_OF_A_BLOCK = 12
