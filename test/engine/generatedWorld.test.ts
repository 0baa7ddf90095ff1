import { describe, expect, test } from 'vitest'
import { judge } from '../../engine/core/pairing/judge.ts'
import { pairAll } from '../../engine/core/pairing/pairAll.ts'
import { isPair } from '../../engine/core/pairing/verdict.ts'
import type { Market } from '../../ingest/contract/market.ts'
import { readEventA } from '../../ingest/venues/a/map.ts'
import { readEventB } from '../../ingest/venues/b/map.ts'
import type { EventRows } from '../../ingest/venues/readPage.ts'
import { generateWorld } from '../../ops/sandbox/venues/generator/generate.ts'
import { written } from '../../ops/sandbox/venues/out.ts'
import type { VenueWorld } from '../../ops/sandbox/venues/world.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

/** The generated venues as ingest would see them, and what the generator knows about every pair. */
function load(seed: number, size: number) {
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
  const byId = new Map([...a, ...b].map((market) => [market.venue + market.marketId, market]))
  const truth = world
    .truth(NOW)!
    .filter((row) => byId.has(`a${row.aMarketId}`) && byId.has(`b${row.bTicker}`))
  return { a, b, byId, truth }
}

/*
 * The generator words one question in both venues' ways and puts look-alikes beside it; it was written without
 * knowledge of the pairing and knows the truth about every pair.
 */
describe('a generated world in which the truth is known', () => {
  test.each([1, 2, 3])('seed %d: whatever is paired belongs together, the right way round', (seed) => {
    const { a, b, truth } = load(seed, 2_500)
    const wanted = new Map(
      truth
        .filter(({ label }) => label !== 'not')
        .map((row) => [`${row.aMarketId}|${row.bTicker}`, row.label]),
    )
    const { pairs } = pairAll(a, b)
    const wrong = pairs.filter(
      (pair) => wanted.get(`${pair.a}|${pair.b}`) !== (pair.verdict === 'identity' ? 'same' : 'inverted'),
    )
    expect(wrong).toEqual([])
    const pairable = new Set(truth.flatMap(({ label, aMarketId }) => (label === 'not' ? [] : [aMarketId])))
    expect(pairs.length).toBeGreaterThan(0.9 * pairable.size)
  })

  test('judged one by one, no look-alike is taken for the same question', () => {
    const { byId, truth } = load(4, 4_000)
    const lookAlikes = truth.filter(({ label }) => label === 'not')
    const taken = lookAlikes.filter((row) =>
      isPair(judge(byId.get(`a${row.aMarketId}`)!, byId.get(`b${row.bTicker}`)!)),
    )
    expect(lookAlikes.length).toBeGreaterThan(1_000)
    expect(taken).toEqual([])
  })
})
