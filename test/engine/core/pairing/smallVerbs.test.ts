import { describe, expect, test } from 'vitest'
import { judged } from '../../support/judged.ts'

describe('VEN-10 a small verb on one side alone is what is asked there', () => {
  test.each([
    ['Will Lima choose a new mayor in 2027?', 'Will Lima have a new mayor in 2027?'],
    ['Will Lima select a new mayor in 2027?', 'Will Lima have a new mayor in 2027?'],
    ['Will Lima make a new bridge in 2027?', 'Will Lima have a new bridge in 2027?'],
    ['Will Ola Berg take the bridge in 2027?', 'Will Ola Berg be on the bridge in 2027?'],
    ['Will Ola Berg go on tour in 2027?', 'Will Ola Berg be on tour in 2027?'],
    ['Will the court rule against Foxair in 2027?', 'Will the court rule on Foxair in 2027?'],
    ['Will the court vote against the bill in 2027?', 'Will the court vote on the bill in 2027?'],
    ['Will the Lima summit be scheduled in 2027?', 'Will the Lima summit happen in 2027?'],
    ['Will "Fox" be given a release date in 2027?', 'Will "Fox" be released in 2027?'],
    ['Will Whigs win the 2027 Lima by-election?', 'Will Whigs win the 2027 Lima election?'],
    ["Will Berg's party win the 2027 Lima election?", 'Will Berg win the 2027 Lima election?'],
    ["Will Berg's candidate win the 2027 Lima election?", 'Will Berg win the 2027 Lima election?'],
    ['Will a team from Morland win the 2027 cup?', 'Will Morland win the 2027 cup?'],
    ['Will Ola Berg still be head of Foxair in 2027?', 'Will Ola Berg be head of Foxair in 2027?'],
    ['Will Ola Berg win a race in the 2027 F1 season?', 'Will Ola Berg win the 2027 F1 season?'],
    ['Will Foxair announce the price of the Foxpad in 2027?', 'Will Foxair announce the Foxpad in 2027?'],
    ['Will Foxair reveal the date of its summit in 2027?', 'Will Foxair reveal its summit in 2027?'],
    ['Will the Fed cut by 50 bps at any meeting in 2027?', 'Will the Fed cut by 50 bps in total in 2027?'],
  ])('%s | %s', (x, y) => {
    expect(judged(x, y)).toBe('related')
    expect(judged(y, x)).toBe('related')
    for (const title of [x, y]) expect(judged(title, title)).toBe('identity')
  })

  test.each([
    ['Will the Fed make a 25 bps cut in June 2027?', 'Will there be a 25 bps Fed cut in June 2027?'],
    ['Will Lima go to a runoff in 2027?', 'Will there be a Lima runoff in 2027?'],
    ['Ola Berg to Go to Lima in 2027?', 'Will Ola Berg go to Lima in 2027?'],
    ['Ola Berg to Take the Bridge in 2027?', 'Will Ola Berg take the bridge in 2027?'],
    ['Will Lima play against Oslo in 2027?', 'Will Lima play Oslo in 2027?'],
    ['Will Berg win the Lima governor race in 2027?', 'Will Berg win the Lima governorship in 2027?'],
    ['Will the price of Foxcoin double in 2027?', 'Will Foxcoin double in 2027?'],
    ['Will Berg win pole in Lima in 2027?', 'Will Berg get pole in Lima in 2027?'],
    ['Will Foxair have at least 9 launches in 2027?', 'Will Foxair launch at least 9 times in 2027?'],
    ['Will Berg be the Morland PM in 2027?', 'Will Berg be the Morland Prime Minister in 2027?'],
    ['Will Berg be Secretary of War in 2027?', 'Will Berg be Secretary of Defense in 2027?'],
    ['Will Berg be Treasury Secretary in 2027?', 'Will Berg be Secretary of the Treasury in 2027?'],
    ['Will Berg be chosen as Lima mayor in 2027?', 'Will Berg be Lima mayor in 2027?'],
    ["Will Oslo win the 2027 men's team foil?", "Will Oslo win the 2027 men's team foil event?"],
  ])('%s is %s', (x, y) => {
    expect(judged(x, y)).toBe('identity')
    expect(judged(y, x)).toBe('identity')
  })
})
