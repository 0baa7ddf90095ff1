import { SECOND } from '../../ops/units.ts'

/**
 * Bound on the receipt of a transaction that anybody named, or chose by spending a nonce of their own in it, for free:
 * some two thousand logs. A transaction that costs cents can write thirty thousand, and reading those takes a tenth of
 * a second in which nobody else is answered.
 */
export const NAMED_MAX_BYTES = 1024 * 1024
/** Bound on all such receipts together: a burst, and a rate. The node has to send every byte too. */
const LARGE_BURST_BYTES = 16 * 1024 * 1024
const LARGE_BYTES_PER_S = 2 * 1024 * 1024
/** A hundred logs: a transaction that pays somebody has three. Receipts of this size are always read. */
export const USUAL_MAX_BYTES = 64 * 1024

/** What the node sends of one log, about. */
const LOG_BYTES = 700

/**
 * How long the next named receipt may be: as long as any of them or, while many long ones are named, as long as the
 * usual ones. So requests with long receipts delay each other, and nobody else.
 */
export function createNamedBytes(nowMs: () => number = () => performance.now()) {
  let freeAtMs = 0 //  when everything read so far no longer counts
  const msOf = (bytes: number) => (bytes / LARGE_BYTES_PER_S) * SECOND
  return {
    /** @returns the size that may be read; `came` must be called with the number of logs read, or null for none. */
    take(maxBytes: number): { maxBytes: number; came(logs: number | null): void } {
      const owedMs = Math.max(0, freeAtMs - nowMs())
      if (maxBytes <= USUAL_MAX_BYTES || owedMs + msOf(maxBytes) > msOf(LARGE_BURST_BYTES))
        return { maxBytes: Math.min(maxBytes, USUAL_MAX_BYTES), came: () => {} }
      freeAtMs = nowMs() + owedMs + msOf(maxBytes)
      return {
        maxBytes,
        came(logs) {
          const bytes = (logs ?? 0) * LOG_BYTES
          freeAtMs -= msOf(bytes <= USUAL_MAX_BYTES ? maxBytes : Math.max(0, maxBytes - bytes))
        },
      }
    },
  }
}
