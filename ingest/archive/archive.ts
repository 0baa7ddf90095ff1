import type { Redis } from 'ioredis'
import { type Drain, type DrainSink, drainStream } from '../../ops/drainStream.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { streamGapRows } from '../../ops/streamGaps.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { QUOTE_STREAM } from '../contract/stream.ts'
import { TABLES } from '../contract/tables.ts'
import type { IngestMetrics } from '../metrics.ts'
import { archiveRows } from './rows.ts'

/**
 * What stays in the quote stream after it was archived: enough for a reader that was away for some minutes.
 * One that was away longer starts again from the newest state, which is complete at any position.
 */
const RETAIN = { ms: 15 * MINUTE, entries: 20_000, bytes: 256 * 1024 * 1024 }

/**
 * A sweep's pages arrive at ten and more a second; ten seconds do not matter to analysts, but small inserts do to
 * ClickHouse.
 */
const FLUSH_MS = 10 * SECOND

/** Drains the quote stream into ClickHouse, each batch exactly once; see ops/drainStream.ts. */
export function startArchive({
  redis,
  sink,
  metrics,
  log,
  fault,
}: {
  redis: Redis //  a connection of its own: large blocks must not delay the publisher
  sink: DrainSink
  metrics: IngestMetrics
  log: Log
  fault?: FaultPoint
}): Drain {
  return drainStream({
    redis,
    stream: QUOTE_STREAM,
    name: 'archive',
    //  sweeps last: a reader that finds one may rely on everything before it being there
    tables: [TABLES.markets, TABLES.quotes, TABLES.closings, TABLES.sweeps],
    sink,
    log,
    fault,
    retain: RETAIN,
    flushMs: FLUSH_MS,
    map: (entry) => {
      const rows = archiveRows(entry)
      if (rows === null) metrics.unreadable.inc()
      return rows ?? []
    },
    gap: streamGapRows,
    onGap: (gap) => {
      metrics.lostBatches.inc(gap.dropped)
      log.error(gap, 'batches are lost to the archive: the stream has them no longer')
    },
    onStatus: ({ backlogEntries, backlogMs }) => {
      metrics.backlogBatches.set(backlogEntries)
      metrics.backlogMs.set(backlogMs)
    },
    onInserted: (table, rows) => metrics.archived.inc({ table }, rows),
  })
}
