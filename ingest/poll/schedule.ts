import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { openQueue, openWorker, sparingly } from '../../ops/queue.ts'
import { SECOND } from '../../ops/units.ts'
import type { VenuePort } from '../venues/venue.ts'
import { createFeed, type PollPorts } from './feed.ts'
import { createBookFeed, pollBooks } from './pollBooks.ts'
import { sweepVenue } from './sweepVenue.ts'

/** How often each queue is checked for its schedule. */
const WATCH_EVERY_MS = 5 * SECOND

export type Schedule = { queues: readonly Queue[]; close(): Promise<void> }

/**
 * What runs how often: a sweep of each venue every `everyMs`, and its wanted books at the same pace. One
 * queue and one worker each, so that a slow venue never delays the other. Jobs carry no data: the queue's
 * name says it all. A job that comes while another process still works on the feed ends at once.
 */
export async function startSchedule(
  venues: VenuePort[],
  { redisUrl, redis, ...ports }: PollPorts & { redisUrl: string; redis: Redis },
): Promise<Schedule> {
  const { everyMs } = ports
  const stop = new AbortController()
  const closers: (() => Promise<void>)[] = []
  const queues: Queue[] = []
  const start = async (name: string, job: () => Promise<string>) => {
    const { queue, close: closeQueue } = openQueue(redisUrl, name, ports.log)
    queues.push(queue)
    let ranAtMs = performance.now()
    const { close: closeWorker } = openWorker(redisUrl, name, ports.log, () => {
      ranAtMs = performance.now()
      return job()
    })
    //  overwriting a schedule keeps its next due time: too late after a longer interval, or when the clock was set back
    const write = async () => {
      const known = await queue.getJobScheduler(name)
      if (known !== undefined && (known.every !== everyMs || (known.next ?? 0) > Date.now() + everyMs))
        await queue.removeJobScheduler(name)
      await queue.upsertJobScheduler(name, { every: everyMs }, { name })
    }
    //  a Redis that was emptied has lost the schedule; it is also rewritten when nothing runs
    const watch = async () => {
      const isIdle = performance.now() - ranAtMs > 3 * everyMs + 10 * SECOND
      if (isIdle || (await queue.getJobScheduler(name)) === undefined) await write()
    }
    const failed = sparingly((reason) => ports.log.warn({ queue: name, reason }, 'no schedule'))
    const watchdog = setInterval(() => watch().catch(failed), WATCH_EVERY_MS)
    closers.push(async () => {
      clearInterval(watchdog)
      await closeWorker()
      await closeQueue()
    })
    await write()
  }
  for (const port of venues) {
    const sweeps = createFeed(port)
    const books = createBookFeed(port)
    await start(`ingest-sweep-${port.venue}`, () => sweepVenue(sweeps, { ...ports, redis }, stop.signal))
    await start(`ingest-books-${port.venue}`, () => pollBooks(books, { ...ports, redis }, stop.signal))
  }
  return {
    queues,
    close: async () => {
      stop.abort()
      await Promise.all(closers.map((close) => close()))
    },
  }
}
