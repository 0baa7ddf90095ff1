import type { Venue } from '../../../ingest/contract/market.ts'
import type { Listed } from '../gapRow.ts'
import { isTrading } from './livePair.ts'
import { NearDeadlines } from './nearDeadlines.ts'
import { Pending } from './pending.ts'

/** A market in the state in which it is counted. */
export type Counted = { listed: Listed; trading: boolean }

/**
 * A board over every market: it is told which markets go and which come. A changed market goes in its old state and
 * comes in its new one.
 */
export type ListingTable = { add(counted: Counted): void; remove(counted: Counted): void }

type Find = (venue: Venue, marketId: string) => Listed | null

/**
 * Every market in the state the tables have counted. Most markets do not move between two looks, so those that moved
 * are taken out and put in again instead of counting all of them; passing its closing time also moves a market.
 */
export class Listings {
  readonly #tables: readonly ListingTable[]
  readonly #counted = { a: new Map<string, Listed>(), b: new Map<string, Listed>() }
  readonly #closed = new Set<Listed>() // the counted markets that are no longer traded
  readonly #moved = { a: new Pending<string>(), b: new Pending<string>() }
  readonly #closings = new NearDeadlines(() => this.#closingTimes())
  #nowMs = Number.NEGATIVE_INFINITY

  constructor(tables: readonly ListingTable[]) {
    this.#tables = tables
  }

  *all(venue: Venue): Generator<Counted> {
    for (const listed of this.#counted[venue].values()) yield this.#asCounted(listed)
  }

  /** The counted markets of a venue that are still traded, in their current state. */
  trading(venue: Venue): Listed[] {
    return [...this.#counted[venue].values()].filter((listed) => !this.#closed.has(listed))
  }

  /** Null when no market has this id. */
  get(venue: Venue, marketId: string): Counted | null {
    const listed = this.#counted[venue].get(marketId)
    return listed === undefined ? null : this.#asCounted(listed)
  }

  count(venue: Venue): number {
    return this.#counted[venue].size
  }

  /** A market came, went or moved. */
  touch(venue: Venue, marketId: string): void {
    this.#moved[venue].add(marketId)
  }

  /**
   * Brings the tables up to an instant of the market clock, one market per step; a `look` after it has less left to do.
   */
  *approach(find: Find, nowMs: number): Generator<void> {
    this.#touchByTime(nowMs)
    for (const venue of ['a', 'b'] as const)
      for (const marketId of this.#moved[venue].take()) {
        this.#count(venue, marketId, find(venue, marketId), nowMs)
        yield
      }
  }

  /** Does the same in one go. */
  look(find: Find, nowMs: number): void {
    for (const _ of this.approach(find, nowMs));
  }

  #touchByTime(nowMs: number): void {
    //  a clock that was set back opens again what had closed
    if (nowMs < this.#nowMs) for (const marketId of this.#counted.b.keys()) this.#moved.b.add(marketId)
    for (const marketId of this.#closings.due(nowMs)) this.#moved.b.add(marketId)
    this.#nowMs = nowMs
  }

  #count(venue: Venue, marketId: string, listed: Listed | null, nowMs: number): void {
    const counted = this.#counted[venue]
    const before = counted.get(marketId)
    if (before !== undefined) {
      for (const table of this.#tables) table.remove(this.#asCounted(before))
      this.#closed.delete(before)
    }
    if (listed === null) {
      counted.delete(marketId)
      return
    }
    counted.set(marketId, listed)
    if (!isTrading(listed, nowMs)) this.#closed.add(listed)
    const now = this.#asCounted(listed)
    for (const table of this.#tables) table.add(now)
    const { closeMs } = listed.market
    if (venue === 'b' && now.trading) this.#closings.set(closeMs, marketId)
  }

  *#closingTimes(): Generator<[number | null, string]> {
    for (const { market } of this.trading('b')) yield [market.closeMs, market.marketId]
  }

  #asCounted(listed: Listed): Counted {
    return { listed, trading: !this.#closed.has(listed) }
  }
}
