import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const a = (title: string, slug: string, rest: Partial<Market> = {}) =>
  marketA('1', title, { slug: `${slug}-2027-03-01`, ...rest })
const b = (series: string, title: string, outcome: string, code = 'LAL', rest: Partial<Market> = {}) =>
  marketB(`KX${series}-27MAR01LALBOS-${code}`, title, { outcome, ...rest })

describe('design 3: what the series of venue B says is a part of the question', () => {
  const winner = a('Lakers vs. Celtics', 'nba-lal-bos')
  const ofSeries = (series: string) => b(series, 'Los Angeles L at Boston Winner?', 'Los Angeles L')

  test.each(['NBAGAME', 'NBA', 'NBAPRESEASONGAME'])('%s: the game', (series) => {
    expect(judge(winner, ofSeries(series)).verdict).toBe('identity')
  })

  test.each([
    'NBAFIRSTHALF',
    'NBA1HWINNER',
    'NBA2HWINNER',
    'NBATIP',
    'NBARACE20',
    'NBAFIRSTTD',
    'NBAADVANCE',
    'NBAF3',
    'NBAOT',
    'NBAREG',
    'NBAGAMEREG',
    'NBAWIRETOWIRE',
    'NBADOUBLERESULT',
    'NBATOTAL',
    'NBASPREAD',
    'NBABTTS',
    'NBAGAMEWINNER',
    'NBAMAP',
    'NBAR1',
    'NBAOVERTIME',
  ])('%s: something else', (series) => {
    expect(judge(winner, ofSeries(series)).verdict).not.toBe('identity')
  })

  test('a total of one team, and corners', () => {
    const total = a('Lakers vs. Celtics: O/U 110.5', 'nba-lal-bos')
    const over = (series: string) =>
      b(series, 'Los Angeles L at Boston: Total Points', 'Over 110.5 points scored', '111')
    expect(judge(total, over('NBATOTAL')).verdict).toBe('identity')
    expect(judge(total, over('NBATEAMTOTAL')).reasons).toEqual(['game_segment'])
    expect(judge(total, over('NBACORNERS')).reasons).toEqual(['game_segment'])
  })

  test('a part that both texts say pairs', () => {
    const half = a('Lakers vs. Celtics: 1st Half Winner', 'nba-lal-bos')
    const ofHalf = b('NBA1HWINNER', 'Los Angeles L at Boston: 1st Half Winner?', 'Los Angeles L')
    expect(judge(half, ofHalf).reasons).not.toContain('game_segment')
  })

  test.each([
    ['WCGOAL', 'Ola Berg: 1+ goals', 'identity'],
    ['WC1HGOAL', 'Ola Berg: 1+ goals', 'related'],
    ['WCFIRSTGOAL', 'Ola Berg: 1+ goals', 'related'],
  ])('a player in a game, %s: %s is %s', (series, title, verdict) => {
    const player = a('Ola Berg: 1+ goals', 'fifwc-lal-bos', { closeMs: Date.parse('2027-03-02T00:00:00Z') })
    expect(judge(player, b(series, title, title)).verdict).toBe(verdict)
  })
})

describe('design 3: a place or a race that only the series of venue B says', () => {
  test.each([
    ['PGATOUR', 'PGATOP5', 'Will Ola Berg win the 2027 Oslo Open?'],
    ['EPLWINNER', 'EPLTOP2', 'Will Ola Berg win the 2027 Premier League?'],
    ['F1RACE', 'F1SPRINT', 'Will Ola Berg win the 2027 Oslo Grand Prix?'],
    ['F1RACE', 'F1POLE', 'Will Ola Berg win the 2027 Oslo Grand Prix?'],
    ['WTAOSLO', 'WTAOSLODOUBLES', 'Will Ola Berg win the 2027 Oslo Open?'],
  ])('%s is what is asked, %s is not', (winner, place, title) => {
    const closeMs = Date.parse('2027-06-01T00:00:00Z')
    const ofSeries = (series: string) =>
      judge(
        marketA('1', title, { closeMs }),
        marketB(`KX${series}-27-OB`, title, { closeMs, eventTitle: title, outcome: 'Ola Berg' }),
      )
    expect(ofSeries(winner).verdict).toBe('identity')
    expect(ofSeries(place).verdict).not.toBe('identity')
  })
})

describe('design 3: who plays', () => {
  const duke = (rest: Partial<Market> = {}, slug = 'cbb-unc-duke') =>
    a('Duke vs. North Carolina', slug, { tags: ['Basketball'], ...rest })
  const dukeB = (series: string, rest: Partial<Market> = {}) =>
    b(series, 'North Carolina at Duke Winner?', 'Duke', 'DUKE', rest)

  test.each<[string, Market, Market, string]>([
    ['men', duke(), dukeB('NCAAMBGAME'), 'identity'],
    ['women by the series', duke(), dukeB('NCAAWBGAME'), 'different'],
    ['women by the slug', duke({}, 'cwbb-unc-duke'), dukeB('NCAAMBGAME'), 'different'],
    ['women by a tag', duke({ tags: ["Women's Basketball"] }), dukeB('NCAAMBGAME'), 'different'],
    ['women of both', duke({}, 'cwbb-unc-duke'), dukeB('NCAAWBGAME'), 'identity'],
    [
      'the young by the event',
      duke(),
      dukeB('NCAAMBGAME', { eventTitle: 'U19: North Carolina at Duke' }),
      'different',
    ],
    ['summer', a('Duke vs. North Carolina', 'nba-duk-unc'), dukeB('NBASUMMERGAME'), 'different'],
  ])('%s', (_, one, other, verdict) => {
    expect(judge(one, other)).toMatchObject({ verdict })
  })

  test('the tour counts in a game of surnames, not where a player is named', () => {
    const game = (slug: string) => a('Gstaad: Popko vs Ivanov', slug)
    const gameOf = (series: string) => b(series, 'Popko vs Ivanov', 'Popko', 'POP')
    expect(judge(game('atp-pop-iva'), gameOf('ATPMATCH')).verdict).toBe('identity')
    expect(judge(game('atp-pop-iva'), gameOf('WTAMATCH')).verdict).toBe('different')
    expect(judge(game('wta-pop-iva'), gameOf('WTAMATCH')).verdict).toBe('identity')
    const title = 'Will Ola Berg win the 2027 Larkland Open?'
    expect(judge(marketA('1', title), marketB('KXWTA-27-OBER', title)).verdict).toBe('identity')
  })

  test('esports: one title is not another', () => {
    const match = (slug: string, head = '') => a(`${head}T1 vs Gen.G`, `${slug}-t1-gen`)
    const matchOf = (series: string) => b(series, 'T1 vs Gen.G Winner?', 'T1', 'T1')
    expect(judge(match('lol'), matchOf('LOLGAME')).verdict).toBe('identity')
    expect(judge(match('lol'), matchOf('VALORANTGAME')).verdict).toBe('different')
    expect(judge(match('esports', 'Dota 2: '), matchOf('CS2GAME')).verdict).toBe('different')
    expect(judge(match('cs2', 'Counter-Strike: '), matchOf('CS2GAME')).verdict).toBe('identity')
  })
})
