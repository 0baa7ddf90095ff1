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
    expect(verdict('Racing Club de Lowell', 'Lowell')).toBe('identity')
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

describe('VEN-10 a club is not another one that goes by a part of its name', () => {
  const [SLUG, TICKER] = ['xyz-aaa-lar-2026-11-28', 'KXCUPBTTS-26NOV28HOMLAR']
  const verdict = (a: string, b: string, slug = SLUG, ticker = TICKER) =>
    judge(
      marketA('1', `${a} vs. Larks: Both Teams to Score`, { slug: `${slug}-btts` }),
      marketB(ticker, `Larks at ${b}: Both Teams to Score`, { outcome: 'Both Teams To Score' }),
    ).verdict

  test.each([
    ['New York City FC', 'New York'],
    ['New York Red Bulls', 'New York'],
    ['Los Angeles Galaxy', 'Los Angeles FC'],
    ['Dundee United', 'Dundee'],
    ['Manchester City', 'Manchester'],
    ['Universidad de Chile', 'Universidad'],
    ['Independiente del Valle', 'Independiente'],
    ['River Plate Montevideo', 'River Plate'],
    ['Everton de Viña del Mar', 'Everton'],
    ['Arsenal de Sarandí', 'Arsenal'],
    ['Racing de Santander', 'Racing Club'],
    ['Sporting CP', 'Sporting'],
    ['Atlético Mineiro', 'Atletico'],
    ['Botafogo SP', 'Botafogo'],
    ['Inter Miami CF', 'Inter'],
    ['Inter Milan', 'Milan'],
    ['Real Madrid', 'Madrid'],
    ['Paris Saint-Germain', 'Paris FC'],
    ['Barcelona SC', 'FC Barcelona'],
    ['Larkton SC', 'FK Larkton'],
    ['Atlanta United 2', 'Atlanta United'],
    ['Vancouver Whitecaps', 'Vancouver FC'],
    ['Inter Miami CF', 'Miami FC'],
    ['Larkton Timbers', 'Larkton'], //  a nickname that no table knows
    ['Larkton Oslo', 'Larkton'], //     nor such a place
    ['New Larkton', 'Larkton'],
  ])('%s is not %s', (long, short) => {
    expect(verdict(long, short)).toBe('different')
    expect(verdict(short, long)).toBe('different')
    for (const slug of ['epl', 'mls'])
      expect(verdict(long, short, `${slug}-aaa-lar-2026-11-28`)).toBe('different')
  })

  test.each([
    ['Larkton FC', 'Larkton'],
    ['FC Larkton', 'CF Larkton'],
    ['AJ Larkton', 'Larkton'],
    ['TSG 1899 Larkton 04', 'Larkton'],
    ['Larkton United FC', 'Larkton'],
    ['Real Larkton', 'Larkton'],
    ['Racing Club de Larkton', 'Larkton'],
    ['Larkton de Fútbol', 'Larkton'],
  ])('what says only that it is a club may be left out: %s is %s', (long, short) => {
    expect(verdict(long, short)).toBe('identity')
    expect(verdict(short, long)).toBe('identity')
  })

  test.each([
    ['Bayer 04 Leverkusen', 'Leverkusen'],
    ['RCD Espanyol de Barcelona', 'Espanyol'],
    ['Inter', 'Inter Milan'],
    ['Portland Timbers', 'Portland'],
    ['New York Red Bulls', 'New York RB'],
    ['LAFC', 'Los Angeles F'],
    ['Vancouver Whitecaps FC', 'Vancouver'],
    ['Inter Miami CF', 'Miami'],
    ['Club Brugge KV', 'Club Brugge'],
  ])('a club that is known is known by all of its names: %s is %s', (a, b) => {
    expect(verdict(a, b, 'mls-aaa-lar-2026-11-28')).toBe('identity')
    expect(verdict(b, a, 'mls-aaa-lar-2026-11-28')).toBe('identity')
  })

  test('where both venues code the two teams alike, a word more is a nickname, but not of a name that several bear', () => {
    const coded = (a: string, b: string) => verdict(a, b, 'xyz-hom-lar-2026-11-28')
    expect(coded('Larkton Timbers', 'Larkton')).toBe('identity')
    expect(coded('Larkton Timbers II', 'Larkton')).toBe('different')
    expect(coded('Universidad de Chile', 'Universidad')).toBe('different')
    expect(coded('New York City FC', 'New York')).toBe('different')
    expect(coded('Boavista RJ', 'Boavista')).toBe('different')
  })

  test.each([
    ['Larkton Timbers', 'xyz-hom-lar', 'identity'],
    ['SE Larkton', 'xyz-hom-lar', 'identity'],
    ['Larkton Timbers', 'xyz-aaa-lar', 'different'],
    ['Larkton II', 'xyz-hom-lar', 'different'],
    ['Larks', 'xyz-hom-lar', 'unreadable'], //  the other side, where a draw may be a third result
  ])('the same of one that is named alone: %s, coded %s: %s', (who, slug, expected) => {
    const a = marketA('1', `Will ${who} win on 2026-11-28?`, { slug: `${slug}-2026-11-28-hom` })
    const b = marketB('KXCUPGAME-26NOV28HOMLAR-HOM', 'Larkton vs Larks Winner?', { outcome: 'Larkton' })
    expect(judge(a, b).verdict).toBe(expected)
  })

  test('one that is named alone, by the letters its state adds', () => {
    const a = marketA('1', 'Will Botafogo FR win on 2026-11-28?', { slug: 'bra-bot-lar-2026-11-28-bot' })
    const verdictOn = (name: string) =>
      judge(a, marketB('KXBRASILEIROGAME-26NOV28BOTLAR-BOT', `${name} vs Larks Winner?`, { outcome: name }))
        .verdict
    expect(verdictOn('Botafogo')).toBe('identity')
    expect(verdictOn('Botafogo SP')).not.toBe('identity')
  })

  test('a longer name that no table knows is not the club that is known by the shorter', () => {
    expect(verdict('Portland United', 'Portland')).toBe('identity')
    expect(verdict('Portland United', 'Portland', 'mls-aaa-lar-2026-11-28')).toBe('different')
  })

  test('elsewhere the city alone is no team where the league has two of it', () => {
    const total = (a: string, b: string) =>
      judge(
        marketA('1', `${a} vs. Boston Red Sox: O/U 8.5`, { slug: 'mlb-xxx-bos-2026-08-28-total' }),
        marketB('KXMLBTOTAL-26AUG28XXXBOS-9', `${b} at Boston: Totals`, { outcome: 'Over 8.5 runs scored' }),
      ).verdict
    expect(total('New York Yankees', 'New York Y')).toBe('identity')
    expect(total('New York Yankees', 'New York')).toBe('different')
    expect(total('New York', 'New York Yankees')).toBe('different')
    expect(total('Houston Astros', 'Houston')).toBe('identity')
  })

  test('in questions: SC is not FC', () => {
    expect(judged(title('Barcelona SC', 'Larkland Cup'), title('FC Barcelona', 'Larkland Cup'))).toBe(
      'related',
    )
    expect(judged(title('Larks SC', 'Larkland Cup'), title('Larks', 'Larkland Cup'))).toBe('identity')
  })
})
