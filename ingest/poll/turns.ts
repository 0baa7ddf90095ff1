import type { Log } from '../../ops/log.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Feed, LeaseKeeper } from '../publish.ts'

/** How often a feed is kept, or looked at by whoever stands by. Well below REST_MS, which it has to stay within. */
const TICK_MS = 1 * SECOND
/** How long others have to take what was left to them, beyond the time until the next job. */
const LEFT_MS = 10 * SECOND
/** How long a process that had trouble with a feed asks no other for it. */
const TROUBLE_MS = 10 * MINUTE

/** Whoever runs the jobs of a feed. */
export type FeedWorker = {
  feed: Feed
  /** Takes no more jobs. The one that runs goes on. */
  pause(): Promise<void>
  resume(): void
  /** It has been given no job for too long. */
  isIdle(): boolean
}

export type Turn = {
  /** Before a job: whether this process may work on the feed. If not, it stands by from now on. */
  begin(): Promise<boolean>
  /** The feed is another's after all: takes no jobs until it is free. */
  standBy(): Promise<void>
  /** After a job. @param goesOn the next run should be ours as well. */
  end(goesOn: boolean): Promise<void>
  close(): Promise<void>
}

type Options = { everyMs: number; log: Log; tickMs?: number; leftMs?: number }

/**
 * Which of several processes works on which venue. What a process remembers of a venue is what makes a sweep cheap, and
 * one that follows another's has to load all of it again; and a venue's limits hold for all that we read from it. So who
 * has swept a venue goes on with it, and with its books, until it stops, fails, dies or finds nothing to do, and the
 * others stand by. But nobody keeps two venues while somebody has none: that is how several processes share them.
 * Lease and term alone decide who may publish, whatever happens here.
 */
export function createTurns(
  leases: LeaseKeeper,
  { everyMs, log, tickMs = TICK_MS, leftMs = LEFT_MS }: Options,
) {
  const held = new Set<Feed>()
  return {
    /**
     * The turn of a feed that is kept between two runs. @param isPausing the venue asked for a pause, which another
     * process would not know of.
     */
    keep: ({ isPausing, ...worker }: FeedWorker & { isPausing(): boolean }): Turn => {
      const { feed } = worker
      const stance = takeStance(worker, log)
      let isRunning = false
      //  performance.now() clock: not looked at, not asked for before
      let [lookMs, askMs] = [0, 0]
      const standBy = () => {
        held.delete(feed)
        return stance.standBy()
      }
      const keep = async () => {
        const answer = await leases.keep(feed)
        if (answer === 'lost') return held.delete(feed)
        held.add(feed)
        if (answer === 'ours' || held.size < 2 || isRunning || isPausing()) return
        lookMs = performance.now() + everyMs + leftMs
        await standBy()
        await leases.leave(feed)
      }
      const stop = every(tickMs, async () => {
        if (isRunning) return
        if (held.has(feed)) {
          if (worker.isIdle()) held.delete(feed)
          else await keep()
        } else if (performance.now() >= lookMs) {
          const asks = held.size === 0 && performance.now() >= askMs
          const isFree = await leases.isFree(feed, asks)
          if (!isRunning) await stance.take(isFree)
        }
      })
      return {
        begin: async () => {
          isRunning = !stance.standsBy()
          return isRunning
        },
        standBy: () => {
          isRunning = false
          return standBy()
        },
        end: async (goesOn) => {
          isRunning = false
          if (goesOn) return void (await keep().catch(() => held.delete(feed)))
          held.delete(feed)
          askMs = performance.now() + TROUBLE_MS
          await leases.leave(feed).catch(() => undefined)
        },
        close: async () => {
          stop()
          if (held.delete(feed)) await leases.leave(feed).catch(() => undefined)
        },
      }
    },

    /** The turn of a feed that goes with `feed`: this process works on it unless another one has that. */
    follow: (feed: Feed, worker: FeedWorker): Turn => {
      const stance = takeStance(worker, log)
      const isOurs = async () => held.has(feed) || (await leases.isFree(feed, false))
      const stop = every(tickMs, async () => stance.take(await isOurs()))
      return {
        begin: async () => {
          if (!stance.standsBy()) await stance.take(await isOurs())
          return !stance.standsBy()
        },
        standBy: stance.standBy,
        end: async () => {},
        close: async () => stop(),
      }
    },
  }
}

export type Turns = ReturnType<typeof createTurns>

function takeStance({ feed, pause, resume }: FeedWorker, log: Log) {
  let standsBy = false
  const take = async (isFree: boolean) => {
    if (standsBy !== isFree) return
    standsBy = !isFree
    log.info({ feed }, standsBy ? 'another process works on it: standing by' : 'no longer standing by')
    if (standsBy) await pause()
    else resume()
  }
  return { take, standBy: () => take(false), standsBy: () => standsBy }
}

/** Looks now and then, one look at a time. Without a store: leases run out, and whoever comes first begins. */
function every(ms: number, look: () => Promise<unknown>): () => void {
  let isLooking = false
  const ticker = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    await look().catch(() => undefined)
    isLooking = false
  }, ms)
  return () => clearInterval(ticker)
}
