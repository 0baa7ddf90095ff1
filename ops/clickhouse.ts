import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { Config } from './config.ts'
import { MINUTE, SECOND } from './units.ts'

/** Where the tables are, and the user that queries them. */
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
    //  gzip costs 17 ms of CPU per MB of rows here and 4 ms in ClickHouse; between neighbours the bytes are cheaper
    compression: { request: false, response: true },
    keep_alive: { enabled: true },
    log: { level: ClickHouseLogLevel.OFF }, //  every failure is thrown, and logged once where it is caught
    //  progress headers keep whatever lies in between from ending an idle connection
    clickhouse_settings:
      requestTimeoutMs > MINUTE
        ? { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: String(20 * SECOND) }
        : {},
  })
}
