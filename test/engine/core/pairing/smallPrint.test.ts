import { describe, expect, test } from 'vitest'
import { codeNames } from '../../../../engine/core/pairing/names.ts'
import { judged } from '../../support/judged.ts'

describe('design 3: small differences that ask something else', () => {
  test.each([
    ['Will Berg win over 50% of the vote in 2027?', 'Will Berg win by over 50% of the vote in 2027?'],
    ['Will Berg win Lima with at least 5% in 2027?', 'Will Berg win Lima by at least 5% in 2027?'],
    ['Will Whigs win the House by 10+ seats in 2027?', 'Will Whigs win 10+ House seats in 2027?'],
    ['Will Foxair open a hotel by Q3 2027?', 'Will Foxair open a hotel in Q3 2027?'],
    ['Will Foxair open a hotel by the end of summer 2027?', 'Will Foxair open a hotel in summer 2027?'],
    ['Will Foxair open a hotel by fall 2027?', 'Will Foxair open a hotel during fall 2027?'],
    ['Will Lima see over 40°C in 2027?', 'Will Lima see over 40°F in 2027?'],
    ['Will the truce hold through June 30, 2027?', 'Will the truce hold by June 30, 2027?'],
    ['Will Berg be mayor until June 30, 2027?', 'Will Berg be mayor by June 30, 2027?'],
    ['Fed rate cut by December 2027 meeting?', 'Fed rate cut in 2027?'],
    ['Will Foxair open a hotel after 2027?', 'Will Foxair open a hotel before 2028?'],
    [
      'Will Atlanta Braves win the 2027 National League Championship Series?',
      'Will Atlanta Braves win the 2027 American League Championship Series?',
    ],
    ['Will exactly one judge retire in 2027?', 'Will at least one judge retire in 2027?'],
    ['Will Berg win by 5 points or more in 2027?', 'Will Berg win by 5 points in 2027?'],
    ['Will 5 judges or fewer retire in 2027?', 'Will 5 judges retire in 2027?'],
    ['Will 5 judges or fewer retire in 2027?', 'Will 5 judges or more retire in 2027?'],
    ['Will Khamenei visit Lima in 2027?', 'Will Ali Khamenei visit Lima in 2027?'],
    ['Will more than one judge retire in 2027?', 'Will one judge retire in 2027?'],
    ['Will Lima see over 40 degrees Celsius in 2027?', 'Will Lima see over 40 degrees Fahrenheit in 2027?'],
  ])('%s | %s', (x, y) => {
    expect(['related', 'different']).toContain(judged(x, y))
    expect(['related', 'different']).toContain(judged(y, x))
    for (const title of [x, y]) expect(judged(title, title)).toBe('identity')
  })

  test.each([
    ['Will Berg win Lima by over 5% in 2027?', 'Will Berg win Lima by more than 5% in 2027?'],
    ['Will the Fed make a 25 bps cut in June 2027?', 'Will there be a 25 bps Fed cut in June 2027?'],
    ['Will Ola Berg be VP nominee in 2027?', 'Will Ola Berg be the nominee for the Vice Presidency in 2027?'],
    ['Will Prop 50 pass in Lima in 2027?', 'Will Proposition 50 pass in Lima in 2027?'],
    ['Will voter turnout be above 48% in Lima in 2027?', 'Will turnout be above 48% in Lima in 2027?'],
    ['Will the Fed cut by 25 bps in June 2027?', 'Will there be a 25 bps Fed cut in June 2027?'],
    [
      'Will the Fed cut by 25 basis points in June 2027?',
      'Will there be a 25 basis points Fed cut in June 2027?',
    ],
    ['Will Berg win by 5 points or more in 2027?', 'Will Berg win by at least 5 points in 2027?'],
    ['Will 5 judges or fewer retire in 2027?', 'Will at most 5 judges retire in 2027?'],
    ['Will Foxair open a hotel in Q3 2027?', 'Will Foxair open a hotel during Q3 2027?'],
    ['Will Foxair open a hotel by summer 2027?', 'Will Foxair open a hotel by the summer of 2027?'],
    ['Will Lima see over 40°C in 2027?', 'Will Lima see over 40° in 2027?'],
    ['Will the truce hold through June 30, 2027?', 'Will the truce hold until June 30, 2027?'],
    ['Will Whigs hold the House after 2027 midterms?', 'Will Whigs hold the House in the 2027 midterms?'],
    ['Will exactly one judge retire in 2027?', 'Will exactly 1 judge retire in 2027?'],
    [
      'Will Whigs win the 2027 Lima legislative election?',
      'Will Whigs win the 2027 Lima parliamentary election?',
    ],
    ['Will Ola Berg be charged by June 30, 2027?', 'Will Ola Berg be charged with a crime by June 30, 2027?'],
    ['Will Ola Berg be DHS Secretary in 2027?', 'Will Ola Berg be Secretary of Homeland Security in 2027?'],
    [
      'Will US unemployment be above 5% in June 2027?',
      'Will the unemployment rate (U-3) be above 5% in June 2027?',
    ],
    [
      'Will Atlanta Braves win the 2027 National League Championship Series?',
      'Will Atlanta win the 2027 Pro Baseball National League Championship?',
    ],
    ['Will "Fox" win Best Film at the 99th Academy Awards?', 'Will "Fox" win Best Film at the 2027 Oscars?'],
    [
      'Will Ola Berg win a Grammy at the 70th Annual Grammy Awards?',
      'Will Ola Berg win a Grammy at the 2028 Grammys?',
    ],
  ])('%s is %s', (x, y) => {
    expect(judged(x, y)).toBe('identity')
    expect(judged(y, x)).toBe('identity')
  })

  test.each([
    ['OBER', 'ola berg', true],
    ['OBER', 'ola berg jr', false],
    ['OBERJR', 'ola berg jr', true],
    ['OBERIII', 'ola berg iii', true],
    ['OBERIII', 'ola berg sr', false],
    ['OBERJR', 'ola berg', false],
  ])('code %s for %s: %s', (code, name, fits) => {
    expect(codeNames(code, name.split(' '))).toBe(fits)
  })
})
