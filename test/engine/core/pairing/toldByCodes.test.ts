import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const at = (text: string) => Date.parse(text)

describe('a game of which only one side is named', () => {
  const a = (slug: string) =>
    marketA('1', 'Will Larks FC win on 2027-09-12?', {
      eventTitle: 'Will Larks FC win on 2027-09-12?',
      slug,
      closeMs: at('2027-09-12T14:00:00Z'),
    })
  const b = marketB('KXEPLGAME-27SEP12LARHER-LAR', 'Larks vs Herons Winner?', {
    outcome: 'Larks',
    closeMs: at('2027-09-26T16:45:00Z'),
  })

  test.each(['epl-lar-her-2027-09-12-lar', 'epl-her-lar-2027-09-12-lar'])(
    'is told by the codes of both teams: %s',
    (slug) => {
      expect(judge(a(slug), b).verdict).toBe('identity')
    },
  )
  test.each(['epl-lar-fox-2027-09-12-lar', 'larks-win-2027-09-12'])('is not without: %s', (slug) => {
    expect(judge(a(slug), b).reasons).toEqual(['side_unclear'])
  })

  const of = (club: string, slug: string) =>
    marketA('1', `Will ${club} win on 2027-09-12?`, {
      eventTitle: `Will ${club} win on 2027-09-12?`,
      slug,
      closeMs: at('2027-09-12T14:00:00Z'),
    })
  const winner = (series: string, codes: string, home: string, away: string) =>
    marketB(`${series}-27SEP12${codes}-X`, `${home} vs ${away} Winner?`, {
      outcome: home,
      closeMs: at('2027-09-26T16:45:00Z'),
    })

  test.each([
    ['Arsenal FC', 'epl-ars-che-2027-09-12-ars', 'KXEPLGAME', 'ARSCFC', 'Arsenal', 'Chelsea'],
    ['Korea Republic', 'fifwc-kor-mex-2027-09-12-kor', 'KXWCGAME', 'ROKMEX', 'South Korea', 'Mexico'],
    ['AC Milan', 'sea-mil-laz-2027-09-12-mil', 'KXSERIEAGAME', 'ACMLAZ', 'AC Milan', 'Lazio'],
    ['1. FSV Mainz 05', 'bun-mai-dor-2027-09-12-mai', 'KXBUNDESLIGAGAME', 'M05BVB', 'Mainz', 'Dortmund'],
  ])('is told by names that the codes of its slug shorten: %s', (club, slug, series, codes, home, away) => {
    expect(judge(of(club, slug), winner(series, codes, home, away)).verdict).toBe('identity')
  })

  test.each([
    ['another opponent', 'Arsenal FC', 'epl-ars-liv-2027-09-12-ars', 'KXEPLGAME', 'Arsenal', 'Chelsea'],
    ['no slug', 'Arsenal FC', 'arsenal-win-2027-09-12', 'KXEPLGAME', 'Arsenal', 'Chelsea'],
    ['a league unknown', 'Arsenal FC', 'xyz-ars-che-2027-09-12-ars', 'KXEPLGAME', 'Arsenal', 'Chelsea'],
    [
      'its neighbour',
      'Manchester City FC',
      'epl-man-liv-2027-09-12-man',
      'KXEPLGAME',
      'Manchester United',
      'Liverpool',
    ],
    ['its neighbour', 'AC Milan', 'sea-mil-laz-2027-09-12-mil', 'KXSERIEAGAME', 'Inter Milan', 'Lazio'],
    [
      'other initials',
      'FC Barcelona',
      'ucl-bar-che-2027-09-12-bar',
      'KXUCLGAME',
      'Barcelona SC',
      'Cherno More',
    ],
  ])('is not with %s: %s, %s', (_, club, slug, series, home, away) => {
    expect(judge(of(club, slug), winner(series, 'ONETWO', home, away)).verdict).not.toBe('identity')
  })
})

describe('a match of esports', () => {
  const match = (title: string) => marketA('1', title, { slug: 'val-lar-her-2027-08-10' })
  const b = marketB(
    'KXVALORANTGAME-27AUG100900HERLAR-LAR',
    'Will Larks win the Herons vs. Larks Valorant match?',
    {
      outcome: 'Larks',
    },
  )

  test('is played in a tournament of any name', () => {
    expect(judge(match('Valorant: Larks vs Herons (BO3) - VCT Champions'), b).verdict).toBe('identity')
  })
  test.each([
    'Valorant: Larks vs Herons (BO3) - Map 1 Winner',
    'Valorant: Larks vs Herons (BO3) - Total Maps',
    'Valorant: Larks vs Herons (BO3) - Games O/U 2.5',
    'Valorant: Larks vs Herons (BO3) - Map Handicap',
  ])('%s asks about something else', (title) => {
    expect(judge(match(title), b).verdict).not.toBe('identity')
  })
})

describe('a price index, whose series says that it is read by month', () => {
  const month = (title: string) => marketA('1', title, { closeMs: at('2027-10-14T00:00:00Z') })
  const b = (series: string) =>
    marketB(`${series}-27SEP-T0.3`, 'Will CPI rise more than 0.3% in September 2027?', {
      outcome: 'Above 0.3%',
      closeMs: at('2027-10-14T12:25:00Z'),
    })

  test('agrees with one that says so, one step above the threshold', () => {
    expect(judge(month('Will CPI MoM be 0.4% or more in September 2027?'), b('KXCPI')).verdict).toBe(
      'identity',
    )
    expect(judge(month('Will CPI MoM be 0.3% or more in September 2027?'), b('KXCPI')).verdict).not.toBe(
      'identity',
    )
  })
  test('also the core of it', () => {
    const core = marketB('KXCPICORE-27SEP-T0.3', 'Will CPI Core rise more than 0.3% in September 2027?', {
      outcome: 'Above 0.3%',
      closeMs: at('2027-10-14T12:25:00Z'),
    })
    expect(judge(month('Will Core CPI MoM be 0.4% or more in September 2027?'), core).verdict).toBe(
      'identity',
    )
    expect(judge(month('Will CPI MoM be 0.4% or more in September 2027?'), core).verdict).not.toBe('identity')
  })
  test('but not another series, nor a change by year', () => {
    expect(judge(month('Will CPI MoM be 0.4% or more in September 2027?'), b('KXCPIYOY')).verdict).not.toBe(
      'identity',
    )
    expect(judge(month('Will CPI YoY be 0.4% or more in September 2027?'), b('KXCPI')).verdict).not.toBe(
      'identity',
    )
  })
})
