import { crc32 } from 'node:zlib'
import { type BodySpace, createBodySpace } from '../../ops/http.ts'
import type { Drop } from '../venues/drop.ts'
import type { Size } from '../venues/venue.ts'
import { MAX_EVENTS } from './judge.ts'
import type { Known, Slot } from './known.ts'

/** One market of an event as last read: an open one has a slot in `Known`, any other the reason why it is refused. */
export type Piece = Size & ({ slot: Slot; drop: null } | { slot: null; drop: Drop })

/** One event as last parsed; about 200 bytes and 60 per market; its own bytes are not kept. */
export type SeenEvent = Size & {
  id: string
  text: number //              digest of what it says about all its markets
  untilMs: number | null //    market clock: its bytes mean something else then; null: never
  pieces: Piece[] //           its markets, in its order
  place: number //             its position in the previous sweep; NOWHERE: it was read in this one
}

const NOWHERE = -1

/**
 * Recognises events whose bytes did not change since the last sweep, and within the others the markets that did not
 * change. Listings come in the same order again and again, so what is expected next is compared by length and checksum
 * where it should begin; only when it is not there, the page is scanned.
 *
 * A checksum of 32 bits overlooks one change in four thousand million. Therefore one event in REREAD is
 * parsed at every sweep even so, and such a change is found an hour or so later at the latest.
 *
 * Bound: the events of one sweep, which judge.ts bounds; after an incomplete one, of it and those before together.
 */
export class EventCache {
  /** Holds the current page; it is finished with before the next one arrives. */
  readonly space: BodySpace = createBodySpace()
  #order: SeenEvent[] = []
  #byId = new Map<string, SeenEvent>()
  #at = 0
  #sweepId = 0
  #kept: SeenEvent[] = []
  #doubted = new Set<Slot>()
  #known: Known | null = null
  #nowMs = 0
  readonly #most: number

  /** @param most events kept of sweeps that were not complete. */
  constructor(most = MAX_EVENTS) {
    this.#most = most
  }

  /** @param nowMs market clock. */
  begin(sweepId: number, known: Known, nowMs: number): void {
    this.#known = known
    this.#nowMs = nowMs
    this.#at = 0
    this.#sweepId = sweepId
    this.#kept = []
    this.#doubted.clear()
  }

  /** The event at `from`, if it is known and its bytes are unchanged. */
  match(bytes: Buffer, from: number): SeenEvent | null {
    for (let ahead = 0; ahead < 2; ahead++) {
      const event = this.#trusted(this.#at + ahead)
      if (event === null || !isSame(bytes, from, event)) continue
      if (this.#hasLost(event)) continue
      this.#at += ahead + 1
      return event
    }
    return null
  }

  /** The event whose markets may be found where `match` found nothing; null when it has to be parsed anew. */
  expected(): SeenEvent | null {
    return this.#trusted(this.#at)
  }

  #trusted(place: number): SeenEvent | null {
    const event = this.#order[place]
    if (event === undefined || (place + this.#sweepId) % REREAD === 0) return null
    return event.untilMs === null || this.#nowMs < event.untilMs ? event : null
  }

  /**
   * Digest of the text of a market that follows in place of this one and differs from it only in its moving figures;
   * null when it has to be parsed.
   */
  textOf(piece: Piece | undefined, terms: number): number | null {
    if (piece === undefined || piece.slot === null || piece.terms !== terms || this.#hasGone(piece))
      return null
    return this.#known!.textOf(piece.slot)
  }

  /** Is this market at `from`, unchanged? */
  holds(bytes: Buffer, from: number, piece: Piece | undefined): piece is Piece {
    return piece !== undefined && isSame(bytes, from, piece) && !this.#hasGone(piece)
  }

  #hasLost({ pieces }: SeenEvent): boolean {
    for (let at = 0; at < pieces.length; at++) if (this.#hasGone(pieces[at]!)) return true
    return false
  }

  #hasGone({ slot }: Piece): boolean {
    return slot !== null && this.#known?.isGone(slot) !== false
  }

  /** Another event was read at the expected place: the one that used to follow it is expected next. */
  readInstead(id: string): void {
    const event = this.#byId.get(id)
    if (event !== undefined && this.#order[event.place] === event) this.#at = event.place + 1
  }

  /** Keeps an event for the next sweep, in the order of this one. */
  keep(event: SeenEvent): void {
    this.#kept.push(event)
  }

  /** The same for an event that was read. */
  keepRead({ id, text, untilMs, crc, length, terms, pieces }: Omit<SeenEvent, 'place'>): void {
    this.#kept.push({ id, text, untilMs, crc, length, terms, pieces, place: NOWHERE })
  }

  /**
   * What is known of this market is not what every kept event says: it was shown twice and differently, or with an
   * event that cannot be recognised. All events that show it have to be parsed anew.
   */
  doubt(slot: Slot): void {
    this.#doubted.add(slot)
  }

  /** @param complete false: events that this sweep did not reach are still what they were. */
  end(complete: boolean): void {
    if (!complete) {
      const kept = new Set(this.#kept.map(({ id }) => id))
      for (const event of this.#order) {
        if (this.#kept.length >= this.#most) break
        if (!kept.has(event.id) && !this.#wasShown(event)) this.#kept.push(event)
      }
    }
    this.#order =
      this.#doubted.size === 0 ? this.#kept : this.#kept.filter((event) => !this.#isDoubted(event))
    this.#kept = []
    for (const [place, event] of this.#order.entries()) {
      if (event.place === NOWHERE) this.#byId.set(event.id, event)
      event.place = place
    }
    if (this.#byId.size > this.#order.length)
      for (const [id, event] of this.#byId) if (this.#order[event.place] !== event) this.#byId.delete(id)
  }

  /**
   * Did this sweep show a market of an event it did not reach? Then another event showed it, and what is known comes
   * from that one.
   */
  #wasShown = ({ pieces }: SeenEvent): boolean =>
    pieces.some(({ slot }) => slot !== null && this.#known?.sweepOf(slot) === this.#sweepId)

  #isDoubted = ({ pieces }: SeenEvent): boolean =>
    pieces.some(({ slot }) => slot !== null && this.#doubted.has(slot))

  clear(): void {
    this.#order = []
    this.#byId.clear()
    this.#kept = []
  }
}

function isSame(bytes: Buffer, from: number, { crc, length }: Size): boolean {
  const to = from + length
  if (bytes[to - 1] !== CLOSE_OBJECT || (bytes[to] !== COMMA && bytes[to] !== CLOSE_LIST)) return false
  return checksum(bytes, from, to) === crc
}

/** CRC-32 as a signed number, which costs no memory of its own where it is kept. */
export const checksum = (bytes: Buffer, from: number, to: number): number =>
  crc32(bytes.subarray(from, to)) | 0

const REREAD = 400
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
