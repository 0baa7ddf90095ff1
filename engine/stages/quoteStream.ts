import type { Redis } from 'ioredis'
import { QUOTE_STREAM } from '../../ingest/contract/stream.ts'
import { redisScript } from '../../ops/redisScript.ts'
import { SECOND } from '../../ops/units.ts'

/** A place in the quote stream: the id of an entry, and how many entries had been added up to it. */
export type StreamPosition = { id: string; entries: number }

export async function streamEnd(redis: Redis): Promise<StreamPosition> {
  const info = await streamInfo(redis)
  return info === null ? { id: '0-0', entries: 0 } : { id: info.lastId, entries: info.added }
}

/**
 * Were entries after this position cut before they were read, or has the store lost entries that were read? Neither, as
 * long as the stream still holds the entry that was read last, or was cut just behind it. `storeMs`: the store's own
 * time, by which the ids of its entries are made.
 */
export async function lookAtStream(
  redis: Redis,
  { id, entries }: StreamPosition,
): Promise<{ hasLostEntries: boolean; storeMs: number }> {
  const [count, seconds, micros] = (await countAt(redis, [QUOTE_STREAM], [id])) as [number, string, string]
  const storeMs = Number(seconds) * SECOND + Math.floor(Number(micros) / 1_000)
  if (count === 1) return { hasLostEntries: false, storeMs }
  const info = await streamInfo(redis)
  const hasLostEntries = info === null ? entries > 0 : info.added - info.length !== entries
  return { hasLostEntries, storeMs }
}

/** When an entry was written, by the store's time. */
export const writtenMsOf = (id: string): number => Number(id.split('-')[0])

//  KEYS[1] stream  ARGV[1] id → whether it holds that entry, 1 or 0, and the store's time in seconds and microseconds.
//  XINFO is not used for every read: its answer includes the first and the last entry, up to a megabyte each, which was
//  most of the engine's garbage.
const countAt = redisScript(`
local time = redis.call('TIME')
return {#redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]), time[1], time[2]}`)

async function streamInfo(redis: Redis): Promise<{ lastId: string; added: number; length: number } | null> {
  try {
    const reply = (await redis.xinfo('STREAM', QUOTE_STREAM)) as (string | number)[]
    const field = (name: string) => reply[reply.indexOf(name) + 1]
    return {
      lastId: String(field('last-generated-id')),
      added: Number(field('entries-added')),
      length: Number(field('length')),
    }
  } catch (error) {
    if (error instanceof Error && /no such key/i.test(error.message)) return null
    throw error
  }
}
