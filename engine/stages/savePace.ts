import { SECOND } from '../../ops/units.ts'

/** What is open is saved this often. */
const SAVE_EVERY_MS = 5 * SECOND
/** Where saving takes long it rests a hundred times as long, but never longer than so many of its turns. */
const SAVE_REST = 100
const MOST_TURNS = 6

/** Runs what it is given when it is due: one at a time, and seldom where it takes long. */
export function createSavePace(everyMs = SAVE_EVERY_MS) {
  let isSaving = false
  let dueMs = Number.NEGATIVE_INFINITY // performance.now() clock
  return async (save: () => Promise<void>): Promise<void> => {
    const beganMs = performance.now()
    if (isSaving || beganMs < dueMs) return
    isSaving = true
    try {
      await save()
    } finally {
      isSaving = false
    }
    const tookMs = performance.now() - beganMs
    dueMs = beganMs + Math.max(everyMs, Math.min(SAVE_REST * tookMs, MOST_TURNS * everyMs))
  }
}
