import { expect, test } from 'vitest'
import { withSharedCodes } from '../../api/sharedCodes.ts'

const row = () => ({ id: 'x', none: [], cents: [1, 2], codes: ['same_words', 'same_limit'], deep: [['a']] })

test('a row says what it said', () => {
  expect(withSharedCodes(row())).toEqual(row())
  for (const other of [null, 'text', 7, ['a', 'b']]) expect(withSharedCodes(other)).toEqual(other)
})

test('rows with the same codes hold one frozen list; order and number count', () => {
  const codesOf = (codes: string[]) => (withSharedCodes({ codes }) as { codes: string[] }).codes
  const first = codesOf(['a', 'b'])
  expect(codesOf(['a', 'b'])).toBe(first)
  expect(Object.isFrozen(first)).toBe(true)
  expect([codesOf(['b', 'a']), codesOf(['a'])]).toEqual([['b', 'a'], ['a']])
})
