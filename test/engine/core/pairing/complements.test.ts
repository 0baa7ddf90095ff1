import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-09-01T03:59:00Z')
const judged = (titleA: string, titleB: string) =>
  judge(marketA('1', titleA, { closeMs }), marketB('KXTEST-27', titleB, { closeMs, eventTitle: titleB }))

describe('design 3: what a threshold leaves over is the opposite only of a single reading', () => {
  test.each([
    [
      'a day',
      'Will Foxfilm close above $1500 on August 7, 2027?',
      'Will Foxfilm close at $1500 or below on August 7, 2027?',
    ],
    [
      'the end of a month',
      'Will Berg approval be above 45% at the end of August 2027?',
      'Will Berg approval be 45% or below at the end of August 2027?',
    ],
    [
      'the print of a month',
      'Will CPI be above 3% in August 2027?',
      'Will CPI be 3% or below in August 2027?',
    ],
    [
      'seats of an election',
      'Will Whigs win above 45 of the Senate seats in the 2028 election?',
      'Will Whigs win 45 or fewer of the Senate seats in the 2028 election?',
    ],
  ])('%s', (_, above, below) => {
    expect(judged(above, below).verdict).toBe('inverted')
    expect(judged(below, above).verdict).toBe('inverted')
    expect(judged(above, above).verdict).toBe('identity')
  })

  test.each([
    ['a year', 'Will Berg approval be above 45% in 2027?', 'Will Berg approval be 45% or below in 2027?'],
    [
      'a month of something that moves',
      'Will Berg approval be above 45% in August 2027?',
      'Will Berg approval be 45% or below in August 2027?',
    ],
    [
      'a deadline',
      'Will Berg approval be above 45% by August 7, 2027?',
      'Will Berg approval be 45% or below by August 7, 2027?',
    ],
    [
      'a day on which it may cross both ways',
      'Will Foxfilm reach above $1500 on August 7, 2027?',
      'Will Foxfilm reach $1500 or below on August 7, 2027?',
    ],
    [
      'a day on which it may jump both ways',
      'Will Foxfilm spike above $1500 on August 7, 2027?',
      'Will Foxfilm spike to $1500 or below on August 7, 2027?',
    ],
    [
      'some point of a day',
      'Will Foxfilm be above $1500 at one point on August 7, 2027?',
      'Will Foxfilm be $1500 or below at one point on August 7, 2027?',
    ],
    [
      'one of several',
      'Will some Foxfilm share be above $1500 on August 7, 2027?',
      'Will some Foxfilm share be $1500 or below on August 7, 2027?',
    ],
    [
      'any one',
      'Will a Foxfilm share class be above $1500 on August 7, 2027?',
      'Will a Foxfilm share class be $1500 or below on August 7, 2027?',
    ],
    [
      'all of several',
      'Will both Foxfilm shares be above $1500 on August 7, 2027?',
      'Will both Foxfilm shares be $1500 or below on August 7, 2027?',
    ],
    ['twelve prints', 'Will CPI be above 3% in 2027?', 'Will CPI be 3% or below in 2027?'],
  ])('not of %s', (_, above, below) => {
    expect(judged(above, below)).toEqual({ verdict: 'related', reasons: ['numbers'] })
    expect(judged(below, above)).toEqual({ verdict: 'related', reasons: ['numbers'] })
    expect(judged(above, above).verdict).toBe('identity')
  })
})
