import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { QUOTE_STREAM } from '../../ingest/contract/stream.ts'
import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import type { OnFault } from '../core/pairing/pairer.ts'
import { Missed } from './missed.ts'
import { lookAtStream, type StreamPosition, streamEnd, writtenMsOf } from './quoteStream.ts'
import { readBatch } from './readBatch.ts'
import { Rests } from './rests.ts'
import { createTurns } from './turns.ts'
import { warmStart } from './warmStart.ts'
import { type Changes, noChanges, World } from './world.ts'

/** Entries of one read, each up to a megabyte, and how long an empty read waits. */
const READ_COUNT = 16
const BLOCK_MS = 1 * SECOND
const STOP_MS = 500
const RETRY_MS = 1 * SECOND

/**
 * An entry that is older than this when its turn comes is over: this engine stood still, or was kept from reading. A
 * large sweep takes a second or two.
 */
export const BEHIND_MS = 5 * SECOND

type FollowerPorts = {
  redis: Redis //    commands
  blocking: Redis // a connection of its own: XREAD waits on it
  clock: Clock //    market clock
  log: Log
  /** A new world was loaded: everything computed so far is void. */
  onWarm(world: World): void
  /**
   * A batch was applied, or many that were missed. `newestMs` is the real time at which the newest entry was written to
   * the stream.
   */
  onChanges(changes: Changes, newestMs: number): void
  onBadBatch(): void
  onFault: OnFault
  /** Both venues have been read to the end: nobody needs us until the next page comes. */
  onRest(): void
}

/** Starts following the quote stream. */
export function followQuotes(ports: FollowerPorts): Follower {
  const follower = new Follower(ports)
  follower.start()
  return follower
}

type Entries = [id: string, fields: string[]][]

/** Nothing is reported before `end` is reached; null: where that is has still to be asked. `missed`: what to tell then. */
type Silence = { end: StreamPosition | null; missed: Missed | 'the whole world' }

/**
 * Follows the quote stream. A warm start notes where the stream ends, reads the newest state of every market, and
 * follows the stream from that end on. What changed in between is thus applied twice, and the world passes through
 * states that are already over: nothing is reported before it has reached the position at which the stream ended after
 * the warm start. The same goes for what was missed while this process stood still: told entry by entry, the past would
 * be dated now, with gaps that are long closed. It is told once, as it is at the position at which the stream ended when
 * that was noticed; what comes behind it may make us fall behind again, but is told no later than when it has been read.
 * When the stream was cut past our position, or was started anew, the whole state is read again; while the store does
 * not answer, we wait where we are.
 */
export class Follower {
  readonly #ports: FollowerPorts
  readonly #turn = createTurns()
  readonly #rests: Rests
  #world: World
  #problem: string | null = 'warm start'
  #silence: Silence | null = null
  #isBehind = false //  the world that was told last passes through states that are over
  #look: { storeMs: number; atMs: number } | null = null //  newest look at the stream; null: there is none to rely on
  #stopped = false
  #done = Promise.resolve()

  constructor(ports: FollowerPorts) {
    this.#ports = ports
    this.#rests = new Rests(ports.onRest)
    this.#world = new World(ports.clock, ports.onFault)
  }

  start(): void {
    this.#done = this.#run()
  }

  world(): World {
    return this.#world
  }

  /** Null when warm and reading, else what is being waited for. */
  problem(): string | null {
    return this.#problem
  }

  /**
   * Is the world that was told last as the stream says, but for a few seconds? Not while missed entries are applied to it,
   * and not when this process may just have stood still: it has to look at the stream first. A world that is no longer
   * followed, because another one is being loaded, stays as it was told.
   */
  isCurrent(): boolean {
    return !this.#isBehind && (this.#look === null || performance.now() - this.#look.atMs <= BEHIND_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#ports.blocking.disconnect()
    this.#rests.stop()
    //  a read that waits for a server that is gone never ends: nothing depends on its answer
    await Promise.race([this.#done, sleep(STOP_MS)])
  }

  async #run(): Promise<void> {
    const { redis, clock, log, onFault } = this.#ports
    while (!this.#stopped) {
      try {
        this.#problem = 'warm start'
        this.#look = null
        const start = await streamEnd(redis)
        this.#world = await warmStart(redis, clock, log, onFault)
        if (this.#stopped) return
        await this.#follow(start, await streamEnd(redis))
        if (!this.#stopped)
          log.warn('the quote stream was cut past our position, or texts wore out: warm start')
      } catch (error) {
        await this.#pause(error, 'following the quote stream failed')
      }
    }
  }

  /**
   * Reads until stopped, until entries were lost or until the world is worn; changes are reported from `current` on.
   */
  async #follow(start: StreamPosition, current: StreamPosition): Promise<void> {
    const position = { ...start }
    this.#silence = { end: current, missed: 'the whole world' }
    this.#tellWhenReached(position)
    while (!this.#stopped) {
      const read = await this.#readNext(position)
      if (read === 'unreadable') continue
      if (read === 'lost') return
      if (this.#silence === null) this.#problem = null
      for (const [id, fields] of read) {
        this.#noticeAge(id)
        if (this.#silence?.end === null) break //  read once more, when the end is known
        await this.#apply(fields, writtenMsOf(id))
        position.id = id
        position.entries++
        this.#tellWhenReached(position)
      }
      //  a store that lost its last second may end before the end that was noted
      if (read.length === 0) this.#tellWhenReached(position, true)
      if (this.#world.isWorn) return
    }
  }

  #take(changes: Changes | null, writtenMs: number): void {
    const silence = this.#silence
    if (silence === null) {
      if (changes !== null) this.#ports.onChanges(changes, writtenMs)
    } else if (silence.missed instanceof Missed) silence.missed.add(changes, writtenMs)
  }

  /** @param isEnd nothing follows this position. */
  #tellWhenReached({ entries }: StreamPosition, isEnd = false): void {
    if (this.#silence === null) return
    const { end, missed } = this.#silence
    if (!isEnd && (end === null || entries < end.entries)) return
    this.#silence = null
    this.#isBehind = false
    this.#problem = null
    if (missed instanceof Missed) this.#ports.onChanges(missed.changes, missed.writtenMs)
    else this.#ports.onWarm(this.#world)
  }

  /** Falls silent when the turn of an entry comes too late. Both times are the store's: no two clocks are compared. */
  #noticeAge(id: string): void {
    if (this.#silence !== null || this.#look === null) return
    const behindMs = this.#look.storeMs + (performance.now() - this.#look.atMs) - writtenMsOf(id)
    if (behindMs <= BEHIND_MS) return
    this.#silence = { end: null, missed: new Missed() }
    this.#isBehind = true
    this.#problem = 'behind the quote stream'
    const reason = 'nothing is told before it is read to where it ends now'
    this.#ports.log.warn({ behindMs: Math.round(behindMs), reason }, 'behind the quote stream')
  }

  async #readNext(position: StreamPosition): Promise<Entries | 'lost' | 'unreadable'> {
    const { redis, blocking } = this.#ports
    try {
      const from = ['COUNT', READ_COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', QUOTE_STREAM, position.id] as const
      const reply = await blocking.xread(...from)
      if (this.#stopped) return 'unreadable'
      const atMs = performance.now() //  before the store is asked: what it is answered late counts as age
      const { hasLostEntries, storeMs } = await lookAtStream(redis, position)
      if (hasLostEntries) return 'lost'
      this.#look = { storeMs, atMs }
      const entries = reply?.[0]?.[1] ?? []
      if (entries[0] !== undefined) this.#noticeAge(entries[0][0])
      if (this.#silence?.end === null) this.#silence.end = await streamEnd(redis)
      return entries
    } catch (error) {
      //  everything known stays known: to read it all again would cost minutes of work. So does when we last looked: who has
      //  just stood still, and cannot look, is not current
      await this.#pause(error, 'the quote stream cannot be read')
      return 'unreadable'
    }
  }

  /**
   * Applies and reports one entry at a time: otherwise the boards would not change while a long backlog is read. Reports at
   * once: a board that was published in between would be as new as the sweep that has ended, with rows from before it.
   */
  async #apply(fields: string[], writtenMs: number): Promise<void> {
    await this.#turn()
    const batch = readBatch(fields)
    fields.length = 0 //  up to a megabyte of text, which would grow old while what it says is worked off
    if (batch === null) {
      this.#ports.onBadBatch()
      return this.#take(null, writtenMs)
    }
    this.#rests.note(batch)
    const changes = noChanges()
    for (const _ of this.#world.apply(batch, changes)) {
      const pause = this.#turn()
      if (pause !== undefined) await pause
    }
    this.#take(changes, writtenMs)
  }

  async #pause(error: unknown, what: string): Promise<void> {
    if (this.#stopped) return
    this.#problem = describeError(error)
    this.#ports.log.error({ reason: this.#problem }, what)
    await sleep(RETRY_MS)
  }
}
