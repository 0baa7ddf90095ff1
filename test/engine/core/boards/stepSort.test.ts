import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stepSort } from '../../../../engine/core/boards/stepSort.ts'

/** Runs to the end. */
function sorted(items: readonly number[], compare: (x: number, y: number) => number, stepItems: number) {
  const steps = stepSort(Int32Array.from(items), compare, stepItems)
  let count = 0
  for (let step = steps.next(); ; step = steps.next(), count++)
    if (step.done) return { items: [...step.value], count }
}

describe('sorting in steps', () => {
  test('whatever the length and the step, as sorting at once does: also among equal ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (items, stepItems) => {
          const byTens = (x: number, y: number) => Math.floor(x / 10) - Math.floor(y / 10)
          expect(sorted(items, byTens, stepItems).items).toEqual(items.toSorted(byTens))
        },
      ),
    )
  })

  test.each([
    [0, 0],
    [9, 1],
    [10, 1], //  one run, nothing to merge
    [11, 3], //  two runs, and a break in their merge
    [100, 50], //  ten runs, then four times 100 items merged
  ])('%i items, ten at a time: %i breaks', (length, breaks) => {
    const items = Array.from({ length }, (_, at) => length - at)
    expect(sorted(items, (x, y) => x - y, 10).count).toBe(breaks)
  })
})
