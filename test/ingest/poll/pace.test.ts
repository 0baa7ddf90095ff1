import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Pace, pauseMs } from '../../../ingest/poll/pace.ts'

/** Two of ten pages are read in 500 ms, the last took 100; seven of ten seconds are for the sweep. */
const some: Pace = { read: 2, pages: 10, elapsedMs: 500, workedMs: 100, everyMs: 10_000 }
const pause = (change: Partial<Pace> = {}) => pauseMs({ ...some, ...change })

describe('a long sweep is spread over seven tenths of the time there is', () => {
  test.each([
    ['until the next page is due', {}, 900],
    ['twelve times as long as the page before took', { workedMs: 20 }, 240],
    ['a page that cost nothing', { workedMs: 0 }, 0],
    ['in time', { elapsedMs: 1_400 }, 0],
    ['behind its time', { elapsedMs: 5_000 }, 0],
    ['more pages than the time before', { read: 12, elapsedMs: 8_300 }, 100],
    ['nothing is known of the venue: as fast as it goes', { pages: null }, 0],
    ['the venue had no pages', { pages: 0 }, 0],
  ])('%s', (_what, change, expected) => {
    expect(pause(change)).toBeCloseTo(expected, 9)
  })

  test('however many pages it has and however long they take, it does not wait past its time', () => {
    const ms = fc.integer({ min: 0, max: 2_000 })
    fc.assert(
      fc.property(fc.array(ms, { minLength: 1, maxLength: 50 }), ms, (worked, everyMs) => {
        let elapsedMs = 0
        for (const [at, workedMs] of worked.entries()) {
          elapsedMs += workedMs
          const waited = pauseMs({ read: at + 1, pages: worked.length, elapsedMs, workedMs, everyMs })
          if (waited > 0) expect(elapsedMs + waited).toBeLessThanOrEqual(0.7 * everyMs + 1e-6)
          expect(waited).toBeLessThanOrEqual(12 * workedMs)
          elapsedMs += waited
        }
      }),
    )
  })
})
