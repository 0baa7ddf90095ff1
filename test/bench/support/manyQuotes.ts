import type { ClickHouseClient } from '@clickhouse/client'

/** The day everything happens on, UTC. */
export const DAY = '2026-11-20'

const CHANGES = 500 //  of a market within the day
const EPISODES_A_DAY = 100_000
const EPISODE_DAYS = 10

/**
 * A day of quotes, made by the database itself: random walks in ticks of a cent or a tenth, spreads of one to four
 * cents, sizes where the venue states them, instants of sweeps every five seconds as a poller sees them. And ten days
 * of gap episodes.
 * @param quotes their approximate number, spread over markets of both venues.
 */
export async function makeHistory(client: ClickHouseClient, quotes: number): Promise<void> {
  const markets = Math.max(2, Math.round(quotes / CHANGES))
  for (const venue of ['a', 'b'] as const)
    await command(client, quotesOf(venue, Math.round(venue === 'a' ? markets / 2 : markets - markets / 2)))
  await command(client, EPISODES)
  for (const table of ['quotes', 'quote_bars_states', 'gap_episodes'])
    await command(client, `OPTIMIZE TABLE ${table} FINAL`)
}

const quotesOf = (venue: 'a' | 'b', markets: number): string => {
  const sizes = venue === 'b'
  return `INSERT INTO quotes (venue, market_id, seen_at, bid_bps, ask_bps, bid_size, ask_size, last_bps, previous_bps,
  change_hour_bps, change_day_bps, change_week_bps, volume_24h, venue_lag_ms, stream_lag_ms, stream_seq)
SELECT '${venue}', ${sizes ? "concat('KXBENCH-26NOV20-', toString(m))" : 'toString(500000 + m)'},
  toDateTime64('${DAY} 00:00:00', 3, 'UTC') + toIntervalMillisecond(intDiv(k * 172800 + hash % 172800, 5000) * 5000 + m % 97 * 37) AS seen_at,
  toUInt16(greatest(tick, least(9500, start + walked * tick))) AS bid_bps,
  toUInt16(bid_bps + (1 + intDiv(hash, 256) % 16 % 4) * tick) AS ask_bps,
  ${sizes ? 'toDecimal64(intHash32(m + intDiv(k, 3)) % 5000 + 1, 2), toDecimal64(intHash32(m + 7 * intDiv(k, 4)) % 5000 + 1, 2)' : 'NULL, NULL'},
  bid_bps, ${sizes ? 'toUInt16(start)' : 'NULL'},
  ${sizes ? 'NULL, NULL, NULL' : 'toInt16((walked - earlier) * tick), toInt16(walked * tick), toInt16(walked * tick + 300)'},
  start * 11 + sold, ${sizes ? 'NULL' : 'toInt64(intDiv(hash, 4096) % 900)'}, toInt64(40 + intDiv(hash, 65536) % 60), toUInt32(m % 40)
FROM
(
  SELECT m, k, walked, sold, earlier, tick, start, cityHash64(m, k) AS hash
  FROM
  (
    SELECT number AS m, if(cityHash64(m, 0) % 4 = 0, 10, 100) AS tick, 1000 + cityHash64(m) % 8000 AS start,
      range(${CHANGES}) AS ks, arrayMap(k -> cityHash64(number, k, 1), ks) AS dice,
      arrayCumSum(arrayMap(die -> if(die % 3 = 0, toInt32(intDiv(die, 3) % 7) - 3, 0), dice)) AS walk,
      arrayMap(k -> walk[greatest(1, k - 20)], ks) AS before, arrayCumSum(arrayMap(die -> intDiv(die, 64) % 400, dice)) AS traded
    FROM numbers(${markets})
    SETTINGS max_block_size = 1024
  )
  ARRAY JOIN walk AS walked, traded AS sold, before AS earlier, ks AS k
)`
}

const EPISODES = `INSERT INTO gap_episodes SELECT
  concat(pair_id, '@', toString(toUnixTimestamp64Milli(opened_at))) AS episode_id,
  concat('a:', toString(500000 + number % 10000), '|b:KXBENCH-26NOV20-', toString(number % 10000)) AS pair_id,
  concat('Will it happen before number ', toString(number % 10000), '?') AS topic,
  ['Economics', 'Politics', 'Sports', 'Crypto'][number % 4 + 1] AS category,
  if(number % 9 = 0, 'inverted', 'identity') AS verdict,
  toString(500000 + number % 10000) AS market_a, concat('KXBENCH-26NOV20-', toString(number % 10000)) AS market_b,
  toDateTime64('${DAY} 00:00:00', 3, 'UTC') - toIntervalDay(intDiv(number, ${EPISODES_A_DAY})) + toIntervalMillisecond(cityHash64(number) % 86400000) AS opened_at,
  opened_at + toIntervalMillisecond(cityHash64(number, 1) % 60000) AS peak_at,
  peak_at + toIntervalMillisecond(cityHash64(number, 2) % 3600000) AS closed_at,
  2 + cityHash64(number, 3) % 300 / 100 AS open_cents, open_cents + cityHash64(number, 4) % 500 / 100 AS peak_cents, 1 AS last_cents,
  if(number % 3 = 0, NULL, toInt64(cityHash64(number, 5) % 600000)) AS half_life_ms, number % 2 = 0 AS ever_executable,
  toUInt32(10) AS samples, 'narrowed' AS why_closed, toUnixTimestamp64Milli(now64(3)) AS stream_ms, toUInt32(number) AS stream_seq
FROM numbers(${EPISODES_A_DAY * EPISODE_DAYS})`

const command = (client: ClickHouseClient, query: string) =>
  client.command({ query, clickhouse_settings: { wait_end_of_query: 1, max_insert_block_size: '1048576' } })
