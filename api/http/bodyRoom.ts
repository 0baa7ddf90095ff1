import type { Metrics } from '../../ops/metrics.ts'
import { site } from './rateLimit.ts'

/** Memory for all bodies that have partly arrived: some hundred of the longest, or thousands of a usual length. */
const BODY_ROOM_BYTES = 64 * 1024 * 1024
/**
 * One caller holds at most this fraction of it (1/SHARES); an IPv6 /48 counts as one caller, or four of its 65,536
 * neighbourhoods could take all of it.
 */
const SHARES = 4

/**
 * Memory of this process for bodies that have begun but not ended. Room is taken when a body turns out not to arrive in
 * one piece, once and for the most it may need: a caller that has room can finish, a caller that finds none is told so
 * before its body is looked at.
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
  const ofCaller = new Map<string, number>() //  only callers that hold some: bounded by the room
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
