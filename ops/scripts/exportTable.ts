import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { EXPORTS, type ExportOrder, FORMATS } from './exportOrder.ts'

export type ExportedFile = { file: string; rows: number; bytes: number }

/**
 * Writes one file a day that has rows. Bytes pass through as the database sends them: memory does not grow with the
 * day. A file has its name only when it is complete and on disk; whatever stops us leaves the earlier files, and what
 * was there before.
 * @throws what the database or the disk says; nothing half is left behind.
 */
export async function exportTable(
  client: ClickHouseClient,
  order: Pick<ExportOrder, 'table' | 'format' | 'from' | 'to' | 'out'>,
  onFile: (file: ExportedFile) => void,
): Promise<void> {
  const { table, format, out } = order
  await mkdir(out, { recursive: true })
  for (const { day, rows } of await daysWithRows(client, order)) {
    const file = join(out, `${table}-${day}.${format}`)
    const part = `${file}.${process.pid}.part`
    try {
      await writeDay(client, order, day, part)
      await rename(part, file)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
    onFile({ file, rows, bytes: (await stat(file)).size })
  }
}

async function daysWithRows(
  client: ClickHouseClient,
  { table, from, to }: Pick<ExportOrder, 'table' | 'from' | 'to'>,
): Promise<{ day: string; rows: number }[]> {
  const { from: source, at } = EXPORTS[table]
  const answer = await client.query({
    query: `SELECT toString(toDate(${at})) AS exported_day, toFloat64(count()) AS exported_rows FROM ${source}
WHERE ${at} >= toDate({from:String}) AND ${at} < toDate({to:String}) + 1 GROUP BY exported_day ORDER BY exported_day`,
    query_params: { from, to },
    format: 'JSONEachRow',
  })
  const days = await answer.json<{ exported_day: string; exported_rows: number }>()
  return days.map((one) => ({ day: one.exported_day, rows: one.exported_rows }))
}

/** All of them, computed ones too, which `*` leaves out. */
async function columnsOf(client: ClickHouseClient, table: string): Promise<string> {
  const answer = await client.query({
    query: `SELECT name FROM system.columns
WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  const columns = await answer.json<{ name: string }>()
  return columns.map(({ name }) => `\`${name}\``).join(', ')
}

async function writeDay(
  client: ClickHouseClient,
  { table, format }: Pick<ExportOrder, 'table' | 'format'>,
  day: string,
  part: string,
): Promise<void> {
  const { from: source, at } = EXPORTS[table]
  const columns = await columnsOf(client, table)
  const { stream } = await client.exec({
    query: `SELECT ${columns} FROM ${source} WHERE ${at} >= toDate({day:String}) AND ${at} < toDate({day:String}) + 1
ORDER BY ${at} FORMAT ${FORMATS[format]}`,
    query_params: { day },
    clickhouse_settings: {
      wait_end_of_query: 1, // an error is a status, never the last line of a file
      format_csv_null_representation: '', // an empty text has quotes
    },
  })
  await pipeline(stream, createWriteStream(part, { flags: 'wx' }))
  const handle = await open(part, 'r')
  await handle.sync()
  await handle.close()
}
