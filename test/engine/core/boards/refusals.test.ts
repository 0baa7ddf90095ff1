import { describe, expect, test } from 'vitest'
import { hardest } from '../../../../engine/core/boards/refusals.ts'
import type { Refused } from '../../../../engine/core/pairing/pairer.ts'
import type { Reason } from '../../../../engine/core/pairing/verdict.ts'
import { marketA, marketB } from '../../support/markets.ts'

const refused = (nth: number, reason: Reason, similarity: number, eventId = `e${nth}`): Refused => ({
  a: marketA(`${nth}`, `Question ${nth}?`, { eventId }),
  b: marketB(`KXQ-${nth}`, `Question ${nth}?`, { eventId }),
  reasons: [reason, 'words'],
  similarity,
})
const namesOf = (list: readonly Refused[]) => list.map(({ a }) => a.marketId)

describe('the hardest look-alikes', () => {
  test('most alike first, those of one similarity by id', () => {
    const list = [refused(3, 'year', 0.7), refused(2, 'name', 0.7), refused(1, 'words', 0.9)]
    expect(namesOf(hardest(list, 8))).toEqual(['1', '2', '3'])
  })

  test('a quarter of one reason at most, however much alike', () => {
    const years = [1, 2, 3, 4].map((nth) => refused(nth, 'year', 0.9))
    const others = [refused(5, 'numbers', 0.6), refused(6, 'limit', 0.5)]
    expect(namesOf(hardest([...years, ...others], 8))).toEqual(['1', '2', '5', '6'])
    expect(namesOf(hardest([...years, ...others], 12))).toEqual(['1', '2', '3', '5', '6'])
  })

  test('two events once, and no more than wanted', () => {
    const outcomes = [refused(1, 'year', 0.9, 'same'), refused(2, 'name', 0.8, 'same')]
    expect(namesOf(hardest([...outcomes, refused(3, 'name', 0.5)], 8))).toEqual(['1', '3'])
    const many = (['year', 'name', 'limit', 'words', 'numbers'] as const).map((reason, at) =>
      refused(at, reason, 0.9),
    )
    expect(hardest(many, 4)).toHaveLength(4)
  })
})
