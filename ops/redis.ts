import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log.ts'
import { SECOND } from './units.ts'

/** So many times as long as a command may take a server may say nothing to a connection on which something is asked. */
const SILENT_TIMEOUTS = 2

/**
 * A Redis connection. `url` is redis://…, rediss://… or unix:/path/to.sock.
 *
 * Commands fail `commandTimeoutMs` after they are sent, and those that wait for the ones before them after twice that. They are
 * not queued while the server is away for long: a caller that moves money must learn that the outcome is unknown instead of
 * waiting in an unbounded queue. The client holds what has failed until it is answered all the same, 3 KB each; therefore the
 * connection to a server that stands still is given up, and what is asked until there is another one fails with it.
 * A lost reply is re-sent by the client, so every script with an effect carries an operation id.
 * @param blocking for XREAD BLOCK and the like: no command timeout.
 */
export function connectRedis(
  url: string,
  {
    log,
    name,
    blocking = false,
    commandTimeoutMs = 5 * SECOND,
    ...rest
  }: {
    log: Log
    name: string
    blocking?: boolean
    commandTimeoutMs?: number
  } & RedisOptions,
): Redis {
  const options: RedisOptions = {
    connectionName: name,
    enableAutoPipelining: !blocking,
    maxRetriesPerRequest: blocking ? null : 2,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1 * SECOND),
    ...(blocking
      ? {}
      : { commandTimeout: commandTimeoutMs, socketTimeout: SILENT_TIMEOUTS * commandTimeoutMs }),
    ...rest,
  }
  const redis = url.startsWith('unix:')
    ? new Redis(url.slice('unix:'.length), options)
    : new Redis(url, options)
  let lastWarnedMs = 0
  redis.on('error', (error) => {
    if (Date.now() - lastWarnedMs < 5 * SECOND) return
    lastWarnedMs = Date.now()
    log.warn({ redis: name, reason: error.message }, 'redis connection trouble')
  })
  return redis
}

/** Ends a loop of reads. @param loop waited for, but where the connection is being made again: its commands never end. */
export async function endReads(reader: Redis, loop: Promise<void>): Promise<void> {
  const settles = reader.status === 'ready'
  reader.disconnect()
  if (settles) await loop
}
