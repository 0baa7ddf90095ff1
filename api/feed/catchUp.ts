import { SECOND } from '../../ops/units.ts'
import { createPlaces } from '../http/places.ts'
import type { Feed } from './followFeed.ts'
import { compareIds, msOf, type StreamId } from './streamId.ts'

/** Longer than a process is behind another, and longer than one that lost the store needs to read on. */
export const WAIT_MS = 2 * SECOND
/** Only ids this recent, by the store's clock and ours, are waited for: older ones, or ones of the future, never come. */
export const LATELY_MS = 10 * SECOND
/** Beyond so many waiting readers one is answered at once, from what this process knows: one of the token that has most of them. */
export const WAITING_MAX = 1_000

/**
 * Readers whose id this process has not met yet: another process, milliseconds ahead, has just given it to them. They
 * wait until the log has come to it. An id that never comes (a store that lost its newest events had given it) is
 * answered as unknown after that: to call it level at once would hide that loss.
 */
export function createCatchUp(feed: () => Feed | null, nowMs: () => number) {
  type Waiter = { id: StreamId; go(): void }
  const waiting = new Set<Waiter>()
  const places = createPlaces<Waiter>({ max: WAITING_MAX, onTaken: ({ go }) => go() })

  const isBehind = (id: StreamId): boolean => {
    const lastId = feed()?.log.lastId
    return lastId !== undefined && compareIds(id, lastId) > 0
  }
  return {
    /** Null: nothing to wait for, or no room. @param caller whose token it is: what is waited for may be made up. */
    wait(id: StreamId, caller: string): Promise<void> | null {
      if (!isBehind(id) || Math.abs(msOf(id) - nowMs()) > LATELY_MS || !places.hasRoom(caller)) return null
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
    /** After each page of events. */
    look() {
      for (const { id, go } of waiting) if (!isBehind(id)) go()
    },
    stop() {
      for (const { go } of waiting) go()
    },
  }
}

export type CatchUp = ReturnType<typeof createCatchUp>
