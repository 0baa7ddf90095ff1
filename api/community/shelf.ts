import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import type { z } from 'zod'
import { redisScript } from '../../ops/redisScript.ts'
import { DAY } from '../../ops/units.ts'
import { guarded } from '../ledger/scripts.ts'

const put = redisScript(readFileSync(new URL('./commands/shelfPut.lua', import.meta.url), 'utf8'))

/** Things that callers leave with us, each kept for a time. Bounded in all, and per day and network. */
export type Shelf<T> = {
  /** @param place digest of the sender's network, whose daily share is bounded; '' if sending already costs enough. */
  keep(id: string, thing: T, place?: string): Promise<'kept' | 'there' | 'full' | 'share'>
  find(id: string): Promise<T | null>
  remove(id: string): Promise<void>
  newest(max: number): Promise<T[]>
}

/** A shelf in the ledger's Redis. Ids are ours or digests: nothing a caller writes gets into a key. */
export function createShelf<T>(
  redis: Redis,
  {
    name,
    schema,
    ttlMs,
    max,
    perDay = 0,
  }: { name: string; schema: z.ZodType<T>; ttlMs: number; max: number; perDay?: number },
): Shelf<T> {
  const all = `community:${name}`
  const keyOf = (id: string) => `${all}:${id}`
  const shareOf = (place: string) => (place === '' ? '' : `${all}:from:${place}`)
  const parsed = (text: string | null): T | null => (text === null ? null : schema.parse(JSON.parse(text)))

  return {
    keep: (id, thing, place = '') => {
      const args = [id, JSON.stringify(thing), ttlMs, max, perDay, DAY]
      return guarded(put(redis, [keyOf(id), all, shareOf(place)], args)) as ReturnType<Shelf<T>['keep']>
    },
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
