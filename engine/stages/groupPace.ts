import { SECOND } from '../../ops/units.ts'

/** A group is published at most once in this time: during a sweep every page changes something. */
export const MIN_INTERVAL_MS = 100
/** After a publication a group rests for this many times the work it took: it uses about a sixth of a processor. */
export const REST_PER_WORK = 5
/** It rests no longer than this: a first publication may cost seconds, the next ones do not. */
export const LONGEST_REST_MS = 1 * SECOND
/** Time alone changes boards, as contracts close and books grow old: without any change they are published again after this. */
export const LONGEST_SILENCE_MS = 5 * SECOND
/** A failed publication is tried again after this. */
export const RETRY_MS = 1 * SECOND

/** Real time, and the time this process has worked: on a busy machine more of it is spent waiting than working. */
export type Meter = { nowMs(): number; workedMs(): number }

const METER: Meter = {
  nowMs: () => performance.now(),
  workedMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
}

/**
 * When one group of boards is due: when something changed, or at once when a venue's freshness did. Freshness is given
 * as text and only compared.
 */
export class GroupPace {
  readonly #everyMs: number
  readonly #meter: Meter
  #changed = false
  #changedMs: number | null = null //  when the newest change was written to the stream
  #publishedFreshness = '' //          as it was at the last publication that succeeded
  #begun = { freshness: '', atMs: Number.NEGATIVE_INFINITY, workedMs: 0 } // the newest publication
  #notBeforeMs = Number.NEGATIVE_INFINITY

  /** @param everyMs changes lead to at most one publication in this time. */
  constructor(everyMs: number, meter = METER) {
    this.#everyMs = everyMs
    this.#meter = meter
  }

  change(writtenMs: number | null): void {
    this.#changed = true
    if (writtenMs !== null) this.#changedMs = Math.max(this.#changedMs ?? 0, writtenMs)
  }

  /** Milliseconds until it is due. */
  dueInMs(freshness: string): number {
    const nowMs = this.#meter.nowMs()
    if (freshness !== this.#publishedFreshness) return this.#notBeforeMs - nowMs
    const everyMs = this.#changed ? this.#everyMs : LONGEST_SILENCE_MS
    return Math.max(this.#notBeforeMs, this.#begun.atMs + everyMs) - nowMs
  }

  /** @returns when the newest change that will be in it was written to the stream. */
  begin(freshness: string): number | null {
    const changedMs = this.#changedMs
    this.#changed = false
    this.#changedMs = null
    this.#begun = { freshness, atMs: this.#meter.nowMs(), workedMs: this.#meter.workedMs() }
    return changedMs
  }

  end(): void {
    this.#publishedFreshness = this.#begun.freshness
    const workedMs = this.#meter.workedMs() - this.#begun.workedMs
    const restMs = Math.min(LONGEST_REST_MS, Math.max(MIN_INTERVAL_MS, REST_PER_WORK * workedMs))
    this.#notBeforeMs = this.#meter.nowMs() + restMs
  }

  /** @param changedMs as returned by `begin`: that change still has to be published. */
  fail(changedMs: number | null): void {
    this.change(changedMs)
    this.#publishedFreshness = ''
    this.#notBeforeMs = this.#meter.nowMs() + RETRY_MS
  }
}
