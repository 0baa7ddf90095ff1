import type { Batch } from '../../ingest/contract/stream.ts'

/** Time after the last page of a sweep within which its changes are published. */
const SETTLED_MS = 300

/**
 * Tells when both venues have been read to the end and nothing is on its way: nobody needs us until the next page
 * comes.
 */
export class Rests {
  readonly #onRest: () => void
  readonly #reading = { a: false, b: false }
  #timer: NodeJS.Timeout | undefined

  constructor(onRest: () => void) {
    this.#onRest = onRest
  }

  note(batch: Batch): void {
    if (batch.kind === 'books') return
    this.#reading[batch.venue] = batch.kind === 'changes'
    clearTimeout(this.#timer)
    if (!this.#reading.a && !this.#reading.b) this.#timer = setTimeout(this.#onRest, SETTLED_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
