import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const verdict = (slug: string, series: string) =>
  judge(
    marketA('1', 'Panthers vs. Cardinals', { slug: `${slug}-car-ari-2027-10-10` }),
    marketB(`${series}-27OCT10CARARI-CAR`, 'Will Carolina win the Carolina vs Arizona game?', {
      outcome: 'Carolina',
    }),
  )

describe('teams of two leagues that share a city or a nickname', () => {
  test('are the same side in one league', () => {
    expect(verdict('nfl', 'KXNFLGAME').verdict).toBe('identity')
  })
  test.each([
    ['cfb', 'KXNFLGAME'],
    ['nfl', 'KXNCAAFGAME'],
    ['cfl', 'KXNFLGAME'],
    ['nhl', 'KXPWHLGAME'],
    ['nba', 'KXGLEAGUEGAME'],
  ])('are none where the slug says %s and the ticker %s', (slug, series) => {
    expect(verdict(slug, series).reasons).toEqual(['game_sport'])
  })

  const champion = (title: string, series: string, outcome: string) =>
    judge(
      marketA('1', title, { closeMs: Date.parse('2027-06-20T00:00:00Z') }),
      marketB(`${series}-27-X`, 'Who will win the Eastern Conference?', {
        outcome,
        closeMs: Date.parse('2027-06-30T14:00:00Z'),
      }),
    ).verdict
  test.each([
    ['Pittsburgh Penguins', 'KXNHLEAST', 'Pittsburgh', 'identity'],
    ['Pittsburgh Penguins', 'KXNHLEAST', 'PIT Penguins', 'identity'],
    ['New York Rangers', 'KXNHLEAST', 'NYR Rangers', 'identity'],
    ['New York Rangers', 'KXNHLEAST', 'New York I', 'different'],
    ['New York Rangers', 'KXNHLEAST', 'BOS Rangers', 'different'], //  no code of New York
    ['New York Rangers', 'KXNBAEAST', 'New York', 'different'],
    ['pittsburgh penguins', 'KXNHLEAST', 'Pittsburgh', 'different'], //  no name
  ])('a name in full tells the league, a code the team: %s, %s, %s', (team, series, outcome, verdict) => {
    expect(champion(`Will the ${team} win the Eastern Conference?`, series, outcome)).toBe(verdict)
  })

  test.each([
    ['arg', 'KXARGPREMDIVTOTAL', 'identity'],
    ['arg', 'KXURYPDTOTAL', 'different'],
    ['bra', 'KXBRASILEIROTOTAL', 'identity'],
    ['bra', 'KXBRASILEIROBTOTAL', 'different'],
    ['cup', 'KXURYPDTOTAL', 'identity'], //  a league that nobody knows
  ])('clubs of one name in two countries: %s and %s', (slug, series, expected) => {
    const a = marketA('1', 'Racing Club vs. River Plate: O/U 2.5', {
      slug: `${slug}-rac-riv-2027-10-10-total-2pt5`,
    })
    const b = marketB(`${series}-27OCT10RACRIV-3`, 'River Plate at Racing: Totals', {
      outcome: 'Over 2.5 goals scored',
    })
    expect(judge(a, b).verdict).toBe(expected)
  })
})
