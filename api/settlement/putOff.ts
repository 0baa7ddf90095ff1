import { remember } from '../../ops/remember.ts'
import { SECOND } from '../../ops/units.ts'

/** A job that cannot be decided is looked at again after the first, then twice as long each time, up to the second. */
const LATER_MS = 1 * SECOND
const LATEST_MS = 8 * SECOND
const MAX_REMEMBERED = 10_000

/** Jobs that wait for a later look, by key. */
export type PutOff = {
  /** @param waitMs absent: twice as long as the last time. */
  add(key: string, waitMs?: number): void
  has(key: string): boolean
  /** Decided: it waits no more, and the next time for the shortest time again. */
  forget(key: string): void
  /** Those whose time has come wait no more. */
  expire(): void
  size(): number
}

export function createPutOff(nowMs: () => number): PutOff {
  const untilMs = new Map<string, number>()
  const waits = new Map<string, number>() //  how long it was put off the last time
  const twiceAsLong = (key: string): number => {
    const waitMs = Math.min(LATEST_MS, 2 * (waits.get(key) ?? LATER_MS / 2))
    remember(waits, key, waitMs, MAX_REMEMBERED)
    return waitMs
  }
  return {
    add: (key, waitMs = twiceAsLong(key)) => remember(untilMs, key, nowMs() + waitMs, MAX_REMEMBERED),
    has: (key) => untilMs.has(key),
    forget(key) {
      untilMs.delete(key)
      waits.delete(key)
    },
    expire() {
      const now = nowMs()
      for (const [key, ms] of untilMs) if (ms <= now) untilMs.delete(key)
    },
    size: () => untilMs.size,
  }
}
