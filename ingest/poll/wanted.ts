import type { Redis } from 'ioredis'
import { Venue } from '../contract/market.ts'
import { WANTED_BOOKS_KEY, WANTED_BOOKS_MAX } from '../contract/stream.ts'
import { ID } from '../venues/text.ts'
import type { WantedBook } from '../venues/venue.ts'

/** Reads the wanted set. Malformed members are skipped; members beyond the bound are not polled. */
export async function readWanted(redis: Redis): Promise<Record<Venue, WantedBook[]>> {
  const wanted: Record<Venue, WantedBook[]> = { a: [], b: [] }
  const stream = redis.sscanStream(WANTED_BOOKS_KEY, { count: 1_000 })
  let scanned = 0
  for await (const members of stream as AsyncIterable<string[]>) {
    for (const member of members) {
      const parsed = parseWanted(member)
      if (parsed === null || wanted[parsed.venue].length >= WANTED_BOOKS_MAX) continue
      wanted[parsed.venue].push(parsed.book)
    }
    scanned += members.length
    if (scanned > 10 * WANTED_BOOKS_MAX) break
  }
  return wanted
}

/** @returns null when it is no member as `wantedBook` writes them. */
function parseWanted(member: string): { venue: Venue; book: WantedBook } | null {
  const match = /^([ab]):([^|]{1,200})(?:\|(\d{1,100}))?$/.exec(member)
  if (match === null || !ID.test(match[2]!)) return null
  const venue = Venue.parse(match[1])
  if ((venue === 'a') !== (match[3] !== undefined)) return null
  return { venue, book: { marketId: match[2]!, token: match[3] ?? '' } }
}
