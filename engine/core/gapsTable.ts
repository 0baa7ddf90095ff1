import type { GapRow } from '../contract/gaps.ts'
import { byPair } from './boards/byPair.ts'
import { higherFirst } from './boards/higherFirst.ts'
import { NearDeadlines } from './boards/nearDeadlines.ts'
import { Pending } from './boards/pending.ts'
import { RankedRows } from './boards/rankedRows.ts'
import { type Gap, gapOf, gapRow, type Listed } from './gapRow.ts'
import type { Pair } from './pairing/pairer.ts'

/**
 * The rows of board `gaps`: only pairs whose quotes or texts moved are computed again, the rest are the same objects in
 * the order they had. Pure: what it needs to know is handed to it.
 */
export class GapsTable {
  readonly #gaps = new Map<string, Gap>()
  readonly #stale = new Pending<string>()
  readonly #sorted: RankedRows<Gap, GapRow>
  readonly #closings = new NearDeadlines(() => this.#closingTimes())
  #nowMs = Number.NEGATIVE_INFINITY
  #fresh = { a: false, b: false }

  /** @param sorted where the rows are kept; it is emptied and reused, so that its publications continue. */
  constructor(sorted = byGap()) {
    sorted.clear()
    this.#sorted = sorted
  }

  /** A pair came, went, or something of its markets moved. */
  touch(pairId: string): void {
    this.#stale.add(pairId)
  }

  /** `executable` asks for fresh data: when a venue turns stale or fresh, every row is written again. */
  setFresh(fresh: { a: boolean; b: boolean }): void {
    if (fresh.a === this.#fresh.a && fresh.b === this.#fresh.b) return
    this.#fresh = fresh
    for (const pairId of this.#gaps.keys()) this.#stale.add(pairId)
  }

  /** Works off what moved, one pair per step: `rows` afterwards says the same, with less left to do. */
  *approach(live: LivePairs, nowMs: number): Generator<void> {
    this.#touchByTime(live, nowMs)
    for (const pairId of this.#stale.take()) {
      this.#refresh(pairId, live, nowMs)
      yield
    }
  }

  /**
   * Rows with a mid on both legs, largest gap first, equal gaps by pair. A market of B past its closing time is no
   * longer traded, whatever its last page said (VEN-11); venue A's end dates are not such a promise.
   */
  rows(live: LivePairs, nowMs: number): RankedRows<Gap, GapRow> {
    this.#touchByTime(live, nowMs)
    for (const pairId of this.#stale.take()) this.#refresh(pairId, live, nowMs)
    return this.#sorted.sort()
  }

  #touchByTime(live: LivePairs, nowMs: number): void {
    //  a clock that was set back opens again what had closed
    if (nowMs < this.#nowMs) for (const pairId of live.ids()) this.#stale.add(pairId)
    for (const pairId of this.#closings.due(nowMs)) this.#stale.add(pairId)
    this.#nowMs = nowMs
  }

  *#closingTimes(): Generator<[number | null, string]> {
    for (const { pair, b } of this.#gaps.values()) yield [b.market.closeMs, pair.pairId]
  }

  #refresh(pairId: string, live: LivePairs, nowMs: number): void {
    const before = this.#gaps.get(pairId)
    if (before !== undefined) this.#sorted.delete(before)
    const gap = this.#gapOf(live.find(pairId), nowMs)
    if (gap === null) {
      this.#gaps.delete(pairId)
      return
    }
    this.#closings.set(gap.b.market.closeMs, pairId)
    this.#gaps.set(pairId, gap)
    this.#sorted.add(gap)
  }

  #gapOf(found: ReturnType<LivePairs['find']>, nowMs: number): Gap | null {
    if (found === null) return null
    const { closeMs } = found.b.market
    if (closeMs !== null && closeMs <= nowMs) return null
    return gapOf(found.pair, found.a, found.b, this.#fresh)
  }
}

/** Largest gap first, equal gaps by pair. */
export const byGap = () =>
  new RankedRows<Gap, GapRow>({
    idOf: ({ pair }) => pair.pairId,
    compare: (x, y) => higherFirst(x.gapCents, y.gapCents) || byPair(x.pair, y.pair),
    toldOf: gapRow,
  })

/** The pairs there are now. */
export type LivePairs = {
  ids(): Iterable<string>
  /** Null while it is no pair, or a leg has no quote. */
  find(pairId: string): { pair: Pair; a: Listed; b: Listed } | null
}
