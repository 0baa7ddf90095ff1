import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeat } from '../../../api/free/repeat.ts'
import { quietLog } from '../../support/ledger.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('never twice at once, and who stops it waits for the turn that runs', async () => {
  const ends: (() => void)[] = []
  const work = repeat('work', 100, quietLog, () => new Promise<void>((end) => void ends.push(end)))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(1)
  ends[0]!()
  await vi.advanceTimersByTimeAsync(100)
  expect(ends).toHaveLength(2)
  let isStopped = false
  const stopped = work.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect([ends.length, isStopped]).toEqual([2, false])
  ends[1]!()
  await stopped
})

test('of failures in a row the first is logged, and again the first of later ones', async () => {
  const outcomes = [false, false, true, false, false]
  const warn = vi.spyOn(quietLog, 'warn')
  const work = repeat('work', 100, quietLog, async () => {
    if (!outcomes.shift()) throw new Error('away')
  })
  await vi.advanceTimersByTimeAsync(150)
  expect(warn.mock.calls).toEqual([[{ work: 'work', reason: 'Error: away' }, expect.any(String)]])
  await vi.advanceTimersByTimeAsync(250)
  expect(outcomes).toEqual([])
  expect(warn).toHaveBeenCalledTimes(2)
  await work.stop()
})
