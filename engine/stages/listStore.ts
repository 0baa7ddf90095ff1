import { randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { z } from 'zod'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { KeptLists, snapshotKey } from '../contract/snapshot.ts'
import type { KeptRows } from '../core/boards/keptRows.ts'
import { oldPartsKey, versionKey } from './keys.ts'

/** Lists with at most this many rows together stay in the body: one read gets one value. */
export const INLINE_ROWS = 128
/**
 * Total size of the records kept for a list of this many rows; the newest is always kept. A reader that is further
 * behind reads every row.
 */
export const mostRecorded = (rows: number): number => 1_024 + rows / 2
/** Size of a record: its rows, plus its order, which takes as much room as some rows. */
const recordSize = (rows: number, order: string): number => 1 + rows + Math.floor(order.length / 1_024)

/**
 * Rows carried by one call, about a megabyte: further rows are written ahead, so that no call blocks the store for
 * long.
 */
export const ROWS_AT_ONCE = 1_024

type Lists = Readonly<Record<string, KeptRows>>
type Place = Pick<KeptLists, 'base' | 'at' | 'digest'>
type ListRecord = { at: number; size: number }

/** What a publication does to the lists of a board. */
export type ListChange = {
  kind: 'inline' | 'same' | 'change' | 'base' // all stay in the body · nothing · rows or ranks changed · written from nothing
  lists: Lists
  version: number //       of this publication
  pieces: number //        calls that carry its rows
  before: Place & { rows: number } // the place and number of the rows stored now
  order: string //         line that describes the order, '' when it does not change
  wholeOrder: string //    stored instead of the existing lines; '': the line is appended
  records: readonly ListRecord[] // records kept after it, oldest first
}

type Stored = Place & {
  version: number
  rows: number
  records: readonly ListRecord[]
  orderLength: number
  orderMost: number // a longer one is replaced by a whole order
}

/** What this engine knows of a board's lists in the store; the publishing script checks that it is so. */
export class ListStore {
  readonly #name: string
  #version = 0
  #stored: Stored | null = null

  constructor(name: string) {
    this.#name = name
  }

  /**
   * Called when a term begins and after every failure: continues from what this engine left, if nobody has written
   * since and nothing is lost.
   */
  async read(redis: Redis): Promise<void> {
    await redis.unlink(oldPartsKey(this.#name))
    const [version, value] = await redis.mget(versionKey(this.#name), snapshotKey(this.#name))
    this.#version = Number(version ?? 0)
    if (this.#stored === null) return
    if (this.#stored.version !== this.#version || this.#stored.base !== baseOf(value)) this.forget()
  }

  /** For when the store may hold something this engine does not know of: the lists will be written from nothing. */
  forget(): void {
    this.#stored = null
  }

  /** Nothing is remembered before `commit`. */
  plan(lists: Lists): ListChange {
    const version = this.#version + 1
    const rows = countOf(lists)
    const stored = this.#stored
    const nothing = { lists, version, pieces: 1, order: '', wholeOrder: '', records: [] }
    const base = () => ({ base: randomBytes(8).toString('hex'), at: version, digest: '', rows: 0 })
    if (rows <= INLINE_ROWS) return { ...nothing, kind: 'inline', before: base() }
    const wholeOrder = () => orderLine(lists, (list) => list.order())
    if (stored === null)
      return { ...nothing, kind: 'base', before: base(), pieces: piecesOf(rows), wholeOrder: wholeOrder() }
    const written = sum(Object.values(lists), ({ changed }) => changed)
    const order = orderLine(lists, (list) => list.runs())
    if (written === 0 && order === '')
      return { ...nothing, kind: 'same', before: stored, records: stored.records }
    const isLong = stored.orderLength + order.length > stored.orderMost
    return {
      kind: 'change',
      lists,
      version,
      before: stored,
      pieces: piecesOf(written),
      order,
      wholeOrder: isLong ? wholeOrder() : '',
      records: newestOf(
        [...stored.records, { at: version, size: recordSize(written, order) }],
        mostRecorded(rows),
      ),
    }
  }

  /** The change was published as this version. @param digest of what is stored now. */
  commit(
    { kind, lists, before, order, wholeOrder, records }: ListChange,
    version: number,
    digest: string,
  ): void {
    for (const list of Object.values(lists)) list.settle()
    const { orderLength, orderMost } = this.#stored ?? { orderLength: 0, orderMost: 0 }
    this.#version = version
    this.#stored =
      kind === 'inline'
        ? null
        : {
            version,
            base: before.base,
            at: kind === 'same' ? before.at : version,
            digest,
            rows: countOf(lists),
            records,
            ...(wholeOrder === ''
              ? { orderLength: orderLength + order.length, orderMost }
              : { orderLength: wholeOrder.length, orderMost: 2 * wholeOrder.length + ORDER_LENGTH }),
          }
  }
}

const ORDER_LENGTH = 4_096

const piecesOf = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_AT_ONCE))

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)

const countOf = (lists: Lists): number => sum(Object.values(lists), ({ count }) => count)

function newestOf(records: readonly ListRecord[], most: number): readonly ListRecord[] {
  let from = records.length - 1
  for (let left = most - records[from]!.size; from > 0; from--) {
    left -= records[from - 1]!.size
    if (left < 0) break
  }
  return records.slice(from)
}

/** '' when there is nothing to say. */
function orderLine(lists: Lists, of: (list: KeptRows) => string | null): string {
  const told = Object.entries(lists).flatMap(([key, list]) => {
    const order = of(list)
    return order === null ? [] : [`${JSON.stringify(key)}:${order}`]
  })
  return told.length === 0 ? '' : `{${told.join()}}\n`
}

const Value = z.object({ lists: KeptLists })

/** Null: it was not written by us, or says nothing of lists. */
const baseOf = (value: string | null | undefined): string | null =>
  Value.safeParse(parseJsonOrNull(value ?? '')).data?.lists.base ?? null
