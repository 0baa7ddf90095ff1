import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

/** A game as both venues list it: what A calls its event, its slug, and what B asks with the outcome that is yes. */
type Game = { event: string; slug: string; ticker: string; asked: string; outcome: string }

const SOCCER: Game = {
  event: 'Foxes FC vs. Larks FC',
  slug: 'epl-fox-lar-2027-03-06',
  ticker: 'KXEPLGAME-27MAR06FOXLAR-FOX',
  asked: 'Foxes vs Larks Winner?',
  outcome: 'Foxes',
}
const TENNIS: Game = {
  event: 'Linz Open: Ola Berg vs Eva Kenin',
  slug: 'wta-berg-kenin-2027-03-06',
  ticker: 'KXWTAMATCH-27MAR06BERKEN-BER',
  asked: 'Will Ola Berg win the Berg vs Kenin: Semifinal match?',
  outcome: 'Ola Berg',
}
const FOOTBALL: Game = {
  event: 'Chiefs vs. Bills',
  slug: 'nfl-kc-buf-2027-03-06',
  ticker: 'KXNFLGAME-27MAR06KCBUF-KC',
  asked: 'Kansas City at Buffalo Winner?',
  outcome: 'Kansas City',
}
const HOCKEY: Game = {
  event: 'Oilers vs. Panthers',
  slug: 'nhl-edm-fla-2027-03-06',
  ticker: 'KXNHLGAME-27MAR06EDMFLA-EDM',
  asked: 'Edmonton at Florida Winner?',
  outcome: 'Edmonton',
}
const MAPS: Game = {
  event: 'LoL: Larks Esports vs Foxes (BO5)',
  slug: 'lol-lar-fox-2027-03-06',
  ticker: 'KXLOLGAME-27MAR060400LARFOX-LAR',
  asked: 'Will Larks Esports win the Larks Esports vs. Foxes League of Legends match?',
  outcome: 'Larks Esports',
}

const a = ({ event, slug }: Game, title = event, rest: Partial<Market> = {}) =>
  marketA('1', title, { eventTitle: event, slug, ...rest })
const b = ({ ticker, asked, outcome }: Game, title = asked, rest: Partial<Market> = {}) =>
  marketB(ticker, title, { outcome, ...rest })

describe('VEN-10 a market about a game that asks more than who wins is not its result', () => {
  test.each([TENNIS, FOOTBALL, HOCKEY, MAPS])('the result alone: $event', (game) => {
    expect(judge(a(game), b(game)).verdict).toBe('identity')
  })

  test.each([
    [SOCCER, 'Will Foxes win to nil?'],
    [SOCCER, 'Will Foxes win from behind?'],
    [SOCCER, 'Will Foxes beat Larks by 2+ goals?'],
    [TENNIS, 'Will Ola Berg win in straight sets?'],
    [TENNIS, 'Set 1 Game 1 Winner: Berg vs Kenin'],
    [TENNIS, 'Set 1 Tiebreak: Berg vs Kenin'],
    [MAPS, 'Will Larks Esports win 3-0?'],
    [MAPS, 'Will Larks Esports win at least one map?'],
  ])('venue A, $0.event: %s', (game, title) => {
    expect(judge(a(game, title), b(game)).verdict).not.toMatch(/identity|inverted/)
  })

  test.each([
    'Will the match be a 0-0 draw?',
    'Will the match be a score draw?',
    'Will it be a draw at halftime?',
  ])('a draw: %s', (title) => {
    const tie = b(SOCCER, SOCCER.asked, { marketId: 'KXEPLGAME-27MAR06FOXLAR-TIE', outcome: 'Tie' })
    expect(judge(a(SOCCER, 'Will Foxes FC vs. Larks FC end in a draw?'), tie).verdict).toBe('identity')
    expect(judge(a(SOCCER, title), tie).verdict).not.toBe('identity')
  })

  test.each([
    [FOOTBALL, 'Kansas City at Buffalo: Fewer turnovers'],
    [FOOTBALL, 'Kansas City at Buffalo: Winner after trailing at half'],
    [HOCKEY, 'Edmonton at Florida: Regulation Winner?'],
    [HOCKEY, 'Edmonton at Florida Winner (60 min)?'],
    [TENNIS, 'Will Ola Berg win the Berg vs Kenin match after losing the first set?'],
    [TENNIS, 'Will Ola Berg win set 2 and the match in the Ola Berg vs Eva Kenin match'],
  ])('venue B, $0.event: %s', (game, title) => {
    expect(judge(a(game), b(game, title)).verdict).not.toMatch(/identity|inverted/)
  })
})

describe('VEN-10 another team of the same house', () => {
  test.each([
    ['LoL: Larks Challengers vs Foxes Challengers (BO5)'],
    ['LoL: Larks NXT vs Foxes Talent (BO5)'],
  ])('%s', (title) => {
    expect(judge(a(MAPS, title), b(MAPS)).verdict).toBe('different')
  })

  test.each([
    ['Foxes Legends', 'Larks Legends'],
    ['Northern Foxes', 'Larks'],
    ['Jong Foxes', 'Jong Larks'],
  ])('%s', (first, second) => {
    const asked = (one: string, other: string) =>
      marketA('1', `${one} vs. ${other}: Both Teams to Score`, { slug: SOCCER.slug })
    const both = marketB('KXEPLBTTS-27MAR06FOXLAR', 'Larks at Foxes: Both Teams to Score', {
      outcome: 'Both Teams To Score',
    })
    expect(judge(asked('Foxes FC', 'Larks FC'), both).verdict).toBe('identity')
    expect(judge(asked(first, second), both).verdict).toBe('different')
  })
})

describe('design 3: how venue B words games of women and of colleges', () => {
  const wnba = (asked: string, outcome: string, series = 'WNBAGAME') =>
    marketB(`KX${series}-27AUG05DALWSH-X`, `Dallas vs Washington women's Pro Basketball game: ${asked}`, {
      outcome,
    })
  const game = (tail = '') =>
    marketA('1', `Dallas Wings vs. Washington Mystics${tail}`, { slug: 'wnba-dal-was-2027-08-05' })

  test('who wins, and how many points', () => {
    expect(judge(game(), wnba('Dallas wins?', 'Dallas')).verdict).toBe('identity')
    expect(judge(game(), wnba('Washington wins?', 'Washington')).verdict).toBe('inverted')
    const over = wnba('Over 165.5 points?', 'Over 165.5 points scored', 'WNBATOTAL')
    expect(judge(game(': O/U 165.5'), over).verdict).toBe('identity')
    expect(judge(game(': 1H O/U 165.5'), over).verdict).toBe('related')
  })

  test('the name of a college ends before "college"', () => {
    const asked = 'Will Larkland win the Larkland vs Foxton St. college football game?'
    const lark = marketB('KXNCAAFGAME-27SEP19LARFOX-LAR', asked, { outcome: 'Larkland' })
    const teams = (title: string) => marketA('1', title, { slug: 'cfb-lar-fox-2027-09-19' })
    expect(judge(teams('Larkland Tigers vs. Foxton State Rebels'), lark).verdict).toBe('identity')
    expect(judge(teams('Larkland Tigers vs. Foxton Rebels'), lark).verdict).toBe('different')
  })
})
