import { SECOND } from '../../ops/units.ts'
import { createPlaces } from '../http/places.ts'
import type { Feed } from './followFeed.ts'
import { BEFORE_ALL, compareIds, msOf, type StreamId } from './streamId.ts'

/** Longer than one process lags behind another, and longer than one that lost the store needs to catch up. */
export const WAIT_MS = 2 * SECOND
/** Only ids this near to the one that the store would give now are waited for: older ones, or ones of the future, never come. */
export const LATELY_MS = 10 * SECOND
/**
 * When this many readers wait, one more means that one is answered at once from what this process knows: a reader of
 * the token that has most of them.
 */
export const WAITING_MAX = 1_000

/**
 * Readers whose id this process has not seen yet: another process, milliseconds ahead, has just given it to them. They
 * wait until the log has reached it. An id that never comes (it was given by a store that then lost its newest events)
 * is answered as unknown after that: to treat it as up to date at once would hide that loss.
 * @param storeMs the store's clock: by ours, one host's clock that is wrong would declare a gap where nothing is lost.
 */
export function createCatchUp(feed: () => Feed | null, storeMs: () => number) {
  type Waiter = { id: StreamId; go(): void }
  const waiting = new Set<Waiter>()
  const places = createPlaces<Waiter>({ max: WAITING_MAX, onTaken: ({ go }) => go() })

  const isBehind = (id: StreamId): boolean => {
    const lastId = feed()?.log.lastId
    return lastId !== undefined && compareIds(id, lastId) > 0
  }
  /** A store whose clock was set back stays in the millisecond of its newest id until it has caught up. */
  const isRecent = (id: StreamId): boolean => {
    const nextMs = Math.max(storeMs(), msOf(feed()?.log.lastId ?? BEFORE_ALL))
    return Math.abs(msOf(id) - nextMs) <= LATELY_MS
  }
  return {
    /**
     * Null: nothing to wait for, or no room. @param caller whose token it is, because the id waited for may be made up.
     */
    wait(id: StreamId, caller: string): Promise<void> | null {
      if (!isBehind(id) || !isRecent(id) || !places.hasRoom(caller)) return null
      return new Promise((resolve) => {
        const go = () => {
          clearTimeout(timer)
          waiting.delete(waiter)
          places.leave(caller, waiter)
          resolve()
        }
        const timer = setTimeout(go, WAIT_MS)
        const waiter = { id, go }
        waiting.add(waiter)
        places.take(caller, waiter)
      })
    },
    /** To be called after each page of events. */
    look() {
      for (const { id, go } of waiting) if (!isBehind(id)) go()
    },
    stop() {
      for (const { go } of waiting) go()
    },
  }
}

export type CatchUp = ReturnType<typeof createCatchUp>
