import type { ClickHouseClient } from '@clickhouse/client'
import type { Redis } from 'ioredis'
import { clickhouseSink } from '../../ops/clickhouseSink.ts'
import { type Drain, drainStream } from '../../ops/drainStream.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { QUOTE_STREAM } from '../contract/stream.ts'
import { type StreamGapRow, TABLES } from '../contract/tables.ts'
import type { IngestMetrics } from '../metrics.ts'
import { archiveRows, instant } from './rows.ts'

/**
 * What stays in the quote stream after it was archived: enough for a reader that was away for some minutes.
 * One that was away longer starts again from the newest state, which is complete at any position.
 */
const RETAIN = { ms: 15 * MINUTE, entries: 20_000, bytes: 256 * 1024 * 1024 }

/** Pages of a sweep arrive ten and more a second; analysts do not mind five seconds, ClickHouse minds small inserts. */
const FLUSH_MS = 5 * SECOND

/** Drains the quote stream into ClickHouse, each batch exactly once; see ops/drainStream.ts. */
export function startArchive({
  redis,
  clickhouse,
  metrics,
  log,
  fault,
}: {
  redis: Redis //  a connection of its own: large blocks must not delay the publisher
  clickhouse: ClickHouseClient
  metrics: IngestMetrics
  log: Log
  fault?: FaultPoint
}): Drain {
  return drainStream({
    redis,
    stream: QUOTE_STREAM,
    name: 'archive',
    tables: [TABLES.markets, TABLES.quotes, TABLES.closings, TABLES.sweeps],
    sink: clickhouseSink(clickhouse),
    log,
    fault,
    retain: RETAIN,
    flushMs: FLUSH_MS,
    map: (entry) => {
      const rows = archiveRows(entry)
      if (rows === null) metrics.unreadable.inc()
      return rows ?? []
    },
    gap: ({ stream, afterId, beforeId, dropped }) => {
      metrics.lostBatches.inc(dropped)
      log.error(
        { stream, afterId, beforeId, dropped },
        'the stream was full: batches were lost to the archive',
      )
      const noticed_at = instant(Date.now())
      const row: StreamGapRow = { stream, after_id: afterId, before_id: beforeId, dropped, noticed_at }
      return { table: TABLES.streamGaps, rows: [row] }
    },
    onStatus: ({ backlogEntries, backlogMs }) => {
      metrics.backlogBatches.set(backlogEntries)
      metrics.backlogMs.set(backlogMs)
    },
    onInserted: (table, rows) => metrics.archived.inc({ table }, rows),
  })
}
