import { connectClickhouse } from '../clickhouse.ts'
import { lastWords, RefusedOrder } from '../commandLine.ts'
import { givenKeys, loadConfig } from '../config.ts'
import { endBySignal } from '../shutdown.ts'
import { MINUTE } from '../units.ts'
import { type ExportOrder, readOrder, USAGE } from './exportOrder.ts'
import { sourceOf } from './exportSource.ts'
import { exportTable } from './exportTable.ts'

/** `npm run export`: see USAGE. */
endBySignal()
/** A large day is sorted before its first byte comes. */
const TIMEOUT_MS = 10 * MINUTE

try {
  const order = readOrder(process.argv.slice(2))
  if (order === null) process.stdout.write(USAGE)
  else await run(order)
} catch (error) {
  process.stderr.write(lastWords(error, 'npm run export --'))
  process.exitCode = error instanceof RefusedOrder ? 2 : 1
}

async function run(order: ExportOrder): Promise<void> {
  const source = await sourceOf(order, loadConfig(process.env, 'script'), givenKeys(process.env))
  const client = connectClickhouse(source, { requestTimeoutMs: TIMEOUT_MS })
  let files = 0
  let stay: string[] = []
  try {
    stay = await exportTable(client, order, ({ file, rows, bytes }) => {
      files += 1
      process.stdout.write(`${file}  ${count(rows)} ${rows === 1 ? 'row' : 'rows'}  ${count(bytes)} bytes\n`)
    })
  } finally {
    await client.close()
  }
  for (const day of stay)
    process.stdout.write(
      `${order.table} keeps no more of ${day} than its files have: they stay as they are\n`,
    )
  if (files + stay.length === 0)
    process.stdout.write(`${order.table} has no rows from ${order.from} to ${order.to}\n`)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
