import { ANALYST_BOUNDS } from '../analyst.ts'
import { RefusedOrder, readArguments } from '../commandLine.ts'
import { DAY } from '../units.ts'

export type Exported = {
  from: string
  at: string
  clock: 'market' | 'real' | 'feed' | 'journal'
  kept?: string // the table that removes the rows; default: of the same name
}
/** What can be exported, the time that puts a row into a day, and the clock that says up to when a day is complete. */
export const EXPORTS = {
  quotes: { from: 'quotes', at: 'seen_at', clock: 'market' },
  quote_bars: { from: 'quote_bars', at: 'hour', clock: 'market', kept: 'quote_bars_states' },
  markets: { from: 'markets FINAL', at: "fromUnixTimestamp64Milli(stream_ms, 'UTC')", clock: 'real' }, // last change
  closings: { from: 'closings', at: 'closed_at', clock: 'real' },
  sweeps: { from: 'sweeps', at: 'started_at', clock: 'market' },
  stream_gaps: { from: 'stream_gaps', at: 'noticed_at', clock: 'real' },
  gap_episodes: { from: 'gap_episodes', at: 'opened_at', clock: 'market' },
  gap_days: { from: 'gap_days', at: 'day', clock: 'market', kept: 'gap_days_states' },
  feed_events: { from: 'feed_events', at: 'at', clock: 'feed' },
  feed_hours: { from: 'feed_hours', at: 'hour', clock: 'feed', kept: 'feed_hours_states' },
  track_record: { from: 'track_record', at: 'day', clock: 'real' }, //                            whole days go
  sales: { from: 'sales', at: "fromUnixTimestamp64Milli(stream_ms, 'UTC')", clock: 'journal' }, // owner only; delivered
  sold_cards: { from: 'sold_cards', at: 'sold_at', clock: 'journal', kept: 'sales' }, //           owner only
} as const satisfies Record<string, Exported>
export type ExportTable = keyof typeof EXPORTS

/** Days on which gaps opened whose episodes were stored on the days of an export. */
const OPENING_DAYS = `SELECT toDate(opened_at) FROM gap_episodes
WHERE fromUnixTimestamp64Milli(stream_ms, 'UTC') >= toDate({from:String})
  AND fromUnixTimestamp64Milli(stream_ms, 'UTC') < toDate({to:String}) + 1`
/**
 * Tables whose days grow long afterwards: their other days that an export writes anew. A gap may be open for months, and
 * is a row of its first day once it has ended. Found by when it was stored, since one that ended unwatched is dated back.
 */
export const GROWN: Partial<Record<ExportTable, string>> = {
  gap_episodes: OPENING_DAYS,
  gap_days: OPENING_DAYS,
}

/** Tables an analyst may not read. Whoever runs a sandbox is its owner too. */
export const OWNERS: ReadonlySet<ExportTable> = new Set<ExportTable>(['sales', 'sold_cards'])

/**
 * Rows of one answer, which is bounded for the analyst (ANALYST_BOUNDS): a day with more is read in pieces. Rows of
 * feed_events are two kilobytes long, and a quote a hundred bytes.
 */
export const PIECE_ROWS: Partial<Record<ExportTable, number>> & { others: number } = {
  others: 250_000,
  quotes: 2_000_000,
  quote_bars: 2_000_000,
}

export const FORMATS = { csv: 'CSVWithNames', parquet: 'Parquet' } as const
export type ExportFormat = keyof typeof FORMATS

/** A `Date` of ClickHouse holds no others but the day after the last, after which it begins again; a text of one is cut to fit. */
const DATES = { first: '1970-01-01', last: '2149-06-05' } as const

/** Most days of one run, so that a person can still look through the folder. */
const MAX_DAYS = 3_660

/** `from` and `to` are UTC days, both exported; see GROWN for others. */
export type ExportOrder = {
  table: ExportTable
  format: ExportFormat
  from: string
  to: string
  out: string
  dataDir: string // of a sandbox; '': look for one
}

export const USAGE = `Exports a table of history, one file a day: <out>/<table>-<day>.<format>
A day that is too large for one answer is read in pieces: into the same file as CSV, as Parquet into one file a piece. A file that
has not all of its day says which part, <out>/<table>-<day>T<hhmm>-<hhmm>.<format>, the end not included: the pieces of a day reach
from 0000 to 2400 together. Of a day that is not over, or not all in the archive, a file says until when it is complete;
it may have rows of later. Of a day that the table no longer keeps all of, a file says from when it is complete, and no file
that has as much of the day is replaced. Sales and sold_cards are of the day they were delivered on, which may be days after
their money came: nothing is promised behind the newest sale, of feed_events and feed_hours nothing behind the newest event. An episode
is there once it has ended, in the file of the day it opened. So an export of gap_episodes or gap_days also writes anew the
earlier days of gaps whose episodes were stored on the days it is asked for (real clock): exported day by day, none is left
out. track_record and sold_cards change after their day, until the gaps of all cards of that day have ended.
Rows of one instant are in one order, so that the same rows make the same file. Of a day whose files were not told yet when an
export was killed, there may be files of two cuts: export it again. A file that ends in .part is of an export that runs, or that
was killed outright (SIGKILL, power): no export reads or removes it; delete it when none runs there.
One minute of more than ${ANALYST_BOUNDS.resultRows.toLocaleString('en-US')} rows is refused to the analyst.

  npm run export -- --table gap_episodes --from 2026-11-01 --to 2026-11-20 --format parquet --out folder

  --table NAME      ${Object.keys(EXPORTS).join(', ')}
                    of these the owner alone reads ${[...OWNERS].join(' and ')}
  --from, --to DAY  first and last day, UTC, YYYY-MM-DD; of the market clock where a table has it
  --format FORMAT   ${Object.keys(FORMATS).join(' or ')}
  --out DIR         made when it is missing; files of the same day are replaced when the new ones are complete
  --data-dir DIR    DATA_DIR of a sandbox; default: the newest that runs

Reads CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and CLICKHOUSE_DATABASE; without CLICKHOUSE_URL the sandbox
that runs here, as its analyst, or its owner where it must be. Days without rows have no file. Exit codes: 0 all there, 2 refused, 1 anything else.
`

/** @throws RefusedOrder that names the argument; null: help was asked for. */
export function readOrder(argv: string[]): ExportOrder | null {
  const { table, format, from, to, out, help, 'data-dir': dataDir = '' } = parse(argv)
  if (help) return null
  return {
    table: oneOf('table', EXPORTS, table),
    format: oneOf('format', FORMATS, format),
    ...days(from, to),
    out: given('out', out),
    dataDir,
  }
}

function parse(argv: string[]) {
  const text = { type: 'string' } as const
  const options = { table: text, format: text, from: text, to: text, out: text, 'data-dir': text }
  return readArguments({ args: argv, options: { ...options, help: { type: 'boolean', short: 'h' } } }).values
}

function oneOf<Known extends Record<string, unknown>>(
  name: string,
  known: Known,
  value: string | undefined,
): keyof Known & string {
  const text = given(name, value)
  if (Object.hasOwn(known, text)) return text
  throw new RefusedOrder(`--${name} ${text}: is none of ${Object.keys(known).join(', ')}`)
}

function days(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const [first, last] = [day('from', from), day('to', to)]
  if (first > last) throw new RefusedOrder('--from: is after --to')
  const count = (Date.parse(last) - Date.parse(first)) / DAY + 1
  if (count > MAX_DAYS)
    throw new RefusedOrder(`--from and --to: ${count} days, at most ${MAX_DAYS} at a time`)
  return { from: first, to: last }
}

function day(name: string, value: string | undefined): string {
  const text = given(name, value)
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text)
    throw new RefusedOrder(`--${name} ${text}: is no day YYYY-MM-DD`)
  if (text < DATES.first || text > DATES.last)
    throw new RefusedOrder(
      `--${name} ${text}: the database has no days before ${DATES.first} or after ${DATES.last}`,
    )
  return text
}

function given(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new RefusedOrder(`--${name}: is missing`)
  return value
}
