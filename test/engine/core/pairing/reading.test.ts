import { describe, expect, test } from 'vitest'
import { readChambers } from '../../../../engine/core/pairing/chambers.ts'
import { limitOf, readDates } from '../../../../engine/core/pairing/dates.ts'
import { dayOf, newYorkDay, newYorkMinute, partsOf } from '../../../../engine/core/pairing/days.ts'
import { fold } from '../../../../engine/core/pairing/fold.ts'
import { codeNames } from '../../../../engine/core/pairing/names.ts'
import { areComplements, factKey, readNumbers, withStrike } from '../../../../engine/core/pairing/numbers.ts'
import { readTicker } from '../../../../engine/core/pairing/ticker.ts'
import { readWords } from '../../../../engine/core/pairing/words.ts'

const iso = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)

describe('words', () => {
  test.each([
    [
      "Will J.D. Vance win the U.S. Senate's race?",
      ['will', 'jd', 'vance', 'win', 'the', 'us', 'senate', 'race'],
    ],
    ['Robert F. Kennedy Jr.', ['robert', 'kennedy', 'jr']],
    ['José Núñez – Ørsted, Kenan Yıldız', ['jose', 'nunez', 'orsted', 'kenan', 'yildiz']],
    ["Texas vs A's", ['texas', 'vs', 'athletics']],
    ['9z and 49ers', ['9z', 'and', '49ers']],
    ['5 constructor points', ['5', 'constructor', 'points']],
  ])('%s', (text, words) => {
    expect(readWords(text).map((word) => word.text)).toEqual(words)
  })

  test.each([
    ['$1.75T', 1.75e12, '$'],
    ['1.75 trillion', 1.75e12, ''],
    ['9,000.01', 9_000.01, ''],
    ['25bps', 25, 'bps'],
    ['25 bps', 25, 'bps'],
    ['0.5%', 0.5, '%'],
    ['2+', 2, ''],
    ['3rd', 3, 'ordinal'],
    ['(-1.5)', -1.5, ''],
    ['3½', 3.5, ''],
    ['2 ¼%', 2.25, '%'],
    ['½ mile', 0.5, ''],
    ['6⅔', 6.667, ''],
  ])('number %s', (text, value, unit) => {
    expect(readWords(text)[0]).toMatchObject({ value, unit })
  })

  test.each([
    ['the second pick', 2],
    ['a second-round exit', 2],
    ['ten meters per second', null],
    ['a 30 second ad', null],
    ['a split second', null],
  ])('%s', (text, value) => {
    expect(readWords(text).find((word) => /^(?:second|2th)$/.test(word.text))?.value).toBe(value)
  })

  test('VEN-13 control and direction characters part words and go', () => {
    expect(fold('Ola\u202e\u0000Berg\u200b!')).toBe('Ola Berg !')
  })
})

describe('dates and the limits they set', () => {
  test.each<[string, { kind: string; day: string } | null]>([
    ['by June 30, 2027', { kind: 'by', day: '2027-06-30' }],
    ['before Jul 1, 2027', { kind: 'by', day: '2027-06-30' }],
    ['before 2028', { kind: 'by', day: '2027-12-31' }],
    ['in 2027', { kind: 'by', day: '2027-12-31' }],
    ['by the end of 2027', { kind: 'by', day: '2027-12-31' }],
    ['by end of June 2027', { kind: 'by', day: '2027-06-30' }],
    ['end of 2027', { kind: 'on', day: '2027-12-31' }],
    ['on Dec 31, 2027', { kind: 'on', day: '2027-12-31' }],
    ['on 2027-07-19', { kind: 'on', day: '2027-07-19' }],
    ['before 2027-07-01T14:00:00.000Z', { kind: 'by', day: '2027-06-30' }],
    ['by 31 December 2027', { kind: 'by', day: '2027-12-31' }],
    ['before April 2027', { kind: 'by', day: '2027-03-31' }],
    ['in May 2027', { kind: 'month', day: '2027-05-31' }],
    ['after the December 2027 meeting', { kind: 'month', day: '2027-12-31' }],
    ['between market creation and June 30, 2027', { kind: 'by', day: '2027-06-30' }],
    ['by June 2027', { kind: 'unclear', day: '2027-06-30' }],
    ['by 2028', { kind: 'unclear', day: '2028-12-31' }],
    ['since 2027', null],
    ['2028 election', null],
    ['the 2025-26 season', null],
    ['by June 30', null], //  the year is not said
  ])('%s', (text, limit) => {
    const words = readWords(`Will it happen ${text}`)
    const found = readDates(words, new Uint8Array(words.length)).map(limitOf)[0] ?? null
    expect(found === null ? null : { kind: found.kind, day: iso(found.day) }).toEqual(limit)
  })

  test.each([
    ['at least 2000 cases', true],
    ['above 2000', true],
    ['more than 2000 cases', true],
    ['2000 or more cases', true],
    ['2000+ cases', true],
    ['hotter than 2024', false],
    ['the 2026 or 2028 election', false],
    ['in 2000', false],
  ])('a number that could be a year is a threshold: %s, %s', (text, isThreshold) => {
    const words = readWords(`Will it be ${text}?`)
    expect(readDates(words, new Uint8Array(words.length)).length === 0).toBe(isThreshold)
  })

  test('a modal "may", a given name April and a sum of 2027 dollars are no dates', () => {
    const words = readWords('Ola may meet April May for $2027')
    expect(readDates(words, new Uint8Array(words.length))).toEqual([])
  })

  test.each([
    ['2027-03-14T06:59:00Z', '2027-03-14', 119], //  a minute before the clocks go forward: 01:59
    ['2027-03-14T07:00:00Z', '2027-03-14', 180], //  03:00
    ['2027-11-07T05:59:00Z', '2027-11-07', 119], //  01:59 summer time
    ['2027-11-07T06:00:00Z', '2027-11-07', 60], //   01:00 again
    ['2027-07-01T03:59:00Z', '2027-06-30', 1_439],
    ['2028-01-01T04:59:00Z', '2027-12-31', 1_439],
  ])('VEN-19 New York at %s', (text, day, minute) => {
    expect(iso(newYorkDay(Date.parse(text)))).toBe(day)
    expect(newYorkMinute(Date.parse(text))).toBe(minute)
  })

  test('days count over leap years', () => {
    expect(partsOf(dayOf(2028, 2, 29) + 1)).toEqual({ year: 2028, month: 3, day: 1 })
  })
})

describe('numbers and their shapes', () => {
  test.each([
    ['at least 70', ['>=70']],
    ['above 70', ['>70']],
    ['70 or more', ['>=70']],
    ['70 or lower', ['<=70']],
    ['fewer than 45', ['<45']],
    ['fewer than 45 seats', ['<=44']],
    ['over 2.5 goals', ['>=3']],
    ['O/U 2.5', ['>2.5']],
    ['2+ goals', ['>=2']],
    ['exactly 52', ['=52']],
    ['between 30% and 40%', ['-30..40%']],
    ['between $90k and ___', ['90000$']], // a template that nobody has filled in
    ['10-15%', ['-10..15%']],
    ['29° to 30°', ['-29..30']],
    ['40°F or below', ['<=40']],
    ['cut >25bps', ['>=50bps']],
    ['25+ bps', ['>=25bps']],
    ['25bps+', ['>=25bps']],
    ['≥ 4.5%', ['>=4.5%']],
    ['<$10', ['<10$']],
    ['$80k+', ['>=80000$']],
    ['cut more than 25 bps', ['>=50bps']], //  central banks move in quarters of a point
    ['the 2nd', ['#2']],
    ['$30', ['30$']],
    ['25 bps', ['25bps']],
  ])('%s', (text, facts) => {
    const words = readWords(text)
    expect(readNumbers(words, new Uint8Array(words.length)).map(factKey)).toEqual(facts)
  })

  const plain = { shape: '' as const, value: 70, to: null, unit: '' }
  test('the threshold fields of a venue give a bare number its shape', () => {
    expect(withStrike([plain], { type: 'greater', floor: 70, cap: null })).toEqual([{ ...plain, shape: '>' }])
    expect(withStrike([], { type: 'less_or_equal', floor: null, cap: 3 })).toEqual([
      { shape: '<=', value: 3, to: null, unit: '' },
    ])
    expect(withStrike([plain], null)).toEqual([plain])
  })

  test.each([
    [['>1.9%'], ['<=1.9%'], true],
    [['>=2'], ['<2'], true],
    [['>1.9%', '#1'], ['#1', '<=1.9%'], true],
    [['>1.9%'], ['<1.9%'], false], //   exactly 1.9 is in neither
    [['>1.9%'], ['<=2.0%'], false],
    [['>1.9%'], ['>1.9%'], false],
    [['>1', '>2'], ['<=1', '<=2'], false],
  ])('%j leaves over what %j is: %s', (x, y, complements) => {
    expect(areComplements(x, y)).toBe(complements)
  })

  test('text and fields that contradict each other leave no threshold', () => {
    expect(withStrike([{ ...plain, shape: '>=' }], { type: 'greater', floor: 70, cap: null })).toBeNull()
  })
})

describe('tickers of venue B', () => {
  test.each([
    [
      'KXMLBGAME-26AUG151340CWSDET-DET',
      'KXMLBGAME-26AUG151340CWSDET',
      { day: '2026-08-15', minute: 820, isGame: true, gameNumber: null, suffix: 'DET', year: 2026 },
    ],
    [
      'KXMLBGAME-26AUG171340STLCING1-STL',
      'KXMLBGAME-26AUG171340STLCING1',
      { day: '2026-08-17', minute: 820, isGame: true, gameNumber: 1, suffix: 'STL', year: 2026 },
    ],
    [
      'KXLEAVE-26JUL01',
      'KXLEAVE-26JUL01',
      { day: '2026-07-01', minute: null, isGame: false, gameNumber: null, suffix: null, year: 2026 },
    ],
    [
      'KXHOUSERACE-TX31-26-D',
      'KXHOUSERACE-TX31-26',
      { day: null, minute: null, isGame: false, gameNumber: null, suffix: 'D', year: 2026 },
    ],
    [
      'KXTRUMPCHINA-26-MAY01',
      'KXTRUMPCHINA-26',
      { day: '2026-05-01', minute: null, isGame: false, gameNumber: null, suffix: 'MAY01', year: 2026 },
    ],
    [
      'KXINXDIRY-27DEC31H1600-T9000',
      'KXINXDIRY-27DEC31H1600',
      { day: '2027-12-31', minute: null, isGame: false, gameNumber: null, suffix: 'T9000', year: 2027 },
    ],
    [
      'KXPGATOP5-PGC26-KBRA',
      'KXPGATOP5-PGC26',
      { day: null, minute: null, isGame: false, gameNumber: null, suffix: 'KBRA', year: 2026 },
    ],
  ])('%s', (ticker, event, wanted) => {
    const { day, minute, isGame, gameNumber, suffix, year } = readTicker(ticker, event)
    expect({ day: day === null ? null : iso(day), minute, isGame, gameNumber, suffix, year }).toEqual(wanted)
  })

  test.each([
    ['SENATETX-26-R', 'republican'],
    ['KXSENATE-26-constructor', null],
    ['__proto__', null],
  ])('party of %s', (ticker, party) => {
    expect(readTicker(ticker, 'SENATETX-26').party).toBe(party)
  })

  test.each([
    ['JOSS', ['jon', 'ossoff'], true],
    ['GNEWS', ['gavin', 'newsom'], true],
    ['AOC', ['alexandria', 'ocasio', 'cortez'], true],
    ['AOCA', ['alexandria', 'ocasio', 'cortez'], true],
    ['JVAN', ['jd', 'vance'], true],
    ['AOCA', ['gavin', 'newsom'], false],
    ['GEIS', ['gadi', 'eizenkot'], false],
    ['JO', ['jon', 'ossoff'], false], //  two letters fit too many
    ['MRUB', ['rubio'], false], //         a surname alone has no initial to fit
  ])('letters %s for %j: %s', (code, names, fits) => {
    expect(codeNames(code, names)).toBe(fits)
  })
})

describe('combinations of chambers', () => {
  test.each([
    [
      '2026 Balance of Power: R Senate, D House',
      { senate: 'republican', house: 'democratic', president: null },
    ],
    [
      'Will House Control be Democratic AND Senate Control be Republican?',
      { senate: 'republican', house: 'democratic', president: null },
    ],
    [
      'D-House, D-Senate, R-President',
      { senate: 'democratic', house: 'democratic', president: 'republican' },
    ],
    ['Will Democrats win the Senate?', null],
  ])('%s', (text, chambers) => {
    expect(readChambers(text)).toEqual(chambers)
  })
})
