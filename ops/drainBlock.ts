import { readFileSync } from 'node:fs'
import type { DrainOptions, StreamEntry, StreamRow } from './drainStream.ts'
import { EVEN_WHEN_FULL, redisScript } from './redisScript.ts'

//  archiving makes room, so it must work above all when the server is full
const script = redisScript(
  EVEN_WHEN_FULL + readFileSync(new URL('./drainStream.lua', import.meta.url), 'utf8'),
)

export const drainKey = (name: string): string => `drain:${name}`

const keys = (options: DrainOptions): string[] => [drainKey(options.name), options.stream]

/**
 * `number`: no other block has it, even one of the same ids. `doubted`: the id up to which tables may already hold rows
 * of the claimed block; '' for none.
 */
export type Claim = {
  number: string
  first: string
  last: string
  count: number
  dropped: number
  doubted: string
}

export type Standing = {
  cursor: string
  claim: Claim | null
  backlog: number
  newest: string
  counted: string //               where the cursor was put back from; '' when it was not
  isFirst: boolean //              nobody claimed this block before
  given: Map<string, string> //    by table: the newest entry of which it was given rows
}

export async function standing(options: DrainOptions, args: (string | number)[]): Promise<Standing> {
  const answer = (await change(options, args)) as [...string[], number, string[]]
  const given = answer.pop() as string[]
  const isFirst = answer.pop() === 1
  const [cursor, first, last, count, dropped, doubted, backlog, newest, counted, number] = answer as string[]
  const claim = {
    number: number!,
    first: first!,
    last: last!,
    count: Number(count),
    dropped: Number(dropped),
    doubted: doubted!,
  }
  return {
    cursor: cursor!,
    claim: first === '' ? null : claim,
    backlog: Number(backlog),
    newest: newest!,
    counted: counted!,
    isFirst,
    given: new Map(given.flatMap((table, at) => (at % 2 === 0 ? [[table, given[at + 1]!] as const] : []))),
  }
}

export const change = (options: DrainOptions, args: (string | number)[]): Promise<unknown> =>
  script(options.redis, keys(options), args)

/** `more`: the block was full, or not the newest: look again at once. */
export type Drained = { last: string; bytes: number; more: boolean }

/**
 * One block of a drain: claim, read, insert, advance. See drainStream.ts for why it is exactly once.
 * @returns null when there is nothing to drain.
 */
export async function drainBlock(options: DrainOptions): Promise<Drained | null> {
  const { fault, name, sink, onInserted } = options
  let now = await standing(options, ['look'])
  let entries: StreamEntry[] = []
  let more = true
  if (now.claim === null) {
    ;({ entries, full: more } = await readNext(options, now))
    if (entries.length === 0) return null
    const [first, last] = [entries[0]!.id, entries.at(-1)!.id]
    now = await standing(options, ['claim', now.cursor, first, last, entries.length])
    if (now.claim === null) return { last: now.cursor, bytes: 0, more: true } //  another drain was faster: look again
    if (now.claim.first !== first || now.claim.last !== last) entries = await readClaimed(options, now.claim)
  } else entries = await readClaimed(options, now.claim)
  const { claim, isFirst } = now
  fault?.('drain-claimed')
  //  another drain may have done it while we slept: then missing entries were trimmed, and its tokens may be forgotten
  const isOver = async () => {
    const { claim: stands } = await standing(options, ['look'])
    return stands?.number !== claim.number || stands.first !== claim.first || stands.last !== claim.last
  }
  const over: Drained = { last: claim.last, bytes: 0, more: true }
  if (await isOver()) return over
  const dropped = claim.dropped + (claim.count - entries.length)
  const gap = { stream: options.stream, afterId: now.cursor, beforeId: entries[0]?.id ?? claim.last, dropped }
  if (dropped > 0 && options.gap !== undefined) {
    const { table, rows } = options.gap(gap)
    await sink.insert(table, rows as StreamRow[], `${name}:gap:${now.cursor}:${claim.last}`)
  }
  const given: string[] = []
  for (const [table, mapped] of collect(entries, options)) {
    const rows = (await options.onlyNew?.(table, mapped)) ?? mapped
    if (rows.length === 0) continue
    given.push(table, idOf(rows.at(-1)!))
    //  the token identifies a repeated block; where a table may hold its rows in other blocks, their ids do
    const missing = claim.doubted === '' ? rows : await missingIn(options, table, rows)
    if (missing.length === 0) continue
    if (await isOver()) return over
    const again = claim.doubted === '' ? '' : `:${claim.doubted}`
    const token = `${name}:${claim.first}:${claim.last}:${table}${again}`
    await sink.insert(table, missing, token)
    if (!isFirst || again !== '') await insertLost(options, table, rows, token)
    onInserted?.(table, missing.length)
    fault?.('drain-table')
  }
  fault?.('drain-inserted')
  const isOurs = (await change(options, ['advance', claim.number, claim.last, ...given])) === 1
  if (isOurs && dropped > 0) options.onGap?.(gap)
  fault?.('drain-advanced')
  return { last: claim.last, bytes: entries.reduce((sum, entry) => sum + sizeOf(entry), 0), more }
}

/** The rows of each table, in the order of the drain's tables, not of the entries. */
function collect(
  entries: StreamEntry[],
  { tables, map }: DrainOptions,
): [table: string, rows: StreamRow[]][] {
  const byTable = new Map(tables.map((table): [string, StreamRow[]] => [table, []]))
  for (const entry of entries)
    for (const { table, rows } of map(entry)) for (const row of rows) byTable.get(table)!.push(row)
  return [...byTable].filter(([, rows]) => rows.length > 0)
}

/** Those of which the table has none, though they are not too old for it. */
async function missingIn({ sink }: DrainOptions, table: string, rows: StreamRow[]): Promise<StreamRow[]> {
  const held = await sink.held(table, rows)
  const missing = rows.filter((row) => !held.has(idOf(row)))
  if (missing.length === 0) return missing
  const fromMs = await sink.keptFromMs(table) //  asked last: what was removed before is older than this
  return missing.filter(({ stream_ms }) => stream_ms >= fromMs)
}

/** Each loss takes a kill at the same instant of an insert; beyond that something else removes rows. */
const MOST_LOSSES = 3

/**
 * A table records a token before it has the rows; killed in between, it refuses the rows under that token from then
 * on. It does the same with rows that it was given again and lost again. So the lost rows of such a block are looked
 * for and inserted with another token, the same for two drains.
 */
async function insertLost(
  options: DrainOptions,
  table: string,
  rows: StreamRow[],
  token: string,
): Promise<void> {
  for (let time = 1; time <= MOST_LOSSES; time++) {
    const lost = await missingIn(options, table, rows)
    if (lost.length === 0) return
    const what = { drain: options.name, table, rows: lost.length, time }
    options.log.warn(what, 'a table knows a token and not its rows: inserted again')
    await options.sink.insert(table, lost, `${token}:lost${time}`)
  }
}

type Read = { entries: StreamEntry[]; full: boolean }

/** A block ends at the id the cursor was put back from: the entries before it are counted already. */
async function readNext(options: DrainOptions, { cursor, counted }: Standing): Promise<Read> {
  const again = counted === '' ? null : await readBlock(options, cursor, counted)
  if (again === null || again.entries.length === 0) return readBlock(options, cursor, '+')
  return { ...again, full: true }
}

/** Reads on from the cursor in small steps, so that large entries do not pile up beyond the bound. */
async function readBlock(options: DrainOptions, cursor: string, to: string): Promise<Read> {
  const { maxEntries = 1_000, maxBytes = 8 * 1024 * 1024 } = options
  const entries: StreamEntry[] = []
  let bytes = 0
  for (let from = `(${cursor}`; entries.length < maxEntries && bytes < maxBytes; ) {
    const some = await readEntries(options, from, to, Math.min(16, maxEntries - entries.length))
    if (some.length === 0) return { entries, full: false }
    for (const entry of some) {
      const size = sizeOf(entry)
      if (entries.length > 0 && bytes + size > maxBytes) return { entries, full: true }
      bytes += size
      entries.push(entry)
    }
    from = `(${entries.at(-1)!.id}`
  }
  return { entries, full: true }
}

const readClaimed = (options: DrainOptions, { first, last }: { first: string; last: string }) =>
  readEntries(options, first, last, null)

export async function readEntries(
  options: DrainOptions,
  from: string,
  to: string,
  count: number | null,
): Promise<StreamEntry[]> {
  const { redis, stream } = options
  const raw =
    count === null
      ? await redis.xrange(stream, from, to)
      : await redis.xrange(stream, from, to, 'COUNT', count)
  return raw.map(([id, flat]) => {
    const fields: Record<string, string> = {}
    for (let at = 0; at + 1 < flat.length; at += 2) fields[flat[at]!] = flat[at + 1]!
    return { id, ...positionOf(id), fields }
  })
}

export function positionOf(id: string): { ms: number; seq: number } {
  const [ms, seq] = id.split('-').map(Number)
  return { ms: ms!, seq: seq! }
}

function sizeOf(entry: StreamEntry): number {
  let size = 64
  for (const value of Object.values(entry.fields)) size += value.length
  return size
}

const idOf = ({ stream_ms, stream_seq }: StreamRow): string => `${stream_ms}-${stream_seq}`

/** Removes drained entries beyond what other readers are promised. Never an entry after the cursor. */
export async function trim(
  options: DrainOptions,
  retain: { ms: number; entries: number },
  floor: string,
): Promise<void> {
  await change(options, ['trim', retain.ms, retain.entries, floor])
}
