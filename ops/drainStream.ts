import type { Redis } from 'ioredis'
import { drainBlock, readEntries, standing, trim } from './drainBlock.ts'
import { lookAtTables } from './drainTables.ts'
import { describeError, UnavailableError } from './errors.ts'
import type { FaultPoint } from './faultPoint.ts'
import type { Log } from './log.ts'
import { SECOND } from './units.ts'

/**
 * Drains a Redis stream into tables, each entry exactly once, through crashes and outages of either side.
 *
 *   1. The next block's first and last id are written to Redis (claim) before anything is inserted.
 *   2. Each table's rows are inserted with a token made of those ids: the table refuses a token it has seen.
 *   3. The cursor moves past the block (advance).
 *
 * A crash between 2 and 3 repeats the same block with the same tokens. Two drains at once claim the same block.
 *
 * At start, after every failure, when a server was started anew and from time to time, what the tables hold is compared
 * with what they were given.
 * Where they hold more (Redis lost its last second, or began anew) or less (a database that came back empty or older:
 * the cursor is put back to what it has), rows of that time are inserted only where the table has none of their entry.
 * What a table removed because of its age is not lost, and is not inserted again: the table would remove it again, and
 * the views beside it would count it each time. What it was never given is inserted, however old: those views have it.
 *
 * Every insert costs the tables a part and later merges, whatever its size. So entries written while a block is on its
 * way wait for the next one, which starts `flushMs` later; only a full block is followed at once.
 *
 * Bounds: a block has at most `maxEntries` entries and about `maxBytes`; one block at a time is in memory. While the
 * tables are away the stream keeps the backlog, up to the bound its writer sets. Entries lost there, with a deleted
 * stream, or by the tables once the stream no longer has them, are counted, stored as rows of `gap` and reported to
 * `onGap`.
 */
export type StreamEntry = { id: string; ms: number; seq: number; fields: Record<string, string> }

/** Every row carries the id of its entry: together with the rest of the key it is the row's event id. */
export type StreamRow = { stream_ms: number; stream_seq: number } & Record<string, unknown>
export type TableRows = { table: string; rows: StreamRow[] }

/** Entries between two ids that are in no table and no longer in the stream; there may be more than `dropped`. */
export type StreamGap = { stream: string; afterId: string; beforeId: string; dropped: number }

export type DrainSink = {
  /** Resolves when rows may be written: waiting for a migration, or migrating, happens here. */
  ready?(): Promise<void>
  /** Resolves when the rows are stored, or were stored by an earlier call with this token. */
  insert(table: string, rows: StreamRow[], token: string): Promise<void>
  /** For how many whole seconds the server that answers has run. */
  upS(): Promise<number>
  /** Newest entry of which the table holds rows. */
  newest(table: string): Promise<{ ms: number; seq: number } | null>
  /** The ids of these rows' entries that the table already holds rows of. */
  held(table: string, rows: StreamRow[]): Promise<ReadonlySet<string>>
  /** The table has removed, or is about to, what has a `stream_ms` before this: it is too old. 0: it keeps everything. */
  keptFromMs(table: string): Promise<number>
}

export type DrainStatus = { backlogEntries: number; backlogMs: number; failing: string | null }

export type DrainOptions = {
  redis: Redis
  stream: string
  name: string //          of this drain: state is in `drain:<name>`
  tables: string[] //      all that `map` may name, in the order they are written
  map(entry: StreamEntry): TableRows[] // pure: the same entry always gives the same rows
  gap?(gap: StreamGap): { table: string; rows: Record<string, unknown>[] } // pure: called again for a failed block
  /** Called once for each gap, when its rows are stored. */
  onGap?(gap: StreamGap): void
  /** Leaves out rows that the table has from another entry; a repeated call must decide the same. */
  onlyNew?(table: string, rows: StreamRow[]): StreamRow[] | Promise<StreamRow[]>
  sink: DrainSink
  log: Log
  flushMs?: number //      how long entries are gathered before they are inserted
  maxEntries?: number
  maxBytes?: number
  retain?: { ms: number; entries: number; bytes: number } | null // drained entries kept for other readers; null: all
  fault?: FaultPoint //    tests: drain-claimed, drain-table (one of them is written), drain-inserted, drain-advanced
  onStatus?(status: DrainStatus): void
  onInserted?(table: string, rows: number): void
}

export type Drain = {
  /** Takes no new block, finishes the one in work when the tables answer, and ends. */
  stop(): Promise<void>
}

const RETRY_MS = { first: 250, most: 10 * SECOND }
/** The eighth attempt comes 26 s after the first. */
const WARN_AT = 8
const WARN_EVERY = 20
const TRIM_EVERY_MS = 10 * SECOND
/** Tables restored within less than this, under a server that goes on and without one failed insert, are not noticed. */
const LOOK_EVERY_MS = 30 * SECOND

export function drainStream(options: DrainOptions): Drain {
  const { flushMs = 500, log, name, redis } = options
  const stopping = new AbortController()
  const run = async () => {
    const looks = createLooks(options)
    const looked = { ...options, sink: looks.sink }
    //  what answers next may be another database, or a Redis that lost its last second
    const lookAgain = () => looks.forget()
    redis.on('close', lookAgain) //  commands that wait for the next connection do not fail
    let failures = 0
    const window = createWindow(options.retain?.bytes ?? 0)
    let trimmedAtMs = 0
    while (!stopping.signal.aborted) {
      let failing: string | null = null
      let more = false
      try {
        await looks.look()
        const drained = await drainBlock(looked)
        more = drained?.more === true
        if (drained !== null) window.add(drained.last, drained.bytes)
        if (options.retain && performance.now() - trimmedAtMs > (more ? TRIM_EVERY_MS : flushMs)) {
          await trim(options, options.retain, window.floor())
          trimmedAtMs = performance.now()
        }
        failures = 0
      } catch (error) {
        failing = describeError(error)
        failures++
        lookAgain()
        const level = levelOf(failures)
        if (level !== null) log[level]({ drain: name, failures, reason: failing }, 'drain waits')
      }
      await report(options, failing)
      if (failures > 0)
        await pause(stopping.signal, Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (failures - 1)))
      else if (!more) await pause(stopping.signal, flushMs)
    }
    redis.off('close', lookAgain)
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/**
 * Looks at the tables when it is time to. `sink` inserts only while the server that was looked at goes on: one that is
 * killed and back between two inserts fails none of them, and may come back with another folder.
 */
function createLooks(options: DrainOptions): { look(): Promise<void>; forget(): void; sink: DrainSink } {
  const { sink } = options
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let isDue = true
  return {
    look: async () => {
      if (!isDue && performance.now() - lookedAtMs <= LOOK_EVERY_MS) return
      isDue = false
      lookedAtMs = performance.now()
      await lookAtTables(options)
    },
    forget: () => {
      isDue = true
    },
    sink: {
      ...sink,
      insert: async (...args) => {
        const upMs = ((await sink.upS()) + 1) * SECOND //  at most
        if (upMs <= performance.now() - lookedAtMs)
          throw new UnavailableError('clickhouse_anew', 'the server was started anew')
        return sink.insert(...args)
      },
    },
  }
}

/** The newest drained entries up to `bytes`; what lies before may be trimmed. */
function createWindow(bytes: number): { add(id: string, size: number): void; floor(): string } {
  const blocks: { id: string; size: number }[] = []
  let sum = 0
  let floor = ''
  return {
    add: (id, size) => {
      blocks.push({ id, size })
      sum += size
      while (sum > bytes && blocks.length > 1) {
        const gone = blocks.shift()!
        sum -= gone.size
        floor = gone.id
      }
    },
    floor: () => floor,
  }
}

async function report(options: DrainOptions, failing: string | null): Promise<void> {
  if (options.onStatus === undefined) return
  try {
    const { backlog, cursor } = await standing(options, ['look'])
    const [oldest] = backlog === 0 ? [] : await readEntries(options, `(${cursor}`, '+', 1)
    const backlogMs = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.ms)
    options.onStatus({ backlogEntries: backlog, backlogMs, failing })
  } catch {
    //  Redis is away: the next round says how much is waiting
  }
}

/** How the nth failure in a row is logged. A database that starts beside us, or anew, is no warning before it takes long. */
export const levelOf = (failures: number): 'info' | 'warn' | null => {
  if (failures === WARN_AT || failures % WARN_EVERY === 0) return 'warn'
  return failures === 1 ? 'info' : null
}

function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
