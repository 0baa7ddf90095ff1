import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { describeError } from '../errors.ts'
import { SECOND } from '../units.ts'
import type { SaleView } from './report.ts'

export type ClickhouseAccess = { url: string; user: string; password: string; database: string }

const WAIT_MS = 5 * SECOND
const REQUEST_TIMEOUT_MS = 5 * SECOND
const LOOK_EVERY_MS = 250

/**
 * Looks for the sale in ClickHouse until it is there: the journal reaches it a moment after the answer.
 * Never throws; analytics may be away while selling goes on.
 */
export async function findSale(
  access: ClickhouseAccess,
  attestationId: string,
  waitMs = WAIT_MS,
): Promise<SaleView> {
  const clickhouse = createClient({
    url: access.url,
    username: access.user,
    password: access.password,
    database: access.database,
    request_timeout: REQUEST_TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF }, //  a row that is not there yet is reported once, at the end
  })
  const startMs = performance.now()
  let problem: string | null = null
  try {
    for (;;) {
      try {
        const answer = await clickhouse.query({
          query: 'SELECT * FROM sales WHERE attestation_id = {id:String} LIMIT 1',
          query_params: { id: attestationId },
          format: 'JSONEachRow',
        })
        const [row] = await answer.json<Record<string, unknown>>()
        problem = null
        if (row !== undefined) return { found: true, waitedMs: performance.now() - startMs, row, problem }
      } catch (error) {
        problem = describeError(error)
      }
      const waitedMs = performance.now() - startMs
      if (waitedMs > waitMs) return { found: false, waitedMs, row: null, problem }
      await sleep(LOOK_EVERY_MS)
    }
  } finally {
    await clickhouse.close()
  }
}
