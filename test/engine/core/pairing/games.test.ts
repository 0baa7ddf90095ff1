import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const at = (text: string) => Date.parse(text)
const A = (title: string, slug: string, rest: Partial<Market> = {}) => marketA('1', title, { slug, ...rest })
const B = (ticker: string, title: string, outcome: string, rest: Partial<Market> = {}) =>
  marketB(ticker, title, { outcome, ...rest })

//  One baseball game: 15 August 2027, 13:10 in New York. Venue B lists one market per team.
const GAME_A = A('Chicago White Sox vs. Detroit Tigers', 'mlb-cws-det-2027-08-15')
const gameB = (team: string, code: string, ticker = 'KXMLBGAME-27AUG151310CWSDET') =>
  B(`${ticker}-${code}`, 'Chicago WS vs Detroit Winner?', team)

describe('wire.md 5: one market per team on B, yes of A is the side named first', () => {
  test.each<[string, Market, Market, string, string[]]>([
    [
      'the first team is the same side',
      GAME_A,
      gameB('Chicago WS', 'CWS'),
      'identity',
      ['same_game', 'same_side'],
    ],
    [
      'the other team is the opposite side: a baseball game has a winner',
      GAME_A,
      gameB('Detroit', 'DET'),
      'inverted',
      ['same_game', 'opposite_side'],
    ],
    [
      'what outcome 0 is called wins over the order in the title',
      { ...GAME_A, yesMeans: 'Detroit Tigers' },
      gameB('Detroit', 'DET'),
      'identity',
      ['same_game', 'same_side'],
    ],
    [
      'venues that name the teams in another order',
      A('Detroit Tigers vs. Chicago White Sox', 'mlb-det-cws-2027-08-15'),
      gameB('Chicago WS', 'CWS'),
      'inverted',
      ['same_game', 'opposite_side'],
    ],
    [
      'another team of the city',
      A('Chicago Cubs vs. Detroit Tigers', 'mlb-chc-det-2027-08-15'),
      gameB('Chicago WS', 'CWS'),
      'different',
      ['game_teams'],
    ],
    [
      'the day before: such teams meet daily',
      A('Chicago White Sox vs. Detroit Tigers', 'mlb-cws-det-2027-08-14'),
      gameB('Chicago WS', 'CWS'),
      'related',
      ['game_day'],
    ],
    [
      'no day known on A',
      marketA('1', 'Chicago White Sox vs. Detroit Tigers'),
      gameB('Chicago WS', 'CWS'),
      'unreadable',
      ['game_day_unknown'],
    ],
    [
      'runs in total',
      A('Chicago White Sox vs. Detroit Tigers: O/U 7.5', 'mlb-cws-det-2027-08-15'),
      gameB('Chicago WS', 'CWS'),
      'related',
      ['game_type'],
    ],
    [
      'a season title',
      A('Will the Detroit Tigers win the 2027 World Series?', 'world-series-2027'),
      gameB('Detroit', 'DET'),
      'different',
      ['game_against_question'],
    ],
  ])('%s', (_, a, b, verdict, reasons) => {
    expect(judge(a, b)).toEqual({ verdict, reasons })
  })

  test.each<[string, number | null, string, string]>([
    ['first game, hour unknown on A', null, 'G1', 'unreadable'],
    ['second game, hour unknown on A', null, 'G2', 'unreadable'],
    ['first game by its hour', at('2027-08-15T17:10:00Z'), 'G1', 'identity'],
    ['first game at the hour of the second', at('2027-08-15T22:40:00Z'), 'G1', 'related'],
  ])('doubleheader: %s', (_, gameMs, number, verdict) => {
    const b = gameB('Chicago WS', 'CWS', `KXMLBGAME-27AUG151310CWSDET${number}`)
    expect(judge({ ...GAME_A, gameMs }, b).verdict).toBe(verdict)
  })

  test.each([
    [90, 'identity'], //  a start moved by an hour and a half is still that game
    [91, 'related'],
  ])('starts %d minutes apart: %s', (minutes, verdict) => {
    const gameMs = at('2027-08-15T17:10:00Z') + minutes * 60_000
    expect(judge({ ...GAME_A, gameMs }, gameB('Chicago WS', 'CWS')).verdict).toBe(verdict)
  })
})

describe('a game that may end level is never inverted', () => {
  const away = A('Will Aston Villa FC win on 2027-03-06?', 'epl-ast-liv-2027-03-06', {
    eventTitle: 'Aston Villa FC vs. Liverpool FC',
  })
  test.each<[string, Market, Market, string, string]>([
    [
      'the same side',
      away,
      B('KXEPLGAME-27MAR06AVLLFC-AVL', 'Aston Villa vs Liverpool Winner?', 'Aston Villa'),
      'identity',
      'same_game',
    ],
    [
      'the other side',
      away,
      B('KXEPLGAME-27MAR06AVLLFC-LFC', 'Aston Villa vs Liverpool Winner?', 'Liverpool'),
      'related',
      'draw_possible',
    ],
    [
      'a draw is not a side',
      away,
      B('KXEPLGAME-27MAR06AVLLFC-TIE', 'Aston Villa vs Liverpool Winner?', 'Tie'),
      'related',
      'game_type',
    ],
    [
      'a draw is a draw',
      A('Will Aston Villa FC vs. Liverpool FC end in a draw?', 'epl-ast-liv-2027-03-06'),
      B('KXEPLGAME-27MAR06AVLLFC-TIE', 'Aston Villa vs Liverpool Winner?', 'Tie'),
      'identity',
      'same_game',
    ],
    [
      'both score',
      A('Aston Villa FC vs. Liverpool FC: Both Teams to Score', 'epl-ast-liv-2027-03-06'),
      B('KXEPLBTTS-27MAR06AVLLFC', 'Liverpool at Aston Villa: Both Teams to Score', 'Both Teams To Score'),
      'identity',
      'same_game',
    ],
    [
      'both score in the first half',
      A('Aston Villa FC vs. Liverpool FC: Both Teams to Score in First Half', 'epl-ast-liv-2027-03-06'),
      B('KXEPLBTTS-27MAR06AVLLFC', 'Liverpool at Aston Villa: Both Teams to Score', 'Both Teams To Score'),
      'related',
      'game_segment',
    ],
    [
      'the same line',
      A('Aston Villa FC vs. Liverpool FC: O/U 2.5', 'epl-ast-liv-2027-03-06'),
      B('KXEPLTOTAL-27MAR06AVLLFC-3', 'Liverpool at Aston Villa: Totals', 'Over 2.5 goals scored'),
      'identity',
      'same_game',
    ],
    [
      'another line',
      A('Aston Villa FC vs. Liverpool FC: O/U 2.5', 'epl-ast-liv-2027-03-06'),
      B('KXEPLTOTAL-27MAR06AVLLFC-4', 'Liverpool at Aston Villa: Totals', 'Over 3.5 goals scored'),
      'related',
      'game_line',
    ],
  ])('%s', (_, a, b, verdict, reason) => {
    const judged = judge(a, b)
    expect(judged.verdict).toBe(verdict)
    expect(judged.reasons[0]).toBe(reason)
  })

  test('one named side alone needs its hour, because other clubs bear the same name', () => {
    const alone = A('Will Nacional win on 2027-03-06?', 'nacional', { closeMs: at('2027-03-06T20:00:00Z') })
    const b = (hour: string) =>
      B('KXURUGAME-27MAR06NACPEN-NAC', 'Nacional vs Penarol Winner?', 'Reg Time: Nacional', {
        closeMs: at(`2027-03-20T${hour}:00Z`),
      })
    expect(judge(alone, b('20:00')).verdict).toBe('identity')
    expect(judge(alone, b('23:00')).verdict).toBe('unreadable')
  })
})

describe('sets and maps', () => {
  const set = (n: number) => A(`Set ${n} Winner: Varga vs Lindqvist`, 'atp-varga-lindqvi-2027-06-03-set')
  const b = (player: string, n = 1) =>
    B(
      `KXATPSETWINNER-27JUN03VARLIN-${n}-${player.slice(0, 3).toUpperCase()}`,
      `Will ${player} win set ${n} in the Petr Varga vs Nils Lindqvist match`,
      player,
    )
  test.each<[string, Market, Market, string]>([
    ['the first player by surname', set(1), b('Petr Varga'), 'identity'],
    ['the second player', set(1), b('Nils Lindqvist'), 'inverted'],
    ['another set', set(2), b('Petr Varga'), 'related'],
    [
      'the whole match',
      A('Adriatic Open: Petr Varga vs Nils Lindqvist', 'atp-varga-lindqvi-2027-06-03'),
      b('Petr Varga'),
      'related',
    ],
    [
      'UTC puts the match on the next day',
      A('Set 1 Winner: Varga vs Lindqvist', 'atp-varga-lindqvi-2027-06-04-set'),
      b('Petr Varga'),
      'identity',
    ],
    [
      'two days off',
      A('Set 1 Winner: Varga vs Lindqvist', 'atp-varga-lindqvi-2027-06-05-set'),
      b('Petr Varga'),
      'related',
    ],
    [
      'game two of a series of maps is map two',
      A('LoL: Foxes vs Gray Herons - Game 2 Winner', 'lol-fox-her-2027-06-11-game2'),
      B(
        'KXLOLMAP-27JUN11FOXHER-2-HER',
        'Will Gray Herons win map 2 in the Foxes vs. Gray Herons match?',
        'Gray Herons',
      ),
      'inverted',
    ],
    [
      'a stage behind the names is no question',
      A('LoL: Foxes vs Gray Herons (BO3) - LCK Round 3-4 Rise Group', 'lol-fox-her-2027-06-11'),
      B(
        'KXLOLGAME-27JUN11FOXHER-FOX',
        'Will Foxes win the Foxes vs. Gray Herons League of Legends match?',
        'Foxes',
      ),
      'identity',
    ],
    [
      'a side question behind the names is one',
      A('Premier Cricket: Foxes vs Herons - Most Sixes Foxes', 'cricipl-fox-her-2027-06-11'),
      B('KXIPLGAME-27JUN11FOXHER-FOX', 'Foxes vs Herons Winner?', 'Foxes'),
      'different',
    ],
  ])('%s', (_, a, market, verdict) => {
    expect(judge(a, market).verdict).toBe(verdict)
  })
})

describe('the other side is no opposite where a game may end level, though its sport knows no draw', () => {
  const league = (slug: string, rest: Partial<Market> = {}) =>
    A('LG Twins vs. Doosan Bears', `${slug}-lg-doo-2027-08-15`, rest)
  const club = (series: string, code: string, name: string) =>
    B(`${series}-27AUG15LGDOO-${code}`, 'LG Twins vs Doosan Bears Winner?', name)
  const maps = (format: string) =>
    A(`Dota 2: Foxes vs Gray Herons${format}`, 'dota2-fox-her-2027-06-11', { yesMeans: 'Foxes' })
  const side = (code: string, name: string, format = '') =>
    B(
      `KXDOTA2GAME-27JUN11FOXHER-${code}`,
      `Will ${name} win the Foxes vs. Gray Herons Dota 2${format} match?`,
      name,
    )
  const [foxes, herons] = [side('FOX', 'Foxes'), side('HER', 'Gray Herons')]
  test.each<[string, Market, Market, string]>([
    ['Korean baseball, the same side', league('kbo'), club('KXKBOGAME', 'LG', 'LG Twins'), 'identity'],
    ['Korean baseball, the other side', league('kbo'), club('KXKBOGAME', 'DOO', 'Doosan Bears'), 'related'],
    ['Japanese baseball', league('npb'), club('KXNPBGAME', 'DOO', 'Doosan Bears'), 'related'],
    [
      'the league known from B alone',
      league('x', { tags: ['Baseball'] }),
      club('KXKBOGAME', 'DOO', 'Doosan Bears'),
      'related',
    ],
    [
      'the league known from a label',
      league('x', { tags: ['Baseball', 'KBO'] }),
      club('KXMLBGAME', 'DOO', 'Doosan Bears'),
      'related',
    ],
    ['American baseball', league('mlb'), club('KXMLBGAME', 'DOO', 'Doosan Bears'), 'inverted'],
    ['two maps, the other side', maps(' (BO2)'), herons, 'related'],
    [
      'two maps, the same side: one venue splits the money, the other pays no',
      maps(' (BO2)'),
      foxes,
      'related',
    ],
    ['two maps known from B alone', maps(''), side('FOX', 'Foxes', ' best of 2'), 'related'],
    ['three maps, the same side', maps(' (BO3)'), foxes, 'identity'],
    ['three maps, the other side', maps(' (BO3)'), herons, 'inverted'],
  ])('%s', (_, a, b, verdict) => {
    const judgement = judge(a, b)
    expect(judgement.verdict).toBe(verdict)
    if (verdict === 'related') expect(judgement.reasons).toEqual(['draw_possible'])
  })
})

describe('names', () => {
  const b = (rules: string) =>
    B('KXATPMATCH-27JUN03VARLIN-VAR', 'Will Petr Varga win the Varga vs Lindqvist match?', 'Petr Varga', {
      rules,
    })
  const a = A('Adriatic Open: Petr Varga vs Nils Lindqvist', 'atp-varga-lindqvi-2027-06-03')

  test('nicknames against cities, the league known from one venue only', () => {
    const nick = A('Rockets vs. Grizzlies', 'rockets-vs-grizzlies-1', { gameMs: at('2027-01-12T00:30:00Z') })
    const city = B('KXNBAGAME-27JAN11HOUMEM-MEM', 'Houston vs Memphis Winner?', 'Memphis')
    expect(judge(nick, city)).toEqual({ verdict: 'inverted', reasons: ['same_game', 'opposite_side'] })
  })

  test('a namesake of the other player, told by the rules', () => {
    expect(
      judge(
        a,
        b('If Petr Varga wins the Petr Varga vs Nils Lindqvist match, then the market resolves to Yes.'),
      ).verdict,
    ).toBe('identity')
    expect(
      judge(
        a,
        b('If Petr Varga wins the Petr Varga vs Olof Lindqvist match, then the market resolves to Yes.'),
      ).verdict,
    ).toBe('different')
  })

  test('the goals of one side are not the goals of both', () => {
    const one = A('Mexico vs. South Korea: Mexico O/U 2.5', 'fifwc-mex-kor-2027-06-18')
    const both = B('KXWCTOTAL-27JUN18MEXKOR-3', 'Mexico vs South Korea: Totals', 'Over 2.5 goals scored')
    expect(judge(one, both).verdict).toBe('different')
  })
})
