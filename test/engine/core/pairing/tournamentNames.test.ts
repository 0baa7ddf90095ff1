import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { judged } from '../../support/judged.ts'
import { marketA, marketB } from '../../support/markets.ts'

describe('one tournament or prize by the names of either venue', () => {
  test.each([
    ['Will Norway win the 2027 FIFA World Cup?', "Will Norway win the 2027 Men's World Cup?"],
    [
      'Will Norway win Group I in the 2027 FIFA World Cup?',
      'Will Norway finish first in 2027 World Cup Group I?',
    ],
    [
      'Will Ola Berg win the 2027 MotoGP World Championship?',
      'Will Ola Berg win the 2027 MotoGP Championship?',
    ],
    ['Will Ola Berg win the 2027 Indianapolis 500?', 'Will Ola Berg win the 2027 Indy 500?'],
    ['Will Lyra win the 2027 UEFA Champions League?', 'Will Lyra win the 2027 Champions League?'],
    ['Will Lyra win the 2027 Europa Conference League?', 'Will Lyra win the 2027 UEFA Conference League?'],
    ['Will Ola Berg win the 2027 National League MVP?', 'Will Ola Berg win the 2027 NL MVP?'],
    ['Will Ola Berg win the 2027 AL Cy Young?', 'Will Ola Berg win the 2027 American League Cy Young Award?'],
    ['Will Ola Berg win the 2027 Hart Trophy?', 'Will Ola Berg win the 2027 Hart Memorial Trophy?'],
    [
      'Will Ola Berg win the 2027 Rocket Richard Trophy?',
      'Will Ola Berg win the 2027 Maurice "Rocket" Richard Trophy?',
    ],
    [
      "Will Ola Berg be the 2027 F1 Drivers' Champion?",
      'Will Ola Berg win the 2027 F1 World Drivers Championship?',
    ],
    [
      "Will Norway win gold in Men's Hockey in 2027?",
      "Will Norway win the 2027 gold medal in Men's Ice Hockey?",
    ],
    ['Will Larks win the 2027 Brazil Série A?', 'Will Larks win the 2027 Brasileirao Serie A?'],
    ['Will Vancouver Whitecaps win the 2027 MLS Cup?', 'Will Vancouver win the 2027 MLS Cup?'],
    [
      'Will Ola Berg say "Oslo" in the 2027 State of the Union?',
      'Will Ola Berg say Oslo in the 2027 State of the Union address?',
    ],
    ['Will Larks win MSI 2027?', 'Will Larks win the 2027 Mid-Season Invitational?'],
    ['Will Ola Berg win the 2027 WNBA MVP?', "Will Ola Berg win the 2027 Women's Pro Basketball MVP?"],
    [
      'Will Ola Berg finish first in the first round of the 2027 Oslo mayoral election?',
      'Will Ola Berg win the first round of the 2027 Oslo mayoral election?',
    ],
    [
      'Will the Buffalo Bills win the 2027 AFC Championship?',
      'Will Buffalo win the 2027 AFC Championship Game?',
    ],
    [
      'Will Ohio State win the 2027 College Football Playoff National Championship?',
      'Will Ohio St. win the 2027 College Football National Championship?',
    ],
    [
      'Will the Boston Celtics win the 2027 NBA Eastern Conference Finals?',
      'Will Boston win the 2027 Pro Basketball Eastern Conference Championship?',
    ],
    ['Will Berg win the LCK 2027 season playoffs?', 'Will Berg win the 2027 LCK Season Playoffs?'],
    ['Will Berg win the LPL 2027 season?', 'Will Berg win the 2027 LPL season?'],
    ['Will Norway finish second in the 2027 Oslo Cup?', 'Will Norway finish 2nd in the 2027 Oslo Cup?'],
    ['Will Duke win the 2027 NCAA Tournament?', 'Will Duke win the 2027 College Basketball Championship?'],
    [
      'Will Ola Berg win Artist of the Year at the 2027 AMAs?',
      'Will Ola Berg win Artist of the Year at the 2027 American Music Awards?',
    ],
    [
      'Will "The Larks" win Best Musical at the 2027 Tony Awards?',
      'Will The Larks win Best Musical at the 80th Tony Awards?',
    ],
    [
      'Will "The Larks" win Best Film at the 2027 BAFTAs?',
      'Will The Larks win Best Film at the 80th British Academy Film Awards?',
    ],
    [
      'Will Ola Berg win Video of the Year at the 2027 VMAs?',
      'Will Ola Berg win Video of the Year at the 2027 MTV Video Music Awards?',
    ],
    [
      'Will "The Larks" win Best Animated Feature at the 2027 Oscars?',
      'Will The Larks win Best Animated Feature Film at the 2027 Oscars?',
    ],
    ['Will Norway win Eurovision 2027?', 'Will Norway win the 2027 Eurovision Song Contest?'],
    [
      'Will "The Larks" be the top grossing movie of 2027?',
      'Will The Larks be the highest-grossing film of 2027?',
    ],
    ['Will GTA VI be released in 2027?', 'Will Grand Theft Auto 6 be released in 2027?'],
    [
      'Will Ola Berg win the 2027 NASCAR Cup Series Championship?',
      'Will Ola Berg win the 2027 NASCAR Cup Series?',
    ],
    [
      'Will Ola Berg win the 2027 PDC World Darts Championship?',
      'Will Ola Berg win the 2027 World Darts Championship?',
    ],
    [
      'Will Ola Berg win the 2027 PDC World Darts Championship?',
      'Will Ola Berg win the 2027 PDC World Championship?',
    ],
    ['Will Ola Berg win the 2027 Premier League Darts?', 'Will Ola Berg win the 2027 PDC Premier League?'],
    ['Will Norway win the 2027 Six Nations Championship?', "Will Norway win the 2027 Men's Six Nations?"],
    ['Will Norway win the 2027 Guinness Six Nations?', 'Will Norway win the 2027 6 Nations?'],
    ['Will Norway win the 2027 Guinness Six Nations Championship?', 'Will Norway win the 2027 Six Nations?'],
    [
      'Will Ola Berg win the 2027 PDC Premier League Darts?',
      'Will Ola Berg win the 2027 PDC Premier League?',
    ],
    ['Will Ola Berg win the 2027 NASCAR Cup Championship?', 'Will Ola Berg win the 2027 NASCAR Cup Series?'],
    ['Will Larks win the 2027 LCK Summer Split?', 'Will Larks win LCK Summer 2027?'],
    ['Will Larks win the 2027 LEC Winter Split?', 'Will Larks win LEC Winter 2027?'],
    ['Will Duke win the 2027 Big 12 Championship?', 'Will Duke win the 2027 Big 12 Conference Championship?'],
    [
      'Will Duke win the 2027 Big Ten Championship?',
      'Will Duke win the 2027 Big 10 Conference Championship?',
    ],
    [
      'Will Ola Berg finish on the podium at the 2027 Oslo Grand Prix?',
      'Will Ola Berg finish in the top 3 at the 2027 Oslo Grand Prix?',
    ],
    ['Will Larks win the 2027 LEC Spring Split?', 'Will Larks win LEC Spring 2027?'],
    ['Will Natus Vincere win Oslo 2027?', 'Will NAVI win Oslo 2027?'],
    ['Will Larks win the 2027 Serie A League?', 'Will Larks win the 2027 Serie A?'],
    [
      "Will Ola Berg win the 2027 Men's Larkland Open?",
      "Will Ola Berg win the 2027 Larkland Open Men's Singles?",
    ],
    ["Will Ola Berg win the 2027 Men's Wimbledon?", "Will Ola Berg win the Men's Wimbledon Singles in 2027?"],
    [
      'Will Larks have the best AI model at the end of 2027?',
      'Will Larks have the best AI at the end of 2027?',
    ],
  ])('%s is %s', (a, b) => {
    expect(judged(a, b)).toBe('identity')
  })

  test.each([
    ['Will Norway win Group A in the 2027 World Cup?', 'Will Norway win Group I in the 2027 World Cup?'],
    ['Will Norway win Group A in the 2027 World Cup?', 'Will Norway win the 2027 World Cup?'],
    [
      'Will Norway finish second in Group I in the 2027 World Cup?',
      'Will Norway finish first in 2027 World Cup Group I?',
    ],
    ['Will Lyra win the 2027 FIFA World Cup?', 'Will Lyra win the 2027 FIFA Club World Cup?'],
    ['Will Lyra win the 2027 World Cup?', 'Will Lyra win the 2027 Esports World Cup?'],
    ['Will Norway win the 2027 FIFA World Cup?', "Will Norway win the 2027 Women's World Cup?"],
    ['Will Lyra win the 2027 UEFA Europa League?', 'Will Lyra win the 2027 UEFA Conference League?'],
    ['Will Ola Berg win the 2027 National League MVP?', 'Will Ola Berg win the 2027 AL MVP?'],
    ['Will the Buffalo Bills win the 2027 AFC Championship?', 'Will Buffalo win the 2027 AFC East?'],
    [
      'Will the Boston Celtics win the 2027 NBA Eastern Conference Finals?',
      'Will Boston win the 2027 Pro Basketball Western Conference Championship?',
    ],
    [
      'Will the Boston Celtics reach the 2027 NBA Eastern Conference Finals?',
      'Will Boston win the 2027 NBA Eastern Conference Finals?',
    ],
    ['Will Berg win the 2027 LCK season?', 'Will Berg win the 2027 LCK Season Playoffs?'],
    ['Will Norway finish second in the 2027 Oslo Cup?', 'Will Norway finish 3rd in the 2027 Oslo Cup?'],
    ['Will Ohio State win the 2027 Rose Bowl?', 'Will Ohio win the 2027 Rose Bowl?'],
    ['Will Ohio St. win the 2027 Rose Bowl?', 'Will Ohio win the 2027 Rose Bowl?'],
    [
      'Will Ola Berg win Artist of the Year at the 2027 AMAs?',
      'Will Ola Berg win Artist of the Year at the 2027 VMAs?',
    ],
    [
      'Will "The Larks" win Best Musical at the 2027 Tony Awards?',
      'Will The Larks win Best Musical at the 79th Tony Awards?',
    ],
    ['Will Ola Berg win the 2027 Memorial Tournament?', 'Will Ola Berg win the 2027 Tournament?'],
    ['Will Ola Berg win the 2027 NBA MVP?', "Will Ola Berg win the 2027 Women's Pro Basketball MVP?"],
    ['Will Ola Berg win the 2027 NASCAR Cup Series?', 'Will Ola Berg win the 2027 NASCAR Xfinity Series?'],
    ['Will Ola Berg win the 2027 NASCAR Cup Series?', 'Will Ola Berg win the 2027 NASCAR Cup Series Race?'],
    //  the last race of the season
    [
      'Will Ola Berg win the 2027 NASCAR Cup Series Championship?',
      'Will Ola Berg win the 2027 NASCAR Cup Series Championship Race?',
    ],
    [
      'Will Ola Berg win the 2027 NASCAR Cup Series?',
      'Will Ola Berg win the 2027 NASCAR Cup Series regular season?',
    ],
    [
      'Will Ola Berg win the 2027 World Darts Championship?',
      'Will Ola Berg win the 2027 WDF World Darts Championship?',
    ],
    [
      'Will Ola Berg win the 2027 PDC World Championship?',
      'Will Ola Berg win the 2027 PDC World Youth Championship?',
    ],
    ['Will Ola Berg win the 2027 Premier League Darts?', 'Will Ola Berg win the 2027 Premier League?'],
    ['Will Norway win the 2027 Six Nations?', "Will Norway win the 2027 Women's Six Nations?"],
    ['Will Norway win the 2027 Six Nations?', 'Will Norway win the 2027 U20 Six Nations?'],
    ['Will Duke win the 2027 Big 12 Championship?', 'Will Duke win the 2027 Big 10 Championship?'],
    ['Will Duke win the 2027 Big 12 Championship?', 'Will Duke win the 2027 Big 12 regular season?'],
    [
      'Will Ola Berg finish on the podium at the 2027 Oslo Grand Prix?',
      'Will Ola Berg win the 2027 Oslo Grand Prix?',
    ],
    [
      'Will Ola Berg finish on the podium at the 2027 Oslo Grand Prix?',
      'Will Ola Berg finish in the top 6 at the 2027 Oslo Grand Prix?',
    ],
    [
      'Will Ola Berg finish on the podium at the 2027 Oslo Grand Prix?',
      'Will Ola Berg finish in the top 4 at the 2027 Oslo Grand Prix?',
    ],
    ['Will Larks win the 2027 LEC Spring Split?', 'Will Larks win the 2027 LEC Summer Split?'],
    ['Will Natus Vincere win Oslo 2027?', 'Will NAVI Junior win Oslo 2027?'],
    ["Will Ola Berg win the 2027 Men's Wimbledon?", "Will Ola Berg win the Men's Wimbledon Doubles in 2027?"],
    [
      'Will Larks have the best AI model at the end of 2027?',
      'Will Larks have the best coding AI at the end of 2027?',
    ],
    [
      'Will Larks have the best AI model at the end of 2027?',
      'Will Larks have the second best AI at the end of 2027?',
    ],
  ])('%s is not %s', (a, b) => {
    expect(judged(a, b)).not.toBe('identity')
  })
})

test('the series says which grand prix it is', () => {
  const verdict = (title: string, series: string, ofB = 'Oslo Grand Prix') =>
    judge(
      marketA('1', `Will Ola Berg win the 2027 ${title}?`),
      marketB(`${series}-OSL27-OBER`, `Will Ola Berg win the ${ofB}?`, { outcome: 'Ola Berg' }),
    ).verdict
  expect(verdict('F1 Oslo Grand Prix', 'KXF1RACE')).toBe('identity')
  expect(verdict('F1 Oslo Grand Prix', 'KXMOTOGPRACE')).not.toBe('identity')
  expect(verdict('Oslo Grand Prix', 'KXF1RACE', 'Formula 1 Oslo Grand Prix')).toBe('identity')
  expect(verdict('MotoGP Oslo Grand Prix', 'KXF1RACE', 'Formula 1 Oslo Grand Prix')).not.toBe('identity')
})

test('the last race of a season bears the name of its title', () => {
  const asked = 'Will Ola Berg win the NASCAR Cup Series Championship?'
  const verdict = (series: string) =>
    judge(marketA('1', asked), marketB(`${series}-27-OBER`, asked, { outcome: 'Ola Berg' })).verdict
  expect(verdict('KXNASCARCUPSERIES')).toBe('identity')
  expect(verdict('KXNASCARRACE')).toBe('related')
})

describe('a series of one sport need not say which', () => {
  const verdict = (sport: string, series: string) =>
    judge(
      marketA('1', `Will Duke win the 2027 Big 12 ${sport} Tournament?`),
      marketB(`${series}-27-DUKE`, 'Will Duke win the Big 12 Tournament?', { outcome: 'Duke' }),
    ).verdict
  test.each([
    ['Basketball', 'KXNCAAMBB12', 'identity'],
    ['Baseball', 'KXNCAABASEBALLB12', 'identity'],
    ['Baseball', 'KXNCAAMBB12', 'different'],
    ['Basketball', 'KXBIG12', 'different'],
    ['Softball', 'KXNCAAMBB12', 'different'],
    ['Football', 'KXMLSBIG12', 'different'],
  ])('%s in %s: %s', (sport, series, expected) => {
    expect(verdict(sport, series)).toBe(expected)
  })

  test('nor need the other venue, where its own text says so', () => {
    const slam = (series: string) =>
      judge(
        marketA('1', 'Will Ola Berg reach the final of the 2027 Oslo Cup?'),
        marketB(`${series}-27-OBER`, 'Will Ola Berg reach the final of the 2027 Oslo tennis Cup?'),
      ).verdict
    expect(slam('KXATPADVANCE')).toBe('identity')
    expect(slam('KXOSLOADVANCE')).toBe('related')
  })
})

describe('the number of a season may stand in the ticker alone', () => {
  const verdict = (asked: string, ticker: string) =>
    judge(marketA('1', asked), marketB(`${ticker}-OBER`, 'Who will win Larkland?', { outcome: 'Ola Berg' }))
      .verdict
  test.each([
    ['Will Ola Berg win Larkland Season 52?', 'KXLARKLAND-S52', 'identity'],
    ['Will Ola Berg win Larkland Season 52?', 'KXLARKLAND-S53', 'related'],
    ['Will Ola Berg win Larkland Season 52?', 'KXLARKLAND-S5', 'related'],
    ['Will Ola Berg win 52 in Larkland?', 'KXLARKLAND-S52', 'related'],
    ['Will Ola Berg win Larkland Season 52?', 'KXLARKLAND-27', 'related'],
  ])('%s %s: %s', (asked, ticker, expected) => {
    expect(verdict(asked, ticker)).toBe(expected)
  })
})

describe('the next election is the one of the year', () => {
  const closeMs = Date.parse('2028-11-07T15:00:00Z')
  const verdict = (titleA: string, titleB: string, eventTitle: string) =>
    judge(
      marketA('1', titleA, { closeMs }),
      marketB('KXOSLOMAYOR-28-OBER', titleB, { eventTitle, outcome: 'Ola Berg', closeMs }),
    ).verdict
  const next = 'Will Ola Berg win the next Oslo mayoral election?'
  const of = (year: number) => `Will Ola Berg win the ${year} Oslo mayoral election?`

  test('that its event names', () => {
    expect(verdict(of(2028), next, '2028 Oslo mayoral election winner?')).toBe('identity')
  })
  test('and no other year, nor one that nobody names', () => {
    expect(verdict(of(2032), next, '2028 Oslo mayoral election winner?')).not.toBe('identity')
    expect(verdict(of(2028), next, 'Oslo mayoral election winner?')).not.toBe('identity')
  })
  test('that its rules name', () => {
    const asked = (rules: string) =>
      judge(
        marketA('1', next, { closeMs, rules }),
        marketB('KXOSLOMAYOR-28-OBER', of(2028), { outcome: 'Ola Berg', closeMs }),
      ).verdict
    expect(asked('Mayoral elections in Oslo are expected to be held in 2028.')).toBe('identity')
    for (const rules of [
      'Mayoral elections in Oslo are expected to be held in spring.',
      'The next mayoral election in Oslo must be held no later than January 15, 2028.',
      'If no election is held by December 31, 2028, this market resolves to No.',
      'Elections are held in spring. Results are final on March 1, 2028.',
      'Elections in Oslo are expected to be held in 20280.',
    ])
      expect(asked(rules), rules).not.toBe('identity')
  })
  test('elsewhere "next" asks for who follows', () => {
    const host = (which: string) => `Will Ola Berg be the ${which}host of the 2028 Oslo Gala?`
    expect(verdict(host(''), host(''), '2028 Oslo Gala host?')).toBe('identity')
    expect(verdict(host(''), host('next '), '2028 Oslo Gala host?')).not.toBe('identity')
  })
})
