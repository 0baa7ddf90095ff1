import type { ClickHouseClient } from '@clickhouse/client'
import type { DrainSink } from './drainStream.ts'
import { UnavailableError } from './errors.ts'

/**
 * ClickHouse as the sink of a drain. The tables must have a deduplication window set and the columns
 * `stream_ms` and `stream_seq`.
 */
export function clickhouseSink(client: ClickHouseClient): DrainSink {
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
            deduplicate_blocks_in_dependent_materialized_views: 1, // what a view counts, it counts once
            async_insert: 0, //       an acknowledged block is on disk
            wait_end_of_query: 1, //  an error after the first byte is still an error
            date_time_input_format: 'best_effort',
          },
        })
      } catch (error) {
        throw new UnavailableError('clickhouse_insert', `insert into ${table} failed`, error)
      }
    },
    newest: async (table) => {
      try {
        const answer = await client.query({
          query: `SELECT toFloat64(stream_ms) AS ms, toFloat64(stream_seq) AS seq FROM ${table} ORDER BY stream_ms DESC, stream_seq DESC LIMIT 1`,
          format: 'JSONEachRow',
        })
        const [row] = await answer.json<{ ms: number; seq: number }>()
        return row ?? null
      } catch (error) {
        throw new UnavailableError('clickhouse_query', `${table} cannot be read`, error)
      }
    },
  }
}
