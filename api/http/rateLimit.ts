import type { Clock } from '../../ops/clock.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import type { Problem } from '../errors.ts'

const MAX_ADDRESSES = 10_000

/**
 * A token bucket per address, in the memory of one process. Neighbours in one IPv6 /64 are one. Beyond 10,000 addresses the
 * one seen longest ago is forgotten.
 * @param burst how many at once; as many more every minute.
 * @returns a refusal, or null.
 */
export function createRateLimit({ burst, clock }: { burst: number; clock: Clock }) {
  const buckets = new Map<string, { left: number; atMs: number }>()
  const perMs = burst / MINUTE
  return (address: string): Problem | null => {
    const key = neighbourhood(address)
    const nowMs = clock.nowMs()
    const known = buckets.get(key)
    const left = known === undefined ? burst : Math.min(burst, known.left + (nowMs - known.atMs) * perMs)
    buckets.delete(key)
    buckets.set(key, { left: left < 1 ? left : left - 1, atMs: nowMs })
    if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value!)
    return left < 1 ? { problem: 'rate_limited', retryAfterS: Math.ceil((1 - left) / perMs / SECOND) } : null
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>

/** uWebSockets writes IPv6 in full; an IPv4 address inside of one is that address. */
function neighbourhood(address: string): string {
  const groups = address.split(':')
  if (groups.length !== 8) return address
  return /^(0{1,4}:){5}ffff/.test(address) ? address : groups.slice(0, 4).join(':')
}
