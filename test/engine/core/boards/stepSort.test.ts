import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stepSort } from '../../../../engine/core/boards/stepSort.ts'

/** Runs to the end. */
function sorted<T>(items: readonly T[], compare: (x: T, y: T) => number, stepItems: number) {
  const steps = stepSort(items, compare, stepItems)
  let count = 0
  for (let step = steps.next(); ; step = steps.next(), count++)
    if (step.done) return { items: step.value, count }
}

describe('sorting in steps', () => {
  test('whatever the length and the step, as sorting at once does: also among equal ones', () => {
    const item = fc.record({ rank: fc.nat(5), at: fc.nat() })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (items, stepItems) => {
        const byRank = (x: { rank: number }, y: { rank: number }) => x.rank - y.rank
        const before = [...items]
        expect(sorted(items, byRank, stepItems).items).toEqual(items.toSorted(byRank))
        expect(items).toEqual(before)
      }),
    )
  })

  test.each([
    [0, 0],
    [9, 1],
    [10, 1], //  one run, nothing to merge
    [11, 3], //  two runs, and a break in their merge
    [100, 46], //  ten runs, then 5 × 20, 2 × 40, 80 and 100 items merged
  ])('%i items, ten at a time: %i breaks', (length, breaks) => {
    const items = Array.from({ length }, (_, at) => length - at)
    expect(sorted(items, (x, y) => x - y, 10).count).toBe(breaks)
  })
})
