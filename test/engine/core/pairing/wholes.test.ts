import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { areNeighbours, inStep, inSteps } from '../../../../engine/core/pairing/wholes.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-09-01T03:59:00Z')
const judged = (
  titleA: string,
  titleB: string,
  ticker = 'KXTEST-27',
  rules = '',
  outcome: string | null = null,
) =>
  judge(
    marketA('1', titleA, { closeMs, rules, slug: 'nba-fox-her-2027-08-20' }),
    marketB(ticker, titleB, { closeMs, rules, eventTitle: titleB, outcome }),
  ).verdict
const READ = 'Resolves by the temperature read at Seal International Airport.'

describe('design 3: of what comes in steps, "above 89" is "90 or more"', () => {
  test.each([
    [
      'seats',
      'Will Whigs win more than 50 Senate seats in 2028?',
      'Will Whigs win 51 or more Senate seats in 2028?',
    ],
    [
      'scores of critics',
      'Will "Fox" score at least 90 on the Rotten Tomatoes Tomatometer?',
      'Will "Fox" score above 89 on Rotten Tomatoes?',
    ],
    [
      'prints with one decimal',
      'Will CPI be 3.3% or more in August 2027?',
      'Will CPI be above 3.2% in August 2027?',
    ],
    [
      'degrees Fahrenheit',
      'Will the highest temperature in Seal be 55°F or higher on August 28, 2027?',
      'Will the high temp in Seal be >54° on August 28, 2027?',
    ],
    [
      'averages of polls',
      "Will Berg's approval rating be 42.0% or higher on August 28, 2027?",
      "Will Berg's approval rating be above 41.9% on August 28, 2027?",
    ],
  ])('%s', (_, x, y) => {
    expect(judged(x, y, 'KXTEST-27', READ)).toBe('identity')
    expect(judged(y, x, 'KXTEST-27', READ)).toBe('identity')
  })

  test.each([
    ['the same number', 'Will CPI be 3.3% or more in August 2027?', 'Will CPI be above 3.3% in August 2027?'],
    [
      'what lies between two tenths',
      'Will CPI be above 0.3% in August 2027?',
      'Will CPI be above 0.35% in August 2027?',
    ],
    ['shares', 'Will Whigs win 51% or more in 2028?', 'Will Whigs win more than 50% in 2028?'],
    [
      'prices',
      'Will Foxfilm be 51 or more on August 7, 2027?',
      'Will Foxfilm be above 50 on August 7, 2027?',
    ],
    [
      'degrees Celsius, which are reported in tenths',
      'Will the highest temperature in Seal be 25°C or higher on August 28, 2027?',
      'Will the high temp in Seal be >24°C on August 28, 2027?',
    ],
  ])('not %s', (_, x, y) => {
    expect(judged(x, y, 'KXTEST-27', READ)).toBe('related')
    expect(judged(y, x, 'KXTEST-27', READ)).toBe('related')
  })

  const GAME = 'KXNBAPTS-27AUG20FOXHER-FOXOBERG0-28'
  test.each([
    ['28+ points', true],
    ['27+ points', false],
    ['29+ points', false],
    ['28+ fantasy points', false],
  ])('over 27.5 points in a game is %s: %s', (asked, isSame) => {
    expect(judged('Ola Berg: points over 27.5', `Ola Berg: ${asked}`, GAME) === 'identity').toBe(isSame)
  })

  test('who is asked to be 4.5% is asked to be exactly that; who wins 52 seats may win more', () => {
    expect(
      judged(
        'Will the unemployment rate be 4.5% in August 2027?',
        'Will the unemployment rate be exactly 4.5% in August 2027?',
      ),
    ).toBe('identity')
    expect(
      judged(
        'Will annual inflation increase by 3.8% in August 2027?',
        'Will CPI be exactly 3.8% for the year ending in August 2027?',
      ),
    ).toBe('identity')
    expect(judged('Will Whigs win by 3.8% in 2028?', 'Will Whigs win by exactly 3.8% in 2028?')).toBe(
      'related',
    )
    expect(
      judged('Will Whigs win 52 Senate seats in 2028?', 'Will Whigs win exactly 52 Senate seats in 2028?'),
    ).toBe('related')
  })
})

describe('design 3: of what comes in steps, the next one is where the opposite begins', () => {
  test.each([
    [
      'Will Whigs win more than 50 Senate seats in 2028?',
      'Will Whigs win 50 or fewer Senate seats in 2028?',
      'inverted',
    ],
    [
      'Will Whigs win at least 51 Senate seats in 2028?',
      'Will Whigs win at most 50 Senate seats in 2028?',
      'inverted',
    ],
    [
      'Will Whigs win at least 220 House seats in 2028?',
      'Will Whigs win fewer than 220 House seats in 2028?',
      'inverted',
    ],
    [
      'Will Whigs win more than 50 Senate seats in 2028?',
      'Will Whigs win 49 or fewer Senate seats in 2028?',
      'related',
    ],
    [
      'Will Whigs win more than 50 Senate seats in 2028?',
      'Will Whigs win 51 or fewer Senate seats in 2028?',
      'related',
    ],
    ['Will Whigs win at least 51% in 2028?', 'Will Whigs win at most 50% in 2028?', 'related'],
  ])('%s | %s: %s', (x, y, verdict) => {
    expect(judged(x, y)).toBe(verdict)
    expect(judged(y, x)).toBe(verdict)
  })

  test('every count meets one of two neighbours and never both', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 500 }), (most, count) => {
        const [below, above] = [`<=${most}`, inStep(`>${most}`, 'ones')]
        expect(areNeighbours(below, above, 'ones')).toBe(true)
        const least = Number(above.slice(2))
        expect(count <= most).toBe(!(count >= least))
      }),
    )
  })

  test('a threshold keeps its meaning for every step of its scale', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 999 }), (tenths, seen) => {
        const [fact] = inSteps([`>${tenths / 10}%`], 'tenths')
        const least = Number(/^>=(.*)%$/.exec(fact!)![1])
        expect(seen / 10 >= least).toBe(seen > tenths)
      }),
    )
  })
})
