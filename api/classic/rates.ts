/** Callers remembered at once; the longest quiet one is forgotten first. */
const MAX_CALLERS = 20_000

/**
 * Token buckets by caller, each process its own. Bounded.
 * @returns seconds to wait, 0 when the call may go on.
 */
export function createRates(
  { perS, burst }: { perS: number; burst: number },
  clock: { nowMs(): number },
): (caller: string) => number {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return (caller) => {
    const nowMs = clock.nowMs()
    const known = buckets.get(caller) ?? { tokens: burst, atMs: nowMs }
    const tokens = Math.min(burst, known.tokens + (Math.max(0, nowMs - known.atMs) / 1_000) * perS)
    buckets.delete(caller)
    if (buckets.size >= MAX_CALLERS) buckets.delete(buckets.keys().next().value!)
    buckets.set(caller, { tokens: tokens < 1 ? tokens : tokens - 1, atMs: nowMs })
    return tokens < 1 ? Math.ceil((1 - tokens) / perS) : 0
  }
}
