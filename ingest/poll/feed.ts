import type { Clock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import type { Sweep } from '../contract/stream.ts'
import type { IngestMetrics } from '../metrics.ts'
import type { Publisher } from '../publish.ts'
import type { VenuePort } from '../venues/venue.ts'
import type { Standing } from './coolDown.ts'
import { EventCache } from './eventCache.ts'
import type { Known } from './known.ts'

/** What one worker remembers of a venue between two sweeps. All of it can be loaded again from Redis. */
export type SweepFeed = Standing & {
  readonly port: VenuePort
  known: Known | null //       null: load it before the next sweep
  readonly cache: EventCache // which events are unchanged; belongs to `known`
  complete: Sweep | null // newest complete sweep
  changedMs: number | null //  market clock, newest sweep with different content
  shrunk: number //            sweeps in a row judged shrunk
}

export function createFeed(port: VenuePort): SweepFeed {
  return {
    port,
    known: null,
    cache: new EventCache(),
    complete: null,
    changedMs: null,
    failures: 0,
    shrunk: 0,
    notBeforeMs: 0,
    isAskedTo: false,
  }
}

/** Another process goes on with the feed: what is remembered of it ages here, and that process tells its figures. */
export function leaveFeed(feed: SweepFeed, { markets, clockAhead }: IngestMetrics): void {
  const { venue } = feed.port
  feed.known = null
  feed.cache.clear()
  markets.remove({ venue })
  clockAhead.remove({ venue })
}

export type PollPorts = {
  clock: Clock //      market clock
  publisher: Publisher
  metrics: IngestMetrics
  log: Log
  everyMs: number //   between the starts of two sweeps
  random?: () => number
}
