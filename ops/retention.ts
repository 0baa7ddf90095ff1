/**
 * How long a table keeps rows, from `engine_full` of system.tables: `… TTL toDateTime(…) + toIntervalDay(90) …` → 90 days.
 * The migrations are the only place that says so. null: for ever.
 */
export function retentionOf(engineFull: string): { amount: string; unit: string } | null {
  const match = /\bTTL .*?\+ toInterval([A-Z][a-z]+)\((\d+)\)/.exec(engineFull)
  return match === null ? null : { amount: match[2]!, unit: match[1]!.toLowerCase() }
}
