import type { ClickHouseClient } from '@clickhouse/client'
import type { Redis } from 'ioredis'
import { type Drain, drainStream } from '../../ops/drainStream.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { migratedSink } from '../../ops/migratedSink.ts'
import { streamGapRows } from '../../ops/streamGaps.ts'
import { SECOND } from '../../ops/units.ts'
import { EPISODE_STREAM } from '../contract/episodes.ts'
import { FEED_STREAM } from '../contract/feed.ts'
import { HISTORY_TABLES } from '../contract/history.ts'
import { episodesOnce } from './episodesOnce.ts'
import { episodeRows, feedRows, type MapEntry } from './rows.ts'

/** 003_history.sql: the tables, and what fills the views beside them. */
const MIGRATION = 3

/** Cards come and go all the time, and every insert adds a part to the tables and their views, whatever its size. */
const FLUSH_MS = 10 * SECOND

/** What is drained, from where to where. The writer bounds both streams; nothing is trimmed here, others read them too. */
const HISTORY: { name: string; stream: string; table: string; map: MapEntry }[] = [
  { name: 'episodes', stream: EPISODE_STREAM, table: HISTORY_TABLES.episodes, map: episodeRows },
  { name: 'feed', stream: FEED_STREAM, table: HISTORY_TABLES.feed, map: feedRows },
]

/**
 * Drains the engine's streams into ClickHouse, each entry exactly once, however many engines do so at the same time;
 * see ops/drainStream.ts. While ClickHouse is away or not migrated yet the streams keep what is new up to their
 * bounds; what they lose beyond is counted in table `stream_gaps`.
 */
export function drainHistory({
  redis,
  clickhouse,
  metrics,
  log,
  flushMs = FLUSH_MS,
}: {
  redis: Redis
  clickhouse: ClickHouseClient
  metrics: Metrics
  log: Log
  flushMs?: number
}): Drain {
  const streams = { stream: HISTORY.map(({ name }) => name) }
  const unreadable = metrics.counter(
    'history_unreadable_total',
    'Stream entries that do not follow the contract, left out of history',
    streams,
  )
  const lost = metrics.counter(
    'history_lost_total',
    'Entries that are in no table of history and no longer in the stream',
    streams,
  )
  const backlog = metrics.gauge('history_backlog', 'Entries not yet in history', streams)
  const stored = metrics.counter('history_rows_total', 'Rows written to history', ['table'])
  const sink = migratedSink(clickhouse, MIGRATION)
  const drains = HISTORY.map(({ name, stream, table, map }) =>
    drainStream({
      redis,
      stream,
      name: `history-${name}`,
      tables: [table],
      sink,
      log,
      flushMs,
      retain: null,
      map: (entry) => {
        const rows = map(entry)
        if (rows === null) unreadable.inc({ stream: name })
        return rows ?? []
      },
      onlyNew: (into, rows) => (into === HISTORY_TABLES.episodes ? episodesOnce(clickhouse, rows) : rows),
      gap: streamGapRows,
      onGap: (gap) => {
        lost.inc({ stream: name }, gap.dropped)
        log.error(gap, 'entries are lost to history: the stream has them no longer')
      },
      onStatus: ({ backlogEntries }) => backlog.set({ stream: name }, backlogEntries),
      onInserted: (into, rows) => stored.inc({ table: into }, rows),
    }),
  )
  return {
    stop: async () => {
      await Promise.all(drains.map((drain) => drain.stop()))
    },
  }
}
