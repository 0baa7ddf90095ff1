import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import type { Market } from '../../../../ingest/contract/market.ts'
import { marketA, marketB } from '../../support/markets.ts'

const spreadA = (title: string, yesMeans: string | null, rest: Partial<Market> = {}) =>
  marketA('1', title, {
    eventTitle: 'Lakers vs. Celtics',
    slug: 'nba-lal-bos-2027-01-15',
    yesMeans,
    ...rest,
  })
const spreadB = (title: string, rest: Partial<Market> = {}, code = 'BOS7') =>
  marketB(`KXNBASPREAD-27JAN15LALBOS-${code}`, title, {
    eventTitle: 'Los Angeles L vs Boston: Spread',
    outcome: title.replace('?', ''),
    ...rest,
  })

const A = spreadA('Spread: Celtics (-6.5)', 'Celtics')
const B = spreadB('Boston wins by over 6.5 points?')

describe('spreads: one side wins by more than a line', () => {
  test.each<[string, Market, Market, string, string[]]>([
    ['the same side by the same line', A, B, 'identity', ['same_game', 'same_side', 'same_numbers']],
    ['another line', A, spreadB('Boston wins by over 7.5 points?', {}, 'BOS8'), 'related', ['game_line']],
    [
      'the other line in the ticker: nobody knows which is meant',
      A,
      spreadB('Boston wins by over 6.5 points?', {}, 'BOS6'),
      'unreadable',
      ['threshold_conflict'],
    ],
    [
      'the other line in the ticker, and fields that tell',
      A,
      spreadB(
        'Boston wins by over 6.5 points?',
        { strike: { type: 'greater', floor: 6.5, cap: null } },
        'BOS6',
      ),
      'identity',
      ['same_game', 'same_side', 'same_numbers'],
    ],
    [
      'worded with the game',
      A,
      spreadB('Boston wins the game by over 6.5 points?'),
      'identity',
      ['same_game', 'same_side', 'same_numbers'],
    ],
    [
      'outcome 0 left unsaid: the side of the title, as in every recorded spread',
      spreadA('Spread: Celtics (-6.5)', null),
      B,
      'identity',
      ['same_game', 'same_side', 'same_numbers'],
    ],
    ['the same for the other side', spreadA('Spread: Lakers (-6.5)', null), B, 'related', ['game_line']],
    [
      'the other side by that line is no opposite: both may miss it',
      A,
      spreadB('Los Angeles L wins by over 6.5 points?'),
      'related',
      ['game_line'],
    ],
    ['who wins, without a line', spreadA('Lakers vs. Celtics', 'Celtics'), B, 'related', ['game_type']],
    [
      'yes is the side that gets the points',
      spreadA('Spread: Celtics (-6.5)', 'Lakers'),
      B,
      'unreadable',
      ['side_unclear'],
    ],
    [
      'a line that may be met exactly: the money comes back on one venue only',
      spreadA('Spread: Celtics (-7)', 'Celtics'),
      spreadB('Boston wins by over 7 points?'),
      'unreadable',
      ['side_unclear'],
    ],
    ['of the first half', spreadA('1H Spread: Celtics (-6.5)', 'Celtics'), B, 'related', ['game_segment']],
    [
      'the day after',
      spreadA('Spread: Celtics (-6.5)', 'Celtics', { slug: 'nba-lal-bos-2027-01-16' }),
      B,
      'related',
      ['game_day'],
    ],
  ])('%s', (_, a, b, verdict, reasons) => {
    expect(judge(a, b)).toEqual({ verdict, reasons })
  })
})
