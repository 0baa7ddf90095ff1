import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')
const END = ' by December 31, 2027'
const statement = (title: string) => title.replace(/^Will /, '').replace(/\?$/, '')

/** Judges two questions; their rules repeat the title unless something else is given. */
const judged = (askedA: string, askedB: string, ruledA = askedA, ruledB = askedB) =>
  judge(
    marketA('1', `Will ${askedA}${END}?`, {
      closeMs,
      rules: `This market will resolve to "Yes" if ${statement(ruledA)}${END}.`,
    }),
    marketB('KXTEST-28JAN01', `Will ${askedB} before Jan 1, 2028?`, {
      closeMs,
      rules: `If ${statement(ruledB)} before Jan 1, 2028, then the market resolves to Yes.`,
    }),
  )

describe('VEN-10 verbs of one kind tell different acts', () => {
  test.each([
    ['Ola Berg leave the board', 'Ola Berg be removed from the board'],
    ['Ola Berg leave the board', 'Ola Berg be ousted from the board'],
    ['Ola Berg leave the board', 'Ola Berg step down from the board'],
    ['Ola Berg step down from the board', 'Ola Berg be removed from the board'],
    ['Morland troops enter Lima', 'Morland troops visit Lima'],
    ['Ola Berg travel to Lima', 'Ola Berg visit Lima'],
    ['Morland agree to disarm', 'Morland have a deal to disarm'],
    ['Morland _agree_ to disarm', 'Morland have a "deal" to disarm'],
    ['Ola Berg be O.U.T. of the board', 'Ola Berg be removed from the board'],
  ])('%s | %s', (x, y) => {
    for (const [a, b] of [
      [x, y],
      [y, x],
    ] as const)
      expect(judged(a, b)).toEqual({ verdict: 'related', reasons: ['words'] })
    for (const asked of [x, y]) expect(judged(asked, asked).verdict).toBe('identity')
  })

  test.each([
    ['leave or be removed from the board', 'related'],
    ['leave the board', 'identity'],
  ])('unless the rules ask just what the other title does: %s', (ruled, verdict) => {
    const asked = 'Ola Berg be removed from the board'
    expect(judged(asked, 'Ola Berg leave the board', `Ola Berg ${ruled}`).verdict).toBe(verdict)
  })

  test('who enters a country visits it where the rules say so', () => {
    expect(judged('Ola Berg enter Lima', 'Ola Berg visit Lima', 'Ola Berg visits Lima').verdict).toBe(
      'identity',
    )
  })
})

describe('VEN-10 the rules of both must ask for the same step, time and figure', () => {
  test.each([
    [
      'Foxair acquire Larkair',
      'Foxair announces that it acquires Larkair',
      'Foxair completes its purchase',
      'announcement_clause',
    ],
    ['Foxair IPO', 'Foxair files for an IPO', 'Foxair shares begin trading', 'announcement_clause'],
    [
      'Morland default on its debt',
      'Morland defaults',
      'Morland is in default for at least 30 days',
      'formality_clause',
    ],
    [
      'Ola Berg meet Leo Kirk in person',
      'they meet by phone or in person',
      'they meet in person',
      'identity',
    ],
    [
      'Ola Berg meet Leo Kirk in person',
      'they meet in person',
      'they meet by phone or in person',
      'identity',
    ],
    ['Ola Berg meet Leo Kirk', 'they meet in person', 'they meet in person or by phone', 'remote_clause'],
    ['approval of Berg be above 40%', 'it is on Silver Bulletin', 'it is by Gallup', 'source'],
    ['approval of Berg be above 40%', 'it is on RCP', 'it is on RealClearPolitics', 'identity'],
    ['Verania growth be above 2%', 'the advance estimate says so', 'the third estimate says so', 'source'],
    ['Verania growth be above 2%', 'the advance estimate says so', 'the initial release says so', 'identity'],
  ])('%s: %s | %s: %s', (asked, ruledA, ruledB, outcome) => {
    const { verdict, reasons } = judged(asked, asked, ruledA, ruledB)
    expect(outcome === 'identity' ? verdict : reasons.join()).toBe(outcome)
    expect(judged(asked, asked, ruledA, ruledA).verdict).toBe('identity')
  })

  test('to meet in person is not to meet by phone', () => {
    expect(
      judged(
        'Ola Berg meet Leo Kirk in person',
        'Ola Berg meet Leo Kirk',
        'they meet in person',
        'they meet or have a phone call',
      ).reasons,
    ).toEqual(['remote_clause'])
  })
})

describe('VEN-10 what comes round again is told by the end of its contract where no date is said', () => {
  const at = (day: string) => Date.parse(`${day}T15:00:00Z`)
  const round = (title: string, dayA: string, dayB: string) =>
    judge(marketA('1', title, { closeMs: at(dayA) }), marketB('KXTEST-XY', title, { closeMs: at(dayB) }))

  test.each([
    'Will "Fox" be the top film on Netflix?',
    'Will Ola Berg have the #1 song on Spotify?',
    'Will Foxes score first this week?',
    'Will Foxes score first this month?',
  ])('%s', (title) => {
    expect(round(title, '2027-06-10', '2027-06-10').verdict).toBe('identity')
    expect(round(title, '2027-06-10', '2027-06-17').reasons).toEqual(['limit'])
  })

  test('a cup comes once a season', () => {
    expect(round('Will Foxes win the Larkland cup?', '2027-06-10', '2027-06-17').verdict).toBe('identity')
  })

  test('a day of a year that nobody can tell limits what is held once as well', () => {
    const title = 'Will Foxes win the Larkland cup by December 1?'
    //  a contract that closes in June may mean either December 1; one that closes in November means the next
    expect(round(title, '2027-06-10', '2027-06-10').reasons).toEqual(['limit_unknown'])
    expect(round(title, '2027-11-10', '2027-11-10').verdict).toBe('identity')
  })

  test('a quarter is the time asked about, whenever its contracts close', () => {
    const title = 'Will Foxair deliver more than 480,000 cars in Q3 2027?'
    expect(round(title, '2027-10-02', '2027-10-09').verdict).toBe('identity')
    expect(round(title.replace(' in Q3 2027', ''), '2027-10-02', '2027-10-09').reasons).toEqual(['limit'])
  })

  test('a season is not the one a ticker counts whose contract ended a year before', () => {
    const judgedOn = (day: string) =>
      judge(
        marketA('1', 'Will Foxes win the 2026-27 Larkland cup?', { closeMs: at('2027-06-01') }),
        marketB('KXLARK-26-FOX', 'Will Foxes win the Larkland cup?', { outcome: 'Foxes', closeMs: at(day) }),
      )
    expect(judgedOn('2027-06-20').verdict).toBe('identity')
    expect(judgedOn('2026-06-20').reasons).toEqual(['year'])
  })
})

describe('VEN-10 two chambers, and nothing else', () => {
  const ofCongress = 'Will House Control be Democratic AND Senate Control be Democratic for Feb 2027?'
  test.each([
    ['2026 Balance of Power: D Senate, D House', 'identity'],
    ['2026 Oregon Balance of Power: D Senate, D House', 'different'],
    ['2026 Balance of Power: D Senate, D House, by 10 seats', 'different'],
  ])('%s: %s', (title, verdict) => {
    expect(judge(marketA('1', title), marketB('KXBOP-27FEB-DD', ofCongress)).verdict).toBe(verdict)
  })
})

describe('VEN-10 more is asked about a game than its result', () => {
  const slug = 'mlb-cws-det-2027-08-15'
  const b = (title: string) => marketB('KXMLBGAME-27AUG151310CWSDET-CWS', title, { outcome: 'Chicago WS' })
  const whole = 'Chicago WS vs Detroit Winner?'
  test.each([
    ['Chicago White Sox vs. Detroit Tigers', whole, 'identity'],
    ['Chicago White Sox vs. Detroit Tigers series', whole, 'different'],
    ['Chicago White Sox vs. Detroit Tigers overtime', whole, 'different'],
    [
      'Chicago White Sox vs. Detroit Tigers',
      'Will Chicago WS win the Chicago WS vs Detroit game?',
      'identity',
    ],
  ])('%s | %s: %s', (title, asked, verdict) => {
    expect(judge(marketA('1', title, { slug }), b(asked)).verdict).toBe(verdict)
  })

  test('to lose a set is not to win it', () => {
    const set = marketA('1', 'Set 1 Winner: Berg vs Kirk', { slug: 'atp-berg-kirk-2027-08-15' })
    const asked = (verb: string) =>
      marketB(
        'KXATPSETWINNER-27AUG15BERKIR-1-BER',
        `Will Ola Berg ${verb} set 1 in the Ola Berg vs Leo Kirk match`,
        {
          outcome: 'Ola Berg',
        },
      )
    expect(judge(set, asked('win')).verdict).toBe('identity')
    expect(judge(set, asked('lose')).verdict).toBe('different')
  })

  test('the weight and the card of a fight ask nothing more', () => {
    const fight = marketA('1', 'UFC 350: Ola Berg vs. Leo Kirk (Welterweight, Main Card)', {
      slug: 'ufc-ola-leo-2027-08-15',
    })
    const won = marketB('KXUFCFIGHT-27AUG15BERKIR-BER', 'Berg vs Kirk Winner?', { outcome: 'Ola Berg' })
    expect(judge(fight, won).verdict).toBe('identity')
  })

  test('an outcome may repeat a threshold without what is counted', () => {
    const a = marketA('1', 'Will Larks win at least 50 games in the 2026-27 NBA season?')
    const wins = (outcome: string) =>
      marketB('KXWINS-27-49', 'Will Larks win over 49.5 games in the 2026-27 Pro Basketball season?', {
        outcome,
      })
    expect(judge(a, wins('Over 49.5')).verdict).toBe('identity')
    expect(judge(a, wins('Over 50.5')).reasons).toEqual(['numbers'])
  })
})
