import { expect, test } from 'vitest'
import { createSavePace } from '../../../engine/stages/savePace.ts'

/** Each look is [at, whether at rest]; saving takes `tookMs`. @returns when it saved. */
async function savedAt(
  tookMs: number,
  looks: readonly (readonly [atMs: number, isAtRest?: boolean])[],
): Promise<number[]> {
  let nowMs = 0
  const whenDue = createSavePace(5_000, () => nowMs)
  const saved: number[] = []
  for (const [atMs, isAtRest = false] of looks) {
    nowMs = atMs
    await whenDue(async () => {
      saved.push(atMs)
      nowMs += tookMs
    }, isAtRest)
  }
  return saved
}

test.each([
  [
    'quick: every five seconds, rest or not',
    19,
    [[0], [4_999], [4_999, true], [5_000], [9_999], [10_000]],
    [0, 5_000, 10_000],
  ],
  ['a millisecond longer: at work ten seconds later', 20, [[0], [5_000], [14_999], [15_000]], [0, 15_000]],
  ['a hundred times as long as it takes, at rest', 60, [[0], [5_999, true], [6_000, true]], [0, 6_000]],
  ['at work up to ten seconds later', 60, [[0], [6_000], [15_999], [16_000]], [0, 16_000]],
  ['never longer than twenty seconds at rest', 900, [[0], [19_999, true], [20_000, true]], [0, 20_000]],
  ['and thirty at work', 900, [[0], [29_999], [30_000]], [0, 30_000]],
] as const)('%s', async (_what, tookMs, looks, expected) => {
  expect(await savedAt(tookMs, [...looks])).toEqual(expected)
})

test('one at a time, and one that failed is tried again at once', async () => {
  const whenDue = createSavePace(0, () => 0)
  let [begun, release] = [0, () => {}]
  const slow = () =>
    new Promise<void>((resolve) => {
      begun++
      release = resolve
    })
  const first = whenDue(slow, false)
  await whenDue(slow, true)
  expect(begun).toBe(1)
  release()
  await first
  await expect(whenDue(() => Promise.reject(new Error('away')), false)).rejects.toThrow('away')
  const again = whenDue(slow, false)
  expect(begun).toBe(2)
  release()
  await again
})

test('the last one is always due, after the one that is under way, whatever becomes of that', async () => {
  const whenDue = createSavePace(5_000, () => 0)
  const saved: string[] = []
  let fail = () => {}
  const slow = () =>
    new Promise<void>((_, reject) => {
      fail = () => reject(new Error('away'))
    })
  const first = whenDue(slow, false)
  const last = whenDue(async () => void saved.push('last'), false, true)
  await Promise.resolve()
  expect(saved).toEqual([])
  fail()
  await expect(first).rejects.toThrow('away')
  await last
  await whenDue(async () => void saved.push('once more'), false, true)
  expect(saved).toEqual(['last', 'once more'])
})
