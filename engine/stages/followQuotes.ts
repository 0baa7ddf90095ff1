import type { Redis } from 'ioredis'
import { QUOTE_STREAM } from '../../ingest/contract/stream.ts'
import type { Clock } from '../../ops/clock.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { hasLostEntries, type StreamPosition, streamEnd } from './quoteStream.ts'
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

type FollowerPorts = {
  redis: Redis //    commands
  blocking: Redis // a connection of its own: XREAD waits on it
  clock: Clock //    market clock
  log: Log
  /** A new world was loaded: everything computed so far is void. */
  onWarm(world: World): void
  /** Batches were applied. `newestMs` is the real time at which the newest entry was written to the stream. */
  onChanges(changes: Changes, newestMs: number): void
  onBadBatch(): void
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

/**
 * Follows the quote stream. A warm start notes where the stream ends, reads the newest state of every market, and
 * follows the stream from that end on. What changed in between is thus applied twice, and the world passes through
 * states that are already over: nothing is reported before it has reached the position at which the stream ended after
 * the warm start. When the stream was cut past our position, or was started anew, the whole state is read again; while
 * the store does not answer, we wait where we are.
 */
export class Follower {
  readonly #ports: FollowerPorts
  readonly #turn = createTurns()
  readonly #rests: Rests
  #world: World
  #problem: string | null = 'warm start'
  #stopped = false
  #done = Promise.resolve()

  constructor(ports: FollowerPorts) {
    this.#ports = ports
    this.#rests = new Rests(ports.onRest)
    this.#world = new World(ports.clock)
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

  async stop(): Promise<void> {
    this.#stopped = true
    this.#ports.blocking.disconnect()
    this.#rests.stop()
    //  a read that waits for a server that is gone never ends: nothing depends on its answer
    await Promise.race([this.#done, new Promise((resolve) => setTimeout(resolve, STOP_MS))])
  }

  async #run(): Promise<void> {
    const { redis, clock, log } = this.#ports
    while (!this.#stopped) {
      try {
        this.#problem = 'warm start'
        const start = await streamEnd(redis)
        this.#world = await warmStart(redis, clock, log)
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
    let isCurrent = false
    const tellWhenCurrent = () => {
      if (isCurrent || position.entries < current.entries) return
      isCurrent = true
      this.#problem = null
      this.#ports.onWarm(this.#world)
    }
    tellWhenCurrent()
    while (!this.#stopped) {
      const read = await this.#readNext(position)
      if (read === 'unreadable') continue
      if (read === 'lost') return
      if (isCurrent) this.#problem = null
      for (const [id, fields] of read) {
        const changes = await this.#apply(fields)
        if (isCurrent && changes !== null) this.#ports.onChanges(changes, Number(id.split('-')[0]))
        position.id = id
        position.entries++
        tellWhenCurrent()
      }
      if (this.#world.isWorn) return
    }
  }

  async #readNext(position: StreamPosition): Promise<Entries | 'lost' | 'unreadable'> {
    const { redis, blocking } = this.#ports
    try {
      const from = ['COUNT', READ_COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', QUOTE_STREAM, position.id] as const
      const reply = await blocking.xread(...from)
      if (this.#stopped) return []
      return (await hasLostEntries(redis, position)) ? 'lost' : (reply?.[0]?.[1] ?? [])
    } catch (error) {
      //  everything known stays known: to read it all again would cost minutes of work
      await this.#pause(error, 'the quote stream cannot be read')
      return 'unreadable'
    }
  }

  /** Applies and reports one entry at a time: otherwise the boards would not change while a long backlog is read. */
  async #apply(fields: string[]): Promise<Changes | null> {
    await this.#turn()
    const batch = readBatch(fields)
    fields.length = 0 //  up to a megabyte of text, which would grow old while what it says is worked off
    if (batch === null) {
      this.#ports.onBadBatch()
      return null
    }
    this.#rests.note(batch)
    const changes = noChanges()
    for (const _ of this.#world.apply(batch, changes)) {
      const pause = this.#turn()
      if (pause !== undefined) await pause
    }
    return changes
  }

  async #pause(error: unknown, what: string): Promise<void> {
    if (this.#stopped) return
    this.#problem = describeError(error)
    this.#ports.log.error({ reason: this.#problem }, what)
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}
