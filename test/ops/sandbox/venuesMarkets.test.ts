import { describe, expect, test } from 'vitest'
import { generateWorld } from '../../../ops/sandbox/venues/generator/generate.ts'
import { written } from '../../../ops/sandbox/venues/out.ts'
import type { TruthRow, World } from '../../../ops/sandbox/venues/world.ts'
import { type Json, mid, NOON } from './venuesClient.ts'

const DAY = 86_400_000

const markets = (world: World, venue: 'a' | 'b', nowMs: number): Map<string, Json> =>
  new Map(
    [...world[venue].events(nowMs, null, 'current')].flatMap((event) => {
      const object = JSON.parse(written((out) => event.write(out, true)))
      return object.markets.map((market: Json) => [venue === 'a' ? market.id : market.ticker, market])
    }),
  )
const share = (part: number, whole: number) => part / whole

describe('truth', () => {
  const world = generateWorld({ seed: 3, size: 6_000 })
  const rows = world.truth(NOON)!
  const a = markets(world, 'a', NOON)
  const b = markets(world, 'b', NOON)
  const of = (label: TruthRow['label']) => rows.filter((row) => row.label === label)

  test('every row names two open markets, once', () => {
    const isOpen = (row: TruthRow) => {
      const [left, right] = [a.get(row.aMarketId), b.get(row.bTicker)]
      return left?.acceptingOrders && !left.closed && !left.negRiskOther && right?.status === 'active'
    }
    expect(rows.filter((row) => !isOpen(row))).toEqual([])
    expect(new Set(rows.map((row) => `${row.aMarketId} ${row.bTicker}`)).size).toBe(rows.length)
  })

  test('a market has at most one same, and at most one opposite', () => {
    for (const label of ['same', 'inverted'] as const)
      for (const side of ['aMarketId', 'bTicker'] as const) {
        const names = of(label).map((row) => row[side])
        expect(new Set(names).size).toBe(names.length)
      }
  })

  test('about half of the markets have a partner, and nine of ten pairs close within 48 hours', () => {
    const paired = new Set([...of('same'), ...of('inverted')].map((row) => row.aMarketId))
    expect(share(paired.size, 6_000)).toBeGreaterThan(0.4)
    expect(share(paired.size, 6_000)).toBeLessThan(0.7)
    const near = of('same').filter((row) => row.closesWithin48h === true).length
    expect(share(near, of('same').length)).toBeGreaterThan(0.8)
    expect(of('same').some((row) => row.closesWithin48h === false)).toBe(true)
  })

  test('every kind of look-alike is there', () => {
    expect(new Set(of('not').map((row) => row.reason))).toEqual(
      new Set([
        'different_outcome',
        'different_date',
        'different_deadline',
        'different_threshold',
        'different_shape',
        'different_measure',
        'different_source',
        'different_office',
        'different_condition',
        'winner_vs_nominee',
        'announce_vs_complete',
        'doubleheader',
      ]),
    )
    expect(new Set(of('inverted').map((row) => row.family)).size).toBeGreaterThanOrEqual(5)
  })

  test('same questions resolve the same way, opposite ones the other way, look-alikes either way', () => {
    const agreed: Record<TruthRow['label'], boolean[]> = { same: [], inverted: [], not: [] }
    // outcomes of one event depend on each other in other ways
    const judged = rows.filter((row) => row.reason !== 'different_outcome')
    // a ticker is known until its place has moved on twice, so look every day
    const left = new Set(judged)
    for (const later of [NOON + DAY, NOON + 2 * DAY, NOON + 3 * DAY])
      for (const row of left) {
        const b = world.b.market(row.bTicker, later)?.market
        const a = world.a.market(row.aMarketId, later)?.market
        if (a?.closed !== true || b?.closed !== true) continue
        left.delete(row)
        const yesA = JSON.parse(JSON.parse(written(a.write)).outcomePrices)[0] === '1'
        agreed[row.label].push(yesA === (JSON.parse(written(b.write)).result === 'yes'))
      }
    expect(agreed.same.length).toBeGreaterThan(100)
    expect(agreed.same.every((equal) => equal)).toBe(true)
    expect(agreed.inverted.length).toBeGreaterThan(50)
    expect(agreed.inverted.some((equal) => equal)).toBe(false)
    expect(agreed.not.length).toBeGreaterThan(50)
    expect(new Set(agreed.not)).toEqual(new Set([true, false]))
  })

  test('thresholds and their words agree between the venues', () => {
    const checked = of('same').filter((row) => row.family === 'openings')
    expect(checked.length).toBeGreaterThan(10)
    for (const row of checked) {
      const millions = /\$(\d+)m/.exec(a.get(row.aMarketId).question)![1]
      expect(b.get(row.bTicker)).toMatchObject({
        strike_type: 'greater',
        floor_strike: Number(millions) * 1_000_000,
      })
    }
    for (const row of of('not').filter(
      (one) => one.reason === 'different_shape' && one.family === 'scores',
    )) {
      expect(a.get(row.aMarketId).question).toContain('at least')
      expect(b.get(row.bTicker).strike_type).toBe('greater')
    }
  })
})

describe('prices', () => {
  const world = generateWorld({ seed: 21, size: 1_500 })
  const rows = world.truth(NOON)!

  test('gaps between true pairs appear, reach several cents and vanish', () => {
    const gaps: number[] = []
    const byPair = new Map<string, number[]>()
    for (let minute = 0; minute < 240; minute += 20) {
      const a = markets(world, 'a', NOON + minute * 60_000)
      const b = markets(world, 'b', NOON + minute * 60_000)
      for (const row of rows.filter(({ label }) => label !== 'not')) {
        const left = a.get(row.aMarketId)
        const right = b.get(row.bTicker)
        const [midA, midB] = [left && mid(left), right && mid(right)]
        // wide markets say little about the price
        if (midA == null || midB == null || left.spread > 0.05) continue
        const gap = Math.abs(midA - (row.label === 'same' ? midB : 1 - midB)) * 100
        gaps.push(gap)
        const key = `${row.aMarketId} ${row.bTicker}`
        byPair.set(key, [...(byPair.get(key) ?? []), gap])
      }
    }
    expect(gaps.length).toBeGreaterThan(1_000)
    const over = (cents: number) => share(gaps.filter((gap) => gap >= cents).length, gaps.length)
    expect(over(2)).toBeGreaterThan(0.05)
    expect(over(5)).toBeGreaterThan(0.002)
    expect(over(2)).toBeLessThan(0.6)
    const cameAndWent = [...byPair.values()].filter((of) => Math.max(...of) >= 3 && Math.min(...of) <= 1)
    expect(cameAndWent.length).toBeGreaterThan(10)
  })

  test.each([
    [0.05, 0.02, 0.09],
    [0.5, 0.35, 0.65],
  ])(
    'of a pace of %d the share of changed markets in one window is between %d and %d',
    (changeShare, low, high) => {
      const paced = generateWorld({ seed: 2, size: 1_500, pace: { stepMs: 5_000, changeShare } })
      for (const venue of ['a', 'b'] as const) {
        const states = [0, 1, 2, 3, 4].map((step) => markets(paced, venue, NOON + step * 5_000))
        const shares = states.slice(1).map((after, step) => {
          const before = states[step]!
          const changed = [...after].filter(
            ([id, market]) => JSON.stringify(before.get(id)) !== JSON.stringify(market),
          )
          return share(changed.length, after.size)
        })
        const mean = shares.reduce((sum, value) => sum + value, 0) / shares.length
        expect(mean).toBeGreaterThan(low)
        expect(mean).toBeLessThan(high)
      }
    },
  )

  test('where every outcome of an event is listed the prices add up to about one', () => {
    for (const event of world.a.events(NOON, null, 'current')) {
      const object = JSON.parse(written((out) => event.write(out, true)))
      const complete = ['Daily Temperature', 'Central banks', 'Soccer']
      if (!object.negRisk || !object.tags.some((tag: Json) => complete.includes(tag.label))) continue
      if (object.tags.some((tag: Json) => tag.label === 'Champion')) continue
      const mids = object.markets.map(mid)
      if (mids.some((value: number | null) => value === null)) continue
      if (object.markets.some((market: Json) => market.spread > 0.05)) continue
      const sum = mids.reduce((total: number, value: number) => total + value, 0)
      expect(Math.abs(sum - 1)).toBeLessThan(0.15)
    }
  })

  test('venue B: yes and no sides mirror each other', () => {
    for (const market of markets(world, 'b', NOON).values()) {
      if (Number(market.yes_bid_size_fp) > 0)
        expect(Number(market.no_ask_dollars)).toBeCloseTo(1 - Number(market.yes_bid_dollars), 6)
      if (Number(market.yes_ask_size_fp) > 0)
        expect(Number(market.no_bid_dollars)).toBeCloseTo(1 - Number(market.yes_ask_dollars), 6)
    }
  })
})

describe('odd markets', () => {
  const world = generateWorld({ seed: 6, size: 10_000 })
  const a = [...markets(world, 'a', NOON).values()]
  const b = [...markets(world, 'b', NOON).values()]
  const sizeless = (market: Json, side: string) => Number(market[`${side}_size_fp`]) === 0

  test('one in ten is dead: no quotes, no trade, no volume', () => {
    const deadB = b.filter((market) => sizeless(market, 'yes_bid') && sizeless(market, 'yes_ask'))
    const quiet = deadB.filter(
      (market) => market.volume_fp === '0.00' && market.last_price_dollars === '0.0000',
    )
    expect(share(quiet.length, b.length)).toBeGreaterThan(0.08)
    expect(share(quiet.length, b.length)).toBeLessThan(0.12)
    const deadA = a.filter((market) => market.volumeNum === undefined)
    expect(share(deadA.length, a.length)).toBeGreaterThan(0.08)
    expect(deadA.every((market) => market.bestBid === undefined && market.bestAsk === 1)).toBe(true)
  })

  test('an empty ask is written 1.0000 or, less often, 0.0000 (trap: take size as the test)', () => {
    const empty = b.filter((market) => sizeless(market, 'yes_ask')).map((market) => market.yes_ask_dollars)
    expect(new Set(empty)).toEqual(new Set(['1.0000', '0.0000']))
    expect(empty.filter((value) => value === '1.0000').length).toBeGreaterThan(empty.length / 2)
  })

  test('crossed and one-sided books exist, and wide ones', () => {
    expect(a.some((market) => market.bestBid > market.bestAsk)).toBe(true)
    expect(b.some((market) => Number(market.yes_bid_dollars) + Number(market.no_bid_dollars) > 1)).toBe(true)
    expect(b.some((market) => sizeless(market, 'yes_bid') && !sizeless(market, 'yes_ask'))).toBe(true)
    expect(b.some((market) => !sizeless(market, 'yes_bid') && sizeless(market, 'yes_ask'))).toBe(true)
    expect(a.some((market) => market.spread > 0.1)).toBe(true)
  })

  test('a traded market may have no price of a day ago (trap 6), and day volumes lie around 25', () => {
    const traded = b.filter((market) => Number(market.last_price_dollars) > 0)
    const unknown = traded.filter((market) => market.previous_price_dollars === '0.0000')
    expect(share(unknown.length, traded.length)).toBeGreaterThan(0.05)
    expect(share(unknown.length, traded.length)).toBeLessThan(0.6)
    for (const volume of ['24.00', '24.99', '25.00', '25.01', '26.00'])
      expect(b.some((market) => market.volume_24h_fp === volume)).toBe(true)
  })

  test('placeholders and "Other" stand on venue A', () => {
    expect(a.some((market) => market.negRiskOther === true && market.groupItemTitle === 'Other')).toBe(true)
    expect(a.some((market) => market.groupItemTitle === 'Person A')).toBe(true)
  })

  test('some are paused', () => {
    expect(a.some((market) => market.closed === false && market.acceptingOrders === false)).toBe(true)
    expect(b.some((market) => market.status === 'inactive')).toBe(true)
  })

  test('venue A writes no zero (trap 1)', () => {
    const zero = a.filter((market) =>
      ['bestBid', 'lastTradePrice', 'volumeNum', 'volume24hr', 'oneDayPriceChange'].some(
        (name) => market[name] === 0,
      ),
    )
    expect(zero).toEqual([])
    expect(a.filter((market) => market.oneDayPriceChange === undefined).length).toBeGreaterThan(0)
  })

  test('market slugs drift, event slugs stay (trap 2)', () => {
    const later = [...markets(world, 'a', NOON + 7 * DAY).entries()]
    const before = new Map(a.map((market) => [market.id, market]))
    const kept = later.filter(([id]) => before.has(id))
    expect(kept.length).toBeGreaterThan(100)
    expect(kept.filter(([id, market]) => before.get(id).slug !== market.slug).length).toBeGreaterThan(
      kept.length * 0.9,
    )
  })
})
