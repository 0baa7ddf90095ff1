import type { Metrics } from '../ops/metrics.ts'
import { Venue } from './contract/market.ts'
import { SWEEP_PROBLEMS } from './poll/judge.ts'

/** Everything ingest counts. Labels are venues and closed sets of words. */
export function createIngestMetrics(metrics: Metrics) {
  const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
  return {
    sweeps: metrics.counter('ingest_sweeps_total', 'Sweeps by outcome: complete or the problem', {
      venue: Venue.options,
      outcome: ['complete', ...SWEEP_PROBLEMS],
    }),
    pages: metrics.counter('ingest_pages_total', 'Pages read', ['venue']),
    pageErrors: metrics.counter('ingest_page_errors_total', 'Reads of a venue that failed, by code', [
      'venue',
      'code',
    ]),
    rows: metrics.counter('ingest_rows_total', 'Market rows seen on pages', ['venue']),
    dropped: metrics.counter('ingest_dropped_total', 'Rows refused, by reason', ['venue', 'reason']),
    changes: metrics.counter('ingest_changes_total', 'Markets or quotes published', ['venue', 'kind']),
    books: metrics.counter('ingest_books_total', 'Order books by outcome', ['venue', 'outcome']),
    sweepSeconds: metrics.histogram('ingest_sweep_seconds', 'First page asked to sweep published', seconds, [
      'venue',
    ]),
    publishSeconds: metrics.histogram(
      'ingest_publish_seconds',
      'Page arrived to its changes in the stream',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
      ['venue'],
    ),
    markets: metrics.gauge('ingest_markets', 'Open markets of the newest complete sweep', ['venue']),
    completeAt: metrics.gauge(
      'ingest_complete_timestamp_ms',
      'Market clock at which the newest complete sweep began; 0: there was none',
      { venue: Venue.options },
    ),
    changedAt: metrics.gauge(
      'ingest_changed_timestamp_ms',
      'Market clock at which the content last differed',
      ['venue'],
    ),
    clockAhead: metrics.gauge(
      'ingest_clock_ahead_ms',
      'Clock of the venue minus ours, at the least; 0: they may agree; none: not compared',
      ['venue'],
    ),
    backlogBatches: metrics.gauge('ingest_archive_backlog_batches', 'Batches not yet in ClickHouse'),
    backlogMs: metrics.gauge('ingest_archive_backlog_ms', 'Age of the oldest batch not yet in ClickHouse'),
    archived: metrics.counter('ingest_archived_rows_total', 'Rows written to ClickHouse', ['table']),
    lostBatches: metrics.counter(
      'ingest_lost_batches_total',
      'Batches dropped unarchived: the stream was full',
    ),
    unreadable: metrics.counter('ingest_unreadable_entries_total', 'Stream entries that are no batch'),
  }
}
export type IngestMetrics = ReturnType<typeof createIngestMetrics>
