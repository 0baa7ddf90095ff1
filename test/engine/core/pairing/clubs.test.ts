import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { judged } from '../../support/judged.ts'
import { marketA, marketB } from '../../support/markets.ts'

const title = (club: string, league = 'Premier League') => `Will ${club} win the 2027 ${league}?`

describe('European clubs by the names either venue calls them', () => {
  test.each([
    ['Leeds United FC', 'Leeds'],
    ['Brighton & Hove Albion FC', 'Brighton'],
    ['Manchester United FC', 'Manchester Utd'],
    ['Man City', 'Manchester City'],
    ['Wolverhampton Wanderers FC', 'Wolves'],
    ["Nott'm Forest", 'Nottingham'],
    ['Tottenham Hotspur', 'Spurs'],
  ])('%s is %s', (a, b) => {
    expect(judged(title(a), title(b))).toBe('identity')
  })
  test.each([
    ['Club Atlético de Madrid', 'Atletico', 'La Liga'],
    ['Athletic Club', 'Athletic Bilbao', 'LaLiga'],
    ['FC Internazionale Milano', 'Inter', 'Serie A'],
    ['FC Bayern München', 'Bayern Munich', 'Bundesliga'],
    ['Paris Saint-Germain', 'PSG', 'Champions League'],
  ])('%s is %s', (a, b, league) => {
    expect(judged(title(a, league), title(b, league))).toBe('identity')
  })
  test.each([
    ['Manchester United', 'Manchester City', 'Premier League'],
    ['Leeds United', 'Newcastle United', 'Premier League'],
    ['AC Milan', 'Inter Milan', 'Serie A'],
    ['Espanyol de Barcelona', 'Barcelona', 'La Liga'],
    ['Real Madrid', 'Atlético de Madrid', 'La Liga'],
    ['Borussia Dortmund', 'Borussia Mönchengladbach', 'Bundesliga'],
    ['Bayern Munich', 'Bayer Leverkusen', 'Bundesliga'],
    ['Sheffield United', 'Sheffield', 'Premier League'],
    ['Leeds United Women', 'Leeds', 'Premier League'],
  ])('%s is not %s', (a, b, league) => {
    expect(judged(title(a, league), title(b, league))).not.toBe('identity')
  })

  test('as sides of a game, with what every club has and its city as it writes it', () => {
    const both = (home: string) =>
      marketA('1', `${home} vs. Juventus FC: Both Teams to Score`, { slug: 'sea-int-juv-2026-11-28-btts' })
    const b = marketB('KXSERIEABTTS-26NOV28INTJUV', 'Juventus at Inter: Both Teams to Score', {
      outcome: 'Both Teams To Score',
    })
    expect(judge(both('FC Internazionale Milano'), b).verdict).toBe('identity')
    expect(judge(both('AC Milan'), b).verdict).not.toBe('identity')
    const milan = {
      ...b,
      title: 'Juventus at AC Milan: Both Teams to Score',
      eventTitle: 'Juventus at AC Milan',
    }
    expect(judge(both('AC Milan'), milan).verdict).toBe('identity')
    expect(judge(both('FC Internazionale Milano'), milan).verdict).not.toBe('identity')
  })

  test.each([
    ['FC København', 'Copenhagen', 'identity'],
    ['Legia Warszawa', 'Legia Warsaw', 'identity'],
    ['FC Dynamo Kyiv', 'Dynamo Kiev', 'identity'],
    ['Los Angeles FC', 'Los Angeles F', 'identity'],
    ['Los Angeles Galaxy', 'Los Angeles G', 'identity'],
    ['Los Angeles FC', 'Los Angeles G', 'different'],
    ['Los Angeles Galaxy', 'Los Angeles F', 'different'],
  ])('as sides of a game: %s and %s', (home, short, verdict) => {
    const a = marketA('1', `${home} vs. Larkland FC: Both Teams to Score`, {
      slug: 'cup-hom-lar-2027-09-21-btts',
    })
    const b = marketB('KXCUPBTTS-27SEP21HOMLAR', `Larkland at ${short}: Both Teams to Score`)
    expect(judge(a, b).verdict).toBe(verdict)
  })

  test('as sides of a game: what many clubs call themselves is the name of the one that begins with it', () => {
    const verdict = (home: string, other: string) =>
      judge(
        marketA('1', `${home} vs. Larks: Both Teams to Score`, { slug: 'fif-x-lar-2026-11-28-btts' }),
        marketB('KXFRIENDLYBTTS-26NOV28XLAR', `Larks at ${other}: Both Teams to Score`, {
          outcome: 'Both Teams To Score',
        }),
      ).verdict
    expect(verdict('Athletic Club', 'Athletic Bilbao')).toBe('identity')
    expect(verdict('Racing Club de Santander', 'Racing')).toBe('identity')
    expect(verdict('Athletic Club', 'Oldham Athletic')).toBe('different')
    expect(verdict('Rangers FC', 'Queens Park Rangers')).toBe('different')
  })

  const gameA = (side: string) =>
    marketA('1', `Will ${side} win on 2026-11-28?`, {
      eventTitle: 'Manchester United FC vs. Leeds United FC',
      slug: 'epl-mun-lee-2026-11-28',
      outcome: side,
    })
  const gameB = marketB('KXEPLGAME-26NOV28MUNLEE-MUN', 'Manchester Utd vs Leeds Winner?', {
    eventTitle: 'Manchester Utd vs Leeds',
    outcome: 'Manchester Utd',
  })

  test('as sides of a game: one is its own, the other its opponent', () => {
    expect(judge(gameA('Manchester United FC'), gameB).verdict).toBe('identity')
    expect(judge(gameA('Leeds United FC'), gameB).verdict).not.toBe('identity')
  })
})
