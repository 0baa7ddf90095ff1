import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import type { z } from 'zod'
import { UnavailableError } from '../../ops/errors.ts'
import { redisScript } from '../../ops/redisScript.ts'

const put = redisScript(readFileSync(new URL('./commands/shelfPut.lua', import.meta.url), 'utf8'))

/** What people leave with us: each thing for so long, so many at most; beyond that nothing more is taken. */
export type Shelf<T> = {
  keep(id: string, thing: T): Promise<'kept' | 'there' | 'full'>
  find(id: string): Promise<T | null>
  remove(id: string): Promise<void>
  newest(max: number): Promise<T[]>
}

/** A shelf in the ledger's Redis. Ids are ours or digests: nothing a caller writes gets into a key. */
export function createShelf<T>(
  redis: Redis,
  { name, schema, ttlMs, max }: { name: string; schema: z.ZodType<T>; ttlMs: number; max: number },
): Shelf<T> {
  const all = `community:${name}`
  const keyOf = (id: string) => `${all}:${id}`
  const guarded = async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work
    } catch (error) {
      throw new UnavailableError('ledger_unavailable', 'the ledger did not answer', error)
    }
  }
  const parsed = (text: string | null): T | null => (text === null ? null : schema.parse(JSON.parse(text)))

  return {
    keep: (id, thing) =>
      guarded(put(redis, [keyOf(id), all], [id, JSON.stringify(thing), ttlMs, max])) as ReturnType<
        Shelf<T>['keep']
      >,
    find: async (id) => parsed(await guarded(redis.get(keyOf(id)))),
    remove: async (id) => {
      await guarded(redis.multi().del(keyOf(id)).zrem(all, id).exec())
    },
    newest: async (count) => {
      const ids = await guarded(redis.zrevrange(all, 0, count - 1))
      if (ids.length === 0) return []
      const texts = await guarded(redis.mget(ids.map(keyOf)))
      return texts.map(parsed).filter((thing) => thing !== null)
    },
  }
}
