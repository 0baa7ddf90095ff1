import type { Redis } from 'ioredis'

/** Shorter needles would be found by chance. */
const MIN_NEEDLE = 12

/** Which of these strings a text holds. One pass over the text, however many there are. */
export function needlesIn(text: string, needles: Iterable<string>): Set<string> {
  const byHead = new Map<string, string[]>()
  for (const needle of needles) {
    if (needle.length < MIN_NEEDLE) throw new Error(`too short to be looked for: ${needle}`)
    const head = needle.slice(0, MIN_NEEDLE)
    byHead.set(head, [...(byHead.get(head) ?? []), needle])
  }
  const found = new Set<string>()
  for (let at = 0; at + MIN_NEEDLE <= text.length; at++)
    for (const needle of byHead.get(text.slice(at, at + MIN_NEEDLE)) ?? [])
      if (text.startsWith(needle, at)) found.add(needle)
  return found
}

const SCAN_COUNT = 500

/** Every key of a Redis with all that it holds, one text each. @throws where a key is of a kind that cannot be read. */
export async function redisTexts(redis: Redis): Promise<string[]> {
  const texts: string[] = []
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', SCAN_COUNT)
    cursor = next
    texts.push(...(await Promise.all(keys.map(async (key) => `${key} ${await contentOf(redis, key)}`))))
  } while (cursor !== '0')
  return texts
}

async function contentOf(redis: Redis, key: string): Promise<string> {
  const type = await redis.type(key)
  switch (type) {
    case 'none':
      return '' // expired meanwhile
    case 'string':
      return (await redis.get(key)) ?? ''
    case 'hash':
      return JSON.stringify(await redis.hgetall(key))
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1))
    case 'set':
      return JSON.stringify(await redis.smembers(key))
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'))
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'))
    default:
      throw new Error(`cannot read ${key}, a ${type}`)
  }
}
