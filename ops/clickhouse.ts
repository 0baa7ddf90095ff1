import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { MINUTE, SECOND } from './units.ts'

/** The one ClickHouse client. In the sandbox the same URL is served by the embedded engine. */
export function connectClickhouse(
  slice: {
    clickhouseUrl: string
    clickhouseUser: string
    clickhousePassword: string
    clickhouseDatabase: string
  },
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
