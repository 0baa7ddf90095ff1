import type { Quote } from '../contract/quote.ts'

/** What is compared of one market. Digests stand for the texts, which are in Redis only. */
export type KnownMarket = {
  figures: number //        digest of the raw row's figures; NaN when loaded from Redis, where raw rows are not kept
  text: number //           digest of its texts; NaN likewise
  market: number //         digest of the market's JSON
  quote: number //          digest of the quote's figures
  yesBps: number | null //  mid, else last trade: for the unit-change alarm
  venueMs: number | null
}

/** An index in `Known`; it belongs to one market permanently, and reads as `GONE` once that market has left. */
export type Slot = number

/**
 * Most open markets we keep of a venue, twice as many as we are built for. What is known is forgotten only after a complete
 * sweep: a venue that invented new ones on every page would fill our memory, Redis and the engine's, and stop the other venue too.
 */
const MOST_MARKETS = 400_000

const GONE = -1
const FIELDS = 6
const FIRST_CAPACITY = 1_024

/**
 * What we remember of every open market of one venue, to see whether it changed. Numbers in two arrays: objects
 * and texts for 200,000 markets would cost more in garbage collection than comparing them does. About 150 bytes
 * a market with its id.
 *
 * Slots are never reused, so others may hold on to one; `compact` gives back those that have gone.
 */
export class Known {
  #slotOf = new Map<string, Slot>()
  #slots = 0 //  given out so far
  #fields = new Float64Array(FIELDS * FIRST_CAPACITY)
  #sweeps = new Float64Array(FIRST_CAPACITY)
  readonly most: number

  constructor(most = MOST_MARKETS) {
    this.most = most
  }

  get size(): number {
    return this.#slotOf.size
  }

  ids(): IterableIterator<string> {
    return this.#slotOf.keys()
  }

  find(marketId: string): Slot | undefined {
    return this.#slotOf.get(marketId)
  }

  isGone(slot: Slot): boolean {
    return this.#sweeps[slot] === GONE
  }

  /** Newest sweep that showed it. */
  sweepOf(slot: Slot): number {
    return this.#sweeps[slot]!
  }

  seen(slot: Slot, sweepId: number): void {
    this.#sweeps[slot] = sweepId
  }

  figuresOf = (slot: Slot): number => this.#fields[slot * FIELDS]!
  textOf = (slot: Slot): number => this.#fields[slot * FIELDS + 1]!
  marketOf = (slot: Slot): number => this.#fields[slot * FIELDS + 2]!
  quoteOf = (slot: Slot): number => this.#fields[slot * FIELDS + 3]!
  yesBpsOf = (slot: Slot): number | null => nullable(this.#fields[slot * FIELDS + 4]!)
  venueMsOf = (slot: Slot): number | null => nullable(this.#fields[slot * FIELDS + 5]!)

  /** Remembers a market, new or known. */
  set(marketId: string, market: KnownMarket, sweepId: number): void {
    let slot = this.#slotOf.get(marketId)
    if (slot === undefined) {
      slot = this.#slots++
      this.#slotOf.set(marketId, slot)
      if (slot === this.#sweeps.length) this.#grow()
    }
    const { figures, text, market: digest, quote, yesBps, venueMs } = market
    const at = slot * FIELDS
    const fields = this.#fields
    fields[at] = figures
    fields[at + 1] = text
    fields[at + 2] = digest
    fields[at + 3] = quote
    fields[at + 4] = yesBps ?? Number.NaN
    fields[at + 5] = venueMs ?? Number.NaN
    this.#sweeps[slot] = sweepId
  }

  /** For a raw row that reads differently but means the same. */
  touch(slot: Slot, figures: number, text: number, venueMs: number | null): void {
    const at = slot * FIELDS
    this.#fields[at] = figures
    this.#fields[at + 1] = text
    if (venueMs !== null) this.#fields[at + 5] = venueMs
  }

  delete(marketId: string): void {
    const slot = this.#slotOf.get(marketId)
    if (slot === undefined) return
    this.#sweeps[slot] = GONE
    this.#slotOf.delete(marketId)
  }

  /** Markets that the sweep did not show, or showed only in rows that were refused. */
  notSeenIn(sweepId: number): string[] {
    const missing: string[] = []
    this.#slotOf.forEach((slot, marketId) => {
      if (this.#sweeps[slot] !== sweepId) missing.push(marketId)
    })
    return missing
  }

  /** Gives back the slots of markets that left, once they are the larger part. @returns true: all slots changed. */
  compact(): boolean {
    if (this.#slots < 2 * this.size + FIRST_CAPACITY) return false
    const [slots, fields, sweeps] = [this.#slotOf, this.#fields, this.#sweeps]
    this.#slotOf = new Map()
    this.#slots = 0
    this.#fields = new Float64Array(FIELDS * (slots.size + FIRST_CAPACITY))
    this.#sweeps = new Float64Array(slots.size + FIRST_CAPACITY)
    for (const [marketId, from] of slots) {
      const to = this.#slots++
      this.#slotOf.set(marketId, to)
      this.#fields.set(fields.subarray(from * FIELDS, (from + 1) * FIELDS), to * FIELDS)
      this.#sweeps[to] = sweeps[from]!
    }
    return true
  }

  #grow(): void {
    const [fields, sweeps] = [this.#fields, this.#sweeps]
    this.#fields = new Float64Array(2 * fields.length)
    this.#sweeps = new Float64Array(2 * sweeps.length)
    this.#fields.set(fields)
    this.#sweeps.set(sweeps)
  }
}

const nullable = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** Everything of a quote that is news. The two clocks are not: a quote seen again is the same quote. */
export function quoteFigures(quote: Quote): string {
  return [
    quote.bidBps,
    quote.askBps,
    quote.bidSize,
    quote.askSize,
    quote.lastBps,
    quote.previousBps,
    quote.changeHourBps,
    quote.changeDayBps,
    quote.changeWeekBps,
    quote.volume24h,
  ].join('|')
}

export function yesBps(quote: Quote): number | null {
  const { bidBps, askBps, lastBps } = quote
  return bidBps !== null && askBps !== null ? (bidBps + askBps) / 2 : lastBps
}
