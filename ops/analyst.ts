/**
 * The tables hidden from the read-only user `analyst`, and the bounds of its queries. The sandbox's ClickHouse, the
 * image's users file and the public schema page all state the same.
 */

/**
 * Tables that name buyers, or would let them be identified by the time of a sale. View `track_record` shows what can be
 * told without them.
 */
export const OWNER_TABLES: readonly string[] = ['sales', 'sold_cards']

export const ANALYST_BOUNDS = {
  seconds: 60, //                 per query
  memoryBytes: 1024 * 1024 * 1024,
  resultRows: 5_000_000,
  resultBytes: 1024 * 1024 * 1024,
  queriesAtOnce: 4,
  queriesPerHour: 1_000,
} as const
