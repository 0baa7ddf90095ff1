import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const total = (a: { slug?: string; rules?: string } = {}, b: { series?: string; rules?: string } = {}) =>
  judge(
    marketA('1', 'USA vs. Japan: O/U 2.5', {
      slug: `${a.slug ?? 'fif'}-usa-jpn-2027-03-27-total-2pt5`,
      rules: a.rules ?? '',
    }),
    marketB(`${b.series ?? 'KXFRIENDLYTOTAL'}-27MAR27USAJPN-3`, 'United States vs Japan: Totals', {
      outcome: 'Over 2.5 goals scored',
      rules: b.rules ?? '',
    }),
  )

describe('women and the young, whom the names of the sides leave out', () => {
  test('the same teams', () => {
    expect(total().verdict).toBe('identity')
    expect(total({ rules: "a women's match" }, { series: 'KXWWCTOTAL' }).verdict).toBe('identity')
    expect(total({ rules: "men's friendly, not the women's" }).verdict).toBe('identity')
  })
  test.each([
    ['a series', {}, { series: 'KXWWCTOTAL' }],
    ['a slug', { slug: 'fifwwc' }, {}],
    ['the rules of the one', { rules: "In this women's match" }, {}],
    ['the rules of the other', {}, { rules: "If the women's teams score more than 2.5 goals" }],
    ['an age in the rules', {}, { rules: 'In the U21 match' }],
  ])('told by %s', (_, a, b) => {
    expect(total(a, b).reasons).toEqual(['category'])
  })
})

describe('a player who plays twice a day', () => {
  const prop = (slug: string, game: string, gameMs: number | null = null) =>
    judge(
      marketA('1', 'Rafael Devers: 2+ total bases', { slug: `mlb-col-sf-2027-08-15${slug}`, gameMs }),
      marketB(`KXMLBTB-27AUG15${game}-SFRDEVERS16-2`, 'Rafael Devers: 2+ total bases?', {
        outcome: 'Rafael Devers: 2+',
      }),
    )
  const hour = Date.parse('2027-08-15T20:05:00Z') // 16:05 in New York
  test('the same game', () => {
    expect(prop('', '1605COLSF').verdict).toBe('identity')
    expect(prop('-game-2', '1605COLSFG2').verdict).toBe('identity')
    expect(prop('', '1605COLSFG2', hour).verdict).toBe('identity')
  })
  test.each([
    ['another number', '-game-1', '1605COLSFG2', null],
    ['a number on one side', '', '1605COLSFG2', null],
    ['a number on the other', '-game-1', '1605COLSF', null],
    ['another hour', '', '1305COLSF', hour],
  ])('%s', (_, slug, game, gameMs) => {
    expect(prop(slug, game, gameMs).reasons).toEqual(['doubleheader'])
  })
})

describe('points of a player in all of a game, and in a part of it', () => {
  const basketball = {
    game: '27JAN09MINDET-MINAEDWAR5-8',
    who: 'Anthony Edwards',
    slug: 'nba-min-det',
    line: 7.5,
  }
  const hockey = {
    game: '27JAN09CGYEDM-EDMCMCDAVID97-2',
    who: 'Connor McDavid',
    slug: 'nhl-cgy-edm',
    line: 1.5,
  }

  test.each([
    ['KXNBAPTS', basketball, 'identity'],
    ['KXNBA1QPTS', basketball, 'related'],
    ['KXNBA1HPTS', basketball, 'related'],
    ['KXNHLPTS', hockey, 'identity'],
    ['KXNHL1PPTS', hockey, 'related'],
    ['KXNHL3PPTS', hockey, 'related'],
  ] as const)('%s', (series, { game, who, slug, line }, verdict) => {
    const atLeast = `${who}: ${line + 0.5}+`
    const b = marketB(`${series}-${game}`, `${atLeast} points`, { outcome: atLeast })
    const a = marketA('1', `${who}: Points O/U ${line}`, { slug: `${slug}-2027-01-09-points` })
    expect(judge(a, b).verdict).toBe(verdict)
  })
})
