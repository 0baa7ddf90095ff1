import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decideMs,
  endMs,
  everyMonths,
  everyMs,
  generationAt,
  openMs,
} from '../../../ops/sandbox/venues/generator/cadence.ts'
import { day, easternHour, easternOffsetMs } from '../../../ops/sandbox/venues/generator/calendar.ts'
import { generateWorld } from '../../../ops/sandbox/venues/generator/generate.ts'
import * as ids from '../../../ops/sandbox/venues/generator/ids.ts'
import { probabilities } from '../../../ops/sandbox/venues/generator/latent.ts'
import {
  COMPANIES,
  company,
  FILMS,
  film,
  PEOPLE,
  pairing,
  person,
} from '../../../ops/sandbox/venues/generator/names.ts'
import { walk } from '../../../ops/sandbox/venues/generator/noise.ts'
import { written } from '../../../ops/sandbox/venues/out.ts'
import type { ListedEvent, World } from '../../../ops/sandbox/venues/world.ts'
import { type Json, NOON } from './venuesClient.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const all = (world: World, venue: 'a' | 'b', nowMs: number): ListedEvent[] => [
  ...world[venue].events(nowMs, null, 'current'),
]
const text = (events: readonly ListedEvent[]) =>
  events.map((event) => written((out) => event.write(out, true))).join('\n')
const objects = (world: World, venue: 'a' | 'b', nowMs: number): Json[] =>
  all(world, venue, nowMs).map((event) => JSON.parse(written((out) => event.write(out, true))))
const markets = (world: World, venue: 'a' | 'b', nowMs: number): Json[] =>
  objects(world, venue, nowMs).flatMap((event) => event.markets)

describe('a world has exactly its size on each venue', () => {
  test.each([
    [10, 1],
    [11, 2],
    [47, 3],
    [400, 1],
    [400, 99],
    [5_000, 7],
  ])('%d markets, seed %d', (size, seed) => {
    const world = generateWorld({ seed, size })
    expect(markets(world, 'a', NOON)).toHaveLength(size)
    expect(markets(world, 'b', NOON)).toHaveLength(size)
  })

  test('and keeps it while events come and go', () => {
    const world = generateWorld({ seed: 5, size: 600 })
    for (const days of [0, 1, 3, 40, 400])
      expect([
        markets(world, 'a', NOON + days * DAY).length,
        markets(world, 'b', NOON + days * DAY).length,
      ]).toEqual([600, 600])
  })
})

describe('no two subjects share a name, no two events a ticker, no two questions their words', () => {
  test('people, films, companies', () => {
    for (const [count, make] of [
      [PEOPLE, (k: number) => person(k).name],
      [PEOPLE, (k: number) => person(k).code],
      [FILMS, (k: number) => film(k).title],
      [FILMS, (k: number) => film(k).code],
      [COMPANIES, (k: number) => company(k).name],
    ] as const)
      expect(new Set(Array.from({ length: count }, (_, k) => make(k))).size).toBe(count)
  })

  test.each([5, 16, 30, 31, 32])('pairs of %d things come once each', (n) => {
    const count = n * Math.floor((n - 1) / 2)
    const pairs = Array.from({ length: count }, (_, k) =>
      pairing(k, n)
        .sort((x, y) => x - y)
        .join(),
    )
    expect(new Set(pairs).size).toBe(count)
    expect(pairs.every((pair) => new Set(pair.split(',')).size === 2)).toBe(true)
  })

  test('property: tickers, ids, slugs and questions of any world at any time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000_000 }),
        fc.integer({ min: 10, max: 3_000 }),
        fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2032, 0, 1) }),
        (seed, size, nowMs) => {
          const world = generateWorld({ seed, size })
          const a = objects(world, 'a', nowMs)
          const b = objects(world, 'b', nowMs)
          const asked = a.flatMap((event) =>
            event.markets.map((market: Json) => `${event.title} | ${event.endDate} | ${market.question}`),
          )
          for (const list of [
            asked,
            a.map((event) => event.id),
            a.map((event) => event.slug),
            a.flatMap((event) => event.markets.map((market: Json) => market.id)),
            a.flatMap((event) => event.markets.map((market: Json) => market.conditionId)),
            a.flatMap((event) => event.markets.flatMap((market: Json) => JSON.parse(market.clobTokenIds))),
            b.map((event) => event.event_ticker),
            b.flatMap((event) => event.markets.map((market: Json) => market.ticker)),
          ])
            expect(new Set(list).size).toBe(list.length)
          for (const event of b)
            for (const market of event.markets)
              expect(market.ticker.startsWith(`${event.event_ticker}-`)).toBe(true)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('a large world too', () => {
    const world = generateWorld({ seed: 4, size: 30_000 })
    const tickers = all(world, 'b', NOON).map((event) => event.id)
    expect(new Set(tickers).size).toBe(tickers.length)
  })
})

describe('state is a function of (seed, size, instant)', () => {
  test('two worlds agree byte for byte, whatever each has been asked before', () => {
    const fresh = generateWorld({ seed: 11, size: 300 })
    const used = generateWorld({ seed: 11, size: 300 })
    for (const offset of [0, 7 * DAY, 3 * HOUR])
      text(all(used, 'a', NOON + offset) && all(used, 'b', NOON + offset))
    const at = NOON + 2 * DAY + 12_345
    for (const venue of ['a', 'b'] as const) {
      expect(text(all(used, venue, at))).toBe(text(all(fresh, venue, at)))
      expect(text(all(used, venue, NOON))).toBe(
        text(all(generateWorld({ seed: 11, size: 300 }), venue, NOON)),
      )
    }
    expect(used.truth(at)).toEqual(fresh.truth(at))
  })

  test('another seed is another world', () => {
    expect(text(all(generateWorld({ seed: 1, size: 100 }), 'a', NOON))).not.toBe(
      text(all(generateWorld({ seed: 2, size: 100 }), 'a', NOON)),
    )
  })
})

describe('events close, leave the listing, and others take their place', () => {
  const world = generateWorld({ seed: 8, size: 800 })
  const before = markets(world, 'a', NOON)
  const later = NOON + 4 * DAY

  test('in four days some go and some stay', () => {
    const after = new Set(markets(world, 'a', later).map((market) => market.id))
    const gone = before.filter((market) => !after.has(market.id))
    expect(gone.length).toBeGreaterThan(before.length / 20)
    expect(gone.length).toBeLessThan(before.length)
  })

  test('a market that left is found by its id, closed, with one winning side', () => {
    const after = new Set(markets(world, 'a', later).map((market) => market.id))
    const gone = before.filter((market) => !after.has(market.id))
    for (const { id } of gone) {
      const found = world.a.market(id, later)!
      const market = JSON.parse(written(found.market.write))
      expect(market).toMatchObject({
        id,
        closed: true,
        acceptingOrders: false,
        umaResolutionStatus: 'resolved',
      })
      expect([...JSON.parse(market.outcomePrices)].sort()).toEqual(['0', '1'])
    }
  })

  test('between decision and settlement a market takes no orders', () => {
    let pending = 0
    for (let minute = 0; minute < 24 * 60; minute += 10)
      for (const event of all(world, 'b', NOON + minute * 60_000))
        for (const market of event.markets) {
          if (market.status !== 'determined') continue
          pending += 1
          expect(market.open).toBe(false)
        }
    expect(pending).toBeGreaterThan(0)
  })
})

describe('calendar', () => {
  test.each([
    [Date.UTC(2026, 2, 8, 6, 59), -5],
    [Date.UTC(2026, 2, 8, 7, 0), -4], //  second Sunday of March, 2 o'clock
    [Date.UTC(2026, 10, 1, 5, 59), -4],
    [Date.UTC(2026, 10, 1, 6, 0), -5], // first Sunday of November
  ])('Eastern time at %d is UTC%d', (atMs, hours) => {
    expect(easternOffsetMs(atMs)).toBe(hours * HOUR)
  })

  test('property: the hour asked for is the hour shown, on the same Eastern day', () => {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'America/New_York',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
        fc.integer({ min: 4, max: 23 }),
        (atMs, hour) => {
          expect(day(atMs).iso).toBe(format.format(atMs))
          const there = easternHour(atMs, hour)
          expect([day(there).iso, Number(day(there).hourCode)]).toEqual([day(atMs).iso, hour])
        },
      ),
    )
  })

  test('property: any instant has one generation, and generations follow without a gap', () => {
    const cadences = [
      everyMs(2 * HOUR, 0, 300_000),
      everyMs(3 * DAY, 29 * HOUR, HOUR),
      everyMonths(1, 0, 12, 13 * HOUR, 4 * HOUR),
      everyMonths(24, 10, 5, 8 * HOUR),
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...cadences),
        fc.integer({ min: Date.UTC(2019, 0, 1), max: Date.UTC(2045, 0, 1) }),
        (cadence, nowMs) => {
          const g = generationAt(cadence, nowMs)
          expect(openMs(cadence, g)).toBeLessThanOrEqual(nowMs)
          expect(nowMs).toBeLessThan(endMs(cadence, g))
          expect(endMs(cadence, g)).toBe(openMs(cadence, g + 1))
          expect(decideMs(cadence, g)).toBeGreaterThan(openMs(cadence, g))
        },
      ),
    )
  })
})

test.each([everyMs(2 * HOUR, 0, 300_000), everyMonths(3, 1, 1, 5 * HOUR, 12 * HOUR)])(
  'a generation ends at its end, not after it: %j',
  (cadence) => {
    const g = generationAt(cadence, NOON)
    expect(generationAt(cadence, endMs(cadence, g) - 1)).toBe(g)
    expect(generationAt(cadence, endMs(cadence, g))).toBe(g + 1)
  },
)

test('a look-alike starts from similar odds and goes its own way', () => {
  const odds = (p: number) => Math.log(p / (1 - p))
  for (const shape of ['falling', 'rising', 'free', 'softmax'] as const) {
    const apart = Array.from({ length: 60 }, (_, day) => {
      const at = NOON + day * DAY
      return odds(probabilities(shape, 3, 7, at, true)[1]!) - odds(probabilities(shape, 3, 7, at, false)[1]!)
    })
    expect(Math.max(...apart) - Math.min(...apart)).toBeGreaterThan(0.4)
    expect(Math.max(...apart.map(Math.abs))).toBeLessThan(4)
  }
})

describe('identifiers', () => {
  test('property: market ids carry their place', () => {
    fc.assert(
      fc.property(
        fc.record({
          slot: fc.integer({ min: 0, max: 131_071 }),
          generation: fc.integer({ min: 0, max: 1_048_575 }),
          index: fc.integer({ min: 0, max: 63 }),
        }),
        fc.integer({ min: 0, max: 4_294_967_295 }),
        (place, key) => {
          const id = ids.marketId(place)
          expect(ids.parseMarketId(id)).toEqual(place)
          expect(ids.idInCondition(ids.conditionId(key, id))).toBe(id)
          expect(ids.tokenId(key, id, 1)).toMatch(/^[1-9]\d{76}$/)
          expect(ids.idInToken(ids.tokenId(key, id, 1))).toEqual({ id, outcome: 1 })
        },
      ),
    )
  })

  test.each(['', 'abc', '-1', '1', '999999999', '12345678901234567890'])('%j is no id of ours', (text) => {
    expect(ids.parseMarketId(text)).toBeNull()
  })
})

test('walks stay near their mean and come back to it', () => {
  const values = Array.from({ length: 4_000 }, (_, i) => walk(77, NOON + i * HOUR))
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  expect(Math.abs(mean)).toBeLessThan(0.15)
  expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(1.3)
  let crossings = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > mean !== values[i - 1]! > mean) crossings += 1
  expect(crossings).toBeGreaterThan(20)
})
