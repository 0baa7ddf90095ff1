import { PageShapeError } from '../errors.ts'
import type { EventCache, SeenEvent } from '../poll/eventCache.ts'
import { type Glance, glanceEvent, type Reading, sizeOf } from './glance.ts'
import { isObjectAt, parseSlice, skipValue, walkListObject, walkListPage } from './jsonList.ts'
import type { Kept, Page, ReadEvent, Size } from './venue.ts'

/** What a venue's map makes of one parsed event; see `ReadEvent`. */
export type EventRows = Pick<ReadEvent, 'id' | 'rows' | 'text' | 'untilMs'>

/** @param raw an event, with all or some of its markets. */
export type ReadRaw = (raw: unknown) => EventRows

/**
 * Turns the bytes of a page `{"events": […], …}` into its events. In an event that changed only the changed markets are
 * read, and of those only the moving fields, if nothing else changed.
 * @returns also what is beside the list: the cursor.
 * @throws PageShapeError
 */
export function readPage(
  bytes: Buffer,
  cache: EventCache,
  readRaw: ReadRaw,
  glance: Glance,
): { events: Page['events']; rest: Record<string, unknown> } {
  const reader = new EventReader({ bytes, cache, readRaw, glance })
  const events: Page['events'] = []
  const { found, rest } = walkListPage(bytes, 'events', (from) => {
    const seen = cache.match(bytes, from)
    if (seen !== null) {
      events.push(seen)
      return from + seen.length
    }
    const { event, end } = reader.read(from)
    cache.readInstead(event.id)
    events.push(event)
    return end
  })
  if (!found) throw new PageShapeError('a page has no list of events')
  return { events, rest }
}

type Placed = { event: ReadEvent; end: number }

/** Reads those events of one page that changed. */
class EventReader {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  read(from: number): Placed {
    const { bytes, cache, readRaw } = this.#reading
    if (!isObjectAt(bytes, from)) {
      const end = skipValue(bytes, from)
      const rows = readRaw(parseSlice(bytes, from, end))
      return { event: { ...rows, kept: [], sizes: null, ...sizeOf(bytes, from, end, 0) }, end }
    }
    const expected = cache.expected()
    const glanced = expected === null ? null : glanceEvent(this.#reading, from, expected)
    if (glanced !== null) return glanced
    const read = this.#parse(from, expected)
    const isExpected =
      expected !== null &&
      read.event.id === expected.id &&
      read.event.text === expected.text &&
      read.event.untilMs !== 0
    if (read.event.kept.length === 0) return read
    //  it is another event, or says something else about its markets: what was known of them no longer holds
    if (!isExpected) return this.#parse(from, null)
    return {
      event: { ...read.event, untilMs: earlier(read.event.untilMs, expected.untilMs) },
      end: read.end,
    }
  }

  /** Parses the event and those of its markets that differ from `expected`. */
  #parse(from: number, expected: SeenEvent | null): Placed {
    const { bytes, cache, readRaw, glance } = this.#reading
    const { market: marketScanner, event: eventScanner } = glance
    const markets: unknown[] = []
    const ends: number[] = []
    const sizes: Size[] = []
    const kept: Kept[] = []
    const { end, found, rest } = walkListObject(bytes, from, 'markets', (start) => {
      const at = sizes.length + kept.length
      const piece = expected?.pieces[at]
      if (cache.holds(bytes, start, piece)) {
        kept.push({ at, piece })
        ends.push(start + piece.length)
        return start + piece.length
      }
      const scanned = marketScanner.scan(bytes, start)
      const to = scanned === 0 ? skipValue(bytes, start) : scanned
      markets.push(parseSlice(bytes, start, to))
      sizes.push(sizeOf(bytes, start, to, scanned === 0 ? 0 : marketScanner.terms()))
      ends.push(to)
      return to
    })
    if (found) rest.markets = markets
    const rows = readRaw(rest)
    let market = 0
    const scanned = eventScanner.scan(bytes, from, () => ends[market++]!)
    const size = sizeOf(bytes, from, end, scanned === 0 ? 0 : eventScanner.terms())
    return { event: { ...rows, kept, sizes: found ? sizes : null, ...size }, end }
  }
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/** The cursor of the next page. Both venues end with none or an empty one. @throws PageShapeError */
export function nextCursor(rest: Record<string, unknown>, name: string): string | null {
  const cursor = rest[name]
  if (cursor === undefined || cursor === null || cursor === '') return null
  if (typeof cursor !== 'string' || cursor.length > 4_096) throw new PageShapeError(`${name} is no cursor`)
  return cursor
}
