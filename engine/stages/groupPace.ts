import { SECOND } from '../../ops/units.ts'

/** At most one publication of a group in this time, and about a sixth of a processor: during a sweep every page changes something. */
export const MIN_INTERVAL_MS = 100
export const SHARE = 5
/** It rests no longer than this: a first publication may cost seconds, the next ones do not. */
export const LONGEST_REST_MS = 1 * SECOND
/** Time alone changes what is said, as contracts close and books grow old: without any news it is looked at again after this. */
export const LONGEST_SILENCE_MS = 5 * SECOND
/** A failed publication is tried again after this. */
export const RETRY_MS = 1 * SECOND

/** Real time, and what this process has worked in it: on a busy machine we wait longer than we work. */
export type Meter = { nowMs(): number; workedMs(): number }

const METER: Meter = {
  nowMs: () => performance.now(),
  workedMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
}

/** When one group of boards is due. */
export class GroupPace {
  readonly #everyMs: number
  readonly #meter: Meter
  #changed = false
  #changedMs: number | null = null // when the newest change was written to the stream
  #said = ''
  #saying = ''
  #beganMs = Number.NEGATIVE_INFINITY
  #beganWorkedMs = 0
  #notBeforeMs = Number.NEGATIVE_INFINITY

  /** @param everyMs at most one publication in this time because something changed. */
  constructor(everyMs: number, meter = METER) {
    this.#everyMs = everyMs
    this.#meter = meter
  }

  change(writtenMs: number | null): void {
    this.#changed = true
    if (writtenMs !== null) this.#changedMs = Math.max(this.#changedMs ?? 0, writtenMs)
  }

  /** Milliseconds until it is due. @param saying the freshness of the venues as text. */
  dueInMs(saying: string): number {
    const nowMs = this.#meter.nowMs()
    if (saying !== this.#said) return this.#notBeforeMs - nowMs
    const everyMs = this.#changed ? this.#everyMs : Math.max(this.#everyMs, LONGEST_SILENCE_MS)
    return Math.max(this.#notBeforeMs, this.#beganMs + everyMs) - nowMs
  }

  /** @returns when the newest change that will be in it was written to the stream. */
  begin(saying: string): number | null {
    const changedMs = this.#changedMs
    this.#changed = false
    this.#changedMs = null
    this.#saying = saying
    this.#beganMs = this.#meter.nowMs()
    this.#beganWorkedMs = this.#meter.workedMs()
    return changedMs
  }

  end(): void {
    this.#said = this.#saying
    const worked = this.#meter.workedMs() - this.#beganWorkedMs
    this.#notBeforeMs =
      this.#meter.nowMs() + Math.min(LONGEST_REST_MS, Math.max(MIN_INTERVAL_MS, SHARE * worked))
  }

  fail(changedMs: number | null): void {
    this.change(changedMs)
    this.#said = ''
    this.#notBeforeMs = this.#meter.nowMs() + RETRY_MS
  }
}
