import { KEPT_BLOCKS } from './persistence.ts'

/** What one look at the running chain found. */
export type Look = {
  head: number //         newest block
  savedHead: number //    newest block in the saved state
  startHead: number //    newest block when this anvil started
  busyHead: number //     newest block that carried a transaction; at least startHead
  pending: number //      transactions waiting for a block
}

/** Empty blocks may be lost in a crash, but not for long: a resumed chain should not look much younger. */
export const SAVE_EMPTY_AFTER_BLOCKS = 30
const QUIET_BLOCKS = 30

/**
 * What to do now. Blocks that moved money are saved at once, empty ones now and then.
 *
 * anvil never forgets a block (about 2 KB each), so a long run is bounded by restarting it on its own trimmed
 * state: after `KEPT_BLOCKS` blocks in a quiet moment, after twice as many in any case.
 */
export function decide({ head, savedHead, startHead, busyHead, pending }: Look): 'wait' | 'save' | 'restart' {
  const ran = head - startHead
  const quiet = pending === 0 && head - busyHead >= QUIET_BLOCKS
  if (ran >= 2 * KEPT_BLOCKS || (ran >= KEPT_BLOCKS && quiet)) return 'restart'
  return busyHead > savedHead || head - savedHead >= SAVE_EMPTY_AFTER_BLOCKS ? 'save' : 'wait'
}
