import { Piscina } from 'piscina'
import { ServiceError } from '../../../../ops/errors.ts'
import { SECOND } from '../../../../ops/units.ts'
import type { Problem } from '../../../errors.ts'
import type { Draft } from '../../good.ts'
import { isLong } from './long.ts'
import { type Task, type Work, work } from './work.ts'

/**
 * From request to answer, including time in the queue: the costliest text takes about 30 ms of CPU, the rest is margin
 * for a busy machine. A thread that is late is ended.
 */
const DEADLINE_MS = 5 * SECOND
/** Most tasks waiting; a further one is refused as busy. */
const MAX_QUEUE = 64
const THREAD_MAX_MIB = 128

/** On Linux niceness is a thread's own: market reads come first where cores are few, and texts still get their turn. */
const NICENESS = process.platform === 'linux' ? 5 : 0

export type Compute = (task: Task) => Promise<Draft | Problem>
export type Pool = {
  compute: Compute
  /** Works a task out in a thread, however long it takes. @throws when the threads cannot work at all. */
  warm(task: Task): Promise<void>
  close(): Promise<void>
}

/** A good broke on an input. Says which good and what kind of error, never its words: they may quote the input. */
export class UtilityError extends ServiceError {
  readonly code = 'utility_failed'
  constructor(sku: string, error: unknown) {
    super(`${sku}: ${error instanceof Error ? error.name : 'no error object'}`)
    this.name = 'UtilityError'
  }
}

/**
 * Threads for the heavy reads, so that a long text delays nobody's market read. Everything is bounded: threads,
 * queue, time, memory of a thread (about 35 MiB when nothing is asked). They live as long as the process: a new
 * one needs a good part of the deadline to read its modules.
 * @param threads 0: one, which the first heavy read starts.
 * @param entry module whose default export is the work; `here` is the same for small inputs.
 */
export function createPool({
  threads,
  deadlineMs = DEADLINE_MS,
  maxQueue = MAX_QUEUE,
  entry = new URL('work.ts', import.meta.url),
  here = work,
}: {
  threads: number
  deadlineMs?: number
  maxQueue?: number
  entry?: URL
  here?: Work
}): Pool {
  const most = Math.max(threads, 1)
  const pool = new Piscina<Task, Draft | Problem>({
    filename: entry.href,
    minThreads: threads,
    maxThreads: most,
    idleTimeout: Number.POSITIVE_INFINITY,
    env: {},
    niceIncrement: NICENESS,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MAX_MIB },
  })
  pool.on('error', () => {}) //  a thread that died is replaced; its waiting caller has been told
  let underWay = 0

  const inThread = async (task: Task): Promise<Draft | Problem> => {
    if (underWay >= most + maxQueue) return { problem: 'busy' }
    underWay++
    const deadline = AbortSignal.timeout(deadlineMs)
    try {
      return await pool.run(task, { signal: deadline })
    } catch (error) {
      if (deadline.aborted || isOutOfMemory(error)) return { problem: 'utility_timeout' }
      throw new UtilityError(task.sku, error)
    } finally {
      underWay--
    }
  }
  const onTheSpot = async (task: Task): Promise<Draft | Problem> => {
    try {
      return await here(task)
    } catch (error) {
      throw new UtilityError(task.sku, error)
    }
  }
  return {
    compute: (task) => (isLong(task.input) ? inThread(task) : onTheSpot(task)),
    warm: async (task) => {
      await pool.run(task)
    },
    close: () => pool.destroy(),
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
