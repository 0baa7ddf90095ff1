import type { Redis } from 'ioredis'
import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Leadership } from '../../ops/lead.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { Snapshot, snapshotKey } from '../contract/snapshot.ts'
import { type Freshness, isFresh, venueAsOf } from '../core/asOf.ts'
import { StaleFenceError } from '../errors.ts'
import type { AsOf, Board } from './board.ts'
import { publish } from './publish.ts'
import type { Changes, World } from './world.ts'

/** At most one publication of everything in this time, and never more than a quarter of our time. */
const MIN_INTERVAL_MS = 50
const SHARE = 4
/** A failed publication is tried again after SHARE times this. */
const FAILURE_COST_MS = 250
/** Without any news the boards are looked at this often, because data may have turned stale by itself. */
const IDLE_MS = 1 * SECOND

export type PublisherPorts = {
  redis: Redis
  clock: Clock //  market clock
  lead: Pick<Leadership, 'fence'>
  boards: readonly Board[]
  freshness: Freshness
  before: AsOf // what the last engine published: holds until a complete sweep is known here
  log: Log
  /** After a publication. `lagMs`: real time since the newest change it holds was written to the stream. */
  onPublished(figures: {
    name: string
    version: number
    bytes: number
    tookMs: number
    lagMs: number | null
  }): void
  onRefused(): void
}

export type Publisher = {
  warm(world: World): void
  note(changes: Changes, newestMs: number): void
  /** To be called on coming to lead: everything is published once under the new fence. */
  lead(): void
  stop(): Promise<void>
}

/**
 * Decides when boards are published: when a body or the freshness of a venue changed, coalesced, and only while we
 * lead. A stand-by notes everything and publishes nothing.
 */
export function startPublisher(ports: PublisherPorts): Publisher {
  const { redis, clock, lead, boards, freshness, before, log } = ports
  let world: World | null = null
  let stopped = false
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let lastEndMs = 0
  let lastCostMs = 0
  let newestMs: number | null = null
  const dirty = new Set<Board>()
  let said = ''

  const asOf = (): AsOf => {
    const nowMs = clock.nowMs()
    const of = (venue: 'a' | 'b') =>
      venueAsOf(world?.completeSweep(venue) ?? null, nowMs, freshness) ?? before[venue]
    return { a: of('a'), b: of('b') }
  }
  const freshNow = (asOfMs: AsOf, nowMs: number) => ({
    a: isFresh(asOfMs.a, nowMs, freshness),
    b: isFresh(asOfMs.b, nowMs, freshness),
  })

  const publishAll = async () => {
    const fence = lead.fence()
    if (fence === null || world === null) return
    const nowMs = clock.nowMs()
    const asOfMs = asOf()
    const fresh = freshNow(asOfMs, nowMs)
    const saying = JSON.stringify([asOfMs, fresh])
    if (saying !== said) for (const board of boards) dirty.add(board)
    const startedMs = performance.now()
    for (const board of [...dirty]) {
      dirty.delete(board)
      const lag = newestMs
      const bodyJson = board.body(world, { nowMs, asOfMs, fresh })
      try {
        const version = await publish(redis, {
          name: board.name,
          fence: Number(fence),
          publishedMs: nowMs,
          asOfMs,
          bodyJson,
        })
        ports.onPublished({
          name: board.name,
          version,
          bytes: bodyJson.length,
          tookMs: performance.now() - startedMs,
          lagMs: lag === null ? null : Date.now() - lag,
        })
      } catch (error) {
        dirty.add(board)
        if (error instanceof StaleFenceError) {
          ports.onRefused()
          log.warn({ fence }, 'another engine leads: not published')
          return
        }
        throw error
      }
    }
    said = saying
    newestMs = null
    lastCostMs = performance.now() - startedMs
  }

  const work = async () => {
    try {
      await publishAll()
    } catch (error) {
      lastCostMs = FAILURE_COST_MS
      log.error({ reason: describeError(error) }, 'publishing failed')
    } finally {
      lastEndMs = performance.now()
      working = null
      if (!stopped) schedule(dirty.size > 0 && lead.fence() !== null)
    }
  }

  const schedule = (soon: boolean) => {
    if (stopped || working !== null) return
    clearTimeout(timer)
    const earliest = lastEndMs + Math.max(MIN_INTERVAL_MS, SHARE * lastCostMs)
    const wait = soon ? Math.max(0, earliest - performance.now()) : IDLE_MS
    timer = setTimeout(() => {
      working = work()
    }, wait)
  }

  return {
    warm(fresh) {
      world = fresh
      for (const board of boards) {
        board.warm(fresh)
        dirty.add(board)
      }
      schedule(true)
    },
    note(changes, changedMs) {
      let moved = changes.sweep
      for (const board of boards)
        if (board.note(changes)) {
          dirty.add(board)
          moved = true
        }
      if (!moved) return
      newestMs = Math.max(newestMs ?? 0, changedMs)
      schedule(true)
    },
    lead() {
      for (const board of boards) dirty.add(board)
      schedule(true)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}

/** What the last engine knew about freshness, for the time until the first complete sweep reaches us. */
export async function lastAsOf(redis: Redis, name: string): Promise<AsOf> {
  const text = await redis.get(snapshotKey(name))
  if (text === null) return { a: null, b: null }
  try {
    return Snapshot.parse(JSON.parse(text)).asOfMs
  } catch {
    return { a: null, b: null } //  a value nobody can read says nothing
  }
}
