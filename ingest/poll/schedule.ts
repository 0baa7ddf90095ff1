import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { leaveToOthers, openQueue, openWorker } from '../../ops/queue.ts'
import { sparingly } from '../../ops/sparingly.ts'
import { SECOND } from '../../ops/units.ts'
import type { Feed, LeaseKeeper, Publisher } from '../publish.ts'
import type { VenuePort } from '../venues/venue.ts'
import { isCooling } from './coolDown.ts'
import { createFeed, leaveFeed, type PollPorts } from './feed.ts'
import { createBookFeed, pollBooks } from './pollBooks.ts'
import { sweepVenue } from './sweepVenue.ts'
import { createTurns, type FeedWorker, type Turn, type Turns } from './turns.ts'

/** How often each queue is checked for its schedule. */
const WATCH_EVERY_MS = 5 * SECOND

export type Schedule = { queues: readonly Queue[]; close(): Promise<void> }

type Ports = PollPorts & { redisUrl: string; redis: Redis; publisher: Publisher & LeaseKeeper }

/**
 * What runs how often: a sweep of each venue every `everyMs`, and its wanted books at the same pace. One
 * queue and one worker each, so that a slow venue never delays the other. Jobs carry no data: the queue's
 * name says it all. A job that comes while another process works on the venue, or keeps it, is left to that one.
 */
export async function startSchedule(venues: VenuePort[], ports: Ports): Promise<Schedule> {
  const stop = new AbortController()
  const turns = createTurns(ports.publisher, ports)
  const started = await Promise.all(
    venues.flatMap((port) => worksOn(port, ports, turns, stop.signal)).map((work) => startWork(work, ports)),
  )
  return {
    queues: started.map(({ queue }) => queue),
    close: async () => {
      stop.abort()
      await Promise.all(started.map(({ close }) => close()))
    },
  }
}

type Work = {
  feed: Feed
  run(): Promise<string>
  openTurn(worker: FeedWorker): Turn
  /** Whether the process is to go on with the feed after a run that came to `outcome`. */
  goesOn(outcome: string): boolean
  /** Another process goes on with it. */
  leave(): void
}

function worksOn(port: VenuePort, ports: Ports, turns: Turns, stop: AbortSignal): Work[] {
  const sweep = `sweep:${port.venue}` as const
  const [sweeps, books] = [createFeed(port), createBookFeed(port)]
  const isPausing = () => [sweeps, books].some((feed) => isCooling(feed) && feed.isAskedTo)
  return [
    {
      feed: sweep,
      run: () => sweepVenue(sweeps, ports, stop),
      openTurn: (worker) => turns.keep({ ...worker, isPausing }),
      goesOn: (outcome) => outcome === 'complete' || isPausing(),
      leave: () => leaveFeed(sweeps, ports.metrics),
    },
    {
      feed: `books:${port.venue}`,
      run: () => pollBooks(books, ports, stop),
      openTurn: (worker) => turns.follow(sweep, worker),
      goesOn: () => true,
      leave: () => books.sent.clear(),
    },
  ]
}

async function startWork({ feed, run, openTurn, goesOn, leave }: Work, { redisUrl, everyMs, log }: Ports) {
  const name = `ingest-${feed.replace(':', '-')}`
  const { queue, close: closeQueue } = openQueue(redisUrl, name, log)
  let ranAtMs = performance.now()
  const isIdle = () => performance.now() - ranAtMs > 3 * everyMs + 10 * SECOND
  const turn = openTurn({
    feed,
    isIdle,
    pause: () => {
      leave()
      return worker.pause(true)
    },
    resume: () => worker.resume(),
  })
  const { worker, close: closeWorker } = openWorker(redisUrl, name, log, async (job, token) => {
    if (!(await turn.begin())) return leaveToOthers(job, token)
    ranAtMs = performance.now()
    let outcome = 'failed'
    try {
      outcome = await run()
    } finally {
      if (outcome === 'busy') await turn.standBy()
      else await turn.end(goesOn(outcome))
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
