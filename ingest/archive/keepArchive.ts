import { clickhouseOf, connectClickhouse } from '../../ops/clickhouse.ts'
import { clickhouseSink } from '../../ops/clickhouseSink.ts'
import type { Config } from '../../ops/config.ts'
import { createFaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import { MigrationError, migrate } from '../../ops/migrate.ts'
import { connectRedis } from '../../ops/redis.ts'
import { TABLES } from '../contract/tables.ts'
import type { IngestMetrics } from '../metrics.ts'
import { startArchive } from './archive.ts'

/**
 * The archive in the background: migrates as soon as ClickHouse answers, and whenever it answers again, then drains.
 * Polling never waits for it; the stream keeps what the archive has not taken yet.
 */
export function keepArchive(config: Config, log: Log, metrics: IngestMetrics) {
  const connection = clickhouseOf(config)
  const clickhouse = connectClickhouse(connection)
  const redis = connectRedis(config.REDIS_URL, { log, name: 'ingest-archive' })
  let refused: string | null = null
  const ready = async () => {
    try {
      const applied = await migrate(connection)
      if (applied.length > 0) log.info({ applied }, 'migrated')
      refused = null
    } catch (error) {
      if (error instanceof MigrationError) refused = error.message
      throw error
    }
  }
  const fault = createFaultPoint(config.FAULT_POINT)
  const sink = { ...clickhouseSink(clickhouse, { [TABLES.quotes]: 'seen_at' }), ready }
  const drain = startArchive({ redis, sink, metrics, log, fault })
  return {
    problem: () => refused,
    close: async () => {
      await drain.stop()
      await clickhouse.close()
      redis.disconnect()
    },
  }
}
