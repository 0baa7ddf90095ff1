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
