import type { Redis } from 'ioredis'
import { z } from 'zod'
import { changesKey, type KeptLists, orderKey, rowsKey } from '../engine/contract/snapshot.ts'
import { quickParse } from '../ops/quickCheck.ts'
import { followOrder, type Orders, readOrder } from './listOrder.ts'
import { PlacedRows } from './placedRows.ts'
import { withSharedCodes } from './sharedCodes.ts'
import { SlotRows } from './slotRows.ts'
import { runInTurns, type Steps } from './steps.ts'

/** Rows fetched at once: about a quarter of a megabyte. They are read in turns. */
export const ROWS_AT_ONCE = 256
/** Pieces of records fetched at once, each a megabyte at most. The first of a further page is known already. */
export const PIECES_AT_ONCE = 4

type Piece = [id: string, fields: string[]]

/** How a row of each list is read. @throws ZodError */
export type RowReaders = Readonly<Record<string, (row: unknown) => unknown>>

export const rowReader = (row: z.ZodType): RowReaders[string] => {
  const read = quickParse(row)
  return (value) => withSharedCodes(read(value))
}

const noRow = rowReader(z.never())

/** Lists as of record `at`. While records are being followed, rows may be newer and the order is that of `orderAt`. */
type Held = {
  base: string
  at: number
  orderAt: number
  orders: Orders
  rows: Record<string, SlotRows<unknown>>
}

/** The lists of one board, kept across versions: only changes are read, and all other rows stay the same objects. */
export class KeptListReader {
  readonly #redis: Redis
  readonly #name: string
  readonly #readers: RowReaders
  #held: Held | null = null

  constructor(redis: Redis, name: string, readers: RowReaders) {
    this.#redis = redis
    this.#name = name
    this.#readers = readers
  }

  /**
   * The lists that a value refers to.
   * @returns null when they had to be read from scratch: that took time, so the newest value must be read again.
   * @throws ZodError or SyntaxError when a row violates the contract, RangeError when an order names a missing row.
   */
  async read(kept: KeptLists): Promise<Record<string, PlacedRows<unknown>> | null> {
    const known = this.#held?.base === kept.base ? this.#held : null
    const held = known && (await this.#follow(known, kept.at))
    this.#held = held ?? (await this.#start(kept))
    if (held === null) return null
    const { orders, rows } = held
    return Object.fromEntries(kept.keys.map((key) => [key, new PlacedRows(orders[key]!, rows[key]!)]))
  }

  /** Reads the order, then all rows, while newer ones may be written: records that follow correct what was mixed. */
  async #start({ base, rowsAt, keys }: KeptLists): Promise<Held> {
    const { orders, orderAt } = readOrder((await this.#redis.get(orderKey(this.#name))) ?? '')
    const rows: Held['rows'] = {}
    for (const key of keys) {
      const order = orders[key]
      if (order === undefined) throw new RangeError(`no order of ${key}`)
      const found = new Map<number, unknown>()
      for (let from = 0; from < order.length; from += ROWS_AT_ONCE) {
        const wanted = [...order.subarray(from, from + ROWS_AT_ONCE)]
        const texts = await this.#redis.hmget(rowsKey(this.#name), ...wanted.map((slot) => `${key}:${slot}`))
        //  a row that went away meanwhile is in a later record, or the whole list is replaced
        await runInTurns(this.#parse(key, found, new Map(wanted.map((slot, at) => [slot, texts[at] ?? '']))))
      }
      rows[key] = SlotRows.none().with(found)
    }
    return { base, at: rowsAt, orderAt, orders, rows }
  }

  /**
   * A record counts only with all its pieces. Their number is not told, but they are numbered from 1, all of them are
   * there before a value names the record, and what goes away later goes from the oldest piece on.
   * @returns null when records or pieces are missing: they are kept for a while only.
   */
  async #follow(held: Held, at: number): Promise<Held | null> {
    if (held.at === at) return held
    const texts: Record<string, Map<number, string>> = {}
    let { at: reached, orders } = held
    let [last, pieceRead] = ['', 0]
    let page: Piece[]
    do {
      const from = last === '' ? `${reached + 1}` : last
      page = await this.#redis.xrange(changesKey(this.#name), from, at, 'COUNT', PIECES_AT_ONCE)
      //  as long as the last piece is there, nothing behind it has been trimmed, and so not the rest of its record
      if (last !== '' && page[0]?.[0] !== last) return null
      for (const [id, fields] of page.slice(last === '' ? 0 : 1)) {
        const [version, piece] = id.split('-').map(Number) as [number, number]
        const isNext =
          version === reached
            ? piece === pieceRead + 1
            : piece === 1 && field(fields, 'behind') === `${reached}`
        if (!isNext) return null
        ;[reached, pieceRead, last] = [version, piece, id]
        noteLines(texts, field(fields, 'rows'))
        const order = field(fields, 'order')
        if (order !== '' && version > held.orderAt) orders = followOrder(orders, order)
      }
    } while (page.length === PIECES_AT_ONCE)
    if (reached !== at) return null
    const { base } = held
    const rows = { ...held.rows }
    for (const [key, changed] of Object.entries(texts)) {
      const found = new Map<number, unknown>()
      await runInTurns(this.#parse(key, found, changed))
      rows[key] = (rows[key] ?? SlotRows.none()).with(found)
    }
    return { base, at, orderAt: at, orders, rows }
  }

  *#parse(key: string, rows: Map<number, unknown>, texts: ReadonlyMap<number, string>): Steps<void> {
    const read = this.#readers[key] ?? noRow
    for (const [slot, text] of texts) {
      rows.set(slot, text === '' ? undefined : read(JSON.parse(text)))
      yield
    }
  }
}

const field = (fields: readonly string[], name: string): string => fields[fields.indexOf(name) + 1] ?? ''

/** If a row has several texts, the last one counts. */
function noteLines(texts: Record<string, Map<number, string>>, lines: string): void {
  for (const line of lines.split('\n')) {
    if (line === '') continue
    const blank = line.indexOf(' ')
    const colon = line.lastIndexOf(':', blank)
    const key = line.slice(0, colon)
    texts[key] ??= new Map()
    texts[key].set(Number(line.slice(colon + 1, blank)), line.slice(blank + 1))
  }
}
