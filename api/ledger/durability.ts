import type { Redis } from 'ioredis'

const WANTED = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no', // else what is acknowledged while the log is rewritten is on no disk
  'maxmemory-policy': 'noeviction',
  'replica-read-only': 'yes', // else a store demoted to replica goes on taking writes that its primary then wipes out
}

/**
 * Faults E2, E3: anything less durable than this loses claims on a power cut or under memory pressure.
 * @returns what is wrong, or null.
 * @throws when the store does not answer.
 */
export async function durabilityProblem(redis: Redis): Promise<string | null> {
  try {
    for (const [setting, value] of Object.entries(WANTED)) {
      const [, actual] = (await redis.config('GET', setting)) as [string, string]
      if (actual !== value) return `the ledger has ${setting} ${actual}, it must be ${value}`
    }
    const info = await redis.info('persistence')
    if (!/^loading:0/m.test(info)) return 'the ledger is loading its data' //  async_loading is another word
    if (!/aof_last_write_status:ok/.test(info)) return 'the ledger could not write its log'
    return null
  } catch (error) {
    //  It answers, but refuses us: settings that cannot be seen are not relied on.
    if (error instanceof Error && error.name === 'ReplyError') return 'the ledger does not tell its settings'
    throw error
  }
}
