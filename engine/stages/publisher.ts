import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { type Clock, isAhead } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import type { Leadership } from '../../ops/lead.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { Snapshot, snapshotKey } from '../contract/snapshot.ts'
import { type Freshness, isFresh, venueAsOf } from '../core/asOf.ts'
import { StaleFenceError } from '../errors.ts'
import type { AsOf, BoardGroup, BodyAt } from './board.ts'
import { BoardPublisher } from './boardPublisher.ts'
import { GroupPace } from './groupPace.ts'
import { PublishLane } from './publishLane.ts'
import type { Changes, World } from './world.ts'

/** Who stops waits no longer than this until the next engine can read what is open: it would find most of it in the feed. */
const LAST_SAVE_MS = 2 * SECOND

type PublisherPorts = {
  redis: Redis
  clock: Clock //  market clock
  lead: Pick<Leadership, 'fence'>
  /** False while the world passes through states that are over: they must not be published as of now. */
  isCurrent(): boolean
  groups: readonly BoardGroup[]
  freshness: Freshness
  before: AsOf // what the last engine published: holds until a complete sweep is known here, or all is loaded again
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

type Group = { publishers: readonly BoardPublisher[]; pace: GroupPace }

/**
 * Decides when boards are published: when a body or the freshness of a venue changed, coalesced, and only while we lead.
 * Each group of boards has a pace of its own, so an expensive one does not hold up a cheap one; groups that are `aside`
 * have a lane of their own and go out between the steps of the others. A stand-by notes everything and publishes nothing.
 */
export class Publisher {
  readonly #ports: PublisherPorts
  readonly #groups: Group[] = []
  readonly #lanes: PublishLane<Group>[]
  #world: World | null = null //  null before the first warm start
  #coming: World | null = null // takes its place as soon as nothing is being published
  #before: AsOf

  constructor(ports: PublisherPorts) {
    this.#ports = ports
    this.#before = ports.before
    const inLane = { main: [] as Group[], aside: [] as Group[] }
    for (const { boards, everyMs, aside = false } of ports.groups) {
      const publishers = boards.map((board) => new BoardPublisher(ports.redis, board))
      const group = { publishers, pace: new GroupPace(everyMs) }
      this.#groups.push(group)
      inLane[aside ? 'aside' : 'main'].push(group)
    }
    this.#lanes = [inLane.main, inLane.aside].map((groups) => this.#lane(groups))
  }

  /**
   * A new world was loaded: every board forgets what it computed from the previous one. When the store was emptied
   * while we ran, the earlier `asOf` says nothing about the age of its data: it is filled page by page.
   *
   * What is being published is ended first: what its boards went on to work out of the old world would be put into the
   * same lists as what comes from the new one.
   */
  warm(world: World): void {
    this.#coming = world
    this.#takeWorld()
  }

  #takeWorld(): void {
    const world = this.#coming
    if (world === null || this.#lanes.some(({ isWorking }) => isWorking)) return
    this.#coming = null
    if (this.#world !== null) this.#before = { a: null, b: null }
    this.#world = world
    for (const { publishers } of this.#groups) for (const { board } of publishers) board.warm(world)
    this.#publishAll()
  }

  /** @param writtenMs real time at which the newest of the changes was written to the stream. */
  note(changes: Changes, writtenMs: number): void {
    for (const { publishers, pace } of this.#groups) {
      //  every board is told, whatever the others of its group say
      const moved = publishers.map(({ board }) => board.note(changes)).includes(true)
      if (moved) pace.change(writtenMs)
    }
    this.#schedule()
  }

  /** Nobody needs us until something moves: boards that put something off until then are published. */
  rest(): void {
    for (const { publishers, pace } of this.#groups) {
      const wants = publishers.map(({ board }) => board.rest?.() === true)
      if (wants.includes(true)) pace.change(null)
    }
    this.#schedule()
  }

  /** To be called on coming to lead: everything is published once under the new fence. */
  lead(): void {
    this.#publishAll()
  }

  /** Ends what is being published, and remembers once more what was: the next engine continues from there. */
  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.stop()))
    const fence = this.#ports.lead.fence()
    if (fence === null) return
    const saves = this.#groups.flatMap((group) => this.#remember(group, fence, true))
    await Promise.race([Promise.all(saves), sleep(LAST_SAVE_MS)])
  }

  #lane(groups: Group[]): PublishLane<Group> {
    return new PublishLane({
      groups,
      freshness: () => (this.#coming !== null || this.#fence() === null ? null : freshnessText(this.#now())),
      publish: (group) => this.#publish(group),
      onIdle: () => this.#takeWorld(),
    })
  }

  #publishAll(): void {
    for (const { pace } of this.#groups) pace.change(null)
    this.#schedule()
  }

  #schedule(): void {
    for (const lane of this.#lanes) lane.schedule()
  }

  /** Under which fence we may publish now; null: we may not. */
  #fence(): string | null {
    const { lead, isCurrent } = this.#ports
    return this.#world === null || !isCurrent() ? null : lead.fence()
  }

  /** The present instant, with how fresh each venue's data is. */
  #now(): BodyAt {
    const { clock, freshness } = this.#ports
    const nowMs = clock.nowMs()
    const asOf = (venue: 'a' | 'b') =>
      venueAsOf(this.#world?.completeSweep(venue) ?? null, nowMs, freshness) ??
      stillHolds(this.#before[venue], nowMs)
    const asOfMs = { a: asOf('a'), b: asOf('b') }
    const fresh = { a: isFresh(asOfMs.a, nowMs, freshness), b: isFresh(asOfMs.b, nowMs, freshness) }
    return { nowMs, asOfMs, fresh }
  }

  async #publish(group: Group): Promise<void> {
    const { log, onRefused } = this.#ports
    const fence = this.#fence()
    if (fence === null) return
    const changedMs = group.pace.begin(freshnessText(this.#now()))
    try {
      if (!(await this.#publishBoards(group, fence, changedMs))) return group.pace.fail(changedMs)
    } catch (error) {
      group.pace.fail(changedMs)
      if (error instanceof StaleFenceError) {
        onRefused()
        log.warn({ fence }, 'another engine leads: not published')
        return
      }
      const board = group.publishers[0]?.board.name
      log.error({ board, reason: describeError(error) }, 'publishing failed')
      return
    }
    group.pace.end()
    this.#remember(group, fence, false)
  }

  /** @returns promises that never fail. */
  #remember({ publishers }: Group, fence: string, isLast: boolean): Promise<void>[] {
    const warn = (error: unknown) =>
      this.#ports.log.warn({ reason: describeError(error) }, 'what is open was not remembered')
    return publishers.map((publisher) => publisher.remember(fence, isLast).catch(warn))
  }

  /** @returns false: the rest has to wait, for we are not current any more. */
  async #publishBoards({ publishers }: Group, fence: string, changedMs: number | null): Promise<boolean> {
    for (const publisher of publishers) await publisher.approach(this.#world!, fence, this.#now())
    const at = this.#now() //  one instant for all of the group
    for (const publisher of publishers) {
      if (!this.#ports.isCurrent()) return false
      const startedMs = performance.now()
      const { version, bytes } = await publisher.publish(this.#world!, fence, at)
      const tookMs = performance.now() - startedMs
      const lagMs = changedMs === null ? null : Date.now() - changedMs
      this.#ports.onPublished({ name: publisher.board.name, version, bytes, tookMs, lagMs })
    }
    return true
  }
}

const freshnessText = ({ asOfMs, fresh }: BodyAt): string => JSON.stringify([asOfMs, fresh])

/** What the last engine published of a venue. An instant ahead of our clock came from a wrong clock and is ignored. */
const stillHolds = (asOfMs: number | null, nowMs: number): number | null =>
  asOfMs === null || isAhead(asOfMs, nowMs) ? null : Math.min(asOfMs, nowMs)

/** What the last engine knew about freshness, for the time until the first complete sweep reaches us. */
export async function lastAsOf(redis: Redis, name: string): Promise<AsOf> {
  const value = parseJsonOrNull((await redis.get(snapshotKey(name))) ?? '')
  //  an unreadable value says nothing
  return Snapshot.pick({ asOfMs: true }).safeParse(value).data?.asOfMs ?? { a: null, b: null }
}
