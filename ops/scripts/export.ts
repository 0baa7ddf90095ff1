import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClickhouseSlice, clickhouseOf, connectClickhouse } from '../clickhouse.ts'
import { givenKeys, loadConfig } from '../config.ts'
import { describeError } from '../errors.ts'
import { findSandbox } from '../purchase/sandbox.ts'
import { endBySignal } from '../shutdown.ts'
import { MINUTE } from '../units.ts'
import { type ExportOrder, OWNERS, RefusedOrder, readOrder, USAGE } from './exportOrder.ts'
import { exportTable } from './exportTable.ts'

/** `npm run export`: see USAGE. */
endBySignal()
const WORLDS = join(dirname(fileURLToPath(import.meta.url)), '../../.data')
/** A large day is sorted before its first byte comes. */
const TIMEOUT_MS = 10 * MINUTE

try {
  const order = readOrder(process.argv.slice(2))
  if (order === null) process.stdout.write(USAGE)
  else await run(order)
} catch (error) {
  const refused = error instanceof RefusedOrder
  const words = refused ? `${error.message}\nSee npm run export -- --help` : describeError(error)
  process.stderr.write(`${words}\n`)
  process.exitCode = refused ? 2 : 1
}

async function run(order: ExportOrder): Promise<void> {
  const client = connectClickhouse(await source(order), { requestTimeoutMs: TIMEOUT_MS })
  let files = 0
  try {
    await exportTable(client, order, ({ file, rows, bytes }) => {
      files += 1
      process.stdout.write(`${file}  ${count(rows)} ${rows === 1 ? 'row' : 'rows'}  ${count(bytes)} bytes\n`)
    })
  } finally {
    await client.close()
  }
  if (files === 0) process.stdout.write(`${order.table} has no rows from ${order.from} to ${order.to}\n`)
}

async function source({ dataDir, table }: ExportOrder): Promise<ClickhouseSlice> {
  const config = loadConfig(process.env, 'script')
  if (givenKeys(process.env).has('CLICKHOUSE_URL')) return clickhouseOf(config)
  const sandbox = await findSandbox(dataDir || config.DATA_DIR, WORLDS).catch(() => null)
  if (sandbox === null)
    throw new RefusedOrder('CLICKHOUSE_URL: is missing, and no sandbox is running here (./ops/start)')
  const { url, user, password, database } = OWNERS.has(table) ? sandbox.journal : sandbox.clickhouse
  return {
    clickhouseUrl: url,
    clickhouseUser: user,
    clickhousePassword: password,
    clickhouseDatabase: database,
  }
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
