import type { Redis } from 'ioredis'
import type { Market } from '../../ingest/contract/market.ts'
import { WANTED_BOOKS_KEY, wantedBook } from '../../ingest/contract/stream.ts'
import { LARGE_GAP_BPS } from '../core/boards/riskFlags.ts'
import type { Gap } from '../core/gapRow.ts'
import type { World } from './world.ts'

/** Most members of the set; both legs of a pair are in it, so it covers half as many pairs. */
const MOST = 500
/** This many of the best edges come first: the pack sells five, and those that take their place already have depth. */
const FIRST_EDGES = 20

type Tops = { gaps(): Iterable<Wide>; edges(): readonly Leading[] }
type Leading = { a: { marketId: string }; b: { marketId: string } }

/**
 * Markets whose depth is worth fetching: both legs of the best edges, some of which have a one-sided book and thus no
 * gap; then the legs of the top rows of the board of gaps, with gaps too wide to be believed after all others. Pure.
 */
export function wantedBooks(
  tops: Tops,
  market: (venue: 'a' | 'b', marketId: string) => Market | null,
): string[] {
  const members = new Set<string>()
  for (const legs of wantedPairs(tops)) {
    if (members.size + 2 > MOST) break
    for (const venue of ['a', 'b'] as const) {
      const listed = market(venue, legs[venue])
      const member = listed === null ? null : wantedBook(listed)
      if (member !== null) members.add(member)
    }
  }
  return [...members]
}

function* wantedPairs({ gaps, edges }: Tops): Generator<Wide['pair']> {
  for (const { a, b } of edges().slice(0, FIRST_EDGES)) yield { a: a.marketId, b: b.marketId }
  for (const { pair } of wideOnesLast(gaps)) yield pair
}

type Wide = Pick<Gap, 'gapCents'> & { pair: Pick<Gap['pair'], 'a' | 'b'> }

//  A generator, because hardly ever more than the first ones are needed.
function* wideOnesLast(gaps: Tops['gaps']): Generator<Wide> {
  const isWide = ({ gapCents }: Wide) => Math.round(gapCents * 100) > LARGE_GAP_BPS
  for (const gap of gaps()) if (!isWide(gap)) yield gap
  for (const gap of gaps()) if (isWide(gap)) yield gap
}

/** Replaces the set in one step. */
export async function writeWantedBooks(redis: Redis, tops: Tops, world: World): Promise<void> {
  const members = wantedBooks(tops, (venue, marketId) => world.market(venue, marketId))
  const steps = redis.multi().del(WANTED_BOOKS_KEY)
  if (members.length > 0) steps.sadd(WANTED_BOOKS_KEY, ...members)
  await steps.exec()
}
