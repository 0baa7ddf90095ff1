import { SECOND } from '../../ops/units.ts'

/** What is open is saved this often. */
const SAVE_EVERY_MS = 5 * SECOND
/** Where saving takes long it pauses a hundred times as long, but never longer than so many of its turns … */
const SAVE_REST = 100
const MOST_TURNS = 4
/** … and then waits up to so many more for a time at which nobody waits for us. */
const PATIENT_TURNS = 2
const SHORT_MS = 20

/** Runs what it is given when it is due: one at a time, and seldom where it takes long. */
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
