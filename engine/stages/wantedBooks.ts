import type { Redis } from 'ioredis'
import type { Market } from '../../ingest/contract/market.ts'
import { WANTED_BOOKS_KEY, wantedBook } from '../../ingest/contract/stream.ts'
import { LARGE_GAP_BPS } from '../core/boards/riskFlags.ts'
import type { Gap } from '../core/gapRow.ts'
import type { World } from './world.ts'

/** Members of the set; both legs of a pair, so half as many pairs. */
const MOST = 500

/**
 * Markets whose depth is worth fetching: both legs of the rows nearest to the top of the board, those whose gap is too wide
 * to be believed behind all others. Pure.
 */
export function wantedBooks(
  gaps: () => Iterable<Wide>,
  market: (venue: 'a' | 'b', marketId: string) => Market | null,
): string[] {
  const members: string[] = []
  for (const { pair } of wideOnesLast(gaps)) {
    if (members.length + 2 > MOST) break
    for (const venue of ['a', 'b'] as const) {
      const listed = market(venue, pair[venue])
      const member = listed === null ? null : wantedBook(listed)
      if (member !== null) members.push(member)
    }
  }
  return members
}

type Wide = Pick<Gap, 'gapCents'> & { pair: Pick<Gap['pair'], 'a' | 'b'> }

//  Hardly ever more than the first ones are asked for.
function* wideOnesLast(gaps: () => Iterable<Wide>): Generator<Wide> {
  const isWide = ({ gapCents }: Wide) => Math.round(gapCents * 100) > LARGE_GAP_BPS
  for (const gap of gaps()) if (!isWide(gap)) yield gap
  for (const gap of gaps()) if (isWide(gap)) yield gap
}

/** Replaces the set in one step. */
export async function writeWantedBooks(
  redis: Redis,
  gaps: () => Iterable<Wide>,
  world: World,
): Promise<void> {
  const members = wantedBooks(gaps, (venue, marketId) => world.market(venue, marketId))
  const steps = redis.multi().del(WANTED_BOOKS_KEY)
  if (members.length > 0) steps.sadd(WANTED_BOOKS_KEY, ...members)
  await steps.exec()
}
