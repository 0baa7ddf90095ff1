import { SECOND } from '../../ops/units.ts'

/** How often the open gaps are saved. */
const SAVE_EVERY_MS = 5 * SECOND
/** Slow saves pause for this many times their duration, but at most MOST_TURNS times the usual interval … */
const SAVE_REST = 100
const MOST_TURNS = 4
/** … and then wait up to this many intervals more for a time at which nobody needs us. */
const PATIENT_TURNS = 2
const SHORT_MS = 20

/** Runs a save when it is due: one at a time, and less often when saving is slow. */
export function createSavePace(everyMs = SAVE_EVERY_MS, nowMs = () => performance.now()) {
  let isSaving = false
  let due = { atRestMs: Number.NEGATIVE_INFINITY, atWorkMs: Number.NEGATIVE_INFINITY }
  return async (save: () => Promise<void>, isAtRest: boolean): Promise<void> => {
    const beganMs = nowMs()
    if (isSaving || beganMs < (isAtRest ? due.atRestMs : due.atWorkMs)) return
    isSaving = true
    try {
      await save()
    } finally {
      isSaving = false
    }
    const tookMs = nowMs() - beganMs
    const atRestMs = beganMs + Math.max(everyMs, Math.min(SAVE_REST * tookMs, MOST_TURNS * everyMs))
    due = { atRestMs, atWorkMs: atRestMs + (tookMs < SHORT_MS ? 0 : PATIENT_TURNS * everyMs) }
  }
}
