import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const closeMs = Date.parse('2027-03-01T00:00:00Z')
const judged = (titleA: string, titleB: string, ticker = 'KXTEST-27-X', slug: string | null = null) =>
  judge(marketA('1', titleA, { closeMs, slug }), marketB(ticker, titleB, { closeMs, eventTitle: titleB }))
    .verdict

describe('VEN-10: one thing as each venue words it', () => {
  test.each([
    [
      'Will the Bank of Canada increase the target for the overnight rate by 25 bps at the January 2027 interest rate announcement?',
      'Will Bank of Canada Hike rates by 25bps at their January 2027 meeting?',
    ],
    [
      'Will the Bank of England decrease the bank rate by 25 bps at the February 2027 meeting?',
      'Will Bank of England Cut rates by 25bps at their February 2027 meeting?',
    ],
    [
      'Will the ECB announce no change at the January 2027 meeting?',
      'Will European Central Bank Hike rates by 0bps at their January 2027 meeting?',
    ],
    ['Will Ola Berg win the 2026 League MVP award?', 'Will Ola Berg win the 2026 League MVP?'],
    ['Will the Denver Broncos win Super Bowl LXI?', 'Will Denver win the 2027 Pro Football Championship?'],
    ['Will the Detroit Lions win the NFC North?', 'Will Detroit win the NFC North Division?'],
    [
      'Will annual inflation be 4.0% or more in December 2026?',
      'Will the rate of CPI inflation be above 3.9% for the year ending in December 2026?',
    ],
    [
      'Will US GDP growth in Q4 2026 be greater than 3.0%?',
      'Will real GDP increase by more than 3.0% in Q4 2026?',
    ],
  ])('%s | %s', (x, y) => {
    expect(judged(x, y)).toBe('identity')
  })

  test.each([
    ['Will the Denver Broncos win Super Bowl LX?', 'Will Denver win the 2027 Pro Football Championship?'],
    ['Will the Denver Broncos win Super Bowl LXI?', 'Will Denver win the AFC West Division?'],
    ['Will the New York Giants win the NFC East?', 'Will New York J win the AFC East Division?'],
    ['Will Ola Berg win the 2026 League MVP award?', 'Will Ola Berg be a 2026 League MVP finalist?'],
    [
      'Will the ECB cut the deposit rate by 25 bps at the January 2027 meeting?',
      'Will the ECB cut the refinancing rate by 25 bps at the January 2027 meeting?',
    ],
    [
      'Will monthly inflation be 4.0% or more in December 2026?',
      'Will the rate of CPI inflation be above 3.9% for the year ending in December 2026?',
    ],
    [
      'Will US GDP growth in Q4 2026 be greater than 3.0%?',
      'Will nominal GDP increase by more than 3.0% in Q4 2026?',
    ],
  ])('not %s | %s', (x, y) => {
    expect(['identity', 'inverted']).not.toContain(judged(x, y))
  })

  test.each([
    [
      'nfl-hou-lac-2027-02-07',
      'Chargers vs. Texans',
      'Will Los Angeles C win the Los Angeles C vs Houston Pro Football game?',
      'KXNFLGAME-27FEB07LACHOU-LAC',
      'identity',
    ],
    [
      'mlb-sea-hou-2027-02-07',
      'Mariners vs. Astros',
      'Will Seattle win the Seattle vs Houston professional baseball game?',
      'KXMLBGAME-27FEB07SEAHOU-SEA',
      'identity',
    ],
    [
      'nba-lal-bos-2027-02-07',
      'Lakers vs. Celtics',
      'Will Boston win the Los Angeles C vs Boston Pro Basketball game?',
      'KXNBAGAME-27FEB07LACBOS-BOS',
      'different',
    ],
  ])('%s: the sport behind a name belongs to no name', (slug, titleA, titleB, ticker, verdict) => {
    expect(judged(titleA, titleB, ticker, slug)).toBe(verdict)
  })
})
