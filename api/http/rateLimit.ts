import type { Clock } from '../../ops/clock.ts'
import { SECOND } from '../../ops/units.ts'
import type { Limit } from './limits.ts'

/** Callers remembered for certain; of up to twice as many, those not seen for longest are forgotten. */
const MAX_CALLERS = 10_000
const MAX_AGENT_CHARS = 128

/** The caller; read only where callers are distinguished. */
export type Caller = { readonly address: string; header(name: 'x-agent-id'): string }

/**
 * One limit at work. `take` counts a call. @returns how many more may follow at once; below zero the call is refused,
 * and the negative is the seconds to wait.
 */
export type RateLimit = { limit: Limit; take(caller: Caller): number }

export function createRateLimit(limit: Limit, clock: Clock): RateLimit {
  const ofAddress = createBuckets(limit, clock)
  const half = { burst: Math.ceil(limit.burst / 2), perS: limit.perS / 2 }
  const ofAgent = limit.byAgent === undefined ? null : createBuckets(half, clock)
  const isQuiet = limit.whenBusy === undefined ? () => false : createQuiet(limit, clock)
  return {
    limit,
    take(caller) {
      if (isQuiet()) return limit.burst
      const address = neighbourhood(caller.address)
      const agentId = ofAgent === null ? '' : caller.header('x-agent-id')
      if (ofAgent === null || agentId === '' || agentId.length > MAX_AGENT_CHARS) return ofAddress(address)
      //  the agent first: a call refused for the agent must not count against its address
      const left = ofAgent(`${address} ${agentId}`)
      return left < 0 ? left : Math.min(left, ofAddress(address))
    },
  }
}

/**
 * Whether all callers together stay within what one caller may, in this second and the last. Then none of them exceeds
 * it, and looking up the caller would cost more than most answers do. A caller that starts a flood gets its burst
 * twice, once.
 */
function createQuiet({ perS }: Limit, clock: Clock): () => boolean {
  let sinceMs = clock.nowMs()
  let calls = 0
  let wasBusy = false
  return () => {
    const passedMs = clock.nowMs() - sinceMs
    if (passedMs >= SECOND || passedMs < 0) {
      wasBusy = calls > perS && passedMs < 2 * SECOND
      sinceMs += passedMs
      calls = 0
    }
    calls++
    return !wasBusy && calls <= perS
  }
}

/**
 * Token buckets, each kept as the instant at which it will be full again. Two generations of them, so that a call costs
 * one look-up and one store, and memory is bounded.
 */
function createBuckets({ burst, perS }: Pick<Limit, 'burst' | 'perS'>, clock: Clock) {
  const tokenMs = SECOND / perS
  const fullMs = burst * tokenMs
  const originMs = clock.nowMs() //  small numbers keep the fractions of a fast limit
  let young = new Map<string, number>()
  let old: typeof young = new Map()
  return (caller: string): number => {
    const nowMs = clock.nowMs() - originMs
    const known = young.get(caller) ?? old.get(caller) ?? nowMs
    //  further ahead than a full bucket lasts: the clock was set back
    const fullAtMs = known < nowMs || known - nowMs > fullMs ? nowMs : known
    const spentMs = fullAtMs + tokenMs - nowMs
    if (spentMs > fullMs) return -Math.max(1, Math.ceil((spentMs - fullMs) / SECOND))
    if (young.size >= MAX_CALLERS && !young.has(caller)) {
      old = young
      young = new Map()
    }
    young.set(caller, fullAtMs + tokenMs)
    return Math.floor((fullMs - spentMs) / tokenMs)
  }
}

/** The caller's IPv6 /64. uWebSockets writes IPv6 in full; an IPv4 address mapped into IPv6 stays as it is. */
export const neighbourhood = (address: string): string => prefixOf(address, 4)

/** The caller's IPv6 /48, which belongs to one customer: 65,536 neighbourhoods. An IPv4 address stays as it is. */
export const site = (address: string): string => prefixOf(address, 3)

function prefixOf(address: string, groupsKept: number): string {
  if (!address.includes(':')) return address
  const groups = address.split(':')
  if (groups.length !== 8) return address
  return /^(0{1,4}:){5}ffff/.test(address) ? address : groups.slice(0, groupsKept).join(':')
}
