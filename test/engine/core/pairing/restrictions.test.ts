import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')

/** One title on both venues; only what the resolving sentence asks for differs. */
const judged = (title: string, ruledA: string, ruledB: string) => {
  const { verdict, reasons } = judge(
    marketA('1', `${title} by December 31, 2027?`, {
      closeMs,
      rules: `This market will resolve to "Yes" if ${ruledA} by December 31, 2027, 11:59 PM ET. Otherwise, it resolves to "No".`,
    }),
    marketB('KXTEST-28JAN01', `${title} before Jan 1, 2028?`, {
      closeMs,
      rules: `If ${ruledB} before Jan 1, 2028, then the market resolves to Yes.`,
    }),
  )
  return verdict === 'identity' ? verdict : reasons.join()
}

describe('VEN-10 equal titles, of which the rules of one ask less: where, how, of what', () => {
  test.each([
    ['where', 'Will a quake hit', 'a quake hits', 'a quake hits in Oslo'],
    ['what a city is visited', 'Will Berg visit Morland', 'Berg visits Morland', 'Berg visits Lima'],
    ['another place', 'Will Foxpad be banned', 'Foxpad is banned in Oslo', 'Foxpad is banned in Lima'],
    [
      'a manner',
      'Will Berg be released',
      'Berg is released from prison',
      'Berg is released by presidential pardon',
    ],
    [
      'either of two manners',
      'Will Berg be released',
      'Berg is released from prison',
      'Berg is released through a presidential pardon or commutation',
    ],
    ['by decree', 'Will the tax end', 'the tax is ended by executive order', 'the tax is ended'],
    [
      'of what somebody is convicted',
      'Will Berg be convicted',
      'Berg is convicted of any felony',
      'Berg is convicted of bribery',
    ],
    ['that on venue A', 'Will Berg be convicted', 'Berg is convicted of bribery', 'Berg is convicted'],
    ['who does it', 'Will the files be released', 'the files are released', 'Congress releases the files'],
    [
      'initials of another name',
      'Will Morland join NATO',
      'Morland joins NATO',
      'Morland joins the North Pacific Treaty Organization',
    ],
    ['of what kind', 'Will a hurricane hit Oslo', 'a hurricane hits Oslo', 'a major hurricane hits Oslo'],
  ])('%s: %s | %s | %s', (_, title, ruledA, ruledB) => {
    expect(judged(title, ruledA, ruledB)).toBe('border_clause')
    expect(judged(title, ruledA, ruledA)).toBe('identity')
    expect(judged(title, ruledB, ruledB)).toBe('identity')
  })

  test.each([
    [
      'the title says it',
      'Will Berg be convicted of bribery',
      'Berg is convicted',
      'Berg is convicted of bribery',
    ],
    [
      'a name spelled out',
      'Will Morland join NATO',
      'Morland joins NATO',
      'Morland joins the North Atlantic Treaty Organization',
    ],
    [
      'that on venue A',
      'Will Morland join NATO',
      'Morland is a member of the North Atlantic Treaty Organization',
      'Morland joins NATO',
    ],
    ['one name in full', 'Will Berg visit Oslo', 'Berg visits Oslo, Morland', 'Ola Berg visits Oslo'],
    [
      'words of contracts',
      'Will Berg visit Oslo',
      'Berg visits Oslo',
      'Berg visits Oslo within its geographic boundaries after Issuance and',
    ],
    ['any manner', 'Will Berg be released', 'Berg is released', 'Berg is released by pardon or otherwise'],
    ['an example', 'Will Berg be released', 'Berg is released', 'Berg is released, including by pardon,'],
    [
      'who tells of it',
      'Will a quake hit Oslo',
      'a quake hits Oslo',
      'a quake hits Oslo according to the Morland Herald',
    ],
    ['whose song it is', 'Will "Foxes" be banned', '"Foxes" by Ola Berg is banned', '"Foxes" is banned'],
    [
      'venue A tells more',
      'Will Berg sing in Oslo',
      'Berg sings live at a concert in Oslo',
      'Berg sings live in Oslo',
    ],
  ])('not %s: %s | %s | %s', (_, title, ruledA, ruledB) => {
    expect(judged(title, ruledA, ruledB)).toBe('identity')
  })

  test('the text of the other market may say it anywhere', () => {
    const told = 'Berg is convicted. A conviction of bribery counts. This is so'
    expect(judged('Will Berg be convicted', told, 'Berg is convicted of bribery')).toBe('identity')
  })

  test('in any country is not in the United States', () => {
    const us = 'the Foxpad is sold in the United States'
    expect(judged('Will the Foxpad be sold', us, 'the Foxpad is sold in any country')).toBe('source')
  })
})
