import { SECOND } from '../../ops/units.ts'

/** At most one publication of a group in this time, and never more than a fifth of our time. */
const MIN_INTERVAL_MS = 25
const SHARE = 4
/** A failed publication is tried again after this. */
const RETRY_MS = 1 * SECOND

/** When one group of boards is due. Real time, by the monotonic clock. */
export class GroupPace {
  readonly #everyMs: number
  #changed = false
  #changedMs: number | null = null // when the newest change was written to the stream
  #said = ''
  #saying = ''
  #beganMs = Number.NEGATIVE_INFINITY
  #endedMs = Number.NEGATIVE_INFINITY
  #pauseMs = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  change(writtenMs: number | null): void {
    this.#changed = true
    if (writtenMs !== null) this.#changedMs = Math.max(this.#changedMs ?? 0, writtenMs)
  }

  /** Milliseconds until it is due; Infinity when there is nothing to say. @param saying the freshness of the venues as text. */
  dueInMs(saying: string): number {
    const nowMs = performance.now()
    const afterMs = this.#endedMs + Math.max(MIN_INTERVAL_MS, this.#pauseMs)
    if (saying !== this.#said) return afterMs - nowMs
    return this.#changed ? Math.max(afterMs, this.#beganMs + this.#everyMs) - nowMs : Number.POSITIVE_INFINITY
  }

  /** @returns when the newest change that will be in it was written to the stream. */
  begin(saying: string): number | null {
    const changedMs = this.#changedMs
    this.#changed = false
    this.#changedMs = null
    this.#saying = saying
    this.#beganMs = performance.now()
    return changedMs
  }

  end(): void {
    this.#said = this.#saying
    this.#endedMs = performance.now()
    this.#pauseMs = SHARE * (this.#endedMs - this.#beganMs)
  }

  fail(changedMs: number | null): void {
    this.change(changedMs)
    this.#said = ''
    this.#endedMs = performance.now()
    this.#pauseMs = RETRY_MS
  }
}
