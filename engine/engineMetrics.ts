import type { Metrics } from '../ops/metrics.ts'
import { REFUSED } from './core/pairing/verdict.ts'
import type { World } from './stages/world.ts'

/** What an operator sees of one engine. Labels come from closed sets. */
export function engineMetrics(metrics: Metrics) {
  const markets = metrics.gauge('engine_markets', 'open markets known', ['venue'])
  const pairs = metrics.gauge('engine_pairs', 'pairs accepted')
  const refused = metrics.gauge('engine_refused', 'proposals refused among open markets, by first reason', [
    'reason',
  ])
  const leader = metrics.gauge('engine_leader', '1 while this engine leads')
  return {
    published: metrics.counter('engine_published_total', 'snapshots published', ['board']),
    publishedBytes: metrics.gauge('engine_snapshot_bytes', 'size of the newest body', ['board']),
    publishLag: metrics.histogram(
      'engine_publish_lag_ms',
      'stream entry to published snapshot, ms',
      [5, 10, 25, 50, 100, 250, 500, 1_000, 5_000],
      ['board'],
    ),
    publishTook: metrics.histogram(
      'engine_publish_took_ms',
      'computing and writing one snapshot, ms',
      [1, 5, 10, 25, 50, 100, 250, 1_000],
      ['board'],
    ),
    staleFence: metrics.counter(
      'engine_stale_fence_total',
      'publications refused because another engine leads',
    ),
    pairingFaults: metrics.counter(
      'engine_pairing_faults_total',
      'times that dealing with a text of a market failed; it is not paired',
    ),
    badBatches: metrics.counter('engine_bad_batches_total', 'stream entries that do not follow the contract'),
    warmStarts: metrics.counter('engine_warm_starts_total', 'times the whole state was read'),
    /** Reads the figures that are states, not events. */
    look(world: World, leads: boolean) {
      markets.set({ venue: 'a' }, world.marketCount('a'))
      markets.set({ venue: 'b' }, world.marketCount('b'))
      pairs.set(world.pairs)
      leader.set(leads ? 1 : 0)
      const counts = world.refusedCounts()
      for (const reason of REFUSED) refused.set({ reason }, counts[reason] ?? 0)
    },
  }
}
