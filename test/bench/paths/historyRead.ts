import type { ClickHouseClient } from '@clickhouse/client'
import { EXAMPLE_QUERIES } from '../../../api/history/queries.ts'
import { connectClickhouse } from '../../../ops/clickhouse.ts'
import { migrate } from '../../../ops/migrate.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { sliceOf, startClickhouse } from '../../support/clickhouse.ts'
import { type Bench, type BenchOptions, withCleanup } from '../support/frame.ts'
import { heldLimit } from '../support/limit.ts'
import { cpuMsOf } from '../support/machine.ts'
import { DAY, makeHistory } from '../support/manyQuotes.ts'
import { medianRound, percentile, type Round } from '../support/statistics.ts'

const LIMIT_MS = 200
const LIMIT_BYTES = 12

/** What an analyst waits for, and what history costs on disk. The yardstick is a limit, not a server. */
export const historyRead: Bench = {
  name: 'history',
  title: 'history: top gap episodes of a day, bytes per archived quote',
  run: (options) =>
    withCleanup(async (later) => {
      const clickhouse = await startClickhouse()
      later(() => clickhouse.stop())
      const slice = sliceOf(clickhouse, 'microdata')
      await migrate(slice)
      const client = connectClickhouse(slice, { requestTimeoutMs: 10 * MINUTE })
      later(() => client.close())
      const startedMs = performance.now()
      await makeHistory(client, options.quotes)
      const madeS = (performance.now() - startedMs) / SECOND

      const [gaps, markets] = [
        await rounds(client, clickhouse.pid, 'widest-gaps', options),
        await rounds(client, clickhouse.pid, 'busiest-markets', options),
      ]
      const quotes = await onDisk(client, 'quotes')
      const bars = await onDisk(client, 'quote_bars_states')
      const bytes = quotes.bytes / quotes.rows
      const top = medianRound(gaps)
      const held = LIMIT_BYTES / bytes
      return {
        name: historyRead.name,
        title: historyRead.title,
        rows: [
          { contender: 'widest gaps of a day', ...top },
          { contender: 'busiest markets, by bars', ...medianRound(markets) },
        ],
        ratios: [
          {
            ...heldLimit(`as fast as a p50 of ${LIMIT_MS} ms`, gaps, ({ p50Ms }) => LIMIT_MS / p50Ms),
            //  by CPU time: how well a machine with nothing else to do holds the limit
            cpu: top.cpuMicros === null ? null : (LIMIT_MS * 1_000) / top.cpuMicros,
          },
          {
            against: `as small as ${LIMIT_BYTES} bytes a quote`,
            perSecond: held,
            cpu: null,
            target: 1,
            range: [held, held],
            met: bytes <= LIMIT_BYTES,
          },
        ],
        remarks: [
          `${count(quotes.rows)} quotes: ${bytes.toFixed(2)} bytes each on disk after merging, made in ${madeS.toFixed(0)} s; ` +
            `bars: ${count(bars.rows)} rows, ${(bars.bytes / bars.rows).toFixed(1)} bytes each.`,
          'One query at a time through HTTP, as the schema page shows them. Fewer: --quotes 100000.',
        ],
      }
    }),
}

async function rounds(
  client: ClickHouseClient,
  pid: number,
  name: string,
  options: BenchOptions,
): Promise<Round[]> {
  const { sql } = EXAMPLE_QUERIES.find((query) => query.name === name)!
  const ask = async () => {
    const answer = await client.query({ query: sql, query_params: { day: DAY }, format: 'JSONEachRow' })
    const text = await answer.text()
    if (text.split('\n').length < 20) throw new Error(`${name} found too little to be worth measuring`)
    return text.length
  }
  const results: Round[] = []
  for (let round = -1; round < options.rounds; round++) {
    const waits: number[] = []
    let bytes = 0
    const cpuBefore = cpuMsOf(pid)
    const beganMs = performance.now()
    do {
      const startedMs = performance.now()
      bytes = await ask()
      waits.push(performance.now() - startedMs)
    } while (performance.now() < beganMs + options.seconds * SECOND)
    const tookMs = performance.now() - beganMs
    const cpuAfter = cpuMsOf(pid)
    const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore
    waits.sort((a, b) => a - b)
    if (round >= 0)
      results.push({
        requests: waits.length,
        perSecond: (waits.length * SECOND) / tookMs,
        bytes,
        generatorShare: 0,
        p50Ms: percentile(waits, 0.5),
        p99Ms: percentile(waits, 0.99),
        cpuMicros: cpuMs === null ? null : (cpuMs / waits.length) * 1_000,
        coreShare: cpuMs === null ? null : cpuMs / tookMs,
      })
  }
  return results
}

async function onDisk(client: ClickHouseClient, table: string): Promise<{ rows: number; bytes: number }> {
  const answer = await client.query({
    query: `SELECT toFloat64(sum(rows)) AS rows, toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
WHERE active AND database = currentDatabase() AND table = {table:String}`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  return (await answer.json<{ rows: number; bytes: number }>())[0]!
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US')
