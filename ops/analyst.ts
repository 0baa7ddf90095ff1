/**
 * What the read-only user `analyst` may not see and may ask for: the sandbox's ClickHouse, the users file of the image
 * and the public schema page all say this.
 */

/** Tables that name buyers, or let them be found by the instant of a sale. What is known without them is in view `track_record`. */
export const OWNER_TABLES: readonly string[] = ['sales', 'sold_cards']

export const ANALYST_BOUNDS = {
  seconds: 60, //                 a query
  memoryBytes: 1024 * 1024 * 1024,
  resultRows: 5_000_000,
  resultBytes: 1024 * 1024 * 1024,
  queriesAtOnce: 4,
  queriesPerHour: 1_000,
} as const
