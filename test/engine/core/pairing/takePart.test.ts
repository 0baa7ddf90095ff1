import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-12-01T15:00:00Z')

/** The verdicts both ways round, since either venue may be the one that asks for less than a win. */
const judged = (x: string, y: string) =>
  [
    [x, y],
    [y, x],
  ].map(
    ([a, b]) =>
      judge(
        marketA('1', a!, { closeMs }),
        marketB('KXTEST-27-OBER', b!, { closeMs, outcome: b!.startsWith('Will') ? null : 'Ola Berg' }),
      ).verdict,
  )

describe('VEN-10 who is there has not won: a prize stands for winning it only where nothing else is asked', () => {
  test.each([
    ['Will Lima make the 2027 World Series?', 'Will Lima win the 2027 World Series?'],
    ['Will Lima get to the 2027 Super Bowl?', 'Will Lima win the 2027 Super Bowl?'],
    ['Will Lima be in the 2027 Super Bowl?', 'Will Lima win the 2027 Super Bowl?'],
    ['Will Lima go to the 2027 Stanley Cup?', 'Will Lima win the 2027 Stanley Cup?'],
    ['Will Ola Berg be at the 2027 Oscars?', 'Will Ola Berg win at the 2027 Oscars?'],
    ['Will Ola Berg be selected for the 2027 Hart Trophy?', 'Will Ola Berg win the 2027 Hart Trophy?'],
    ['Will Ola Berg choose the 2027 world champion?', 'Will Ola Berg be the 2027 world champion?'],
  ])('%s | %s', (x, y) => {
    expect(judged(x, y)).toEqual(['related', 'related'])
    for (const title of [x, y]) expect(judged(title, title)).toEqual(['identity', 'identity'])
  })

  test.each(['2027 Super Bowl matchup', '2027 Super Bowl teams', 'Where will the 2027 Super Bowl be?'])(
    'who plays, and where: %s',
    (event) => {
      const a = marketA('1', 'Will Lima win the 2027 Super Bowl?', { closeMs })
      const b = marketB('KXTEST-27-LIM', event, { closeMs, outcome: 'Lima' })
      expect(judge(a, b)).toEqual({ verdict: 'related', reasons: ['words'] })
    },
  )

  test.each([
    ['Will Ola Berg win the 2027 Hart Trophy?', 'Will Ola Berg get the 2027 Hart Trophy?'],
    ['Will Ola Berg win the 2027 Hart Trophy?', 'Who will the 2027 Hart Trophy go to?'],
    ['Will Ola Berg win Song of the Year at the 2027 Grammys?', 'Grammy for Song of the Year 2027?'],
    ['Will Ola Berg win the 2027 NFL MVP award?', 'Will Ola Berg be named 2027 NFL MVP?'],
  ])('%s is %s', (x, y) => {
    expect(judged(x, y)[0]).toBe('identity')
  })
})
