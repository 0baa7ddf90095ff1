import type { Redis } from 'ioredis'
import { KEYS } from './keys.ts'
import { guarded, writeOn } from './scripts.ts'

/** Times in Unix ms: by rail, up to when it was looked through; `open`, when an intent was last seen open. */
export type Looked = Readonly<Record<string, number>>

/** How far the search for money that nobody names has come, for whichever worker goes on with it. */
export type LookedLedger = {
  looked(): Promise<Looked>
  noteLooked(times: Looked): Promise<void>
}

export function createLookedLedger(redis: Redis): LookedLedger {
  const write = writeOn(redis)
  return {
    looked: async () => {
      const row = await guarded(redis.hgetall(KEYS.intents.looked))
      return Object.fromEntries(Object.entries(row).map(([name, ms]) => [name, Number(ms)]))
    },
    noteLooked: async (times) => {
      const fields = Object.entries(times).flat()
      if (fields.length > 0) await write('HSET', KEYS.intents.looked, ...fields)
    },
  }
}
