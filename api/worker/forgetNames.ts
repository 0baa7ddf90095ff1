import type { Redis } from 'ioredis'
import { isNamed } from '../classic/intent.ts'
import { type ChangePorts, change } from '../classic/money.ts'

const SCANNED = 1_000
const ROW = /^intent:([0-9a-f]{64})$/

/**
 * Rewrites intents that still contain their buyer's name (`classic/intent.ts`), even those that nobody asks for any
 * more. One pass over the ledger's keys, a thousand at a time. Safe to run twice, and beside requests.
 * @returns how many there were.
 */
export async function forgetNames({ redis, ...ports }: ChangePorts & { redis: Redis }): Promise<number> {
  let rewritten = 0
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'intent:*', 'COUNT', SCANNED)
    for (const key of keys) {
      const name = ROW.exec(key)?.[1]
      const found = name === undefined ? null : await ports.intents.find(name)
      if (name === undefined || found === null || !isNamed(JSON.parse(found.body))) continue
      await change(name, (intent) => ({ ...intent }), ports)
      rewritten++
    }
    cursor = next
  } while (cursor !== '0')
  return rewritten
}
