import type { LiveBoard } from '../../live/liveBoard.ts'

type LiveClock = LiveBoard['clock']

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
