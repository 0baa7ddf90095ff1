import type { Redis } from 'ioredis'
import { UnavailableError } from '../../ops/errors.ts'
import { isNamed } from '../classic/intent.ts'
import { type ChangePorts, change } from '../classic/money.ts'
import { BrokenRowError } from '../ledger/scripts.ts'

const SCANNED = 1_000
const ROW = /^intent:([0-9a-f]{64})$/

/**
 * Rewrites intents that still contain their buyer's name (`classic/intent.ts`), even those that nobody asks for any
 * more. One pass over the ledger's keys, a thousand at a time. Safe to run twice, and beside requests.
 * @returns how many there were.
 * @throws BrokenRowError at the end, if some cannot be read or rewritten: they may contain a name still.
 */
export async function forgetNames({ redis, ...ports }: ChangePorts & { redis: Redis }): Promise<number> {
  let rewritten = 0
  const unread = new Set<string>()
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'intent:*', 'COUNT', SCANNED)
    for (const key of keys) {
      const name = ROW.exec(key)?.[1]
      if (name === undefined) continue
      try {
        if (await forgetName(name, ports)) rewritten++
      } catch (error) {
        if (error instanceof UnavailableError) throw error
        unread.add(name)
      }
    }
    cursor = next
  } while (cursor !== '0')
  //  without the cause: its words may quote the row
  if (unread.size > 0)
    throw new BrokenRowError(
      `${unread.size} intents cannot be read or rewritten, ${[...unread][0]} among them`,
    )
  return rewritten
}

async function forgetName(name: string, ports: ChangePorts): Promise<boolean> {
  const found = await ports.intents.find(name)
  if (found === null || !isNamed(JSON.parse(found.body))) return false
  await change(name, (intent) => ({ ...intent }), ports)
  return true
}
