import { MINUTE } from '../../../ops/units.ts'
import { Deadlines } from './deadlines.ts'

/** How often everything that has an instant is looked through. */
const WINDOW_MS = 10 * MINUTE

/**
 * Deadlines of things that are kept elsewhere with their instants, most of them far ahead: only those of the next
 * window are remembered here; when it ends, all of them are looked through for the next one.
 */
export class NearDeadlines<Key> {
  readonly #all: () => Iterable<readonly [number | null, Key]>
  readonly #windowMs: number
  readonly #near = new Deadlines<Key>()
  #untilMs = Number.NEGATIVE_INFINITY

  /** @param all everything there is now, each with its instant; null: it has none. */
  constructor(all: () => Iterable<readonly [number | null, Key]>, windowMs = WINDOW_MS) {
    this.#all = all
    this.#windowMs = windowMs
  }

  /** Something was added, or its instant changed. */
  set(atMs: number | null, key: Key): void {
    if (atMs !== null && atMs < this.#untilMs) this.#near.set(atMs, key)
  }

  /** Takes out every key whose instant has come; one due at exactly `nowMs` is included. */
  *due(nowMs: number): Generator<Key> {
    if (nowMs >= this.#untilMs) {
      this.#untilMs = nowMs + this.#windowMs
      for (const [atMs, key] of this.#all()) this.set(atMs, key)
    }
    yield* this.#near.due(nowMs)
  }
}
