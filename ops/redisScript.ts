import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/**
 * A Lua script, sent once and then called by its digest. A server that forgot it (restart, SCRIPT FLUSH) is
 * sent it again. After a lost reply the client sends the call again: every script here tolerates that.
 */
export type RedisScript = (
  redis: Redis,
  keys: string[],
  args: (string | number | Buffer)[],
) => Promise<unknown>

/**
 * Begins a script that writes even when its server is full: a write refused half-way through a purchase would have to
 * be retried for ever. Without it Redis refuses every write beyond its memory limit.
 */
export const EVEN_WHEN_FULL = '#!lua flags=allow-oom\n'

export function redisScript(lua: string): RedisScript {
  const sha = createHash('sha1').update(lua).digest('hex')
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return redis.eval(lua, keys.length, ...keys, ...args)
    }
  }
}
