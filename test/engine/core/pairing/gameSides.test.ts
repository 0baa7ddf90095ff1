import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const at = (text: string) => Date.parse(text)

describe('design 3: both teams to score', () => {
  const a = (tail: string, rest: Partial<Market> = {}) =>
    marketA('1', `Foxes vs. Larks: Both Teams to Score${tail}`, {
      slug: 'epl-fox-lar-2027-03-06-btts',
      ...rest,
    })
  const b = (outcome: string, tail = '') =>
    marketB('KXEPLBTTS-27MAR06FOXLAR', `Larks at Foxes: Both Teams to Score${tail}`, { outcome })

  test.each([
    ['Both Teams To Score', null, 'identity'],
    ['Yes', 'Yes', 'identity'],
    ['No', null, 'inverted'],
    ['Both Teams To Score', 'No', 'inverted'],
    ['No', 'No', 'identity'],
  ] as const)('outcome %s of B, outcome 0 of A is %s: %s', (outcome, yesMeans, verdict) => {
    expect(judge(a('', { yesMeans }), b(outcome))).toMatchObject({ verdict })
  })

  test.each([
    [' 2+ goals', ''],
    [' twice', ''],
    ['', ' 2+ goals'],
    [' before the break', ''],
  ])('asking more is another question: "%s" and "%s"', (tailA, tailB) => {
    expect(judge(a(tailA), b('Both Teams To Score', tailB)).verdict).toBe('different')
  })
})

describe('design 3: doubleheaders', () => {
  const gameA = (tail: string, slug: string, gameMs: number | null = null) =>
    marketA('1', `Chicago White Sox vs. Detroit Tigers${tail}`, {
      slug: `mlb-cws-det-2027-08-15${slug}`,
      gameMs,
    })
  const gameB = (ticker: string) =>
    marketB(`KXMLBGAME-27AUG15${ticker}-CWS`, 'Chicago WS vs Detroit Winner?', { outcome: 'Chicago WS' })

  test.each<[string, Market, string, string]>([
    ['an hour against none', gameA('', ''), '1310CWSDET', 'identity'],
    ['game 2 in the title, B numbers none', gameA(' (Game 2)', ''), '1310CWSDET', 'unreadable'],
    ['game 2 in the slug, B numbers none', gameA('', '-game-2'), '1310CWSDET', 'unreadable'],
    ['game 2 against game 1', gameA(' (Game 2)', ''), '1310CWSDETG1', 'related'],
    ['game 2 against game 2', gameA(' (Game 2)', ''), '1710CWSDETG2', 'identity'],
    ['game 2 by the hour', gameA('', '-game-2', at('2027-08-15T21:10:00Z')), '1710CWSDET', 'identity'],
    ['90 minutes apart', gameA('', '', at('2027-08-15T18:40:00Z')), '1310CWSDET', 'identity'],
    ['91 minutes apart', gameA('', '', at('2027-08-15T18:41:00Z')), '1310CWSDET', 'related'],
  ])('%s', (_, a, ticker, verdict) => {
    expect(judge(a, gameB(ticker))).toMatchObject({ verdict })
  })

  test.each(['lead early', 'go long'])(
    'what is no name is no part of one that initials stand for: %s',
    (more) => {
      const b = marketB('KXMLBGAME-27AUG151310DETCWS-CWS', 'Detroit vs Chicago WS Winner?', {
        outcome: 'Chicago WS',
      })
      const a = (title: string) => marketA('1', title, { slug: 'mlb-det-cws-2027-08-15' })
      expect(judge(a('Detroit Tigers vs. Chicago White Sox'), b).verdict).toBe('inverted')
      expect(judge(a(`Detroit Tigers vs. Chicago White Sox ${more}`), b).verdict).toBe('different')
    },
  )

  test('G2 is a team in esports', () => {
    const a = marketA('1', 'Counter-Strike: FURIA vs G2 (BO3)', { slug: 'cs2-fur-g2-2027-08-08' })
    const b = marketB('KXCS2GAME-27AUG08FURG2-FUR', 'FURIA vs. G2 Winner?', { outcome: 'FURIA' })
    expect(judge(a, b)).toMatchObject({ verdict: 'identity' })
  })
})

describe('design 3: how venue B words a match of one', () => {
  const match = (title: string, slug: string) => marketA('1', title, { slug: `${slug}-2027-09-05` })
  const tennis = (title: string, outcome: string, series = 'WTAMATCH') =>
    marketB(`KX${series}-27SEP05HARKEN-HAR`, title, { outcome })

  test.each(['Round Of 16', 'Round of 128', 'Quarterfinal', 'Semifinal', 'Final'])('%s', (round) => {
    const b = tennis(`Will Ola Harris win the Harris vs Kenin: ${round} match?`, 'Ola Harris')
    expect(judge(match('Larkland Open: Ola Harris vs Eva Kenin', 'wta-harris-kenin'), b).verdict).toBe(
      'identity',
    )
    expect(judge(match('Larkland Open: Eva Kenin vs Ola Harris', 'wta-kenin-harris'), b).verdict).toBe(
      'inverted',
    )
    expect(judge(match('Larkland Open: Ida Harris vs Eva Kenin', 'wta-harris-kenin'), b).verdict).not.toBe(
      'identity',
    )
  })

  test('the title tells which of two of one surname, though the outcome does not', () => {
    const b = tennis('Will Ola Harris win the Harris vs Kenin: Final match?', 'Harris')
    const a = (name: string) => match(`Larkland Open: ${name} Harris vs Eva Kenin`, 'wta-harris-kenin')
    expect(judge(a('Ola'), b).verdict).toBe('identity')
    expect(judge(a('Ida'), b).verdict).toBe('unreadable')
  })

  test('a round is not a match, and doubles are not singles', () => {
    const a = match('Larkland Open: Ola Harris vs Eva Kenin', 'wta-harris-kenin')
    expect(
      judge(a, tennis('Will Ola Harris win the Harris vs Kenin: Round of 16?', 'Ola Harris')).verdict,
    ).toBe('different')
    const doubles = tennis(
      'Will Ola Harris win the Harris vs Kenin: Final match?',
      'Ola Harris',
      'WTADOUBLES',
    )
    expect(judge(a, doubles)).toEqual({ verdict: 'different', reasons: ['category'] })
    const games = (title: string) =>
      marketB('KXWTATOTAL-27SEP05HARKEN-22', `${title}: Total Games`, { outcome: 'Over 21.5 games' })
    const couples = marketA('1', 'Harris/Berg vs Kenin/Moe: Total Games O/U 21.5', {
      slug: 'wta-harris-kenin-2027-09-05-total-games-21pt5',
    })
    expect(judge(couples, games('Harris vs Kenin')).reasons).toEqual(['category'])
    expect(judge(couples, games('Harris/Berg vs Kenin/Moe')).verdict).toBe('identity')
  })

  test('a club with a stroke in its name plays no doubles', () => {
    const a = marketA('1', 'Qarabağ FK vs. FK Bodø/Glimt: Both Teams to Score', {
      slug: 'ucl-qar-bod-2027-09-21-btts',
    })
    for (const name of ['Bodo/Glimt', 'Bodo Glimt']) {
      const b = marketB('KXUCLBTTS-27SEP21QARBOD', `${name} at Qarabag: Both Teams to Score`)
      expect(judge(a, b).verdict).toBe('identity')
    }
  })

  test('a professional fight', () => {
    const a = match('UFC 400: Ola Berg vs. Leo Kirk', 'ufc-berg-kirk')
    const b = (what: string) =>
      marketB(
        'KXUFCFIGHT-27SEP05BERKIR-BER',
        `Will Ola Berg win the Berg vs Kirk ${what} scheduled for Sep 5, 2027?`,
        {
          outcome: 'Ola Berg',
        },
      )
    expect(judge(a, b('professional MMA fight')).verdict).toBe('identity')
    expect(judge(a, b('professional MMA fight by decision')).verdict).not.toBe('identity')
  })
})

describe('sides of a game by other names', () => {
  const verdictOf = (titleA: string, slug: string, titleB: string, outcome: string, id: string) =>
    judge(marketA('1', titleA, { slug }), marketB(id, titleB, { outcome })).verdict

  test.each([
    ['Royal Challengers Bangalore', 'Royal Challengers Bengaluru', 'identity'],
    ['Mumbai Indians', 'Royal Challengers Bengaluru', 'different'],
  ])('%s against %s: %s', (one, other, verdict) => {
    const id = 'KXIPLGAME-27MAY12RCBDC-RCB'
    const slug = 'cricipl-roy-del-2027-05-12'
    const title = `${other} vs Delhi Capitals Winner?`
    expect(verdictOf(`${one} vs Delhi Capitals`, slug, title, other, id)).toBe(verdict)
  })

  test.each([
    ["Saint Mary's Gaels", "St. Mary's", 'identity'],
    ["Saint Mary's Gaels", "Mount St. Mary's", 'different'],
    ["Saint Peter's Peacocks", "St. John's", 'different'],
  ])('%s against %s: %s', (one, other, verdict) => {
    const id = 'KXNCAAMBGAME-27FEB15SMCGONZ-SMC'
    const slug = 'cbb-smc-gonz-2027-02-15'
    const title = `${other} vs Gonzaga Winner?`
    expect(verdictOf(`${one} vs. Gonzaga Bulldogs`, slug, title, other, id)).toBe(verdict)
  })

  test.each([
    ['NAVI', 'Natus Vincere', 'identity'],
    ['Top Esports', 'TOP Esports', 'identity'],
    ['NAVI Junior', 'Natus Vincere', 'different'],
    ['Falcons', 'Falcons Force', 'different'],
  ])('%s against %s: %s', (one, other, verdict) => {
    const id = 'KXCS2GAME-27OCT021300ONETWO-ONE'
    const title = `Will ${other} win the ${other} vs. FaZe Counter-Strike 2 match?`
    const slug = 'cs2-one-faze-2027-10-02'
    expect(verdictOf(`Counter-Strike: ${one} vs FaZe (BO3) - CCT Europe`, slug, title, other, id)).toBe(
      verdict,
    )
  })
})
