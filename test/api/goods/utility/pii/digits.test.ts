import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { countPii, locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'
import { digitChains } from '../../../../../api/goods/utility/pii/digits.ts'
import { scanLog } from '../../../../../api/goods/utility/scan/scanLog.ts'
import { fold } from '../../../../../api/goods/utility/text/fold.ts'

const kindsIn = (text: string): string[] => locatePii(text).map(({ kind }) => kind)

const CARD = '4111 1111 1111 1111'
const SSN = '536-22-1234'
/** This many two-digit numbers: none is part of a card number or an SSN. */
const numbers = (count: number): string => Array.from({ length: count }, (_, n) => 10 + (n % 90)).join(' ')
const row = (part: string, count: number, sign: string): string => Array(count).fill(part).join(sign)

describe('4.1 rule 10: a number in a row of numbers is counted wherever in the row it stands', () => {
  test.each([0, 1, 19, 20, 21, 22, 23, 24, 25, 48, 500])('%i numbers before, or behind', (count) => {
    for (const [number, kind] of [
      [CARD, 'card'],
      ['4111111111111111', 'card'],
      [SSN, 'ssn'],
      ['536 22 1234', 'ssn'],
    ]) {
      expect(kindsIn(`${number} ${numbers(count)}`)).toEqual([kind])
      expect(kindsIn(`${numbers(count)} ${number}`)).toEqual([kind])
      expect(kindsIn(`${numbers(count)} ${number} ${numbers(count)}`)).toEqual([kind])
    }
  })

  test.each([
    ['cards in groups', CARD, 10, 'card'],
    ['cards in one piece', '5555555555554444', 40, 'card'],
    ['American Express, 4-6-5', '3782 822463 10005', 12, 'card'],
    ['social security numbers', SSN, 30, 'ssn'],
    ['the same with blanks', '536 22 1234', 30, 'ssn'],
  ] as const)('%s, as many with a blank between as with a line between', (_, number, count, kind) => {
    expect(kindsIn(row(number, count, '\n'))).toEqual(Array(count).fill(kind))
    expect(kindsIn(row(number, count, ' '))).toEqual(Array(count).fill(kind))
  })

  test('scan counts them too', () => {
    expect(scanLog(`ERROR ${row(SSN, 30, ' ')}`).sensitive.counts.ssn).toBe(30)
  })

  test('no group of a row is lost', () => {
    const groups = fc.array(fc.stringMatching(/^[0-9]{1,6}$/), { minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(groups, fc.constantFrom(...' -.'), (written, sign) => {
        const chains = digitChains(written.join(sign))
        expect(chains.map((chain) => chain.map(({ digits }) => digits))).toEqual([written])
      }),
    )
  })
})

describe('INP-08: the hyphens of typesetting', () => {
  test.each([
    ['\u2010', 'hyphen'],
    ['\u2011', 'no-break hyphen'],
    ['\u2012', 'figure dash'],
    ['\u2013', 'en dash'],
    ['\u2212', 'minus'],
    ['\uff0d', 'full-width hyphen'],
  ])('%s %s parts the groups of a number', (sign) => {
    expect(kindsIn(CARD.replaceAll(' ', sign))).toEqual(['card'])
    expect(kindsIn(SSN.replaceAll('-', sign))).toEqual(['ssn'])
  })

  test.each([
    [`DE89${'\u2011'}3704${'\u2011'}0044${'\u2011'}0532${'\u2011'}0130${'\u2011'}00`, ['iban']],
    ['212\u2011555\u20110142', ['phoneLike']],
    ['4111111111111111\u20135555555555554444', ['card', 'card']], // a range
    ['4111\u20141111\u20141111\u20141111', []], //                     an em dash joins no digits
    ['id\u20114111111111111111', []], //                              as with `-`
  ])('%s', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })

  test('the place is that of the text as it was sent', () => {
    const text = `\u200bno\u2011one ${CARD.replaceAll(' ', '\u2011')}.`
    const [found] = locatePii(text)
    expect(text.slice(found!.span.start, found!.span.end)).toBe(CARD.replaceAll(' ', '\u2011'))
  })
})

describe('INP-08: digits of other scripts', () => {
  test.each([
    ['Arabic', '\u0660'],
    ['Persian', '\u06f0'],
    ['Devanagari', '\u0966'],
    ['Bengali', '\u09e6'],
    ['Thai', '\u0e50'],
  ])('%s', (_, zero) => {
    const written = CARD.replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)))
    expect(kindsIn(written)).toEqual(['card'])
    const all = '0123456789'.replace(/\d/g, (digit) =>
      String.fromCodePoint(zero.codePointAt(0)! + Number(digit)),
    )
    expect(fold(`${all}\u0e5a`).text).toBe('0123456789\u0e5a') // all ten digits, and no character after them
  })
})

describe('4.1 rule 10: nine digits in a row are a social security number where they are called so', () => {
  test.each([
    'ssn=536221234',
    '"ssn": "536221234"',
    'user_ssn:536221234',
    'SSN #536221234',
    'Social Security Number: 536221234',
    'social security no. 536221234',
    'social_security_number=536221234',
  ])('%s', (text) => {
    expect(kindsIn(text)).toEqual(['ssn'])
  })

  test.each([
    'ref 536221234',
    'ssn=53622123',
    'ssn=5362212345',
    'ssn=666221234', //          never issued
    'ssn=536220000',
    'ssn=536221234-7',
    'lessn=536221234', //        inside a word
    'ssn of 536221234 people',
  ])('none: %s', (text) => {
    expect(kindsIn(text)).toEqual([])
  })
})

describe('INP-02: the work grows with the row, not with its square', () => {
  /** Characters looked at while the text is read. */
  function looks(text: string): number {
    const spy = vi.spyOn(String.prototype, 'charCodeAt')
    try {
      countPii(text)
      return spy.mock.calls.length
    } finally {
      spy.mockRestore()
    }
  }

  test.each([
    '1 ',
    '1-',
    '123 ',
    '1234-',
    `${CARD} `,
    `${SSN} `,
    '1.',
    '10.0.0.1...',
    'a:',
    '1:',
    '..:',
    '@a.',
  ])('%j', (part) => {
    const long = part.repeat(8_192 / part.length)
    expect(looks(long)).toBeLessThan(2.2 * looks(long.slice(0, 4_096)) + 1_000)
  })
})

describe('4.1 rule 10: an account is spelled as its country spells accounts', () => {
  test.each([
    ['FR14 2004 1010 0505 0001 3M02 606', ['iban']],
    ['MT84MALT011000012345MTLCAST001S', ['iban']],
    ['44d3c3ae-9875-4404-be60-658bc768d925', []], // the remainder is right by chance
    ['36872b33-ad00-4a5a-a9a6-847538d87f1f', []],
    ['NO36FQO982TOX2A', []],
    ['DE07BTCUAP66KUN4DKMTGK', []],
  ])('%s: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })
})
