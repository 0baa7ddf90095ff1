import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../ops/clock.ts'
import { MINUTE } from '../../../ops/units.ts'
import type { Series } from './fees.ts'
import { type FeeChange, readFeeChangesB, readSeriesB, withFeeChanges } from './series.ts'

/** The list of series is long. */
const LIST_EVERY_MS = 60 * MINUTE
/** The list of announced changes is short, and a change may be announced shortly before it takes effect. */
const CHANGES_EVERY_MS = 5 * MINUTE
const RETRY_MS = 5 * MINUTE

/** GETs a path of the venue and parses the answer as JSON. */
type Ask = (path: string, signal: AbortSignal) => Promise<unknown>

/**
 * Terms of series as they are now: the venue's list, read once an hour, and the fee changes that it announces, each from its instant on
 * (VEN-21). Without them edges were counted with the former fee until the list was read again. What cannot be read stays
 * as it was known.
 */
export class SeriesTerms {
  readonly #ask: Ask
  readonly #steady: Clock
  #list: ReadonlyMap<string, Series> = new Map()
  #listMs = 0 //                      market clock, when it was read: it has what had changed by then
  #changes: readonly FeeChange[] = []
  #dueMs = { list: 0, changes: 0 } // steady clock
  #now: ReadonlyMap<string, Series> = this.#list
  #inForce = 0 //                     how many changes are included in it

  constructor(ask: Ask, steady: Clock) {
    this.#ask = ask
    this.#steady = steady
  }

  of(ticker: string): Series | null {
    return this.#now.get(ticker) ?? null
  }

  /** Updates the terms. Never throws. @returns whether any of them changed. */
  async refresh(marketNowMs: number, signal: AbortSignal): Promise<boolean> {
    const hasRead = [await this.#readList(marketNowMs, signal), await this.#readChanges(marketNowMs, signal)]
    this.#changes = this.#changes.filter(({ atMs }) => atMs > this.#listMs)
    const inForce = this.#changes.filter(({ atMs }) => atMs <= marketNowMs)
    if (!hasRead.includes(true) && inForce.length === this.#inForce) return false
    const newest = withFeeChanges(this.#list, inForce)
    const isOther = !isDeepStrictEqual(newest, this.#now)
    this.#now = newest
    this.#inForce = inForce.length
    return isOther
  }

  #readList(marketNowMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#read('list', LIST_EVERY_MS, async () => {
      this.#list = readSeriesB(await this.#ask('/series', signal))
      this.#listMs = marketNowMs
    })
  }

  /** A change is no longer announced once its instant has come: it is remembered until a list includes it. */
  async #readChanges(marketNowMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#list.size === 0) return false
    return this.#read('changes', CHANGES_EVERY_MS, async () => {
      const announced = readFeeChangesB(await this.#ask('/series/fee_changes', signal))
      const past = this.#changes.filter(({ atMs }) => atMs <= marketNowMs)
      this.#changes = [...past, ...announced.filter(({ atMs }) => atMs > marketNowMs)]
    })
  }

  async #read(part: 'list' | 'changes', everyMs: number, read: () => Promise<void>): Promise<boolean> {
    const nowMs = this.#steady.nowMs()
    if (nowMs < this.#dueMs[part]) return false
    try {
      await read()
      this.#dueMs[part] = this.#steady.nowMs() + everyMs
      return true
    } catch {
      this.#dueMs[part] = this.#steady.nowMs() + RETRY_MS
      return false
    }
  }
}
