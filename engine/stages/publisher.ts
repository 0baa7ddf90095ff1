import type { Redis } from 'ioredis'
import { type Clock, isAhead } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Leadership } from '../../ops/lead.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { Snapshot, snapshotKey } from '../contract/snapshot.ts'
import { type Freshness, isFresh, venueAsOf } from '../core/asOf.ts'
import { StaleFenceError } from '../errors.ts'
import type { AsOf, BoardGroup, BodyAt } from './board.ts'
import { BoardPublisher } from './boardPublisher.ts'
import { GroupPace } from './groupPace.ts'
import type { Changes, World } from './world.ts'

/** Without any news the boards are looked at this often, because data may have turned stale by itself. */
const IDLE_MS = 1 * SECOND

export type PublisherPorts = {
  redis: Redis
  clock: Clock //  market clock
  lead: Pick<Leadership, 'fence'>
  groups: readonly BoardGroup[]
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
 * lead. Each group of boards has its own pace, so a dear one does not hold up a cheap one; those aside go out in the pauses
 * of their own long work and of the others'. A stand-by notes everything and publishes nothing.
 */
export function startPublisher(ports: PublisherPorts): Publisher {
  const { redis, clock, lead, freshness, before, log } = ports
  let world: World | null = null
  let stopped = false
  const groups = ports.groups.map(({ boards, everyMs, aside = false }) => ({
    publishers: boards.map((board) => new BoardPublisher(redis, board)),
    aside,
    pace: new GroupPace(everyMs),
  }))

  const atNow = (): BodyAt => {
    const nowMs = clock.nowMs()
    const of = (venue: 'a' | 'b') =>
      venueAsOf(world?.completeSweep(venue) ?? null, nowMs, freshness) ?? asBefore(before[venue], nowMs)
    const asOfMs = { a: of('a'), b: of('b') }
    const fresh = { a: isFresh(asOfMs.a, nowMs, freshness), b: isFresh(asOfMs.b, nowMs, freshness) }
    return { nowMs, asOfMs, fresh }
  }
  const sayingOf = ({ asOfMs, fresh }: BodyAt) => JSON.stringify([asOfMs, fresh])

  const publishGroup = async (group: (typeof groups)[number], fence: string) => {
    const changedMs = group.pace.begin(sayingOf(atNow()))
    try {
      for (const publisher of group.publishers) await publisher.approach(world!, fence, atNow())
      const at = atNow() //  one instant for all of the group
      for (const publisher of group.publishers) {
        const startedMs = performance.now()
        const { version, bytes } = await publisher.publish(world!, fence, at)
        const tookMs = performance.now() - startedMs
        const lagMs = changedMs === null ? null : Date.now() - changedMs
        ports.onPublished({ name: publisher.board.name, version, bytes, tookMs, lagMs })
      }
    } catch (error) {
      group.pace.fail(changedMs)
      if (!(error instanceof StaleFenceError)) throw error
      ports.onRefused()
      log.warn({ fence }, 'another engine leads: not published')
      return
    }
    group.pace.end()
    for (const publisher of group.publishers)
      publisher
        .remember(fence)
        .catch((error) => log.warn({ reason: describeError(error) }, 'what is open was not remembered'))
  }

  const leads = () => !stopped && world !== null && lead.fence() !== null

  /** Publishes groups one after the other: the first that is due, each time, so that what readers wait for most is not held up by all the others. */
  const startLane = (lane: typeof groups) => {
    let working: Promise<void> | null = null
    let timer: NodeJS.Timeout | undefined

    const work = async () => {
      for (;;) {
        const fence = lead.fence()
        if (!leads() || fence === null) return
        const saying = sayingOf(atNow())
        const group = lane.find(({ pace }) => pace.dueInMs(saying) <= 0)
        if (group === undefined) return
        try {
          await publishGroup(group, fence)
        } catch (error) {
          const board = group.publishers[0]?.board.name
          log.error({ board, reason: describeError(error) }, 'publishing failed')
        }
      }
    }
    const schedule = () => {
      if (stopped || working !== null) return
      clearTimeout(timer)
      const saying = leads() ? sayingOf(atNow()) : ''
      const wait = leads() ? Math.min(IDLE_MS, ...lane.map(({ pace }) => pace.dueInMs(saying))) : IDLE_MS
      const begin = () => {
        working = work().finally(() => {
          working = null
          schedule()
        })
      }
      timer = setTimeout(begin, Math.max(0, wait))
    }
    const stop = async () => {
      clearTimeout(timer)
      await working
    }
    return { schedule, stop }
  }
  const lanes = [false, true].map((wanted) => startLane(groups.filter(({ aside }) => aside === wanted)))
  const schedule = () => {
    for (const lane of lanes) lane.schedule()
  }
  const everything = () => {
    for (const { pace } of groups) pace.change(null)
    schedule()
  }

  return {
    warm(fresh) {
      world = fresh
      for (const { publishers } of groups) for (const { board } of publishers) board.warm(fresh)
      everything()
    },
    note(changes, changedMs) {
      for (const { publishers, pace } of groups) {
        //  every board is told, whatever the others of its group say
        const moved = publishers.map(({ board }) => board.note(changes)).includes(true)
        if (moved) pace.change(changedMs)
      }
      schedule()
    },
    lead: everything,
    async stop() {
      stopped = true
      await Promise.all(lanes.map((lane) => lane.stop()))
    },
  }
}

/** Said by a clock that was wrong, it says nothing. */
const asBefore = (asOfMs: number | null, nowMs: number): number | null =>
  asOfMs === null || isAhead(asOfMs, nowMs) ? null : Math.min(asOfMs, nowMs)

/** What the last engine knew about freshness, for the time until the first complete sweep reaches us. */
export async function lastAsOf(redis: Redis, name: string): Promise<AsOf> {
  const text = await redis.get(snapshotKey(name))
  if (text === null) return { a: null, b: null }
  try {
    return Snapshot.pick({ asOfMs: true }).parse(JSON.parse(text)).asOfMs
  } catch {
    return { a: null, b: null } //  a value nobody can read says nothing
  }
}
