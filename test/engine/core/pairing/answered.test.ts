import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2030-01-01T04:59:00Z')
const judged = (titleA: string, titleB: string, rules: string) =>
  judge(
    marketA('1', titleA, { closeMs }),
    marketB('KXTEST-30', titleB, { closeMs, eventTitle: titleB, rules: `${rules} before Jan 1, 2030.` }),
  )

describe('design 3: what the rules of the other side answer for', () => {
  const PLAIN = 'Will Foxair open a hotel before 2030?'

  test.each([
    ['Will Foxair open an underwater hotel before 2030?', 'If Foxair opens an underwater hotel', 'identity'],
    ['Will Foxair open an underwater hotel before 2030?', 'If Foxair opens a hotel', 'related'],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel (also an underwater one)',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel, including underwater ones,',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel, such as an underwater one,',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a floating or underwater hotel',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel other than an underwater one',
      'related',
    ],
    [
      'Will Foxair open a hotel excluding underwater before 2030?',
      'If Foxair opens a hotel excluding underwater ones',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel, underwater, floating, or on land, somewhere',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens a hotel, floating, air borne or underwater hotel',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair, which has an underwater one, opens a hotel',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'Foxair has an underwater hotel. This market resolves to Yes if Foxair opens a hotel',
      'related',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'Foxair is from Oslo. This market resolves to Yes if Foxair opens an underwater hotel',
      'identity',
    ],
    [
      'Will Foxair open an underwater hotel before 2030?',
      'If Foxair opens an underwater hotel, 5 or more stars,',
      'identity',
    ],
  ])('%s | %s: %s', (title, rules, verdict) => {
    expect(judged(title, PLAIN, rules).verdict).toBe(verdict)
  })

  test.each([
    ['Will Foxair open a 7 star hotel before 2030?', 'If Foxair opens a 7 star hotel', 'identity'],
    ['Will Foxair open 2 hotels before 2030?', 'If Foxair opens 2 or more hotels', 'related'],
    ['Will Foxair open a 1 star hotel before 2030?', 'If Foxair opens a star hotel', 'related'],
    ['Will Foxair be first to open a hotel before 2030?', 'If Foxair opens a hotel', 'related'],
    ['Will Foxair be first to open a hotel before 2030?', 'If Foxair opens 1 hotel', 'related'],
    ['Will Foxair be first to open a hotel before 2030?', 'If Foxair opens a first round hotel', 'related'],
    [
      'Will Foxair be first to open a hotel before 2030?',
      'If Foxair is the first to open a hotel',
      'identity',
    ],
  ])('the day of a deadline is no number, and a number no rank: %s | %s', (title, rules, verdict) => {
    expect(judged(title, PLAIN, rules).verdict).toBe(verdict)
  })
})
