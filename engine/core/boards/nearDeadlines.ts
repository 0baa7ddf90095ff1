import { MINUTE } from '../../../ops/units.ts'
import { Deadlines } from './deadlines.ts'

/** Everything that has an instant is looked through this often. */
const WINDOW_MS = 10 * MINUTE

/**
 * Deadlines of things that are kept elsewhere with their instants, most of them far ahead: only those of the next minutes are
 * remembered here, and the others are looked for when these are over.
 */
export class NearDeadlines<Key> {
  readonly #all: () => Iterable<readonly [number | null, Key]>
  readonly #windowMs: number
  readonly #near = new Deadlines<Key>()
  #untilMs = Number.NEGATIVE_INFINITY

  /** @param all what is there now, with its instant; null: none. */
  constructor(all: () => Iterable<readonly [number | null, Key]>, windowMs = WINDOW_MS) {
    this.#all = all
    this.#windowMs = windowMs
  }

  /** Something came, or has another instant. */
  set(atMs: number | null, key: Key): void {
    if (atMs !== null && atMs < this.#untilMs) this.#near.set(atMs, key)
  }

  /** Takes out everything whose instant has come: `nowMs` itself is due. */
  *due(nowMs: number): Generator<Key> {
    if (nowMs >= this.#untilMs) {
      this.#untilMs = nowMs + this.#windowMs
      for (const [atMs, key] of this.#all()) this.set(atMs, key)
    }
    yield* this.#near.due(nowMs)
  }
}
