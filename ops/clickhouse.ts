import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { Config } from './config.ts'
import { MINUTE, SECOND } from './units.ts'

/** Where the tables are, and who asks. */
export type ClickhouseSlice = {
  clickhouseUrl: string
  clickhouseUser: string
  clickhousePassword: string
  clickhouseDatabase: string
}

export const clickhouseOf = (config: Config): ClickhouseSlice => ({
  clickhouseUrl: config.CLICKHOUSE_URL,
  clickhouseUser: config.CLICKHOUSE_USER,
  clickhousePassword: config.CLICKHOUSE_PASSWORD,
  clickhouseDatabase: config.CLICKHOUSE_DATABASE,
})

/** The one ClickHouse client. In the sandbox the same URL is served by the embedded engine. */
export function connectClickhouse(
  slice: ClickhouseSlice,
  { requestTimeoutMs = 30 * SECOND } = {},
): ClickHouseClient {
  return createClient({
    url: slice.clickhouseUrl,
    username: slice.clickhouseUser,
    password: slice.clickhousePassword,
    database: slice.clickhouseDatabase,
    request_timeout: requestTimeoutMs,
    max_open_connections: 4,
    //  gzip costs 17 ms of CPU a MB of rows here and 4 there; between neighbours the bytes are cheaper
    compression: { request: false, response: true },
    keep_alive: { enabled: true },
    log: { level: ClickHouseLogLevel.OFF }, //  every failure is thrown, and told once by whoever meets it
    //  signs of life, for whatever lies between and ends idle connections
    clickhouse_settings:
      requestTimeoutMs > MINUTE
        ? { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: String(20 * SECOND) }
        : {},
  })
}
