import { describe, expect, test } from 'vitest'
import { judge } from '../../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from '../../support/markets.ts'

const rules = 'Resolves to yes if it happens.'
const judged = (titleA: string, titleB: string, outcome: string | null = null) =>
  judge(
    marketA('1', titleA, { rules }),
    marketB('KXTEST-27DEC31-X', titleB, { rules, outcome, eventTitle: titleB }),
  )

describe('VEN-10 the same words in another relation are another question', () => {
  test.each([
    [
      'more and less',
      'Will Foxes be worth more than Herons on December 31, 2027?',
      'Will Foxes be worth less than Herons on December 31, 2027?',
      'negation',
    ],
    [
      'above and below',
      'Will the Foxes finish above the Herons in 2027?',
      'Will the Foxes finish below the Herons in 2027?',
      'negation',
    ],
    [
      'before and after',
      'Will Ola Berg visit Peru before the Cup in 2027?',
      'Will Ola Berg visit Peru after the Cup in 2027?',
      'negation',
    ],
    [
      'both and either',
      'Will Ola Berg and Leo Kirk visit Peru in 2027?',
      'Will Ola Berg or Leo Kirk visit Peru in 2027?',
      'conjunction',
    ],
    [
      'who is above whom',
      'Will the Foxes finish above the Herons in 2027?',
      'Will the Herons finish above the Foxes in 2027?',
      'roles_swapped',
    ],
    [
      'who has more',
      'Will Democrats win more seats than Republicans in 2028?',
      'Will Republicans win more seats than Democrats in 2028?',
      'roles_swapped',
    ],
    [
      'what comes first',
      'Will Ola Berg capture Lima before Quito in 2027?',
      'Will Ola Berg capture Quito before Lima in 2027?',
      'roles_swapped',
    ],
    [
      'who wins against whom',
      'Will Foxes win against Herons in 2027?',
      'Will Herons win against Foxes in 2027?',
      'roles_swapped',
    ],
    [
      'by whom it is done to whom',
      'Will a Foxair plane be grounded by Heronair in 2027?',
      'Will a Heronair plane be grounded by Foxair in 2027?',
      'roles_swapped',
    ],
    [
      'which threshold comes first',
      'Will eggs cost $6 before $3 in 2027?',
      'Will eggs cost $3 before $6 in 2027?',
      'roles_swapped',
    ],
    [
      'which verb is more',
      'Will more voters approve than disapprove of the bill in 2027?',
      'Will more voters disapprove than approve of the bill in 2027?',
      'roles_swapped',
    ],
    [
      'who has which part of a score',
      'Exact score in 2027: Morland 2 - 1 Belland',
      'Exact score in 2027: Morland 1 - 2 Belland',
      'roles_swapped',
    ],
    [
      'the same score for the other',
      'Exact score in 2027: Morland 2-1 Belland',
      'Exact score in 2027: Belland 2-1 Morland',
      'roles_swapped',
    ],
    [
      'who loses to whom',
      'Will Ola Berg lose to Leo Kirk in 2027?',
      'Will Leo Kirk lose to Ola Berg in 2027?',
      'roles_swapped',
    ],
  ])('%s', (_what, titleA, titleB, reason) => {
    for (const [x, y] of [
      [titleA, titleB],
      [titleB, titleA],
    ] as const)
      expect(judged(x, y)).toEqual({ verdict: 'related', reasons: [reason] })
    for (const title of [titleA, titleB]) expect(judged(title, title).verdict).toBe('identity')
  })

  test('the outcome of a list says who does it, wherever the venue writes it', () => {
    const asked = 'Who will finish above the Herons in 2027?'
    expect(judged('Will the Foxes finish above the Herons in 2027?', asked, 'Foxes').verdict).toBe('identity')
  })

  test.each([
    //  "Africa" is a place in the title, not the one who acts
    ['Will the next Pope be from Africa in 2027?', 'Will the next Pope be from Africa in 2027?', 'Africa'],
    [
      'No change in ECB rates in June 2027?',
      'Will the European Central Bank hold rates in June 2027?',
      'Hold',
    ],
    ['Will the House pass the Fox Act in 2027?', 'Will the Fox Act pass the House in 2027?', null],
    ['Will Ola Berg fight Leo Kirk in 2027?', 'Will Leo Kirk and Ola Berg fight in 2027?', null],
    ['Exact score in 2027: Morland 2 - 1 Belland', 'Exact score in 2027: Belland 1 - 2 Morland', null],
  ])('nobody acts on anybody: %s | %s %s', (titleA, titleB, outcome) => {
    expect(judged(titleA, titleB, outcome).verdict).toBe('identity')
  })

  test('a company that passes another is no bill', () => {
    expect(judged('Will Foxair pass Larkair in 2027?', 'Will Larkair pass Foxair in 2027?').reasons).toEqual([
      'roles_swapped',
    ])
  })

  test.each([
    ['Will Ola Berg visit Peru before July 2027?', 'Will Ola Berg visit Peru by June 30, 2027?'],
    ['Will there be more than 3 storms in Peru in 2027?', 'Will there be over 3 storms in Peru in 2027?'],
    ['Will 4 or more storms hit Peru in 2027?', 'Will at least 4 storms hit Peru in 2027?'],
    ['Will Ola Berg and Leo Kirk visit Peru in 2027?', 'Will Leo Kirk and Ola Berg visit Peru in 2027?'],
  ])('words of dates and thresholds, and lists, relate nothing: %s', (titleA, titleB) => {
    expect(judged(titleA, titleB).verdict).toBe('identity')
  })
})
