import { beforeAll, describe, expect, test } from 'vitest'
import { judge } from '../../engine/core/pairing/judge.ts'
import { pairAll } from '../../engine/core/pairing/pairAll.ts'
import { isPair } from '../../engine/core/pairing/verdict.ts'
import { generatedMarkets } from './support/generatedMarkets.ts'

/*
 * The generator words one question in both venues' ways and puts look-alikes beside it; it was written without
 * knowledge of the pairing and knows the truth about every pair.
 */
describe('a generated world in which the truth is known', () => {
  const worldOf = (seed: number) => {
    const { a, b, truth } = generatedMarkets(seed, 2_500)
    return { truth, pairs: pairAll(a, b).pairs }
  }
  const worlds = new Map<number, ReturnType<typeof worldOf>>()
  beforeAll(() => {
    for (const seed of [1, 2, 3]) worlds.set(seed, worldOf(seed))
  })

  test.each([1, 2, 3])('seed %d: whatever is paired belongs together, the right way round', (seed) => {
    const { truth, pairs } = worlds.get(seed)!
    const wanted = new Map(
      truth
        .filter(({ label }) => label !== 'not')
        .map((row) => [`${row.aMarketId}|${row.bTicker}`, row.label]),
    )
    const wrong = pairs.filter(
      (pair) => wanted.get(`${pair.a}|${pair.b}`) !== (pair.verdict === 'identity' ? 'same' : 'inverted'),
    )
    expect(wrong).toEqual([])
    const pairable = new Set(truth.flatMap(({ label, aMarketId }) => (label === 'not' ? [] : [aMarketId])))
    expect(pairs.length).toBeGreaterThan(0.9 * pairable.size)
  })

  //  a rule that refuses all of a kind hardly shows in the share of all questions
  test('no series of which there are eight questions goes without pairs', () => {
    const series = new Map<string, { asked: number; paired: number }>()
    for (const { truth, pairs } of worlds.values()) {
      const paired = new Set(pairs.map(({ a, b }) => `${a}|${b}`))
      for (const { label, aMarketId, bTicker } of truth) {
        if (label === 'not') continue
        const [name = ''] = bTicker.split('-')
        const of = series.get(name) ?? { asked: 0, paired: 0 }
        series.set(name, of)
        of.asked++
        if (paired.has(`${aMarketId}|${bTicker}`)) of.paired++
      }
    }
    const many = [...series].filter(([, { asked }]) => asked >= 8)
    expect(many.length).toBeGreaterThan(100)
    const without = many.filter(([, { paired }]) => paired === 0).map(([name]) => name)
    expect(without).toEqual(['KXPRIVATE']) //  "still has no IPO": a question of nothing is refused
  })

  test('judged one by one, no look-alike is taken for the same question', () => {
    const { a, b, truth } = generatedMarkets(4, 4_000)
    const byId = new Map([...a, ...b].map((market) => [market.venue + market.marketId, market]))
    const lookAlikes = truth.filter(({ label }) => label === 'not')
    const taken = lookAlikes.filter((row) =>
      isPair(judge(byId.get(`a${row.aMarketId}`)!, byId.get(`b${row.bTicker}`)!)),
    )
    expect(lookAlikes.length).toBeGreaterThan(1_000)
    expect(taken).toEqual([])
  })
})
