import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { SECOND } from './units.ts'

/** The one ClickHouse client. In the sandbox the same URL is served by the embedded engine. */
export function connectClickhouse(slice: {
  clickhouseUrl: string
  clickhouseUser: string
  clickhousePassword: string
  clickhouseDatabase: string
}): ClickHouseClient {
  return createClient({
    url: slice.clickhouseUrl,
    username: slice.clickhouseUser,
    password: slice.clickhousePassword,
    database: slice.clickhouseDatabase,
    request_timeout: 30 * SECOND,
    max_open_connections: 4,
    compression: { request: true, response: true },
    keep_alive: { enabled: true },
  })
}
