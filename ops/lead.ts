import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { describeError } from './errors.ts'
import type { Log } from './log.ts'
import { EVEN_WHEN_FULL } from './redisScript.ts'
import { SECOND } from './units.ts'

/**
 * One leader among several processes, by a lease in Redis with a fencing number. The lease alone does not
 * protect: a leader that slept past it still believes it leads. So every write of a leader carries its fence, and the
 * script that writes compares it with `<name>:fence`.
 */
export type Leadership = {
  /** The fence while we lead, else null. */
  fence(): string | null
  stop(): Promise<void>
}

//  A lease that ran out, say because its holder was busy, and that nobody took since continues as the same term, unless
//  its holder was told of its end: ARGV[3] is the fence of the term its holder still counts as its own. Allowed in a
//  full store, as somebody must lead. The store ends a lease by its own clock: were that set back, a dead holder's
//  lease would last longer by as much, so the last lines shorten it.
const ACQUIRE = `${EVEN_WHEN_FULL}
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  if redis.call('GET', KEYS[2]) == ARGV[3] then return tonumber(ARGV[3]) end
  return redis.call('INCR', KEYS[2])
end
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return tonumber(redis.call('GET', KEYS[2]))
end
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

export const leaderKey = (name: string): string => `${name}:leader`
export const fenceKey = (name: string): string => `${name}:fence`

/** Tries for the lease until stopped; `onChange` hears of every gain and loss. */
export function lead(
  redis: Redis,
  {
    name,
    log,
    leaseMs = 5 * SECOND,
    onChange,
  }: { name: string; log: Log; leaseMs?: number; onChange?(fence: string | null): void },
): Leadership {
  const id = randomUUID()
  let held: { fence: string; untilMs: number } | null = null
  let stopped = false
  let timer: NodeJS.Timeout
  const set = (next: typeof held) => {
    const before = held?.fence ?? null
    held = next
    if (before === (next?.fence ?? null)) return
    log.info({ lease: name, fence: next?.fence ?? null }, next === null ? 'no longer leading' : 'leading')
    onChange?.(next?.fence ?? null)
  }
  const turn = async () => {
    const askedMs = performance.now()
    try {
      const keys = [leaderKey(name), fenceKey(name)]
      const fence = Number(await redis.eval(ACQUIRE, keys.length, ...keys, id, leaseMs, held?.fence ?? ''))
      set(fence === 0 ? null : { fence: String(fence), untilMs: askedMs + leaseMs })
    } catch (error) {
      log.warn({ lease: name, reason: describeError(error) }, 'cannot renew the lease')
      if (held !== null && performance.now() > held.untilMs) set(null)
    }
    if (!stopped) timer = setTimeout(() => (running = turn()), leaseMs / 3)
  }
  let running = turn()
  return {
    fence: () => (held !== null && performance.now() < held.untilMs ? held.fence : null),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
      set(null) //  before another one can lead
      await redis.eval(RELEASE, 1, leaderKey(name), id).catch(() => {})
    },
  }
}
