import type { Market, Venue } from '../../ingest/contract/market.ts'
import type { Book, Quote } from '../../ingest/contract/quote.ts'
import type { Batch, Sweep } from '../../ingest/contract/stream.ts'
import type { Listed } from '../core/gapRow.ts'
import { type Pair, Pairer, type Refused } from '../core/pairing/pairer.ts'

/** Books of the wanted markets are few; when their number doubles, the ones unheard of longest are forgotten. */
const MAX_BOOKS = 2_000

/** What moved, for boards that keep something computed. */
export type Changes = {
  pairsAdded: Pair[]
  pairsRemoved: string[]
  touched: { venue: Venue; marketId: string }[] // quotes or texts; markets that are gone
  books: { venue: Venue; marketId: string }[] //   depth of wanted markets came
  sweep: boolean //                               a complete sweep ended
}

/** Newest state of every open market of both venues, and the pairs among them. */
export class World {
  readonly #quotes = { a: new Map<string, Quote>(), b: new Map<string, Quote>() }
  readonly #books = new Map<string, Book>()
  readonly #complete: { a: Sweep | null; b: Sweep | null } = { a: null, b: null }
  #pairer = new Pairer()

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

  quote(venue: Venue, marketId: string): Quote | null {
    return this.#quotes[venue].get(marketId) ?? null
  }

  /** A market with its newest quote, as boards look at it. */
  listing(venue: Venue, marketId: string): Listed | null {
    const [market, quote] = [this.market(venue, marketId), this.quote(venue, marketId)]
    return market === null || quote === null ? null : { market, quote }
  }

  /** Of markets with a quote. */
  marketIds(venue: Venue): Iterable<string> {
    return this.#quotes[venue].keys()
  }

  *listed(venue: Venue): Generator<Listed> {
    for (const [marketId, quote] of this.#quotes[venue]) {
      const market = this.market(venue, marketId)
      if (market !== null) yield { market, quote }
    }
  }

  /** Newest depth of a market whose book is polled; null for all others. */
  book(venue: Venue, marketId: string): Book | null {
    return this.#books.get(`${venue}:${marketId}`) ?? null
  }

  #takeBook(book: Book): void {
    const key = `${book.venue}:${book.marketId}`
    if ((this.#books.get(key)?.seenMs ?? 0) > book.seenMs) return
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

  /** Takes over a whole state at once, markets before their quotes; pairs are made afterwards by `pairLoaded`. */
  loadMarket(market: Market): void {
    this.#pairer.load(market)
  }

  /** One of a market that closed while the state was read is passed over. */
  loadQuote(quote: Quote): void {
    this.#takeQuote(quote)
  }

  /** The long half of a warm start, in steps between which others may run. */
  *pairLoaded(): Generator<void> {
    yield* this.#pairer.pairLoaded()
    this.#pairer.drain()
  }

  /** Applies one batch, one market a step: a new market may take a millisecond to pair. */
  *apply(batch: Batch, changes: Changes): Generator<void> {
    if (batch.kind === 'sweep') {
      if (this.#takeSweep(batch.sweep)) changes.sweep = true
    } else if (batch.kind === 'books') {
      for (const book of batch.books) this.#takeBook(book)
      changes.books.push(...batch.books)
    } else if (batch.kind === 'changes') {
      const { venue } = batch
      for (const market of batch.markets) {
        this.#pairer.set(market)
        changes.touched.push({ venue, marketId: market.marketId })
        yield
      }
      for (const quote of batch.quotes)
        if (this.#takeQuote(quote)) changes.touched.push({ venue, marketId: quote.marketId })
      for (const marketId of batch.closed) {
        this.#pairer.remove(venue, marketId)
        this.#quotes[venue].delete(marketId)
        changes.touched.push({ venue, marketId })
        yield
      }
    }
    const { added, removed } = this.#pairer.drain()
    changes.pairsAdded.push(...added)
    changes.pairsRemoved.push(...removed)
  }

  /** Sweeps of two pollers may arrive out of order: freshness never goes back (VEN-04). */
  #takeSweep(sweep: Sweep): boolean {
    const known = this.#complete[sweep.venue]
    if (!sweep.complete || (known !== null && sweep.startedMs <= known.startedMs)) return false
    this.#complete[sweep.venue] = sweep
    return true
  }

  /** A page that was longer on its way does not undo a newer one (VEN-04). */
  #takeQuote(quote: Quote): boolean {
    const known = this.#quotes[quote.venue].get(quote.marketId)
    if (known !== undefined && quote.seenMs < known.seenMs) return false
    if (this.#pairer.market(quote.venue, quote.marketId) === null) return false
    this.#quotes[quote.venue].set(quote.marketId, quote)
    return true
  }

  takeSweep(sweep: Sweep): void {
    this.#takeSweep(sweep)
  }
}

export function noChanges(): Changes {
  return { pairsAdded: [], pairsRemoved: [], touched: [], books: [], sweep: false }
}
