import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const at = (text: string) => Date.parse(text)
const A = (title: string, rest: Partial<Market> = {}) => marketA('1', title, rest)
const B = (ticker: string, title: string, outcome: string | null = null, rest: Partial<Market> = {}) =>
  marketB(ticker, title, { outcome, ...rest })

const PLAIN =
  'This market will resolve to "Yes" if the event takes place. Otherwise, this market will resolve to "No".'
const rules = { rules: PLAIN }

/**
 * VEN-10: the same words over another contract, date or threshold. Each row is worded by hand after a way in
 * which two listings were seen to be taken for one.
 */
const CONFUSABLE: [string, Market, Market, string][] = [
  // --- who
  [
    'another person of the same event',
    A('Will Ada Brandt win the 2027 Lisbon mayoral election?'),
    B('KXLISBONMAYOR-27-CDIA', 'Who will win the 2027 Lisbon mayoral election?', 'Carla Dias'),
    'name',
  ],
  [
    'a namesake with another given name',
    A('Will Trump visit Norway before 2028?', rules),
    B('KXVISITNOR-28JAN01-ET', 'Will Eric Trump visit Norway before Jan 1, 2028?', 'Eric Trump', rules),
    'name',
  ],
  [
    'a surname that is a given name elsewhere',
    A('Will James Lowell be the Democratic nominee for OH-09?'),
    B('KXOHPRIMARY-09D28-LJAM', 'Will Lowell James be the Democratic nominee for MI-09?', 'Lowell James', {}),
    'name',
  ],
  [
    'the party against one of its people',
    A('Will the Democrats win the 2032 US Presidential Election?'),
    B('KXPRESPERSON-32-ABEL', '2032 U.S. Presidential Election winner?', 'Ana Bell'),
    'name',
  ],
  [
    'another country',
    A('Will Portugal recognize Kosovia before 2028?', rules),
    B('KXRECOG-28JAN01-ESP', 'Will Spain recognize Kosovia before Jan 1, 2028?', 'Spain', rules),
    'name',
  ],
  [
    'teams of one city',
    A('Will the New York Jets win the 2028 Super Bowl?'),
    B('KXSB-28-NYG', 'Will New York G win the 2028 Pro Football Championship?', 'New York G'),
    'name',
  ],
  [
    'an abbreviated outcome that fits nobody',
    A('Will Olga Ferrand win the 2030 US Presidential Election?'),
    B('KXPRESPERSON-30-KHUB', '2030 U.S. Presidential Election winner?', ':: Democratic'),
    'outcome_unnamed',
  ],
  // --- what
  [
    'winner against nominee',
    A('Will Ines Vogel win the 2032 US Presidential Election?'),
    B('KXPRESNOMD-32-IVOG', 'Will Ines Vogel be the Democratic nominee in 2032?', 'Ines Vogel'),
    'name',
  ],
  [
    'election against its first round',
    A('Will Marta Ruiz win the 2027 Chilean presidential election?'),
    B(
      'KXCHILE1R-27-MRUI',
      'Will Marta Ruiz win the first round of the 2027 Chilean presidential election?',
      'Marta Ruiz',
    ),
    'words',
  ],
  [
    'qualify against win',
    A('Will Norrland win the 2027 Baltic Cup?'),
    B('KXBALTIC-27-NOR', 'Will Norrland qualify for the final of the 2027 Baltic Cup?', 'Norrland'),
    'words',
  ],
  [
    'top ten against top five',
    A('Will Sam Reid finish in the Top 10 at the 2027 Harbor Classic?'),
    B('KXTOP5-HC27-SREI', 'Harbor Classic: Will Sam Reid finish top 5?', 'Sam Reid'),
    'numbers',
  ],
  [
    'senate against governor',
    A('Will the Republicans win the Ohio Senate race in 2030?'),
    B('GOVPARTYOH-30-R', 'Will the Republican party win the governorship in Ohio?', null),
    'name',
  ],
  [
    'another district',
    A('Will the Republican Party win the TX-12 House seat?', { closeMs: at('2028-11-07T00:00:00Z') }),
    B('KXHOUSE-TX21-28-R', 'Will Republican win the House race for TX-21?'),
    'name',
  ],
  [
    'most against fewest',
    A('Will Ghent score the most goals in the 2027 Flanders League?'),
    B('KXFL-27-GHE', 'Will Ghent score the fewest goals in the 2027 Flanders League?', 'Ghent'),
    'words',
  ],
  [
    'visit against live in',
    A('Will Dana Frost visit Peru before 2028?', rules),
    B('KXPERU-28JAN01-DFRO', 'Will Dana Frost move to Peru before Jan 1, 2028?', 'Dana Frost', rules),
    'words',
  ],
  [
    'one condition against two',
    A('Will the Democrats win the Iowa governor race in 2030?'),
    B(
      'KXIACOMBO-30-DD',
      'Will Iowa Governor winner be Democratic party and Iowa Senate winner be Democratic party?',
    ),
    'name',
  ],
  [
    'chambers the other way round',
    A('2030 Balance of Power: D Senate, R House'),
    B('KXBOP-31FEB-DR', 'Will House Control be Democratic AND Senate Control be Republican for Feb 2031?'),
    'conjunction',
  ],
  [
    'who acts on whom',
    A('Will Morland strike Verdania before 2028?', rules),
    B('KXSTRIKE-28JAN01', 'Will Verdania strike Morland before Jan 1, 2028?', null, rules),
    'roles_swapped',
  ],
  [
    'that it happens against that it does not',
    A('Will Ana Bell and Leo Kirk not meet before 2028?', rules),
    B('KXMEET-28JAN01', 'Will Ana Bell and Leo Kirk meet before Jan 1, 2028?', null, rules),
    'negation',
  ],
  [
    'sport against politics',
    A('Will Verona win?', { category: 'Sports' }),
    B('KXVERONA-27', 'Will Verona win?', null, { category: 'Politics' }),
    'category',
  ],
  // --- how much
  [
    'at least against above',
    A('Will "Long Night" score at least 80 on the Tomatometer?', { closeMs: at('2027-05-10T00:00:00Z') }),
    B('KXRT-LON-80', 'Will "Long Night" score above 80 on the Tomatometer?', 'Above 80', {
      closeMs: at('2027-05-10T14:00:00Z'),
    }),
    'numbers',
  ],
  [
    'exactly against more than',
    A('Will Democrats win exactly 30 seats in the 2028 Utah election?'),
    B('KXUT-28-31', 'Will Democrats win more than 30 seats in the 2028 Utah election?', 'Above 30'),
    'numbers',
  ],
  [
    'a band against a level',
    A('Will Core CPI MoM be 0.3% in March 2027?'),
    B('KXCPI-27MAR-T0.3', 'Will Core CPI MoM rise more than 0.3% in March 2027?', 'Above 0.3%'),
    'numbers',
  ],
  [
    'another number of points',
    A('Will the Fed cut rates by 25 bps after the June 2027 meeting?'),
    B('KXFED-27JUN-C50', 'Will the Fed cut rates by 50bps at their June 2027 meeting?', 'Cut 50bps'),
    'numbers',
  ],
  [
    'text against the threshold fields of one market',
    A('Will Verania GDP grow at least 3% in 2027?'),
    B('KXGDP-27-T3', 'Will Verania GDP grow at least 3% in 2027?', null, {
      strike: { type: 'greater', floor: 3, cap: null },
    }),
    'threshold_conflict',
  ],
  [
    'rules that mention what the other asks',
    A('Will Sam Reid record the most assists in the 2027 Baltic Cup?', {
      rules: 'This market resolves to the player with the most assists. Ties are broken by goals.',
    }),
    B('KXBCGOALS-27-SREI', 'Will Sam Reid record the most goals in the 2027 Baltic Cup?', 'Sam Reid', {
      rules:
        'If Sam Reid records the most goals, then the market resolves to Yes. Ties are broken by assists.',
    }),
    'words',
  ],
  [
    'rules that mention every threshold of the event',
    A('Will Sam Reid finish in the Top 10 at the 2027 Harbor Classic?', {
      rules: 'Markets for top 5 and top 10 resolve by the final leaderboard.',
    }),
    B('KXTOP5-HC27-SREI', 'Harbor Classic: Will Sam Reid finish top 5?', 'Sam Reid', {
      rules: 'If Sam Reid finishes top 5, the market resolves to Yes. Top 10 is another market.',
    }),
    'numbers',
  ],
  [
    'a sign before the number',
    A('Will the Fed cut rates by 25 bps after the June 2027 meeting?'),
    B('KXFED-27JUN-C26', 'Will the Fed cut rates by >25bps at their June 2027 meeting?', 'Cut >25bps'),
    'numbers',
  ],
  [
    'a plus behind the number',
    A('Will the Fed increase interest rates by 25+ bps after the June 2027 meeting?'),
    B('KXFED-27JUN-H25', 'Will the Fed hike rates by 25bps at their June 2027 meeting?', 'Hike 25bps'),
    'numbers',
  ],
  // --- when
  [
    'a month later',
    A('Will Ola Berg visit Chile by June 30, 2027?', rules),
    B('KXCHILE-27AUG01', 'Will Ola Berg visit Chile before Aug 1, 2027?', null, rules),
    'limit',
  ],
  [
    'by a day against before that day',
    A('Will Ola Berg visit Chile by June 30, 2027?', rules),
    B('KXCHILE-27JUN30', 'Will Ola Berg visit Chile before Jun 30, 2027?', null, rules),
    'limit',
  ],
  [
    'on a day against by that day',
    A('Will Ola Berg be mayor of Bergen on December 31, 2027?', rules),
    B('KXBERGEN-28JAN01', 'Will Ola Berg be mayor of Bergen by December 31, 2027?', null, rules),
    'limit',
  ],
  [
    'another election year',
    A('Will the Democrats win the Iowa Senate race in 2026?'),
    B('SENATEIA-28-D', 'Will the Democratic party win the Senate race in Iowa in 2028?'),
    'year',
  ],
  [
    'the edition named in the ticker only',
    A('Will Finland win the 2027 Ice World Championship?'),
    B('KXICEWC-28-FIN', 'Will Finland win the Ice World Championship?', 'Finland'),
    'year',
  ],
  [
    'another season',
    A('Will Lund win the 2025-26 Nordic League?'),
    B('KXNORDIC-27-LUN', 'Will Lund win the 2026-27 Nordic League?', 'Lund'),
    'year',
  ],
  [
    'another month',
    A('Will the Fed cut rates by 25 bps after the October 2027 meeting?'),
    B('KXFED-27DEC-C25', 'Will the Fed cut rates by 25bps at their December 2027 meeting?', 'Cut 25bps'),
    'limit',
  ],
  [
    '"by June" may end or begin the month',
    A('Will Ola Berg visit Chile by June 2027?', rules),
    B('KXCHILE-27JUL01', 'Will Ola Berg visit Chile before Jul 1, 2027?', null, rules),
    'limit',
  ],
  [
    'a limit against none',
    A('Will Ola Berg be the next mayor of Bergen?', { ...rules, closeMs: at('2027-12-31T00:00:00Z') }),
    B('KXBERGEN-45JAN01', 'Will Ola Berg be the next mayor of Bergen?', null, {
      ...rules,
      closeMs: at('2045-01-01T15:00:00Z'),
    }),
    'limit',
  ],
  [
    'a title without its year',
    A('Will Ola Berg visit Chile by June 30?', { ...rules, closeMs: at('2026-06-30T12:00:00Z') }),
    B('KXCHILE-27JUL01', 'Will Ola Berg visit Chile before Jul 1, 2027?', null, {
      ...rules,
      closeMs: at('2027-07-01T14:00:00Z'),
    }),
    'limit',
  ],
  [
    'counting since another day',
    A('Will Ola Berg visit Chile in 2028?', rules),
    B('KXCHILE-29JAN01', 'Will Ola Berg visit Chile before Jan 1, 2029?', null, {
      ...rules,
      openMs: at('2026-05-01T00:00:00Z'),
    }),
    'window',
  ],
  // --- the fine print
  [
    'fine print not at hand',
    A('Will Ola Berg leave office by June 30, 2027?'),
    B('KXBERGOUT-27JUL01', 'Will Ola Berg leave office before Jul 1, 2027?'),
    'rules_missing',
  ],
  [
    'death counts on one side only',
    A('Will Ola Berg leave office by June 30, 2027?', {
      rules: `${PLAIN} Ceasing to hold the office for any reason counts.`,
    }),
    B('KXBERGOUT-27JUL01', 'Will Ola Berg leave office before Jul 1, 2027?', null, {
      rules:
        'If Ola Berg leaves office before Jul 1, 2027, then the market resolves to Yes. If the person dies, the market resolves to the last fair price.',
    }),
    'death_clause',
  ],
  [
    'an announcement is enough on one side only',
    A('Will Ola Berg leave office by June 30, 2027?', {
      rules: `${PLAIN} An announcement of Berg's resignation before the end date will immediately resolve this market to "Yes".`,
    }),
    B('KXBERGOUT-27JUL01', 'Will Ola Berg leave office before Jul 1, 2027?', null, {
      rules:
        'If Ola Berg leaves office before Jul 1, 2027, then the market resolves to Yes. Berg must have an actual departure date and vacate the role.',
    }),
    'announcement_clause',
  ],
  [
    'announced against ratified',
    A('Will Morland and Verdania sign a trade deal before 2028?', {
      rules: `${PLAIN} A publicly announced agreement counts.`,
    }),
    B('KXDEAL-28JAN01', 'Will Morland and Verdania sign a trade deal before Jan 1, 2028?', null, {
      rules:
        'If Morland and Verdania agree before Jan 1, 2028, then the market resolves to Yes. The agreement must be ratified.',
    }),
    'formality_clause',
  ],
  [
    'another weather station',
    A('Will the highest temperature in Oslo be 20 or above on July 4, 2027?', {
      rules: `${PLAIN} The source is Gardermoen Airport.`,
    }),
    B('KXOSLO-27JUL04-T20', 'Will the highest temperature in Oslo be 20 or above on July 4, 2027?', null, {
      rules: 'If the temperature at Fornebu Airport is 20 or above, then the market resolves to Yes.',
    }),
    'source',
  ],
  [
    'another price feed',
    A('Will BTC be above $90,000 on July 4, 2027?', { rules: `${PLAIN} The source is Binance.` }),
    B('KXBTC-27JUL04-T90', 'Will BTC be above $90,000 on July 4, 2027?', null, {
      rules: 'If BRTI of CF Benchmarks is above 90000, then the market resolves to Yes.',
    }),
    'source',
  ],
  [
    'another hour of the day',
    A('Will ETH be above $4,000 on July 4, 2027?', {
      rules: 'Yes if the Coinbase candle for 12:00 in the ET timezone on July 4 closes above 4000.',
    }),
    B('KXETHD-27JUL0417-T4000', 'Will ETH be above $4,000 on July 4, 2027?', null, {
      rules: 'If ETH on Coinbase is above 4000 at 5 PM EDT on Jul 4, 2027, then the market resolves to Yes.',
    }),
    'limit',
  ],
  [
    'title against rules of one market',
    A('Will Ola Berg visit Chile by June 30, 2027?', {
      rules: 'This market will resolve to "Yes" if Ola Berg visits Chile by September 30, 2027.',
    }),
    B('KXCHILE-27JUL01', 'Will Ola Berg visit Chile before Jul 1, 2027?', null, rules),
    'limit_conflict',
  ],
  // --- no outcome to compare
  [
    '"Other"',
    A('Will another candidate win the 2027 Lisbon mayoral election?', {
      outcome: 'Other',
      placeholder: true,
    }),
    B('KXLISBONMAYOR-27-OTH', 'Who will win the 2027 Lisbon mayoral election?', 'Other'),
    'placeholder',
  ],
  [
    '"Person A"',
    A('Will Person A win the 2027 Lisbon mayoral election?', { outcome: 'Person A' }),
    B('KXLISBONMAYOR-27-PA', 'Who will win the 2027 Lisbon mayoral election?', 'Person A'),
    'placeholder',
  ],
  [
    'a title that names nobody',
    A('Will the match end in a draw?', { category: 'Sports' }),
    B('KXMOF-27MAY09ABECDE-DRAW', 'Will the Ola Berg vs. Leo Kirk fight end in a draw?', 'Draw'),
    'game_against_question',
  ],
]

describe('VEN-10 look-alikes are refused, each for its reason', () => {
  test.each(CONFUSABLE)('%s', (_, a, b, reason) => {
    const { verdict, reasons } = judge(a, b)
    expect(['related', 'different', 'unreadable']).toContain(verdict)
    expect(reasons).toEqual([reason])
  })
})

const SAME: [string, Market, Market][] = [
  [
    'the outcome is in the title of one and beside it on the other',
    A('Will Ada Brandt win the 2027 Lisbon mayoral election?'),
    B('KXLISBONMAYOR-27-ABRA', 'Who will win the 2027 Lisbon mayoral election?', 'Ada Brandt'),
  ],
  [
    '"by the last day" is "before the next"',
    A('Will Ola Berg visit Chile by June 30, 2027?', rules),
    B('KXCHILE-27JUL01', 'Will Ola Berg visit Chile before Jul 1, 2027?', null, rules),
  ],
  [
    '"in 2027" is "before 2028" for contracts that opened in it',
    A('Will Ola Berg visit Chile in 2027?', rules),
    B('KXCHILE-28JAN01', 'Will Ola Berg visit Chile before Jan 1, 2028?', null, {
      ...rules,
      openMs: at('2027-01-05T00:00:00Z'),
    }),
  ],
  [
    'a year only the ticker has',
    A('Will Finland win the 2027 Ice World Championship?'),
    B('KXICEWC-27-FIN', 'Will Finland win the Ice World Championship?', 'Finland'),
  ],
  [
    'accents and titles of peoples',
    A('Will José Núñez win the 2027 Peruvian presidential election?'),
    B('KXPERUPRES-27-JNUN', 'Will Jose Nunez win the 2027 Peru presidential election?', 'Jose Nunez'),
  ],
  [
    'nomination and nominee',
    A('Will J.D. Marsh win the 2032 Republican presidential nomination?'),
    B(
      'KXPRESNOMR-32-JMAR',
      'Will JD Marsh be the nominee for the Presidency for the Republican party?',
      'JD Marsh',
    ),
  ],
  [
    'a team by its city',
    A('Will the Seattle Seahawks win the 2028 NFL league championship?'),
    B('KXSB-28-SEA', 'Will Seattle win the 2028 Pro Football Championship?', 'Seattle'),
  ],
  [
    'a seat with and without a zero',
    A('Will Erin Cole be the Democratic nominee for UT-01?', { closeMs: at('2028-06-24T00:00:00Z') }),
    B('KXUT1D-28-ECOL', 'Will Erin Cole be the Democratic nominee for UT-1?', 'Erin Cole'),
  ],
  [
    'the outcome in the letters of the ticker',
    A('Will Olga Ferrand win the 2030 US Presidential Election?'),
    B('KXPRESPERSON-30-OFER', '2030 U.S. Presidential Election winner?', ':: Democratic'),
  ],
  [
    'the same split of chambers, named in another order',
    A('2030 Balance of Power: R Senate, D House'),
    B('KXBOP-31FEB-DR', 'Will House Control be Democratic AND Senate Control be Republican for Feb 2031?'),
  ],
  [
    'more than two goals is three or more',
    A('Will Ghent score 3 or more goals in the 2027 Flanders Cup?'),
    B('KXFC-27-GHE3', 'Will Ghent score more than 2 goals in the 2027 Flanders Cup?', 'Over 2 goals'),
  ],
  [
    'the rules say the date the title leaves out',
    A('Will Ola Berg recognize Verdania before 2028?', rules),
    B('KXREC-28', 'Will Ola Berg recognize Verdania?', null, {
      rules: 'If Ola Berg recognizes Verdania before Jan 1, 2028, then the market resolves to Yes.',
    }),
  ],
  [
    'the same hour, and a window that ends with its day',
    A('Will ETH be above $4,000 on July 4, 2027?', {
      rules: 'Yes if the Coinbase candle for 12:00 in the ET timezone on July 4 closes above 4000.',
    }),
    B('KXETHD-27JUL0412-T4000', 'Will ETH be above $4,000 on July 4, 2027?', null, {
      rules:
        'If ETH on Coinbase is above 4000 at 12 PM EDT, before 11:59 PM EDT, then the market resolves to Yes.',
    }),
  ],
  [
    'to win a primary is to be the nominee',
    A('Will Ada Brandt win the 2028 Oregon Governor Republican primary election?'),
    B(
      'KXGOVORNOMR-28-ABRA',
      'Will Ada Brandt be the Republican nominee for Governor in Oregon?',
      'Ada Brandt',
    ),
  ],
  [
    'active and passive',
    A('Will Trump pardon Leo Kirk before 2028?', {
      rules:
        'This market will resolve to "Yes" if the listed individual receives a presidential pardon by December 31, 2027. Otherwise, it will resolve to "No".',
    }),
    B(
      'KXPARDON-28JAN01-LKIR',
      'Will Leo Kirk receive a presidential pardon before Jan 1, 2028?',
      'Leo Kirk',
      {
        eventTitle: 'Trump pardons',
        rules:
          'If Leo Kirk has been given a presidential pardon before Jan 1, 2028, then the market resolves to Yes.',
      },
    ),
  ],
]

describe('what a threshold leaves over is the opposite', () => {
  test('above 1.9 and 1.9 or lower', () => {
    const a = A('Will Verania annual CPI be above 1.9% in March 2027?')
    const b = B(
      'KXCPIV-27MAR-T1.9',
      'Will Verania annual CPI be 1.9% or lower in March 2027?',
      '1.9% or lower',
    )
    expect(judge(a, b)).toMatchObject({ verdict: 'inverted' })
  })

  test('VEN-10 a market of A whose first outcome is neither yes nor a side is not read', () => {
    const a = A('Verania GDP up or down in 2027?', { yesMeans: 'Up', noMeans: 'Down' })
    const b = B('KXGDPV-27-UP', 'Verania GDP up or down in 2027?', 'Up')
    expect(judge(a, b)).toEqual({ verdict: 'unreadable', reasons: ['side_unclear'] })
  })
})

describe('the same question in two wordings is an identity', () => {
  test.each(SAME)('%s', (_, a, b) => {
    const { verdict, reasons } = judge(a, b)
    expect({ verdict, reasons }).toMatchObject({ verdict: 'identity' })
    expect(reasons.length).toBeGreaterThan(0)
  })
})
