import { SECOND } from '../../ops/units.ts'

/** How many questions may be under way or refused at once; of the refused ones, one per second is forgotten. */
const BURST = 64
const FORGIVEN_MS = 1 * SECOND

/**
 * Whether a facilitator was lately asked in vain more often than payers in good faith account for. Anybody can sign any
 * number of payments that no wallet can pay; a facilitator that is asked about all of them makes us wait, and with us
 * everybody who pays.
 */
export function createRefusedOften(nowMs: () => number = () => performance.now()) {
  let underWay = 0
  let forgivenAtMs = 0 //  when all refusals are forgotten
  return {
    isSo: (): boolean => underWay + Math.max(0, forgivenAtMs - nowMs()) / FORGIVEN_MS >= BURST,
    /** @param ask resolves to null when the payment is good. */
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
