import type { Metrics } from '../../ops/metrics.ts'
import { site } from './rateLimit.ts'

/** Of all bodies that are half here: some hundred of the longest, or thousands of a usual length. */
const BODY_ROOM_BYTES = 64 * 1024 * 1024
/** One caller leaves so much of it to others; an IPv6 /48 is one, or four of its 65,536 neighbourhoods had all of it. */
const SHARES = 4

/**
 * Memory of this process for bodies that have begun and not ended. Room is taken when a body turns out not to come in one piece, once
 * and for all it may need: whoever has some finishes, whoever finds none is told so before anything of his is looked at.
 */
export type BodyRoom = {
  /** @returns gives it back; null: there is no room now. */
  take(address: string, bytes: number): (() => void) | null
}

export function createBodyRoom({
  roomBytes = BODY_ROOM_BYTES,
  metrics,
}: {
  roomBytes?: number
  metrics?: Metrics
} = {}): BodyRoom {
  const held = metrics?.gauge('http_bodies_held_bytes', 'Kept for bodies that have begun and not ended')
  const refused = metrics?.counter('http_bodies_refused_total', 'Bodies that found no room', {})
  const ofCaller = new Map<string, number>() //  only who has some: bounded by the room
  let all = 0
  const add = (caller: string, bytes: number) => {
    all += bytes
    const his = (ofCaller.get(caller) ?? 0) + bytes
    if (his === 0) ofCaller.delete(caller)
    else ofCaller.set(caller, his)
    held?.set(all)
  }
  return {
    take(address, bytes) {
      const caller = site(address)
      if (all + bytes > roomBytes || (ofCaller.get(caller) ?? 0) + bytes > roomBytes / SHARES) {
        refused?.inc()
        return null
      }
      add(caller, bytes)
      let isGiven = false
      return () => {
        if (!isGiven) add(caller, -bytes)
        isGiven = true
      }
    },
  }
}
