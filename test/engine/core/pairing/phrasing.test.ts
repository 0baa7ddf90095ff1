import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { judged } from '../../support/judged.ts'
import { marketA, marketB } from '../../support/markets.ts'

describe('design 3: a word that dresses up one phrase asks something in another', () => {
  test.each([
    ['Ola Berg: 2+ shots in 2027', 'Ola Berg: 2+ shots on target in 2027'],
    [
      'Will Ola Berg win by decision against Leo Kirk in 2027?',
      'Will Ola Berg win against Leo Kirk in 2027?',
    ],
    ['Will the court free Ola Berg in the May 2027 decision?', 'Will the court free Ola Berg in May 2027?'],
    ['Will the Foxes win the Larkland Tournament in 2027?', 'Will the Foxes win Larkland in 2027?'],
    [
      'Will the Foxes win the Larkland season in 2027?',
      'Will the Foxes win the Larkland tournament in 2027?',
    ],
    [
      'Will Ola Berg be named player of the season in 2027?',
      'Will Ola Berg be named player of the tournament in 2027?',
    ],
    ['Will Ola Berg become president in 2027?', 'Will Ola Berg become a presidential candidate in 2027?'],
    ['Will Foxfilm report record revenue in 2027?', 'Will Foxfilm report revenue in 2027?'],
    ['Will Morland see a general strike in 2027?', 'Will Morland see a strike in 2027?'],
    ["Will Morland's birth rate rise in 2027?", "Will Morland's births rise in 2027?"],
    ['Will Ola Berg play the entire match in May 2027?', 'Will Ola Berg play in the match in May 2027?'],
    ['Will the port shut for the whole month of May 2027?', 'Will the port shut in the month of May 2027?'],
    ['Morland vote held by June 30, 2027?', 'Morland vote scheduled by June 30, 2027?'],
    ['Will the Fed cut rates between meetings in 2027?', 'Will the Fed cut rates in 2027?'],
    ['Will Berg score at the 2027 FIFA Club World Cup?', 'Will Berg score at the 2027 FIFA World Cup?'],
    ['Will Democrats win the SC Senate race in 2027?', 'Will Democrats win the Senate race in 2027?'],
    ['Will Democrats win the OR Senate race in 2027?', 'Will Democrats win the Senate race in 2027?'],
    ['Will the Foxes be the AFC #1 seed in 2027?', 'Will the Foxes be the #1 seed in 2027?'],
    ['Will a Major Hurricane hit Larkland in 2027?', 'Will a hurricane hit Larkland in 2027?'],
    ["Will Morland win the women's individual foil in 2027?", "Will Morland win the women's foil in 2027?"],
    ['Will Morland win the team foil in 2027?', 'Will Morland win the foil in 2027?'],
    ['Will Foxair make a hotel announcement in 2027?', 'Will Foxair make a hotel in 2027?'],
    ['Will Ola Berg pay Lima an official visit in 2027?', 'Will Ola Berg pay Lima a visit in 2027?'],
    ['Will the entire Berg archive open in 2027?', 'Will the Berg archive open in 2027?'],
    ['Will the whole Berg archive open in 2027?', 'Will the Berg archive open in 2027?'],
    ['Will some of the Berg archive open in 2027?', 'Will the Berg archive open in 2027?'],
    ['Will Fox Phone Pro be sold in 2027?', 'Will Fox Phone be sold in 2027?'],
    ['Will the Foxes make the 2027 NBA playoffs?', 'Will the Foxes win the 2027 NBA playoffs?'],
    //  somebody else may be nominated next, and Ola Berg only later, for the seat that falls free first
    [
      'Will Morland nominate Ola Berg as chair in 2027?',
      'Will Morland next nominate Ola Berg as chair in 2027?',
    ],
    [
      'Will Morland nominate Ola Berg as next chair in 2027?',
      'Will Morland next nominate Ola Berg as chair in 2027?',
    ],
    ['Will Foxes win a fixed race in 2027?', 'Will Foxes win a race in 2027?'],
    ['Will Larks win the 2027 Larkland World Championship?', 'Will Larks win the 2027 Larkland World?'],
    [
      'Will continuing jobless claims be above 240k on June 5, 2027?',
      'Will jobless claims be above 240k on June 5, 2027?',
    ],
    ['Will over 42% of Foxes vote in 2027?', 'Will over 42 Foxes vote in 2027?'],
    ['Will Ola Berg visit Georgia in 2027?', 'Will Ola Berg visit the state of Georgia in 2027?'],
    ['Will Berg be the new Supreme Leader in 2027?', 'Will Berg be the next Supreme Leader in 2027?'],
    ['Will Ola Berg win at least 10 games in 2027?', 'Will Ola Berg win at least 10 sets in 2027?'],
    ['Will Ola Berg lose at least 10 games in 2027?', 'Will Ola Berg lose at least 10 in 2027?'],
    ['Will Ola Berg win more games in 2027?', 'Will Ola Berg win more in 2027?'],
    ['Will no Fed rate cuts happen in 2027?', 'Will no more Fed rate cuts happen in 2027?'],
    ['Will no Fed rate cuts happen in 2027?', 'Will 1 Fed rate cut happen in 2027?'],
    [
      'Will Ola Berg be the #1 pick in the 2027 NFL draft?',
      'Will Ola Berg be the #2 pick in the 2027 NFL draft?',
    ],
    [
      'Will Ola Berg lead the MLB in home runs in 2027?',
      'Will Ola Berg lead the league in home runs in the 2027 MLB season?',
    ],
    ['Will Ola Berg win a Grand Slam in 2027?', 'Will Ola Berg win the Calendar Grand Slam in 2027?'],
    [
      'Will Ola Berg say "Oslo" at his April press conference?',
      'Will Ola Berg say "Oslo" at his March press conference?',
    ],
    //  the one who finishes first may lose the runoff
    [
      'Will Ola Berg finish first in the 2027 Texas Republican Senate primary?',
      'Will Ola Berg be the Republican nominee for the Senate in Texas in 2027?',
    ],
    [
      'Will Ola Berg finish first in the 2027 Oslo mayoral election?',
      'Will Ola Berg win the 2027 Oslo mayoral election?',
    ],
  ])('%s | %s', (x, y) => {
    expect(['related', 'different']).toContain(judged(x, y))
    expect(['related', 'different']).toContain(judged(y, x))
    for (const title of [x, y]) expect(judged(title, title)).toBe('identity')
  })

  test.each([
    ['Will the Fed cut its target rate in September 2027?', 'Will the Fed cut rates in September 2027?'],
    [
      'Will the Fed hold rates after its decision in June 2027?',
      'Will the Fed hold rates after its rate decision in June 2027?',
    ],
    ['Will RBA cut rates after the May 2027 decision?', 'Will RBA cut rates in May 2027?'],
    [
      'Will RBA cut rates after the July decision in 2027?',
      'Will RBA cut rates at its July meeting in 2027?',
    ],
    ['Will Ola Berg win the 2027 Larkland Open?', 'Will Ola Berg win the Larkland Open tournament in 2027?'],
    ['Will Ola Berg win NFL MVP in the 2027 season?', 'Will Ola Berg win 2027 NFL MVP?'],
    ['Will the Republican candidate win in Lima in 2027?', 'Will Republican win in Lima in 2027?'],
    ['Will Lima record over 3 inches in July 2027?', 'Will Lima get over 3 inches in July 2027?'],
    ['Will Ola Berg win the 2027 Lima general election?', 'Will Ola Berg win the 2027 Lima election?'],
    ['Will AFC Foxes win the 2027 Larkland league?', 'Will Foxes win the 2027 Larkland league?'],
    ['Will Larks win the 2027 Oslo Major?', 'Will Larks win Oslo in 2027?'],
    ['Will any individual walk to Oslo in 2027?', 'Will any person walk to Oslo in 2027?'],
    ['Will the Fed cut rates at its rate announcement in June 2027?', 'Will the Fed cut rates in June 2027?'],
    ['Will RBNZ cut the official cash rate in June 2027?', 'Will RBNZ cut the cash rate in June 2027?'],
    ['Will Foxes lead over the entire 2027 season?', 'Will Foxes lead over the 2027 season?'],
    ['Will the Foxes make the 2026-27 NBA playoffs?', 'Will the Foxes qualify for the 2026-27 NBA playoffs?'],
    ['Will Team Larks win the 2027 Oslo cup?', 'Will Larks win the 2027 Oslo cup?'],
    ['Will the Foxes win 10 or more games in the 2027 season?', 'Foxes over 9.5 wins in the 2027 season?'],
    [
      'Will Larks win the LoL 2027 World Championship?',
      'Will Larks win the 2027 League of Legends World Championship?',
    ],
    ['Will Ola Berg and Ida Kirk marry in 2027?', 'Will Ola Berg and Ida Kirk get married in 2027?'],
    [
      'Will Democrats win the SC Senate race in 2027?',
      'Will Democrats win the South Carolina Senate race in 2027?',
    ],
    ['Will no Fed rate cuts happen in 2027?', 'Will the Fed cut rates 0 times in 2027?'],
    [
      'Will Ola Berg say "Oslo" during the April press conference?',
      'Will Ola Berg say Oslo at his April press conference?',
    ],
    ['Will the Larks sign Ola Berg in calendar year 2027?', 'Will the Larks sign Ola Berg in 2027?'],
    [
      'Will Ola Berg be the first pick in the 2027 NFL draft?',
      'Will Ola Berg be the #1 overall pick in the 2027 Pro Football Draft?',
    ],
    [
      'Will Ola Berg lead the NBA in rebounds per game in 2027?',
      'Will Ola Berg lead the league in rebounds per game in the 2027 NBA season?',
    ],
    ['Will Foxes finish in the top 4 of the 2027 EPL standings?', 'Will Foxes finish top 4 in the 2027 EPL?'],
    [
      'Will the Nets win more than 20.5 regular season games in 2027?',
      'Will the Nets win at least 21 regular season games in 2027?',
    ],
    [
      'Will the 30-year fixed mortgage rate be above 6% on June 24, 2027?',
      'Will the 30-year mortgage rate be above 6.00% on Jun 24, 2027?',
    ],
    [
      'Will core PCE inflation be above 0.3% MoM in May 2027?',
      'Will core PCE rise more than 0.3% MoM in May 2027?',
    ],
    ['Will Larks win LoL Worlds 2027?', 'Will Larks win the 2027 League of Legends World Championship?'],
    ['Ola Berg: Anytime Touchdown in 2027', 'Ola Berg: Anytime Touchdown Scorer in 2027'],
    [
      'Will Ola Berg be the top goalscorer in the 2027 EPL season?',
      'Will Ola Berg lead the EPL in goals in the 2027 season?',
    ],
    [
      'Will Ola Berg lead after Round 1 of the 2027 Lima Open?',
      'Will Ola Berg lead at the end of Round 1 of the 2027 Lima Open?',
    ],
    ['Will Ola Berg be ranked No. 1 in 2027?', 'Will Ola Berg be ranked #1 in 2027?'],
    [
      'Will initial jobless claims be above 240k on June 5, 2027?',
      'Will US jobless claims be above 240,000 on Jun 5, 2027?',
    ],
    [
      'Will average US gas prices be above $3.50 on June 30, 2027?',
      'Will average gas prices be above $3.50 on Jun 30, 2027?',
    ],
    [
      'Will approval of Berg be above 42% on June 30, 2027?',
      'Will approval of Berg be above 42.0 on Jun 30, 2027?',
    ],
    [
      'Will Ola Berg qualify for the second round of the 2027 Larkland election?',
      'Will Ola Berg advance to the runoff of the 2027 Larkland election?',
    ],
    [
      'Will Foxair be the largest company in the world on June 30, 2027?',
      'Will Foxair be the largest company on Jun 30, 2027?',
    ],
    [
      'Will Democrats win control of the Iowa State Senate in the 2028 election?',
      'Will Democrats control the Iowa State Senate after the 2028 election?',
    ],
    ['Will US unemployment be above 5% in May 2027?', 'Will the unemployment rate be above 5% in May 2027?'],
    [
      'Will Ola Berg say he is running for president in 2027?',
      'Will Ola Berg say he will run for president in 2027?',
    ],
  ])('dress where it belongs: %s | %s', (x, y) => {
    expect(judged(x, y)).toBe('identity')
    expect(judged(y, x)).toBe('identity')
  })
})

describe('design 3: an outcome under the name of a prize is who wins it', () => {
  const verdict = (asked: string, title: string, outcome: string) =>
    judge(marketA('1', asked), marketB('KXPRIZE-27-X', title, { outcome })).verdict

  test.each([
    [
      'Will "Larks" win Best Picture at the 99th Academy Awards?',
      '2027 Oscar for Best Picture?',
      'Larks',
      'identity',
    ],
    [
      'Will "Larks" win Best Picture at the 99th Academy Awards?',
      '2027 Oscar for Best Sound?',
      'Larks',
      'different',
    ],
    [
      'Will "Larks" be nominated for Best Picture at the 2027 Oscars?',
      '2027 Oscar for Best Picture?',
      'Larks',
      'related',
    ],
    ['Will the Denver Broncos win Super Bowl LXI?', '2027 Pro Football Champion?', 'Denver', 'identity'],
    [
      'Will the Denver Broncos play in Super Bowl LXI?',
      '2027 Pro Football Champion?',
      'Denver',
      'unreadable',
    ],
    [
      'Will the Denver Broncos win the 2027 AFC Championship?',
      '2027 Pro Football Champion?',
      'Denver',
      'different',
    ],
    [
      'Will Ola Berg win the 2027 NL Rookie of the Year?',
      'National League Rookie of the Year?',
      'Ola Berg',
      'identity',
    ],
    ['Will Ola Berg win 2027 NFL Coach of the Year?', 'NFL Coach of the Year?', 'Ola Berg', 'identity'],
    [
      'Will Ola Berg win the 2027 AL Manager of the Year?',
      'American League Manager of the Year?',
      'Ola Berg',
      'identity',
    ],
    [
      'Will Ola Berg be a finalist for the 2027 NFL Coach of the Year?',
      'NFL Coach of the Year?',
      'Ola Berg',
      'unreadable',
    ],
    [
      'Will Ola Berg win the 2027 NL Rookie of the Year?',
      'American League Rookie of the Year?',
      'Ola Berg',
      'different',
    ],
    [
      'Will Ola Berg win the 2027 NFL Offensive Player of the Year?',
      'Defensive Player of the Year?',
      'Ola Berg',
      'different',
    ],
    [
      'Will "Larks" win Best Series at the 84th Golden Globes?',
      'Golden Globe for Best Series?',
      'Larks',
      'identity',
    ],
    [
      'Will "Larks" win Best Musical at the 80th Tony Awards?',
      'Tony Award for Best Musical?',
      'Larks',
      'identity',
    ],
    ['Will Ola Berg be Person of the Year 2027?', 'Person of the Year?', 'Ola Berg', 'identity'],
    [
      'Will "Larks" win Best Series at the 84th Golden Globes?',
      'Golden Globe for Best Actor?',
      'Larks',
      'different',
    ],
  ])('%s | %s %s: %s', (asked, title, outcome, expected) => {
    expect(verdict(asked, title, outcome)).toBe(expected)
  })

  test('"after" in the name of a film relates nothing', () => {
    expect(
      verdict(
        'Will "One Lark After Another" win Best Picture at the 2027 Oscars?',
        'Oscars 2027: Best Picture Winner?',
        'One Lark After Another',
      ),
    ).toBe('identity')
    expect(judged('Will Foxes open after Larks in 2027?', 'Will Larks open after Foxes in 2027?')).toBe(
      'related',
    )
  })
})
