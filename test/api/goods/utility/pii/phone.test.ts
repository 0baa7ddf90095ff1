import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const kindsIn = (text: string): string[] => locatePii(text).map(({ kind }) => kind)

describe('4.1 rule 10: a word says that a number is for calling, not a part of another word', () => {
  test.each([
    'phone',
    'Telephone:',
    'iPhone no.',
    'phoneNumber":"',
    'Tel.:',
    'Telefonnummer',
    'teléfono',
    'mobile',
    'Mobiel:',
    'contact_number:',
    'móvil',
    'Handy',
    'Rufnummer',
    'cell',
    'cellulare',
    'celular',
    'fax',
    'front desk',
    'Call',
    'calling',
    'dial',
    'WhatsApp',
    'SMS to',
    'reach me at',
    'Ph.',
    'Mob:',
    'Tlf.',
    'Telefoon',
    'Faxnummer:',
    'Telefax',
    'Mobiltelefonnummer',
    'mobilny',
    'my new number is',
    'her number:',
    'contact Ann Lee at',
    'text me on',
    'give me a ring on',
    'toll free',
    'hotline',
    'тел.',
    'Мобильный телефон:',
    'τηλ.',
    'هاتف:',
    'נייד',
    '手机号',
    '電話：',
    '휴대폰',
    'फ़ोन',
    'โทร',
    'điện thoại',
  ])('%s', (word) => {
    expect(kindsIn(`${word} 12345678`)).toEqual(['phoneLike'])
  })

  test.each([
    'Hotel',
    'Intel',
    'telemetry batch',
    'cancelled',
    'excellent',
    'miscellaneous',
    'recall',
    'called function',
    'callback',
    'dialect',
    'breach',
    'automobile',
    'mobs',
    'mobility score',
    'faxed order',
    'ringing',
    'contact form',
    'our order number',
    'номер заказа',
  ])('none: %s', (word) => {
    expect(kindsIn(`${word} 12345678`)).toEqual([])
  })
})

test.each([
  ['(555) 123-4567', ['phoneLike']], //  as examples and forms have it
  ['555-123-4567', ['phoneLike']],
  ['555-023-4567', []],
  ['155-123-4567', []],
])('North American: %s: %j', (text, kinds) => {
  expect(kindsIn(text)).toEqual(kinds)
})

test.each([
  ['0044 20 7946 0958', ['phoneLike']],
  ['0049 30 901820', ['phoneLike']],
  ['0033-1-42-68-53-00', ['phoneLike']],
  ['00442079460958', []], //     without separators it may be any number
  ['0044 00 7946 0958', []], //  in no numbering plan
  ['0000 20 7946 0958', []],
  ['part 0012 3456 789', []],
])('as it is dialled abroad: %s: %j', (text, kinds) => {
  expect(kindsIn(text)).toEqual(kinds)
})

describe('4.1 rule 10: a date is no number for calling', () => {
  test.each([
    ['2024-05-01', []],
    ['2024/5/1', []],
    ['2024-12-31 10:15', []],
    ['01.05.2024', []],
    ['1-5-1999', []],
    ['1.0.5 / 2014-09-05', []], //  a version and its date
    ['1.9.42 / 05.11.2021', []],
    ['1.9.42 / 05.11.2121', ['phoneLike']],
    ['2024-13-01', ['phoneLike']],
    ['2124-12-01', ['phoneLike']],
    ['2024-05-011', ['phoneLike']],
    ['01.05.2124', ['phoneLike']],
    ['01 05 20 24', ['phoneLike']],
  ])('call %s: %j', (written, kinds) => {
    expect(kindsIn(`Please call ${written}`)).toEqual(kinds)
  })
})

describe('4.1 rule 10: clauses, places and sums are no numbers for calling', () => {
  test.each([
    ['as defined in Clause 252.227-7013 (c) (1)', []],
    ['points="1040,277.764 1035,267.764 1040"', []],
    ['252.227.7013', ['phoneLike']],
    ['252-227-7013', ['phoneLike']],
    ['h * 69069 + 907133923', []],
    ['f(x) + 907133923', []],
    ['Ann, + 90 713 392 31 23', ['phoneLike']],
    ["Decimal('+35236450.6')", []],
    ['+352.36450622', ['phoneLike']],
  ])('%s: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })
})

describe('4.1 rule 10: signatures say which number is which by a letter, or behind it', () => {
  test.each([
    ['Ann Lee\nT: 020 7946 0958\nann@example.com'],
    ['Ann Lee\nM 07700 900 123'],
    ['Acme | P: 9999 1234 | acme.example'],
    ['Ann Lee\n(m) 07700 900 123'],
    ['416 60 039 office'],
    ['07700 900 123-Fax, 2nd floor'],
    ['07700 900 123 (mobile)\n'],
  ])('%j', (text) => {
    expect(kindsIn(text)).toContain('phoneLike')
  })

  test.each([
    ['T: 02079460958 rows'], //              without separators it may be any number
    ['vol. 3, p. 1234-1256'],
    ['(c) 2003-2016 Ann Lee'],
    ['M 2003-2016'],
    ['fax 2003 - 2016'],
    ['pH 7.4012345'],
    ['tel 7.4012345'],
    ['100 200 300 mobile users'],
    ['07700 900 123 officers'],
  ])('none: %j', (text) => {
    expect(kindsIn(text)).toEqual([])
  })
})
