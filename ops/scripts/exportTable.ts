import { randomBytes } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { clickhouseSink } from '../clickhouseSink.ts'
import { UnavailableError } from '../errors.ts'
import { instant } from '../instant.ts'
import { DAY, HOUR, MINUTE } from '../units.ts'
import { EXPORTS, type Exported, type ExportOrder, FORMATS, GROWN, PIECE_ROWS } from './exportOrder.ts'

export type ExportedFile = { file: string; rows: number; bytes: number }

type Order = Pick<ExportOrder, 'table' | 'format' | 'from' | 'to' | 'out'>

/** A range of minutes of a day. */
type Piece = { fromMinute: number; toMinute: number; rows: number }
/**
 * All rows between the two minutes are there.
 * @property keptMinute above 0: the table no longer keeps what was before
 * @property untilMinute DAY_MINUTES only of a day that is over and archived
 */
type Complete = { keptMinute: number; untilMinute: number }
type ExportDay = { day: string; rows: number } & Complete

const DAY_MINUTES = DAY / MINUTE
/** An export takes a while, in which more rows become too old. A sweep takes a while, too: some of its quotes are older. */
const KEPT_MARGIN_MS = 1 * HOUR

/**
 * Writes the days that have rows, and those that have grown (GROWN), one file each; a Parquet file cannot be added to, so
 * there each piece has a file. Bytes pass through as the database sends them: memory does not grow with the day. Files get their names only when all
 * files of their day are complete and on disk; an interruption leaves the days before, and the earlier files of this
 * one. Files that have as much of a day as the table still keeps of it stay as they are.
 * @returns the days of which they do.
 * @throws what the database or the disk says; no half file is left behind, not even by a process that exits
 *   meanwhile.
 */
export async function exportTable(
  client: ClickHouseClient,
  order: Order,
  onFile: (file: ExportedFile) => void,
  pieceRows = PIECE_ROWS[order.table] ?? PIECE_ROWS.others,
): Promise<string[]> {
  const { table, format, out } = order
  await makeFolder(out)
  const run = randomBytes(6).toString('hex') //  no process id: containers that share a folder share those too
  const columns = await columnsOf(client, table)
  const stay: string[] = []
  for (const { day, rows, ...complete } of await daysWithRows(client, order)) {
    const there = complete.keptMinute > 0 ? await filesOfDay(order, day) : []
    if (there.length > 0 && minutesOfFiles(there) >= minutesOfFiles([partOfDay([WHOLE], complete)])) {
      stay.push(day)
      continue
    }
    const minutes = rows <= pieceRows ? [{ minute: 0, rows }] : await minutesOf(client, table, day)
    const pieces = tiled(cut(minutes, pieceRows))
    const files = format === 'csv' ? [pieces] : pieces.map((piece) => [piece])
    const written = new Map<string, Piece[]>()
    const partOf = (file: string) => `${file}.${run}.part`
    const forgetParts = () => {
      for (const file of written.keys()) rmSync(partOf(file), { force: true })
    }
    process.on('exit', forgetParts) //  a signal ends us without an error
    try {
      for (const some of files) {
        const file = join(out, `${table}-${day}${partOfDay(some, complete)}.${format}`)
        written.set(file, some)
        for (const [at, piece] of some.entries())
          await writePiece(client, order, { columns, day, piece, isFirst: at === 0 }, partOf(file))
      }
      for (const file of written.keys()) await rename(partOf(file), file)
    } finally {
      process.off('exit', forgetParts)
      forgetParts() //  there are none when all have their names
    }
    await forgetOthers(order, day, new Set([...written.keys()].map((file) => basename(file))))
    //  reported once no other file holds the same rows any more
    for (const [file, some] of written)
      onFile({
        file,
        rows: some.reduce((sum, piece) => sum + piece.rows, 0),
        bytes: (await stat(file)).size,
      })
  }
  return stay
}

/** As `mkdir` with `recursive`, which asks for ever where a folder that is there takes no new names, as /proc. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    //  another export may have made it meanwhile
    if (error.code !== 'EEXIST' || found !== null) throw error
  })
}

const WHOLE: Piece = { fromMinute: 0, toMinute: DAY_MINUTES, rows: 0 }

/** '' for a whole day. Files that differ in how a day was cut, or in how much of it there was, differ in name. */
function partOfDay(pieces: readonly Piece[], { keptMinute, untilMinute }: Complete): string {
  const [{ fromMinute: first }, { toMinute: last }] = [pieces[0]!, pieces.at(-1)!]
  //  nothing is promised of a piece that is too old as a whole: from its beginning to its beginning
  const fromMinute = keptMinute < last ? Math.max(first, keptMinute) : first
  const toMinute = keptMinute < last ? Math.min(last, Math.max(fromMinute, untilMinute)) : first
  if (fromMinute === 0 && toMinute === DAY_MINUTES) return ''
  return `T${clockOf(fromMinute)}-${clockOf(toMinute)}`
}

const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}${String(minute % 60).padStart(2, '0')}`

/** The same pieces without gaps between them, from the beginning of the day to its end. Pure. */
export const tiled = (pieces: readonly Piece[]): Piece[] =>
  pieces.map(({ rows, toMinute }, at) => ({
    fromMinute: pieces[at - 1]?.toMinute ?? 0,
    toMinute: at === pieces.length - 1 ? DAY_MINUTES : toMinute,
    rows,
  }))

/** Minutes in order, gathered while they have at most `most` rows together. Pure. */
export function cut(minutes: { minute: number; rows: number }[], most: number): Piece[] {
  const pieces: Piece[] = []
  for (const { minute, rows } of minutes) {
    const last = pieces.at(-1)
    if (last !== undefined && last.rows + rows <= most) {
      last.toMinute = minute + 1
      last.rows += rows
    } else pieces.push({ fromMinute: minute, toMinute: minute + 1, rows })
  }
  return pieces
}

/** Files of an earlier export, when the day was smaller or larger, have other names: their rows would be read twice. */
async function forgetOthers(order: Order, day: string, written: ReadonlySet<string>) {
  for (const name of await filesOfDay(order, day)) if (!written.has(name)) await rm(join(order.out, name))
}

async function filesOfDay({ table, format, out }: Order, day: string): Promise<string[]> {
  const ofDay = new RegExp(`^${table}-${day}(?:T\\d{4}(?:-\\d{4})?)?\\.${format}$`)
  return (await readdir(out)).filter((name) => ofDay.test(name))
}

/** How much of their day files say they have, by their names. */
const minutesOfFiles = (names: readonly string[]): number =>
  names.reduce((sum, name) => {
    if (!/T\d{4}/.test(name)) return sum + DAY_MINUTES
    const [, from, to] = /T(\d{4})-(\d{4})/.exec(name) ?? ['', '0000', '0000']
    return sum + minuteOf(to!) - minuteOf(from!)
  }, 0)

const minuteOf = (clock: string): number => 60 * Number(clock.slice(0, 2)) + Number(clock.slice(2))

async function daysWithRows(client: ClickHouseClient, { table, from, to }: Order): Promise<ExportDay[]> {
  const { from: source, at, clock, kept = table }: Exported = EXPORTS[table]
  const grown = GROWN[table] === undefined ? '' : ` OR toDate(${at}) IN (${GROWN[table]})`
  const answer = await client.query({
    query: `SELECT toString(toDate(${at})) AS exported_day, toFloat64(count()) AS exported_rows FROM ${source}
WHERE ${at} >= toDate({from:String}) AND ${at} < toDate({to:String}) + 1${grown} GROUP BY exported_day ORDER BY exported_day`,
    query_params: { from, to },
    format: 'JSONEachRow',
  })
  const days = await answer.json<{ exported_day: string; exported_rows: number }>()
  const { untilMs, lagMs } = await archived(client, clock)
  const keptFromMs = (await clickhouseSink(client).keptFromMs(kept)) + KEPT_MARGIN_MS - lagMs
  return days.map(({ exported_day: day, exported_rows: rows }) => {
    const minuteOfDay = (minutes: number) => Math.max(0, Math.min(minutes, DAY_MINUTES))
    return {
      day,
      rows,
      keptMinute: minuteOfDay(Math.ceil((keptFromMs - Date.parse(day)) / MINUTE)),
      untilMinute: minuteOfDay(Math.floor((untilMs - Date.parse(day)) / MINUTE)),
    }
  })
}

/**
 * How far the archive has come, in ms. It is filled in the order of its stream; each sweep of a venue is an entry.
 * `lagMs`: by how much the real clock, which retention counts on, is ahead of this one.
 */
const ARCHIVED: Record<Exported['clock'], { ms: string; table: string }> = {
  market: { ms: 'toUnixTimestamp64Milli(started_at)', table: 'sweeps' },
  real: { ms: 'stream_ms', table: 'sweeps' },
  feed: { ms: 'toUnixTimestamp64Milli(at)', table: 'feed_events' },
  journal: { ms: 'stream_ms', table: 'sales' },
}

async function archived(client: ClickHouseClient, clock: Exported['clock']) {
  const { ms, table } = ARCHIVED[clock]
  const answer = await client.query({
    query: `SELECT toFloat64(max(${ms})) AS untilMs, toFloat64(min(stream_ms - ${ms})) AS lagMs FROM ${table}`,
    format: 'JSONEachRow',
  })
  const [said] = await answer.json<{ untilMs: number; lagMs: number }>()
  return said!
}

const OF_DAY = (at: string) => `${at} >= toDate({day:String}) AND ${at} < toDate({day:String}) + 1`

async function minutesOf(client: ClickHouseClient, table: Order['table'], day: string) {
  const { from: source, at } = EXPORTS[table]
  const answer = await client.query({
    query: `SELECT toHour(${at}) * 60 + toMinute(${at}) AS minute, toFloat64(count()) AS rows FROM ${source} WHERE ${OF_DAY(at)}
GROUP BY minute ORDER BY minute`,
    query_params: { day },
    format: 'JSONEachRow',
  })
  return answer.json<{ minute: number; rows: number }>()
}

/** All columns, computed ones too, which `*` leaves out. */
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

type Wanted = { columns: string; day: string; piece: Piece; isFirst: boolean }

/** Adds a piece to a file; only the first one says what the columns are. */
async function writePiece(
  client: ClickHouseClient,
  { table, format }: Order,
  { columns, day, piece, isFirst }: Wanted,
  part: string,
): Promise<void> {
  const { from: source, at } = EXPORTS[table]
  const { fromMinute, toMinute } = piece
  const minute = (count: number) => `toDateTime64('${instant(Date.parse(day) + count * MINUTE)}', 3, 'UTC')`
  const { stream } = await client.exec({
    query: `SELECT ${columns} FROM ${source} WHERE ${OF_DAY(at)} AND ${at} >= ${minute(fromMinute)} AND ${at} < ${minute(toMinute)}
ORDER BY ${at}, ${columns} FORMAT ${isFirst ? FORMATS[format] : 'CSV'}`,
    query_params: { day },
    clickhouse_settings: {
      wait_end_of_query: 1, // an error is a status, never the last line of a file
      format_csv_null_representation: '', // an empty text has quotes
    },
  })
  await pipeline(stream, createWriteStream(part, { flags: isFirst ? 'wx' : 'a' }))
  const handle = await open(part, 'r')
  try {
    await refuseCut(handle, format)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What every complete file ends with: the last row's end, or the mark behind Parquet's list of its rows. */
const LAST_BYTES = { csv: '\n', parquet: 'PAR1' } as const satisfies Record<Order['format'], string>

/**
 * An answer without a length, as a proxy that speaks HTTP/1.0 hands on, ends without an error where its sender died, and
 * may end before its first byte.
 * @throws UnavailableError
 */
async function refuseCut(handle: FileHandle, format: Order['format']): Promise<void> {
  const last = Buffer.from(LAST_BYTES[format])
  const { size } = await handle.stat()
  const { buffer } = await handle.read({
    buffer: Buffer.alloc(last.length),
    position: Math.max(0, size - last.length),
  })
  if (!buffer.equals(last))
    throw new UnavailableError('clickhouse_cut', `the answer of the database was cut after ${size} bytes`)
}
