import { type Job, type Processor, Queue, WaitingError, Worker } from 'bullmq'
import { describeError } from './errors.ts'
import type { Log } from './log.ts'
import { connectRedis } from './redis.ts'
import { sparingly } from './sparingly.ts'
import { DAY, SECOND } from './units.ts'

/** What is kept of finished jobs: enough to look at, never a growing set. */
const KEEP = { completed: { count: 20 }, failed: { count: 200, age: DAY / SECOND } }

/**
 * A job whose process was killed is run by another after at most the sum of these. A worker that was only slow
 * then runs beside it, which every processor has to tolerate anyway.
 */
const LOCK_MS = 10 * SECOND
const LOOK_FOR_STALLED_MS = 4 * SECOND

/** A queue for adding jobs and schedulers. Jobs carry ids only: Redis shows them to every operator. */
export function openQueue(
  redisUrl: string,
  name: string,
  log: Log,
): { queue: Queue; close(): Promise<void> } {
  const redis = connectRedis(redisUrl, { log, name: `queue-${name}` })
  const queue = new Queue(name, {
    connection: redis,
    defaultJobOptions: { attempts: 1, removeOnComplete: KEEP.completed, removeOnFail: KEEP.failed },
  })
  queue.on(
    'error',
    sparingly((reason) => log.warn({ queue: name, reason }, 'queue trouble')),
  )
  return {
    queue,
    close: async () => {
      await queue.close()
      redis.disconnect()
    },
  }
}

/**
 * A worker of one job at a time. The queue decides when something runs, never whether it is correct: a
 * stalled job runs again elsewhere, so every processor is safe to run twice and side by side.
 * @returns close(): takes no new job and waits for the one that runs.
 */
export function openWorker<Data>(
  redisUrl: string,
  name: string,
  log: Log,
  processor: Processor<Data, unknown>,
): { worker: Worker<Data, unknown>; close(): Promise<void> } {
  const redis = connectRedis(redisUrl, { log, name: `worker-${name}`, blocking: true })
  const worker = new Worker<Data, unknown>(name, processor, {
    connection: redis,
    concurrency: 1,
    lockDuration: LOCK_MS,
    stalledInterval: LOOK_FOR_STALLED_MS,
    maxStalledCount: 5,
    removeOnComplete: KEEP.completed,
    removeOnFail: KEEP.failed,
  })
  worker.on(
    'error',
    sparingly((reason) => log.warn({ queue: name, reason }, 'worker trouble')),
  )
  worker.on('failed', (job, error) =>
    log.error({ queue: name, job: job?.id, reason: describeError(error) }, 'job failed'),
  )
  return {
    worker,
    close: async () => {
      await worker.close()
      redis.disconnect()
    },
  }
}

/** Leaves a job to another process. The worker has to be paused, or it takes the job again itself. */
export async function leaveToOthers(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}
