import type { Redis } from 'ioredis'
import { Market, Venue } from '../../ingest/contract/market.ts'
import { Quote } from '../../ingest/contract/quote.ts'
import { latestMarketsKey, latestQuotesKey, SWEEP_KEY, Sweep } from '../../ingest/contract/stream.ts'
import type { Clock } from '../../ops/clock.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import type { Log } from '../../ops/log.ts'
import { quickCheck } from '../../ops/quickCheck.ts'
import type { OnFault } from '../core/pairing/pairer.ts'
import { inTurns } from './turns.ts'
import { World } from './world.ts'

const SCAN_COUNT = 1_000

const isMarket = quickCheck(Market)
const isQuote = quickCheck(Quote)

/** Reads the newest state of every market and makes all pairs. A value that does not follow the contract is counted and left out. */
export async function warmStart(redis: Redis, clock: Clock, log: Log, onFault?: OnFault): Promise<World> {
  const world = new World(clock, onFault)
  const startedMs = performance.now()
  let unreadable = 0
  const load = async <T>(key: string, fits: (value: unknown) => value is T, take: (value: T) => void) => {
    for await (const texts of valuesOf(redis, key))
      for (const text of texts) {
        const value = parseJsonOrNull(text)
        if (fits(value)) take(value)
        else unreadable++
      }
  }
  for (const venue of Venue.options) {
    await load(latestMarketsKey(venue), isMarket, (market) => world.loadMarket(market))
    await load(latestQuotesKey(venue), isQuote, (quote) => world.loadQuote(quote))
  }
  for (const text of Object.values(await redis.hgetall(SWEEP_KEY))) {
    const sweep = Sweep.safeParse(parseJsonOrNull(text))
    if (sweep.success) world.loadSweep(sweep.data)
  }
  const loadedMs = performance.now()
  await inTurns(world.pairLoaded())
  log.info(
    {
      marketsA: world.marketCount('a'),
      marketsB: world.marketCount('b'),
      pairs: world.pairs,
      bad: unreadable,
      loadMs: Math.round(loadedMs - startedMs),
      pairMs: Math.round(performance.now() - loadedMs),
    },
    'warm',
  )
  return world
}

/** Values of a hash, some at a time and in any order; one that is changed meanwhile may come twice. */
async function* valuesOf(redis: Redis, key: string): AsyncGenerator<string[]> {
  let cursor = '0'
  do {
    const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT)
    cursor = next
    yield flat.filter((_, at) => at % 2 === 1)
  } while (cursor !== '0')
}
