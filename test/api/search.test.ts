import { describe, expect, test } from 'vitest'
import { createTopicIndex, topicWords } from '../../api/search.ts'

const texts = [
  'Will the Fed cut rates by 25 bps in December 2026?',
  'Will Beyoncé release an album in 2026?',
  'Fed rate decision in January 2027',
  'Will Paris be the host?',
]
const index = createTopicIndex(texts)

describe('q finds topics by words', () => {
  test.each([
    ['fed rate', [0, 2]],
    ['FED RATES', [0, 2]],
    ['fed rate january', [2]],
    ['beyonce album', [1]],
    ['will the', [0, 3]], //  only stop words: then they count
    ['fed tennis', []],
    ['', []],
    ['!!! ???', []],
    ['the fed', [0, 2]],
  ])('%s', (q, rows) => {
    expect(index(q, 10)).toEqual(rows)
  })

  test('keeps the order of the board and stops at max', () => {
    expect(index('fed', 1)).toEqual([0])
  })

  test('words lose case, accents and a plural s', () => {
    expect(topicWords('Rates, ÉLECTIONS & class!')).toEqual(['rate', 'election', 'class'])
  })
})
