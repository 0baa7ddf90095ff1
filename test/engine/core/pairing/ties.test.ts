import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const SPLIT_A =
  'If the Chiefs win, it resolves to "Chiefs". If the game ends in a tie, this market will resolve 50-50.'
const SPLIT_B = 'If the game ends in a tie, the market will resolve to $0.50 for each team.'

const other = (rulesA: string, rulesB: string, sport = { slug: 'nfl', series: 'KXNFLGAME' }) =>
  judge(
    marketA('1', 'Chiefs vs. Bills', { slug: `${sport.slug}-kc-buf-2027-11-02`, rules: rulesA }),
    marketB(`${sport.series}-27NOV02KCBUF-BUF`, 'Kansas City at Buffalo Winner?', {
      outcome: 'Buffalo',
      rules: rulesB,
    }),
  )

describe('the other side of a game that may end level', () => {
  test('is the opposite where both venues pay half to each side then', () => {
    expect(other(SPLIT_A, SPLIT_B).verdict).toBe('inverted')
  })
  test.each([
    ['one venue does not say so', SPLIT_A, 'If Buffalo wins, the market resolves to Yes.'],
    ['the other does not', '', SPLIT_B],
    ['one pays nobody', SPLIT_A, 'If the game ends in a tie, the market resolves to No.'],
    [
      'half is for a game that is called off, a tie beside it',
      'If the game ends in a tie, this market will resolve to "Other"; if it is cancelled, 50-50.',
      SPLIT_B,
    ],
    ['a tie is named and nothing said of it', 'If a tie-break is cancelled, it resolves 50-50.', SPLIT_B],
    [
      'half is what it does not pay',
      SPLIT_A,
      'In a tie contracts settle at a fair price, not at $0.50 each.',
    ],
    ['half is for a game that is called off', SPLIT_A, 'A tie pays nobody. If cancelled, it resolves 50-50.'],
  ])('%s', (_, rulesA, rulesB) => {
    expect(other(rulesA, rulesB).reasons).toEqual(['draw_possible'])
  })
})
