import type { Market } from '../../../ingest/contract/market.ts'
import { readEventA } from '../../../ingest/venues/a/map.ts'
import { readEventB } from '../../../ingest/venues/b/map.ts'
import type { EventRows } from '../../../ingest/venues/readPage.ts'
import { generateWorld } from '../../../ops/sandbox/venues/generator/generate.ts'
import { written } from '../../../ops/sandbox/venues/out.ts'
import type { TruthRow, VenueWorld } from '../../../ops/sandbox/venues/world.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

/** The generated venues of `size` markets each as ingest would see them, and what the generator knows about every pair. */
export function generatedMarkets(
  seed: number,
  size: number,
): { a: Market[]; b: Market[]; truth: TruthRow[] } {
  const world = generateWorld({ seed, size })
  const read = (venue: VenueWorld, readEvent: (raw: unknown) => EventRows): Market[] =>
    [...venue.events(NOW, null, 'current')].flatMap((event) =>
      readEvent(JSON.parse(written((out) => event.write(out, true)))).rows.flatMap((row) => {
        if (row.drop !== null) return []
        const market = row.market()
        return 'drop' in market ? [] : [market]
      }),
    )
  const a = read(world.a, readEventA)
  const b = read(world.b, (raw) => readEventB(raw, () => null, NOW))
  const [idsA, idsB] = [
    new Set(a.map(({ marketId }) => marketId)),
    new Set(b.map(({ marketId }) => marketId)),
  ]
  const truth = world.truth(NOW)!.filter((row) => idsA.has(row.aMarketId) && idsB.has(row.bTicker))
  return { a, b, truth }
}
