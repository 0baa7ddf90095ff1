import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { leaveToOthers, openQueue, openWorker, sparingly } from '../../ops/queue.ts'
import { SECOND } from '../../ops/units.ts'
import type { Feed, LeaseKeeper, Publisher } from '../publish.ts'
import type { VenuePort } from '../venues/venue.ts'
import { isCooling, type Standing } from './coolDown.ts'
import { createFeed, leaveFeed, type PollPorts } from './feed.ts'
import { createBookFeed, pollBooks } from './pollBooks.ts'
import { sweepVenue } from './sweepVenue.ts'
import { createTurns } from './turns.ts'

/** How often each queue is checked for its schedule. */
const WATCH_EVERY_MS = 5 * SECOND

export type Schedule = { queues: readonly Queue[]; close(): Promise<void> }

/** What a job comes to when the feed is to be read again at the next turn; whatever else it comes to was trouble. */
const GOES_ON: ReadonlySet<string> = new Set(['complete', 'done', 'idle'])

type Ports = PollPorts & { redisUrl: string; redis: Redis; publisher: Publisher & LeaseKeeper }

/**
 * What runs how often: a sweep of each venue every `everyMs`, and its wanted books at the same pace. One
 * queue and one worker each, so that a slow venue never delays the other. Jobs carry no data: the queue's
 * name says it all. A job that comes while another process works on the feed, or keeps it, is left to that one.
 */
export async function startSchedule(venues: VenuePort[], ports: Ports): Promise<Schedule> {
  const stop = new AbortController()
  const openTurn = createTurns(ports.publisher, ports)
  const started: Awaited<ReturnType<typeof startFeed>>[] = []
  const { metrics } = ports
  for (const port of venues) {
    const { venue } = port
    const [sweeps, books] = [createFeed(port), createBookFeed(port)]
    const jobs: Work[] = [
      {
        feed: `sweep:${venue}`,
        standing: sweeps,
        run: () => sweepVenue(sweeps, ports, stop.signal),
        leave: () => leaveFeed(sweeps, metrics),
      },
      {
        feed: `books:${venue}`,
        standing: books,
        run: () => pollBooks(books, ports, stop.signal),
        leave: () => books.sent.clear(),
      },
    ]
    for (const job of jobs) started.push(await startFeed(job, ports, openTurn))
  }
  return {
    queues: started.map(({ queue }) => queue),
    close: async () => {
      stop.abort()
      await Promise.all(started.map(({ close }) => close()))
    },
  }
}

type Work = { feed: Feed; standing: Standing; run(): Promise<string>; leave(): void }

async function startFeed(
  { feed, standing, run, leave }: Work,
  { redisUrl, everyMs, log }: Ports,
  openTurn: ReturnType<typeof createTurns>,
) {
  const name = `ingest-${feed.replace(':', '-')}`
  const { queue, close: closeQueue } = openQueue(redisUrl, name, log)
  let ranAtMs = performance.now()
  const isIdle = () => performance.now() - ranAtMs > 3 * everyMs + 10 * SECOND
  const isPausing = () => isCooling(standing) && standing.isAskedTo
  const turn = openTurn(feed, {
    isIdle,
    isPausing,
    pause: () => {
      leave()
      return worker.pause(true)
    },
    resume: () => worker.resume(),
  })
  const { worker, close: closeWorker } = openWorker(redisUrl, name, log, async (job, token) => {
    if (!turn.mayBegin()) return leaveToOthers(job, token)
    ranAtMs = performance.now()
    let outcome = 'failed'
    try {
      outcome = await run()
    } finally {
      if (outcome === 'busy') await turn.standBy()
      else await turn.ended(GOES_ON.has(outcome) || isPausing())
    }
    return outcome === 'busy' ? leaveToOthers(job, token) : outcome
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
    const isDue = isIdle() && !worker.isPaused()
    if (isDue || (await queue.getJobScheduler(name)) === undefined) await write()
  }
  const failed = sparingly((reason) => log.warn({ queue: name, reason }, 'no schedule'))
  const watchdog = setInterval(() => watch().catch(failed), WATCH_EVERY_MS)
  await write()
  return {
    queue,
    close: async () => {
      clearInterval(watchdog)
      await closeWorker()
      await turn.close()
      await closeQueue()
    },
  }
}
