import type { GapRow } from '../contract/gaps.ts'
import { Deadlines } from './boards/deadlines.ts'
import { RankedRows } from './boards/rankedRows.ts'
import { gapRow, type Listed } from './gapRow.ts'
import type { Pair } from './pairing/pairer.ts'

/**
 * The rows of board `gaps`: only pairs whose quotes or texts moved are computed again, the rest are the same objects in
 * the order they had. Pure: what it needs to know is handed to it.
 */
export class GapsTable {
  readonly #pairs = new Map<string, Pair>()
  readonly #ofMarket = { a: new Map<string, string>(), b: new Map<string, string>() }
  readonly #rows = new Map<string, GapRow>()
  readonly #stale = new Set<string>()
  readonly #sorted: RankedRows<GapRow>
  readonly #closings = new Deadlines<string>()
  #nowMs = Number.NEGATIVE_INFINITY
  #fresh = { a: false, b: false }

  /** @param sorted where its rows are kept; emptied, so that what is published of them goes on. */
  constructor(sorted = byGap()) {
    sorted.clear()
    this.#sorted = sorted
  }

  addPair(pair: Pair): void {
    this.#pairs.set(pair.pairId, pair)
    this.#ofMarket.a.set(pair.a, pair.pairId)
    this.#ofMarket.b.set(pair.b, pair.pairId)
    this.#stale.add(pair.pairId)
  }

  removePair(pairId: string): void {
    const pair = this.#pairs.get(pairId)
    if (pair === undefined) return
    this.#pairs.delete(pairId)
    if (this.#ofMarket.a.get(pair.a) === pairId) this.#ofMarket.a.delete(pair.a)
    if (this.#ofMarket.b.get(pair.b) === pairId) this.#ofMarket.b.delete(pair.b)
    this.#leave(pairId)
    this.#stale.delete(pairId)
  }

  /** A quote or text of this market moved. @returns whether a pair hangs on it. */
  touch(venue: 'a' | 'b', marketId: string): boolean {
    const pairId = this.#ofMarket[venue].get(marketId)
    if (pairId !== undefined) this.#stale.add(pairId)
    return pairId !== undefined
  }

  /** `executable` asks for fresh data: when a venue turns stale or fresh, every row is written again. */
  setFresh(fresh: { a: boolean; b: boolean }): void {
    if (fresh.a === this.#fresh.a && fresh.b === this.#fresh.b) return
    this.#fresh = fresh
    this.#touchAll()
  }

  /** Works off what moved, one pair a step: what `rows` says is the same, it has less left to do. */
  *approach(listed: Find, nowMs: number): Generator<void> {
    this.#touchByTime(nowMs)
    for (const pairId of [...this.#stale]) {
      if (this.#stale.delete(pairId)) this.#refresh(pairId, listed, nowMs)
      yield
    }
  }

  /**
   * Rows with a mid on both legs, largest gap first, those of one gap by pair. A market of B past its closing
   * time is not traded any more, whatever its last page said (VEN-11); venue A's end dates are no such promise.
   */
  rows(listed: Find, nowMs: number): RankedRows<GapRow> {
    this.#touchByTime(nowMs)
    for (const pairId of this.#stale) this.#refresh(pairId, listed, nowMs)
    this.#stale.clear()
    return this.#sorted.sort()
  }

  #touchByTime(nowMs: number): void {
    //  a clock that was set back opens again what had closed
    if (nowMs < this.#nowMs) this.#touchAll()
    for (const pairId of this.#closings.due(nowMs)) {
      if (this.#pairs.has(pairId)) this.#stale.add(pairId)
    }
    this.#nowMs = nowMs
  }

  #touchAll(): void {
    for (const pairId of this.#pairs.keys()) this.#stale.add(pairId)
  }

  #leave(pairId: string): void {
    const row = this.#rows.get(pairId)
    if (row === undefined) return
    this.#rows.delete(pairId)
    this.#sorted.delete(row)
  }

  #refresh(pairId: string, listed: Find, nowMs: number): void {
    this.#leave(pairId)
    const row = this.#compute(this.#pairs.get(pairId)!, listed)
    if (row === null) return
    if (row.b.closeMs !== null) {
      if (row.b.closeMs <= nowMs) return
      this.#closings.set(row.b.closeMs, pairId)
    }
    this.#rows.set(pairId, row)
    this.#sorted.add(row)
  }

  #compute(pair: Pair, listed: Find): GapRow | null {
    const [a, b] = [listed('a', pair.a), listed('b', pair.b)]
    return a === null || b === null ? null : gapRow(pair, a, b, this.#fresh)
  }
}

/** Largest gap first, those of one gap by pair. */
export const byGap = () =>
  new RankedRows<GapRow>({
    idOf: ({ pairId }) => pairId,
    compare: (x, y) => y.gapCents - x.gapCents || (x.pairId === y.pairId ? 0 : x.pairId < y.pairId ? -1 : 1),
  })

type Find = (venue: 'a' | 'b', marketId: string) => Listed | null
