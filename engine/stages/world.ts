import type { Market, Venue } from '../../ingest/contract/market.ts'
import type { Book, Quote } from '../../ingest/contract/quote.ts'
import type { Batch, Sweep } from '../../ingest/contract/stream.ts'
import { type Clock, isAhead } from '../../ops/clock.ts'
import type { Listed } from '../core/gapRow.ts'
import { type OnFault, type Pair, Pairer, type Refused } from '../core/pairing/pairer.ts'

/** Only few markets have a wanted book; above this number, the books not heard of for longest are forgotten. */
const MAX_BOOKS = 2_000

/** What moved, for boards that keep something computed. */
export type Changes = {
  pairs: Set<string> //                           came, went, or a leg's quote, text or depth moved
  touched: { venue: Venue; marketId: string }[] // quotes, texts or pairs moved, or the market is gone
  sweep: boolean //                               a complete sweep ended
}

/**
 * Newest state of every open market of both venues, and the pairs among them. What comes later is newer: only one worker of a
 * feed may write, and each batch once (VEN-04, VEN-18). Stamps do not decide that, for a clock may be put right: a price that is
 * passed over once would be wrong until it moves again.
 */
export class World {
  readonly #clock: Clock
  readonly #listed = { a: new Map<string, Listed>(), b: new Map<string, Listed>() }
  readonly #books = new Map<string, Book>()
  readonly #complete: { a: Sweep | null; b: Sweep | null } = { a: null, b: null }
  readonly #pairer: Pairer

  /** @param clock market clock. @param onFault as of `Pairer`. */
  constructor(clock: Clock, onFault?: OnFault) {
    this.#clock = clock
    this.#pairer = new Pairer({ onFault })
  }

  get pairs(): number {
    return this.#pairer.pairs.size
  }

  get isWorn(): boolean {
    return this.#pairer.isWorn
  }

  marketCount(venue: Venue): number {
    return this.#pairer.count(venue)
  }

  market(venue: Venue, marketId: string): Market | null {
    return this.#pairer.market(venue, marketId)
  }

  /** A pair with both its markets; null while a leg has no quote. */
  listedPair(pairId: string): { pair: Pair; a: Listed; b: Listed } | null {
    const pair = this.#pairer.pairs.get(pairId)
    if (pair === undefined) return null
    const [a, b] = [this.listing('a', pair.a), this.listing('b', pair.b)]
    return a === null || b === null ? null : { pair, a, b }
  }

  /** The pair that a market is a leg of. */
  pairOf(venue: Venue, marketId: string): Pair | null {
    return this.#pairer.pairOf(venue, marketId)
  }

  /** A market with its newest quote, as boards look at it: the same object until one of them moves. */
  listing(venue: Venue, marketId: string): Listed | null {
    return this.#listed[venue].get(marketId) ?? null
  }

  /** Ids of the markets that have a quote. */
  marketIds(venue: Venue): Iterable<string> {
    return this.#listed[venue].keys()
  }

  /** Newest depth of a market whose book is polled; null for all others. */
  book(venue: Venue, marketId: string): Book | null {
    return this.#books.get(`${venue}:${marketId}`) ?? null
  }

  #takeBook(book: Book): void {
    const key = `${book.venue}:${book.marketId}`
    this.#books.delete(key) // a map keeps the order of insertion: the oldest comes first
    this.#books.set(key, book)
    for (const oldest of this.#books.keys()) {
      if (this.#books.size <= MAX_BOOKS) break
      this.#books.delete(oldest)
    }
  }

  /** The newest sweep without a missing page: only such a one says how fresh everything is. */
  completeSweep(venue: Venue): Sweep | null {
    return this.#complete[venue]
  }

  refusedCounts(): Record<string, number> {
    return this.#pairer.refusedCounts()
  }

  refusedFrom(firstEvent: number): Iterable<Refused[]> {
    return this.#pairer.refusedFrom(firstEvent)
  }

  livePairs(): Iterable<Pair> {
    return this.#pairer.pairs.values()
  }

  /** Loads a market of a whole state, markets before their quotes; pairs are made afterwards by `pairLoaded`. */
  loadMarket(market: Market): void {
    this.#pairer.load(market)
  }

  /** A quote of a market that closed while the state was read is skipped. */
  loadQuote(quote: Quote): void {
    this.#list(quote)
  }

  /** How fresh the state is; a sweep stamped by a clock that was ahead is ignored. */
  loadSweep(sweep: Sweep): void {
    if (!isAhead(sweep.startedMs, this.#clock.nowMs())) this.#complete[sweep.venue] = sweep
  }

  /** The long half of a warm start, in steps between which others may run. */
  *pairLoaded(): Generator<void> {
    yield* this.#pairer.pairLoaded()
    this.#pairer.drain()
  }

  /** Applies one batch, one market a step: a new market may take a millisecond to pair. */
  *apply(batch: Batch, changes: Changes): Generator<void> {
    const nowMs = this.#clock.nowMs()
    if (batch.kind === 'sweep') {
      if (this.#takeSweep(batch.sweep, nowMs)) changes.sweep = true
    } else if (batch.kind === 'books') {
      for (const book of batch.books) this.#takeBook({ ...book, seenMs: Math.min(book.seenMs, nowMs) })
      for (const { venue, marketId } of batch.books) this.#movePair(venue, marketId, changes)
    } else if (batch.kind === 'changes') {
      const { venue } = batch
      for (const market of batch.markets) {
        this.#pairer.set(market)
        const quote = this.listing(venue, market.marketId)?.quote
        if (quote !== undefined) this.#list(quote)
        this.#touch(venue, market.marketId, changes)
        yield
      }
      for (const quote of batch.quotes) if (this.#list(quote)) this.#touch(venue, quote.marketId, changes)
      for (const marketId of batch.closed) {
        this.#pairer.remove(venue, marketId)
        this.#listed[venue].delete(marketId)
        this.#touch(venue, marketId, changes)
        yield
      }
    }
    for (const { pairId, a, b } of this.#pairer.drain()) {
      changes.pairs.add(pairId)
      changes.touched.push({ venue: 'a', marketId: a }, { venue: 'b', marketId: b })
    }
  }

  #touch(venue: Venue, marketId: string, changes: Changes): void {
    changes.touched.push({ venue, marketId })
    this.#movePair(venue, marketId, changes)
  }

  #movePair(venue: Venue, marketId: string, changes: Changes): void {
    const pair = this.pairOf(venue, marketId)
    if (pair !== null) changes.pairs.add(pair.pairId)
  }

  /** A sweep ahead of our clock counts as fresh as one that comes now, and ages from then on (VEN-08). */
  #takeSweep(sweep: Sweep, nowMs: number): boolean {
    const known = this.#complete[sweep.venue]
    if (!sweep.complete || (known !== null && sweep.sweepId <= known.sweepId)) return false
    const { startedMs, changedMs } = sweep
    this.#complete[sweep.venue] = {
      ...sweep,
      startedMs: Math.min(startedMs, nowMs),
      changedMs: Math.min(changedMs, nowMs),
    }
    return true
  }

  /** @returns whether its market is known. */
  #list(quote: Quote): boolean {
    const market = this.market(quote.venue, quote.marketId)
    if (market === null) return false
    quote.marketId = market.marketId //  it came in its own JSON text: this way the id is in memory once
    this.#listed[quote.venue].set(quote.marketId, { market, quote })
    return true
  }
}

export function noChanges(): Changes {
  return { pairs: new Set(), touched: [], sweep: false }
}
