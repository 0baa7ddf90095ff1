import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log.ts'
import { SECOND } from './units.ts'

/** A server with commands to answer may stay silent on a connection for this many command timeouts. */
const SILENT_TIMEOUTS = 2

/**
 * A Redis connection. `url` is redis://…, rediss://… or unix:/path/to.sock.
 *
 * Commands fail `commandTimeoutMs` after they are sent; those that wait for earlier ones fail after twice that. They
 * are not queued while the server is away for long: a caller that moves money must learn that the outcome is unknown
 * instead of waiting in an unbounded queue. The client still holds a failed command until it is answered, 3 KB each;
 * therefore the connection to a server that hangs is given up, and commands fail until there is a new connection. After
 * a lost reply the client sends the command again, so every script with an effect carries an operation id.
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

/** The server's own clock, Unix ms. */
export async function storeNowMs(redis: Pick<Redis, 'time'>): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * SECOND + Math.floor(Number(micros) / 1_000)
}

/**
 * Subscribes now and after every reconnect. Not left to the client: if the connection ends before its own subscription
 * is answered, that rejects where nobody catches it, and the process dies.
 */
export function keepSubscribed(redis: Redis, channel: string): void {
  redis.options.autoResubscribe = false
  const subscribe = () => {
    redis.subscribe(channel).catch(() => {}) //  the next connection subscribes
  }
  redis.on('ready', subscribe)
  if (redis.status === 'ready') subscribe()
}

/**
 * Ends a loop of reads.
 * @param loop awaited, unless the connection is being made again: its commands then never end.
 */
export async function endReads(reader: Redis, loop: Promise<void>): Promise<void> {
  const settles = reader.status === 'ready'
  reader.disconnect()
  if (settles) await loop
}
