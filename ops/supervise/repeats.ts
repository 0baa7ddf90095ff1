import type { Clock } from '../clock.ts'
import { MINUTE } from '../units.ts'

/** @returns the text to show, or null. */
export type Repeats = (label: string, text: string) => string | null

const QUIET_MS = 1 * MINUTE
const MOST_KEPT = 200

/**
 * Keeps the same trouble from filling the screen: a line is shown when it was not shown within the last minute,
 * together with how often it came in between. Lines that differ in numbers only are the same. The log has them all.
 */
export function createRepeats(clock: Clock): Repeats {
  const seen = new Map<string, { shownMs: number; swallowed: number }>()
  return (label, text) => {
    const key = `${label} ${text.replace(/\d+/g, '#')}`
    const before = seen.get(key)
    const nowMs = clock.nowMs()
    if (before !== undefined && nowMs - before.shownMs < QUIET_MS) {
      before.swallowed++
      return null
    }
    seen.delete(key)
    seen.set(key, { shownMs: nowMs, swallowed: 0 })
    if (seen.size > MOST_KEPT) seen.delete(seen.keys().next().value ?? '') //  the one shown longest ago
    const swallowed = before?.swallowed ?? 0
    return swallowed === 0 ? text : `${text} (and ${swallowed} times since it was shown last)`
  }
}
