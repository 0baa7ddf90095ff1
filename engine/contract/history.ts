import { z } from 'zod'

/** Tables that the engine's streams are drained into (ops/migrations/003_history.sql). */
export const HISTORY_TABLES = {
  episodes: 'gap_episodes',
  feed: 'feed_events',
} as const

/** What analysts find in ClickHouse, in the database's own words. */
export const HistorySchema = z.object({
  database: z.string(),
  tables: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['table', 'view', 'materialized view']),
      comment: z.string(),
      retention: z.string().nullable(), // as `90 days`, on the real clock; null: keeps nothing itself
      columns: z.array(z.object({ name: z.string(), type: z.string(), comment: z.string() })), // none of a materialized view
    }),
  ),
})
export type HistorySchema = z.infer<typeof HistorySchema>

/** Value in Redis: JSON of HistorySchema, written by any engine that reaches ClickHouse. Stays when ClickHouse is away. */
export const HISTORY_SCHEMA_KEY = 'engine:history-schema'
