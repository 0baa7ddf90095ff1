import { expect, test } from 'vitest'
import { createPutOff } from '../../../api/settlement/putOff.ts'

function world() {
  let nowMs = 1_000
  const putOff = createPutOff(() => nowMs)
  /** Puts it off, and counts the milliseconds until it is looked at again. */
  const waitOf = (key: string): number => {
    const sinceMs = nowMs
    putOff.add(key)
    for (; putOff.has(key); putOff.expire()) nowMs += 500
    return nowMs - sinceMs
  }
  return { putOff, waitOf }
}

test('a job waits a second, then twice as long each time, up to eight', () => {
  const { waitOf } = world()
  expect([1, 2, 3, 4, 5].map(() => waitOf('a'))).toEqual([1_000, 2_000, 4_000, 8_000, 8_000])
  expect(waitOf('b')).toBe(1_000)
})

test('once it is decided its next wait is the shortest again', () => {
  const { putOff, waitOf } = world()
  for (let time = 0; time < 3; time++) waitOf('a')
  putOff.add('a')
  putOff.forget('a')
  expect([putOff.has('a'), putOff.size(), waitOf('a')]).toEqual([false, 0, 1_000])
})

test('a wait of its own says nothing of the next', () => {
  const { putOff, waitOf } = world()
  putOff.add('a', 0)
  putOff.expire()
  expect([putOff.has('a'), waitOf('a')]).toEqual([false, 1_000])
})
