import { crc32 } from 'node:zlib'
import type { DropCounts } from '../venues/drop.ts'
import type { Known, Slot } from './known.ts'

/** One event as it stood when it was last parsed; about 200 bytes, its own are not kept. */
export type SeenEvent = {
  id: string
  crc: number //               of its bytes
  length: number
  slots: Slot[] //             its open markets, places in `Known`
  drops: DropCounts //         its other rows
}

/**
 * Recognises events whose bytes did not change since the last sweep. Listings come in the same order again and
 * again, so the event expected next is compared by length and checksum where it should begin; only when it is
 * not there, the page is scanned.
 *
 * A checksum of 32 bits overlooks one change in four thousand million. Therefore one event in REREAD is
 * parsed at every sweep even so, and such a change is found some minutes later at the latest.
 *
 * Bound: the events of one complete sweep, which judge.ts bounds by pages.
 */
export class EventCache {
  #order: SeenEvent[] = []
  #placeOf = new Map<string, number>()
  #at = 0
  #sweepId = 0
  #kept: SeenEvent[] = []
  #known: Known | null = null

  begin(sweepId: number, known: Known): void {
    this.#known = known
    this.#at = 0
    this.#sweepId = sweepId
    this.#kept = []
  }

  /** The event that stands at `from`, when it is known and its bytes are unchanged. */
  match(bytes: Buffer, from: number): SeenEvent | null {
    for (let ahead = 0; ahead < 2; ahead++) {
      const event = this.#order[this.#at + ahead]
      if (event === undefined || (this.#at + ahead + this.#sweepId) % REREAD === 0) continue
      const to = from + event.length
      if (bytes[to - 1] !== CLOSE_OBJECT || (bytes[to] !== COMMA && bytes[to] !== CLOSE_LIST)) continue
      if (crc32(bytes.subarray(from, to)) !== event.crc || this.#hasGone(event)) continue
      this.#at += ahead + 1
      return event
    }
    return null
  }

  #hasGone({ slots }: SeenEvent): boolean {
    for (const slot of slots) if (this.#known?.isGone(slot) !== false) return true
    return false
  }

  /** The event that stood at this place instead was read: what follows it is expected next. */
  readInstead(id: string): void {
    const place = this.#placeOf.get(id)
    if (place !== undefined) this.#at = place + 1
  }

  /** For the next sweep, in the order of this one. */
  keep(event: SeenEvent): void {
    this.#kept.push(event)
  }

  /** @param complete false: events that this sweep did not reach are still what they were. */
  end(complete: boolean): void {
    if (!complete) {
      const kept = new Set(this.#kept.map(({ id }) => id))
      for (const event of this.#order) if (!kept.has(event.id)) this.#kept.push(event)
    }
    this.#order = this.#kept
    this.#placeOf = new Map(this.#order.map(({ id }, place) => [id, place]))
    this.#kept = []
  }

  clear(): void {
    this.#order = []
    this.#placeOf.clear()
    this.#kept = []
  }
}

const REREAD = 100
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
