import { clickhouseOf, connectClickhouse } from '../../ops/clickhouse.ts'
import type { Config } from '../../ops/config.ts'
import { describeError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { connectRedis } from '../../ops/redis.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { HISTORY_SCHEMA_KEY } from '../contract/history.ts'
import { drainHistory } from './drains.ts'
import { readSchema } from './readSchema.ts'

const SCHEMA_EVERY_MS = 1 * MINUTE
const RETRY_MS = 5 * SECOND
/**
 * An insert that hangs for longer than this when we stop is aborted, within the time for tidying up: the next engine
 * repeats it, and it takes effect once.
 */
const PATIENCE_MS = 2 * SECOND

/**
 * History in the background of an engine: the drains, and what the schema page is made of. Publishing never waits
 * for it, and whether ClickHouse answers changes nothing else.
 */
export function keepHistory({ config, log, metrics }: { config: Config; log: Log; metrics: Metrics }) {
  const client = connectClickhouse(clickhouseOf(config))
  //  a connection of its own: large blocks must not delay the publisher
  const redis = connectRedis(config.REDIS_URL, { log, name: 'engine-history' })
  const drain = drainHistory({ redis, clickhouse: client, metrics, log })

  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  const publishSchema = async () => {
    let waitMs = SCHEMA_EVERY_MS
    try {
      await redis.set(HISTORY_SCHEMA_KEY, JSON.stringify(await readSchema(client)))
    } catch (error) {
      log.debug({ reason: describeError(error) }, 'the schema of history cannot be read')
      waitMs = RETRY_MS
    }
    if (!stopped) timer = setTimeout(next, waitMs)
  }
  const next = () => {
    working = publishSchema()
  }
  next()

  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      const impatient = setTimeout(() => void client.close(), PATIENCE_MS)
      await Promise.all([drain.stop(), working])
      clearTimeout(impatient)
      await client.close()
      redis.disconnect()
    },
  }
}
