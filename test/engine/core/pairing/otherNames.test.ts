import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const gameMs = Date.parse('2027-06-04T23:00:00Z')
const gameA = (sides: string, slug: string, rest: Partial<Market> = {}) =>
  marketA('1', sides, {
    eventTitle: sides,
    slug: `${slug}-2027-06-04`,
    yesMeans: sides.split(' vs. ')[0]!,
    gameMs,
    ...rest,
  })
const gameB = (series: string, title: string, outcome: string, rest: Partial<Market> = {}) =>
  marketB(`${series}-27JUN04AAABBB-AAA`, title, { eventTitle: title, outcome, gameMs, ...rest })

describe('VEN-10 another team of the same name is another side', () => {
  test.each([
    ['Foxes Women vs. Herons Women', 'epl'],
    ['Foxes U21 vs. Herons U21', 'epl'],
    ['Foxes II vs. Herons', 'mls'],
    ['Foxes Academy vs. Herons', 'cs2'],
    ['Foxes State vs. Herons', 'cfb'],
    ['Foxes Tech vs. Herons', 'cbb'],
    ['Central Foxes vs. Herons', 'cbb'],
    ['Foxes Upstate vs. Herons', 'cbb'],
    ['Foxes-Martin vs. Herons', 'cbb'],
    ['Foxes Christian vs. Herons', 'cfb'],
  ])('%s is not Foxes against Herons', (sides, slug) => {
    const series = {
      epl: 'KXEPLGAME',
      mls: 'KXMLSGAME',
      cs2: 'KXCS2GAME',
      cfb: 'KXNCAAFGAME',
      cbb: 'KXNCAAMBGAME',
    }[slug]!
    const b = gameB(series, 'Foxes vs Herons Winner?', 'Foxes')
    expect(judge(gameA(sides, slug), b).reasons).toEqual(['game_teams'])
    expect(['identity', 'related']).toContain(judge(gameA('Foxes vs. Herons', slug), b).verdict)
  })

  test.each([
    ['RCD Falkirk de Grantham', 'Grantham', 'different'],
    ['RCD Falkirk de Grantham', 'Falkirk', 'different'], //  as Everton de Viña del Mar is not Everton
    ['RCD Falkirk de Grantham', 'Falkirk Grantham', 'identity'],
    ['Olympique de Grantham', 'Grantham', 'identity'],
    ['Club Sport de Grantham', 'Grantham', 'identity'],
  ])('a club is not its town where it has a name of its own: %s against %s: %s', (long, short, verdict) => {
    const b = gameB('KXLALIGAGAME', `${short} vs Lowell Winner?`, short)
    const a = marketA('1', `Will ${long} win on 2027-06-04?`, {
      eventTitle: `${long} vs. Lowell FC`,
      slug: 'lal-fal-low-2027-06-04',
      outcome: long,
      exclusive: true,
      gameMs,
    })
    expect(judge(a, b).verdict).toBe(verdict)
  })

  test('a college that writes its state in short', () => {
    const b = gameB('KXNCAAMBGAME', 'Connecticut at Lowell Winner?', 'Connecticut')
    const judged = (name: string) => judge(gameA(`${name} vs. Lowell Larks`, 'cbb'), b).verdict
    expect(judged('UConn Huskies')).toBe('identity')
    expect(judged('Central Connecticut Blue Devils')).toBe('different')
  })

  test('a name of more words is the same side otherwise', () => {
    const b = gameB('KXNCAAFGAME', 'Grantham St. at Lowell Winner?', 'Grantham St.')
    const judged = (name: string) => judge(gameA(`${name} vs. Lowell Larks`, 'cfb'), b).verdict
    expect(judged('Grantham State Geese')).toBe('identity')
    expect(judged('Grantham Geese')).toBe('different')
  })
})

describe('VEN-10 a part of a game that only the ticker names is no whole game', () => {
  test.each([
    ['KXNBA1HWINNER', 'Los Angeles L at Boston Winner?', 'nba', 'Lakers vs. Celtics', 'Los Angeles L'],
    ['KXNBA2Q', 'Los Angeles L at Boston Winner?', 'nba', 'Lakers vs. Celtics', 'Los Angeles L'],
    ['KXNHL1P', 'New York R at Boston Winner?', 'nhl', 'Rangers vs. Bruins', 'New York R'],
    ['KXMLBF5', 'New York Y at Boston Winner?', 'mlb', 'Yankees vs. Red Sox', 'New York Y'],
  ])('%s', (series, title, slug, sides, outcome) => {
    expect(judge(gameA(sides, slug), gameB(series, title, outcome)).reasons).toEqual([
      'game_against_question',
    ])
    const whole = series.replace(/\d?[HQPF]\d?(?:WINNER)?$/, 'GAME')
    expect(judge(gameA(sides, slug), gameB(whole, title, outcome)).verdict).toBe('identity')
  })

  test('the same part, said by the ticker and by the other title', () => {
    const b = gameB('KXNBA1HTOTAL', 'Los Angeles L at Boston: Totals', 'Over 110.5 points scored')
    const ofHalf = gameB(
      'KXNBA1HTOTAL',
      'Los Angeles L at Boston: First Half Totals',
      'Over 110.5 points scored',
    )
    const a = (part: string) =>
      marketA('1', `Lakers vs. Celtics: ${part}`, {
        slug: 'nba-lal-bos-2027-06-04',
        yesMeans: 'Over',
        gameMs,
      })
    expect(judge(a('1H O/U 110.5'), ofHalf).verdict).toBe('identity')
    expect(judge(a('O/U 110.5'), ofHalf).reasons).toEqual(['game_segment'])
    expect(judge(a('O/U 110.5'), b).reasons).toEqual(['game_against_question'])
  })

  test('a winner in regulation time is not who wins in the end', () => {
    const b = gameB('KXNHLGAME', 'New York R at Boston: winner in regulation', 'New York R')
    expect(judge(gameA('Rangers vs. Bruins', 'nhl'), b).reasons).toEqual(['game_type'])
  })

  test.each([
    ['Berg vs. Kirk: Total Sets O/U 2.5', 'Over 2.5 sets', 'identity'],
    ['Berg vs. Kirk: Total Sets O/U 2.5', 'Over 2.5 games', 'related'],
    ['Berg vs. Kirk: Match O/U 2.5', 'Over 2.5 games', 'identity'],
    ['Berg vs. Kirk: Match O/U 2.5', 'Over 2.5 sets', 'related'],
  ])('what a total counts: %s, %s', (title, outcome, verdict) => {
    const a = marketA('1', title, {
      eventTitle: 'Berg vs. Kirk',
      slug: 'atp-berg-kirk-2027-06-04',
      yesMeans: 'Over',
      gameMs,
    })
    expect(judge(a, gameB('KXATPTOTAL', 'Berg vs Kirk: Totals', outcome)).verdict).toBe(verdict)
  })
})

describe('what one venue adds to a name asks nothing', () => {
  const closeMs = Date.parse('2027-06-05T04:00:00Z')
  const chart = (song: string) =>
    marketA('1', `Will ${song} be the Billboard Hot 100 #1 song for the week of June 5?`, { closeMs })
  const b = (song: string, chart = 'Billboard Hot 100') =>
    marketB('KXTOPSONG-27JUN05-LON', `Will ${song} be #1 on the ${chart} during the week of Jun 5, 2027`, {
      outcome: song,
      closeMs,
    })

  test('who made a song in a chart', () => {
    expect(judge(chart('"Long Night - Ola Berg"'), b('Long Night')).verdict).toBe('identity')
    expect(judge(chart('"Long Night - Ola Berg"'), b('Short Night')).verdict).toBe('different')
    expect(judge(chart('"Long Night - Ola Berg"'), b('Long Night', 'Billboard 200')).verdict).not.toBe(
      'identity',
    )
    expect(judge(chart('"Long Night - Remix"'), b('Long Night')).verdict).toBe('different')
    //  the other venue names somebody else
    expect(judge(chart('"Long Night - Ola Berg"'), b('Long Night by Leo Kirk')).verdict).toBe('different')
  })

  test('outside a chart what follows the dash may be another part', () => {
    const title = (film: string) => `Will "${film}" be released by June 5, 2027?`
    expect(
      judge(
        marketA('1', title('Long Night - Dawn'), { closeMs }),
        marketB('KXF-27JUN06-LON', title('Long Night'), { closeMs }),
      ).verdict,
    ).toBe('different')
  })

  test('which series a role is from', () => {
    const won = (who: string) =>
      marketA('1', `Will ${who} win Best Voice at the 2027 Linz Awards?`, { closeMs })
    const award = (who: string) =>
      marketB('KXVOICE-27-OBER', '2027 Linz Award for Best Voice?', { outcome: who, closeMs })
    expect(
      judge(won('Ola Berg as Captain Moss (Long Night)'), award('Ola Berg as Captain Moss')).verdict,
    ).toBe('identity')
    expect(
      judge(won('Ola Berg as Captain Moss (Long Night)'), award('Ola Berg as Captain Reed')).verdict,
    ).toBe('different')
    expect(judge(won('Ola Berg (Long Night)'), award('Ola Berg')).verdict).toBe('different')
  })

  test('a congressional district by its code or its name', () => {
    const a = marketA('1', 'Will Ola Berg be the Democratic nominee for NJ-07?', { closeMs })
    const district = (name: string) =>
      marketB(
        'KXNJ07D-27-OBER',
        `Will Ola Berg be the Democratic nominee for ${name} Congressional District?`,
        { outcome: 'Ola Berg', closeMs },
      )
    expect(judge(a, district("New Jersey's 7th")).verdict).toBe('identity')
    expect(judge(a, district("New Jersey's 8th")).verdict).toBe('different')
    expect(judge(a, district("New York's 7th")).verdict).toBe('different')
    expect(judge(a, district("Ohio's 7th")).verdict).toBe('different')
  })
})

describe('VEN-10 the day of a game', () => {
  const b = gameB('KXEPLBTTS', 'Larks at Foxes: Both Teams to Score', 'Both Teams To Score')
  const a = (day: string, startsMs: number | null) =>
    marketA('1', 'Foxes vs. Larks: Both Teams to Score', {
      slug: `epl-fox-lar-2027-06-${day}`,
      gameMs: startsMs,
    })
  test.each([
    ['04', null, 'identity'],
    ['05', null, 'identity'], //  a day of UTC may be the one before in New York
    ['06', null, 'related'],
    ['05', gameMs, 'identity'],
    ['05', gameMs + 86_400_000, 'related'], //  its hour is known, so is its day in New York
  ])('June %s, starting at %s: %s', (day, startsMs, verdict) => {
    expect(judge(a(day, startsMs), b).verdict).toBe(verdict)
  })
})
