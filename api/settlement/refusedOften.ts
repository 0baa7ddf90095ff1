import { SECOND } from '../../ops/units.ts'

/** So many questions may be under way or refused at once; of those that were refused one a second is forgotten. */
const BURST = 64
const FORGIVEN_MS = 1 * SECOND

/**
 * Whether a facilitator was asked more for nothing of late than payers in good faith give cause for. Anybody can sign payments that no
 * wallet pays, as many as he likes; a facilitator that is asked about all of them asks us to wait, and with us everybody who pays.
 */
export function createRefusedOften(nowMs: () => number = () => performance.now()) {
  let underWay = 0
  let forgivenAtMs = 0 //  when all that were refused are
  return {
    isSo: (): boolean => underWay + Math.max(0, forgivenAtMs - nowMs()) / FORGIVEN_MS >= BURST,
    /** @param ask null: what was asked about is good. */
    async counted<T>(ask: () => Promise<T | null>): Promise<T | null> {
      underWay++
      try {
        const refusal = await ask()
        if (refusal !== null) forgivenAtMs = Math.max(forgivenAtMs, nowMs()) + FORGIVEN_MS
        return refusal
      } finally {
        underWay--
      }
    },
  }
}
