import { describe, expect, test } from 'vitest'
import { judge } from '../../engine/core/pairing/judge.ts'
import { pairAll } from '../../engine/core/pairing/pairAll.ts'
import { isPair } from '../../engine/core/pairing/verdict.ts'
import { generatedMarkets } from './support/generatedMarkets.ts'

/*
 * The generator words one question in both venues' ways and puts look-alikes beside it; it was written without
 * knowledge of the pairing and knows the truth about every pair.
 */
describe('a generated world in which the truth is known', () => {
  test.each([1, 2, 3])('seed %d: whatever is paired belongs together, the right way round', (seed) => {
    const { a, b, truth } = generatedMarkets(seed, 2_500)
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
