import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import type { Feed, LeaseKeeper } from '../publish.ts'

/** How often a feed is kept, or looked at by whoever stands by. Well below REST_MS, which it has to stay within. */
const TICK_MS = 1 * SECOND
/** How long others have to take what was left to them, beyond the time until the next job. */
const LEFT_MS = 10 * SECOND

/** The worker of one feed. */
export type FeedWorker = {
  /** Takes no more jobs. The one that runs goes on. */
  pause(): Promise<void>
  resume(): void
  /** It has been given no job for too long. */
  isIdle(): boolean
  /** It observes a pause that the venue asked for, which another process would not know of. */
  isPausing(): boolean
}

export type Turn = {
  /** Before a job: whether this process may work on the feed. */
  mayBegin(): boolean
  /** The feed is another's: takes no jobs until it is free. */
  standBy(): Promise<void>
  /** After a job. @param goesOn the next run should be ours as well. */
  ended(goesOn: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * Which of several processes works on which feed. What a process remembers of a feed is what makes a run cheap, and one
 * that follows another's has to load all of it again. So who has worked on a feed goes on with it until it stops, fails,
 * dies or finds nothing to do, and the others stand by. But nobody keeps two feeds of a kind while somebody has none:
 * that is how several processes share the venues. Lease and term alone decide who may publish, whatever happens here.
 */
export function createTurns(
  leases: LeaseKeeper,
  {
    everyMs,
    log,
    tickMs = TICK_MS,
    leftMs = LEFT_MS,
  }: { everyMs: number; log: Log; tickMs?: number; leftMs?: number },
) {
  const held = new Set<Feed>()
  const heldOfKind = (feed: Feed) => [...held].filter((other) => kindOf(other) === kindOf(feed)).length

  return (feed: Feed, worker: FeedWorker): Turn => {
    let isRunning = false
    let isLooking = false
    let standsBy = false
    let lookMs = 0 //  performance.now() clock: not looked at before
    const standBy = async () => {
      held.delete(feed)
      standsBy = true
      log.info({ feed }, 'standing by: another process works on it')
      await worker.pause()
    }
    const keep = async () => {
      const answer = await leases.keep(feed)
      if (answer === 'lost') return held.delete(feed)
      held.add(feed)
      if (answer === 'ours' || heldOfKind(feed) < 2 || isRunning || worker.isPausing()) return
      lookMs = performance.now() + everyMs + leftMs
      await standBy()
      await leases.leave(feed)
    }
    const look = async () => {
      if (held.has(feed)) {
        if (worker.isIdle()) held.delete(feed)
        else await keep()
      } else if (standsBy && performance.now() >= lookMs) {
        if (!(await leases.isFree(feed, heldOfKind(feed) === 0))) return
        standsBy = false
        log.info({ feed }, 'nobody works on it: no longer standing by')
        worker.resume()
      }
    }
    const tick = async () => {
      if (isRunning || isLooking) return
      isLooking = true
      await look().catch(() => undefined) //  without a store: the lease runs out, and whoever comes first begins
      isLooking = false
    }
    const ticker = setInterval(tick, tickMs)
    return {
      mayBegin: () => {
        isRunning = !standsBy
        return isRunning
      },
      standBy: () => {
        isRunning = false
        return standBy()
      },
      ended: async (goesOn) => {
        isRunning = false
        if (goesOn) await keep().catch(() => held.delete(feed))
        else held.delete(feed)
      },
      close: async () => {
        clearInterval(ticker)
        if (held.delete(feed)) await leases.leave(feed).catch(() => undefined)
      },
    }
  }
}

const kindOf = (feed: Feed): string => feed.slice(0, feed.indexOf(':'))
