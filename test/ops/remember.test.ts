import { expect, test } from 'vitest'
import { remember } from '../../ops/remember.ts'

test('beyond the bound the one that was noted longest ago is forgotten, noted again it is the newest', () => {
  const map = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    remember(map, key, value, 2)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
