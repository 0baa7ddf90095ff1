import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { waitMs } from '../../../ingest/poll/backoff.ts'
import { createBucket, takeToken } from '../../../ingest/poll/bucket.ts'

const retry = { attempts: 4, baseMs: 100, capMs: 300, longestWaitMs: 1_000 }

describe('VEN-01: failed reads are tried again, later and later, and given up', () => {
  test.each([
    [1, null, 0.999, 100],
    [2, null, 0.999, 200],
    [3, null, 0.999, 300], // 400 is above the cap
    [1, null, 0, 0],
    [4, null, 0.5, null], //  the fourth failure is the last
    [1, 700, 0.5, 700], //    the server asked for more than we would wait
    [3, 20, 0.5, 150], //     … or for less
    [1, 1_000, 0, 1_000],
    [1, 1_001, 0, null], //   longer than a page may wait
  ])('failure %i, asked %s, random %d: %s', (failures, asked, random, expected) => {
    expect(waitMs(failures, asked, random, retry)).toBe(expected)
  })
})

describe('a bucket never lets more through than its rate', () => {
  test('over any span: at most burst + rate × time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 }),
        (perSecond, burst, gaps) => {
          const bucket = createBucket(perSecond, burst, 0)
          let nowMs = 0
          const sent: number[] = []
          for (const gap of gaps) {
            nowMs += gap
            nowMs += takeToken(bucket, nowMs)
            sent.push(nowMs)
          }
          for (let from = 0; from < sent.length; from++)
            for (let to = from; to < sent.length; to++)
              expect(to - from + 1).toBeLessThanOrEqual(
                burst + ((sent[to]! - sent[from]! + 1) * perSecond) / 1_000, // waits are whole milliseconds
              )
        },
      ),
    )
  })
  test('a burst is free, the next waits for its token', () => {
    const bucket = createBucket(10, 2, 0)
    expect([takeToken(bucket, 0), takeToken(bucket, 0), takeToken(bucket, 0), takeToken(bucket, 0)]).toEqual([
      0, 0, 100, 200,
    ])
    expect(takeToken(bucket, 10_000)).toBe(0)
  })
  test('a clock that goes back takes no token away, and what it has told already earns none again', () => {
    const bucket = createBucket(10, 2, 10_000)
    expect(takeToken(bucket, 9_000)).toBe(0) //   one second back: ten tokens
    expect(takeToken(bucket, 10_000)).toBe(0) //  the second of the burst
    expect(takeToken(bucket, 9_000)).toBe(100)
    expect(takeToken(bucket, 10_000)).toBe(200) // not a second later than the newest look
    expect(takeToken(bucket, 10_300)).toBe(0)
  })
})
