import { describe, expect, test } from 'vitest'
import { refusedWords, unqualifiedWords } from '../../../api/live/reasonWords.ts'
import { UNQUALIFIED } from '../../../engine/contract/gapCards.ts'
import { REFUSED } from '../../../engine/core/pairing/verdict.ts'

const spelled = (code: string) => code.replaceAll('_', ' ')

describe('a person reads why something is refused', () => {
  test.each(REFUSED)('pair: %s has words of its own', (code) => {
    expect(refusedWords(code)).not.toBe(spelled(code))
    expect(refusedWords(code)).toMatch(/^[A-Z]/)
  })

  test.each(UNQUALIFIED)('card: %s has words of its own', (code) => {
    expect(unqualifiedWords(code)).not.toBe(spelled(code))
    expect(unqualifiedWords(code)).toMatch(/^[A-Z]/)
  })

  test.each([['new_reason'], ['constructor'], ['__proto__']])(
    'a code nobody knows is spelled: %s',
    (code) => {
      expect(refusedWords(code)).toBe(spelled(code))
      expect(unqualifiedWords(code)).toBe(spelled(code))
    },
  )

  test('and it is bounded', () => expect(refusedWords('x'.repeat(1_000))).toHaveLength(60))
})
