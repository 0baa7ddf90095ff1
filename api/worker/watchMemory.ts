import type { Redis } from 'ioredis'
import type { Metrics } from '../../ops/metrics.ts'

const STORES = ['ledger', 'pipeline'] as const

/**
 * How full the two Redis servers are. The ledger opens nothing new in the last tenth of its limit (commands/room.lua);
 * what the pipeline can no longer write turns stale, and is not sold. Without a limit the system kills processes of its
 * own choice.
 */
export function createMemoryWatch({
  metrics,
  ...stores
}: Record<(typeof STORES)[number], Pick<Redis, 'info'>> & { metrics: Metrics }): () => Promise<void> {
  const labels = { store: STORES }
  const used = metrics.gauge('redis_memory_bytes', 'What counts towards the limit of memory', labels)
  const limit = metrics.gauge('redis_memory_limit_bytes', 'maxmemory; 0: there is none', labels)
  return async () => {
    for (const store of STORES) {
      const info = await stores[store].info('memory').catch(() => null) //  other checks report a store that is away
      if (info === null) continue
      const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
      used.set({ store }, figure('used_memory') - figure('mem_not_counted_for_evict'))
      limit.set({ store }, figure('maxmemory'))
    }
  }
}
