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
  ])('%s is not %s', (a, b) => {
    expect(judged(a, b)).not.toBe('identity')
  })
})

test('the series says which grand prix it is', () => {
  const verdict = (title: string, series: string) =>
    judge(
      marketA('1', `Will Ola Berg win the 2027 ${title}?`),
      marketB(`${series}-OSL27-OBER`, 'Will Ola Berg win the Oslo Grand Prix?', { outcome: 'Ola Berg' }),
    ).verdict
  expect(verdict('F1 Oslo Grand Prix', 'KXF1RACE')).toBe('identity')
  expect(verdict('F1 Oslo Grand Prix', 'KXMOTOGPRACE')).not.toBe('identity')
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
