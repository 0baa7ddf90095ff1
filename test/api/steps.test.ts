import { describe, expect, test } from 'vitest'
import { runInTurns, runNow, type Steps } from '../../api/steps.ts'

function* slices(count: number, each: () => void = () => {}): Steps<number> {
  for (let slice = 0; slice < count; slice++) {
    each()
    yield
  }
  return count
}

test('both ways give the result, and an error comes out', async () => {
  expect(runNow(slices(5))).toBe(5)
  expect(await runInTurns(slices(5))).toBe(5)
  const broken = slices(2, () => {
    throw new Error('bad row')
  })
  await expect(runInTurns(broken)).rejects.toThrow('bad row')
})

describe('long work lets others take their turn every two milliseconds; short work does not wait', () => {
  test.each([
    [10, 0.1, 0],
    [10, 1, 5],
    [10, 2, 10],
    [3, 50, 3],
  ])('%d slices of %d ms: %d breaks', async (count, sliceMs, breaks) => {
    let nowMs = 0
    let turns = 0
    let over = false
    const other = () => {
      if (over) return
      turns++
      setImmediate(other)
    }
    other()
    const work = runInTurns(
      slices(count, () => {
        nowMs += sliceMs
      }),
      () => nowMs,
    ).then(() => {
      over = true
    })
    await work
    expect(turns - 1).toBe(breaks)
  })
})
