import { beforeEach, describe, expect, test } from 'vitest'
import {
  GroupPace,
  LONGEST_REST_MS,
  LONGEST_SILENCE_MS,
  MIN_INTERVAL_MS,
  REST_PER_WORK,
  RETRY_MS,
} from '../../../engine/stages/groupPace.ts'

const FRESHNESS = 'both fresh'
let [nowMs, workedMs] = [0, 0]
const meter = { nowMs: () => nowMs, workedMs: () => workedMs }
beforeEach(() => {
  ;[nowMs, workedMs] = [0, 0]
})
/** Publishes at once; that takes `tookMs` by the clock and `worksMs` of the processor. */
const publish = (pace: GroupPace, { tookMs = 0, worksMs = 0 } = {}) => {
  const changedMs = pace.begin(FRESHNESS)
  nowMs += tookMs
  workedMs += worksMs
  pace.end()
  return changedMs
}
const quiet = (everyMs = 0) => {
  const pace = new GroupPace(everyMs, meter)
  publish(pace)
  return pace
}

describe('when a group of boards is due', () => {
  test('at the start at once; then when something is to be said, or time alone may have changed it', () => {
    const pace = new GroupPace(0, meter)
    expect(pace.dueInMs(FRESHNESS)).toBeLessThanOrEqual(0)
    publish(pace)
    expect(pace.dueInMs(FRESHNESS)).toBe(LONGEST_SILENCE_MS)
    pace.change(5)
    expect(pace.dueInMs(FRESHNESS)).toBe(MIN_INTERVAL_MS)
    publish(pace)
    expect(pace.dueInMs(FRESHNESS)).toBe(LONGEST_SILENCE_MS)
  })

  test('it rests for five times its work, and waiting for others is no work', () => {
    const pace = quiet()
    publish(pace, { tookMs: 900, worksMs: 50 })
    pace.change(null)
    expect(pace.dueInMs(FRESHNESS)).toBe(REST_PER_WORK * 50)
  })

  test('but never longer than LONGEST_REST_MS', () => {
    const pace = quiet()
    publish(pace, { worksMs: LONGEST_REST_MS / REST_PER_WORK + 1 })
    pace.change(null)
    expect(pace.dueInMs(FRESHNESS)).toBe(LONGEST_REST_MS)
  })

  test('changes wait for the interval of the group, freshness does not', () => {
    const pace = quiet(2_000)
    pace.change(null)
    expect(pace.dueInMs(FRESHNESS)).toBe(2_000)
    expect(pace.dueInMs('A is stale')).toBe(MIN_INTERVAL_MS)
  })

  test('a publication holds the changes noted before it, and tells the newest', () => {
    const pace = quiet()
    pace.change(7)
    pace.change(3)
    expect(publish(pace)).toBe(7)
    expect(publish(pace)).toBeNull()
  })

  test.each([0, 2_000])('a failed one is tried again, with what it held; interval %d ms', (everyMs) => {
    const pace = quiet(everyMs)
    pace.change(7)
    pace.fail(pace.begin(FRESHNESS))
    expect(pace.dueInMs(FRESHNESS)).toBe(RETRY_MS)
    expect(publish(pace)).toBe(7)
  })
})
