import { setTimeout as sleep } from 'node:timers/promises'
import { connectClickhouse } from '../../ops/clickhouse.ts'
import type { Config } from '../../ops/config.ts'
import type { Drain } from '../../ops/drainStream.ts'
import { describeError } from '../../ops/errors.ts'
import { createFaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { MigrationError, migrate } from '../../ops/migrate.ts'
import { connectRedis } from '../../ops/redis.ts'
import { SECOND } from '../../ops/units.ts'
import type { IngestMetrics } from '../metrics.ts'
import { startArchive } from './archive.ts'

/**
 * The archive in the background: migrates as soon as ClickHouse answers, then drains. Polling never waits for
 * it; the stream keeps what the archive has not taken yet.
 */
export function keepArchive(slice: Config, archiveLog: Log, counts: IngestMetrics) {
  const stop = new AbortController()
  const connection = {
    clickhouseUrl: slice.CLICKHOUSE_URL,
    clickhouseUser: slice.CLICKHOUSE_USER,
    clickhousePassword: slice.CLICKHOUSE_PASSWORD,
    clickhouseDatabase: slice.CLICKHOUSE_DATABASE,
  }
  const client = connectClickhouse(connection)
  const drainRedis = connectRedis(slice.REDIS_URL, { log: archiveLog, name: 'ingest-archive' })
  let drain: Drain | null = null
  let refused: string | null = null
  const begin = async () => {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      try {
        const applied = await migrate(connection)
        if (applied.length > 0) archiveLog.info({ applied }, 'migrated')
        drain = startArchive({
          redis: drainRedis,
          clickhouse: client,
          metrics: counts,
          log: archiveLog,
          fault: createFaultPoint(slice.FAULT_POINT),
        })
        return
      } catch (error) {
        if (failures % 20 === 0) archiveLog.warn({ reason: describeError(error) }, 'ClickHouse is not ready')
        if (error instanceof MigrationError) {
          refused = error.message
          return
        }
        const waitMs = Math.min(10 * SECOND, 250 * 2 ** failures)
        await sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
  }
  const begun = begin()
  return {
    problem: () => refused,
    close: async () => {
      stop.abort()
      await begun
      await drain?.stop()
      await client.close()
      drainRedis.disconnect()
    },
  }
}
