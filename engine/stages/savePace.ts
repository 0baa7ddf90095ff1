import { SECOND } from '../../ops/units.ts'

/** How often the open gaps are saved. */
const SAVE_EVERY_MS = 5 * SECOND
/** Slow saves pause for this many times their duration, but at most MOST_TURNS times the usual interval … */
const SAVE_REST = 100
const MOST_TURNS = 4
/** … and then wait up to this many intervals more for a time at which nobody needs us. */
const PATIENT_TURNS = 2
const SHORT_MS = 20

/**
 * Runs a save when it is due: one at a time, and less often when saving is slow. The last one is always due, after the one
 * that is under way.
 */
export function createSavePace(everyMs = SAVE_EVERY_MS, nowMs = () => performance.now()) {
  let saving: Promise<void> | null = null
  let due = { atRestMs: Number.NEGATIVE_INFINITY, atWorkMs: Number.NEGATIVE_INFINITY }
  return async (save: () => Promise<void>, isAtRest: boolean, isLast = false): Promise<void> => {
    if (isLast) await saving?.catch(() => {}) //  whoever asked for it hears of its failure
    const beganMs = nowMs()
    const isDue = isLast || beganMs >= (isAtRest ? due.atRestMs : due.atWorkMs)
    if (saving !== null || !isDue) return
    saving = save()
    try {
      await saving
    } finally {
      saving = null
    }
    const tookMs = nowMs() - beganMs
    const atRestMs = beganMs + Math.max(everyMs, Math.min(SAVE_REST * tookMs, MOST_TURNS * everyMs))
    due = { atRestMs, atWorkMs: atRestMs + (tookMs < SHORT_MS ? 0 : PATIENT_TURNS * everyMs) }
  }
}
