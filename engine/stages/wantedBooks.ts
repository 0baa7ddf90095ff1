import type { Redis } from 'ioredis'
import type { Market } from '../../ingest/contract/market.ts'
import { WANTED_BOOKS_KEY, wantedBook } from '../../ingest/contract/stream.ts'
import type { GapRow } from '../contract/gaps.ts'
import { LARGE_GAP_BPS } from '../core/boards/riskFlags.ts'
import type { World } from './world.ts'

/** Members of the set; both legs of a pair, so half as many pairs. */
const MOST = 500

/**
 * Markets whose depth is worth fetching: both legs of the rows nearest to the top of the board, those whose gap is too wide
 * to be believed behind all others. Pure.
 */
export function wantedBooks(
  rows: Iterable<GapRow>,
  market: (venue: 'a' | 'b', marketId: string) => Market | null,
): string[] {
  const members: string[] = []
  for (const row of wideOnesLast(rows)) {
    if (members.length + 2 > MOST) break
    for (const venue of ['a', 'b'] as const) {
      const listed = market(venue, row[venue].marketId)
      const member = listed === null ? null : wantedBook(listed)
      if (member !== null) members.push(member)
    }
  }
  return members
}

//  Hardly ever more than the first rows are asked for.
function* wideOnesLast(rows: Iterable<GapRow>): Generator<GapRow> {
  const isWide = ({ gapCents }: GapRow) => Math.round(gapCents * 100) > LARGE_GAP_BPS
  for (const row of rows) if (!isWide(row)) yield row
  for (const row of rows) if (isWide(row)) yield row
}

/** Replaces the set in one step. */
export async function writeWantedBooks(redis: Redis, rows: Iterable<GapRow>, world: World): Promise<void> {
  const members = wantedBooks(rows, (venue, marketId) => world.market(venue, marketId))
  const steps = redis.multi().del(WANTED_BOOKS_KEY)
  if (members.length > 0) steps.sadd(WANTED_BOOKS_KEY, ...members)
  await steps.exec()
}
