import { crc32 } from 'node:zlib'
import { PageShapeError } from '../errors.ts'
import type { EventCache, SeenEvent } from '../poll/eventCache.ts'
import { isObjectAt, parseSlice, skipValue, walkListObject, walkListPage } from './jsonList.ts'
import type { Kept, Page, RawRow, ReadEvent, Size } from './venue.ts'

/** What a venue's map makes of one parsed event. `text`: digest of what it says about all its markets. */
export type EventRows = { id: string; rows: RawRow[]; text: number; lasting: boolean }

/** @param raw an event, with all or some of its markets. */
type ReadRaw = (raw: unknown) => EventRows

/**
 * Bytes of a page `{"events": […], …}` → its events. Of an event that changed only the markets that changed are parsed.
 * @returns also what stands beside the list: the cursor.
 * @throws PageShapeError
 */
export function readPage(
  bytes: Buffer,
  cache: EventCache,
  readRaw: ReadRaw,
): { events: Page['events']; rest: Record<string, unknown> } {
  const events: Page['events'] = []
  const { found, rest } = walkListPage(bytes, 'events', (from) => {
    const seen = cache.match(bytes, from)
    if (seen !== null) {
      events.push(seen)
      return from + seen.length
    }
    const { event, end } = readEvent(bytes, from, cache, readRaw)
    cache.readInstead(event.id)
    events.push(event)
    return end
  })
  if (!found) throw new PageShapeError('a page has no list of events')
  return { events, rest }
}

type Placed = { event: ReadEvent; end: number }

function readEvent(bytes: Buffer, from: number, cache: EventCache, readRaw: ReadRaw): Placed {
  if (!isObjectAt(bytes, from)) {
    const end = skipValue(bytes, from)
    const rows = readRaw(parseSlice(bytes, from, end))
    return { event: { ...rows, kept: [], sizes: null, ...sizeOf(bytes, from, end) }, end }
  }
  const expected = cache.expected()
  const read = readMarkets(bytes, from, cache, expected, readRaw)
  const isExpected =
    expected !== null &&
    read.event.id === expected.id &&
    read.event.text === expected.text &&
    read.event.lasting
  //  another event, or one that says something else about its markets: none of them means what it meant
  return isExpected || read.event.kept.length === 0 ? read : readMarkets(bytes, from, cache, null, readRaw)
}

function readMarkets(
  bytes: Buffer,
  from: number,
  cache: EventCache,
  expected: SeenEvent | null,
  readRaw: ReadRaw,
): Placed {
  const markets: unknown[] = []
  const sizes: Size[] = []
  const kept: Kept[] = []
  const { end, found, rest } = walkListObject(bytes, from, 'markets', (start) => {
    const at = sizes.length + kept.length
    const piece = expected?.pieces[at]
    if (cache.holds(bytes, start, piece)) {
      kept.push({ at, piece })
      return start + piece.length
    }
    const to = skipValue(bytes, start)
    markets.push(parseSlice(bytes, start, to))
    sizes.push(sizeOf(bytes, start, to))
    return to
  })
  if (found) rest.markets = markets
  const rows = readRaw(rest)
  return { event: { ...rows, kept, sizes: found ? sizes : null, ...sizeOf(bytes, from, end) }, end }
}

const sizeOf = (bytes: Buffer, from: number, to: number): Size => ({
  crc: crc32(bytes.subarray(from, to)),
  length: to - from,
})

/** The cursor of the next page. Both venues end with none or an empty one. @throws PageShapeError */
export function nextCursor(rest: Record<string, unknown>, name: string): string | null {
  const cursor = rest[name]
  if (cursor === undefined || cursor === null || cursor === '') return null
  if (typeof cursor !== 'string' || cursor.length > 4_096) throw new PageShapeError(`${name} is no cursor`)
  return cursor
}
