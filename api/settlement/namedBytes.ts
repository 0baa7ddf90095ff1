import { SECOND } from '../../ops/units.ts'

/**
 * Of the receipt of a transaction that anybody has named, or used a nonce of his own in, for nothing: some two thousand logs. A transaction that costs cents can
 * write thirty thousand, and reading those takes a tenth of a second in which nobody else is answered.
 */
export const NAMED_MAX_BYTES = 1024 * 1024
/** Of such receipts all together: so much at once, and so much a second. Each MiB is one that the node sends too. */
const LARGE_BURST_BYTES = 16 * 1024 * 1024
const LARGE_BYTES_PER_S = 2 * 1024 * 1024
/** A hundred logs: a transaction that pays somebody has three. These are read whatever there is of the others. */
export const USUAL_MAX_BYTES = 64 * 1024

/** What the node sends of one log, about. */
const LOG_BYTES = 700

export type NamedBytes = ReturnType<typeof createNamedBytes>

/**
 * How long the next named receipt may be: as long as any of them, or, while many long ones are named, as long as the usual ones. So who
 * names long ones is in the way of others who do, and of nobody else.
 */
export function createNamedBytes(nowMs: () => number = () => performance.now()) {
  let freeAtMs = 0 //  when all that was read counts no more
  const msOf = (bytes: number) => (bytes / LARGE_BYTES_PER_S) * SECOND
  return {
    /** @returns what may be read, and what is to be told of it: the logs that came, or null for none. */
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
