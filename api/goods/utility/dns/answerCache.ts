import { MINUTE, SECOND } from '../../../../ops/units.ts'
import { type DnsAnswer, shortestTtlS } from './answer.ts'

const LONGEST_MS = 1 * MINUTE // records without a known TTL, and names that do not exist
export const MAX_NAMES = 10_000
export const MAX_CHARS = 8_000_000 // of all kept answers as JSON

/**
 * Answers that may be given again: as long as the shortest TTL in them, a minute at most, and only when every
 * type was answered. Beyond its bounds the oldest goes first.
 */
export function createAnswerCache() {
  const kept = new Map<string, { answer: DnsAnswer; untilMs: number; chars: number }>()
  let chars = 0
  const drop = (name: string) => {
    chars -= kept.get(name)?.chars ?? 0
    kept.delete(name)
  }
  return {
    find(name: string, nowMs: number): DnsAnswer | null {
      const entry = kept.get(name)
      if (entry === undefined) return null
      if (nowMs < entry.untilMs) return entry.answer
      drop(name)
      return null
    },
    keep(answer: DnsAnswer, nowMs: number): void {
      const ttlS = shortestTtlS(answer)
      if (ttlS === null || ttlS === 0) return
      drop(answer.name)
      const size = JSON.stringify(answer).length
      kept.set(answer.name, { answer, untilMs: nowMs + Math.min(ttlS * SECOND, LONGEST_MS), chars: size })
      chars += size
      for (const name of kept.keys()) {
        if (kept.size <= MAX_NAMES && chars <= MAX_CHARS) return
        drop(name)
      }
    },
    size: () => kept.size,
  }
}
