import type { Redis } from 'ioredis'
import { keepSubscribed } from '../../ops/redis.ts'
import { SECOND } from '../../ops/units.ts'

/** The ledger says on this channel which claim was decided. A lost message costs a second, not an answer. */
export const SETTLED_CHANNEL = 'claims:decided'

const POLL_MS = 1 * SECOND

/** Requests of this process that wait for a claim: woken by the channel, and by a slow poll beside it. */
export function createWaiters(subscriber: Redis) {
  const waiting = new Map<string, Set<() => void>>()
  keepSubscribed(subscriber, SETTLED_CHANNEL)
  subscriber.on('message', (_, key: string) => {
    for (const wake of waiting.get(key) ?? []) wake()
  })

  return {
    /** @param look gives the value once there is one; called first, then on every wake-up. */
    async wait<T>(key: string, timeoutMs: number, look: () => Promise<T | null>): Promise<T | null> {
      const deadline = performance.now() + timeoutMs
      const pending: { wake: () => void } = { wake: () => {} }
      const wakers = waiting.get(key) ?? new Set()
      waiting.set(key, wakers)
      let woken = false
      const onMessage = () => {
        woken = true
        pending.wake()
      }
      wakers.add(onMessage)
      try {
        for (;;) {
          woken = false
          const found = await look()
          if (found !== null) return found
          const leftMs = deadline - performance.now()
          if (leftMs <= 0) return null
          if (woken) continue
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.min(POLL_MS, leftMs))
            pending.wake = () => {
              clearTimeout(timer)
              resolve()
            }
          })
        }
      } finally {
        wakers.delete(onMessage)
        if (wakers.size === 0) waiting.delete(key)
      }
    },
  }
}
