import type { LiveBoard } from '../../live/liveBoard.ts'
import type { Browser } from './dom.ts'

type LiveClock = LiveBoard['clock']

/** By both clocks of a browser, since each of them fails in its own way. */
export type Instant = { steadyMs: number; dayMs: number }

const { performance } = globalThis as unknown as Browser

export const instant = (): Instant => ({ steadyMs: performance.now(), dayMs: Date.now() })

/**
 * The steady clock stands still while the computer sleeps, and the time of day may be set back: the longer of the two
 * calls nothing younger than it is.
 */
export function msSince({ steadyMs, dayMs }: Instant): number {
  const now = instant()
  return Math.max(now.steadyMs - steadyMs, now.dayMs - dayMs)
}

/**
 * The market clock and both ages as they should be by now: time goes on, at the market's speed, even when we hear
 * nothing from the service.
 * @param sinceMs since the clock was heard; real time.
 */
export function advanced({ now, speed, ageMs }: LiveClock, sinceMs: number): LiveClock {
  const goneMs = Math.max(0, Math.round(sinceMs * speed))
  const older = (age: number | null) => (age === null ? null : age + goneMs)
  return {
    now: new Date(Date.parse(now) + goneMs).toISOString(),
    speed,
    ageMs: { a: older(ageMs.a), b: older(ageMs.b) },
  }
}
