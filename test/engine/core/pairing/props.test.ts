import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const A = (title: string, rest: Partial<Market> = {}) =>
  marketA('1', title, {
    eventTitle: 'Grizzlies vs. Lakers',
    slug: 'nba-mem-lal-2027-01-04-points-ola-berg',
    ...rest,
  })
const B = (title: string, n: number, series = 'KXNBAPTS') =>
  marketB(`${series}-27JAN04MEMLAL-MEMOBERG12-${n}`, title, {
    eventTitle: 'Memphis at Los Angeles L: Points',
    outcome: title,
  })

describe('what a player does in a game, as a line and as a count', () => {
  test.each<[string, Market]>([
    ['over', A('Ola Berg: Points Over 21.5')],
    ['over and under', A('Ola Berg: Points O/U 21.5')],
    ['with outcomes of that name', A('Ola Berg: Points O/U 21.5', { yesMeans: 'Over' })],
  ])('%s 21.5 is 22 or more', (_, a) => {
    expect(judge(a, B('Ola Berg: 22+ points', 22)).verdict).toBe('identity')
    expect(judge(a, B('Ola Berg: 21+ points', 21)).verdict).not.toBe('identity')
    expect(judge(a, B('Ola Berg: 22+ rebounds', 22, 'KXNBAREB')).verdict).not.toBe('identity')
  })

  test.each([
    ['1+', 'identity'],
    ['2+', 'related'],
  ])('goals %s, told by an event that names its teams by codes', (count, verdict) => {
    const goals = (n: string) => `Ola Berg: ${n} goals`
    const a = marketA('1', goals('1+'), {
      eventTitle: 'Oilers vs. Golden Knights',
      slug: 'nhl-edm-las-2027-01-04-goals-ola-berg-gte1',
    })
    const b = marketB('KXNHLGOAL-27JAN04EDMVGK-EDMOBERG9', goals(count), {
      eventTitle: 'EDM Oilers at VGK Golden Knights: Player Goals',
      outcome: `Ola Berg: ${count}`,
    })
    expect(judge(a, b).verdict).toBe(verdict)
  })

  test('yes is under: nobody reads that', () => {
    const under = A('Ola Berg: Points O/U 21.5', { yesMeans: 'Under' })
    expect(judge(under, B('Ola Berg: 22+ points', 22)).reasons).toEqual(['side_unclear'])
  })
})
