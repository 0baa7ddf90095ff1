import { crc32 } from 'node:zlib'
import { PageShapeError } from '../errors.ts'
import type { EventCache } from '../poll/eventCache.ts'
import { parseSlice, walkListPage } from './jsonList.ts'
import type { Page, RawRow } from './venue.ts'

/** What a venue's map makes of one parsed event. */
export type EventRows = { id: string; rows: RawRow[]; lasting: boolean }

/**
 * Bytes of a page `{"events": […], …}` → its events, parsed only where they changed.
 * @returns also what stands beside the list: the cursor.
 * @throws PageShapeError
 */
export function readPage(
  bytes: Buffer,
  cache: EventCache,
  readEvent: (raw: unknown) => EventRows,
): { events: Page['events']; rest: Record<string, unknown> } {
  const events: Page['events'] = []
  const { found, rest } = walkListPage(
    bytes,
    'events',
    (from) => {
      const event = cache.match(bytes, from)
      if (event === null) return 0
      events.push(event)
      return from + event.length
    },
    (from, to) => {
      const event = readEvent(parseSlice(bytes, from, to))
      cache.readInstead(event.id)
      events.push({ ...event, crc: crc32(bytes.subarray(from, to)), length: to - from })
    },
  )
  if (!found) throw new PageShapeError('a page has no list of events')
  return { events, rest }
}

/** The cursor of the next page. Both venues end with none or an empty one. @throws PageShapeError */
export function nextCursor(rest: Record<string, unknown>, name: string): string | null {
  const cursor = rest[name]
  if (cursor === undefined || cursor === null || cursor === '') return null
  if (typeof cursor !== 'string' || cursor.length > 4_096) throw new PageShapeError(`${name} is no cursor`)
  return cursor
}
