import type { EventFrame } from './frames.ts'
import { BEFORE_ALL, compareIds, msOf, type StreamId } from './streamId.ts'

/** Bytes of events kept, whatever their number: 20,000 cards of two kilobytes are 40 MB. */
const LOG_MAX_BYTES = 96 * 1024 * 1024

/** Where a resume begins: the place of the first event it has not seen, or why there is none. */
export type Resume = { at: number } | { gap: 'trimmed' | 'unknown_id' }

/**
 * The retained events in memory, each serialised once; readers keep a place and read on from it. Places count from the
 * start of the process and are never reused. An event that the store has trimmed may still be here and is then sent.
 */
export class FeedLog {
  readonly #maxEvents: number
  readonly #ring: (EventFrame | undefined)[] = [] // an event lies at its place, modulo #maxEvents
  #first = 0 //         place of the oldest event
  #end = 0 //           just after the place of the newest
  #bytes = 0
  #told = 0 //          bytes of all events ever appended
  #lastId: StreamId
  #floor: StreamId //   all events after it are here

  /** @param floor no event after this id was trimmed. */
  constructor(maxEvents: number, floor: StreamId) {
    this.#maxEvents = maxEvents
    this.#floor = floor
    this.#lastId = floor
  }

  /** The place after the newest event. */
  get end(): number {
    return this.#end
  }
  get lastId(): StreamId {
    return this.#lastId
  }
  get oldestId(): StreamId | null {
    return this.at(this.#first)?.id ?? null
  }
  /** Grows by the size of every event: the difference of two values is what was appended between them. */
  get toldBytes(): number {
    return this.#told
  }

  /** Undefined: trimmed, or not there yet. */
  at(place: number): EventFrame | undefined {
    return this.#first <= place && place < this.#end ? this.#ring[place % this.#maxEvents] : undefined
  }

  append(event: EventFrame): void {
    if (this.#end - this.#first === this.#maxEvents) this.#dropOldest()
    this.#ring[this.#end++ % this.#maxEvents] = event
    this.#bytes += event.sse.byteLength
    this.#told += event.sse.byteLength
    this.#lastId = event.id
    while (this.#bytes > LOG_MAX_BYTES) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.at(this.#first)!
    this.#ring[this.#first++ % this.#maxEvents] = undefined
    this.#bytes -= oldest.sse.byteLength
    this.#floor = oldest.id
  }

  /** Notes an entry of the store as the newest known, even if it could not be read. */
  reached(id: StreamId): void {
    if (compareIds(id, this.#lastId) > 0) this.#lastId = id
  }

  /**
   * An id we know is that of an event here, or where we began. Any other id was given by a store that has lost it
   * since: what its reader holds as open may not be open here, even though newer ids exist. That goes for an id older
   * than all events too, although none was trimmed: the store lost everything and began anew. No store gives one of
   * millisecond 0: whoever sends that asks for all there is.
   */
  resume(id: StreamId): Resume {
    if (compareIds(id, this.#lastId) > 0) return { gap: 'unknown_id' }
    if (compareIds(id, this.#floor) < 0) return { gap: 'trimmed' }
    const at = this.#firstBehind(id)
    const isOurs = id === this.#floor || id === this.#lastId || this.at(at - 1)?.id === id
    const isBeforeAll = msOf(id) === 0 && this.#floor === BEFORE_ALL
    return isOurs || isBeforeAll ? { at } : { gap: 'unknown_id' }
  }

  /** Place of the first event after an id. */
  #firstBehind(id: StreamId): number {
    let low = this.#first
    let high = this.#end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (compareIds(this.at(middle)!.id, id) > 0) high = middle
      else low = middle + 1
    }
    return low
  }
}
