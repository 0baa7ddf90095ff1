import { describe, expect, test } from 'vitest'
import { clockAheadMs } from '../../../ingest/venues/clockAhead.ts'
import type { Stamp } from '../../../ops/http.ts'

const NOON = 'Sat, 21 Nov 2026 12:00:00 GMT'
const NOON_MS = Date.UTC(2026, 10, 21, 12)
/** An answer whose Date is noon, asked for and heard at these times by our clock, in ms after noon. */
const heard = (sentMs: number, arrivedMs: number, rest: Partial<Stamp> = {}) =>
  clockAheadMs({
    date: NOON,
    age: undefined,
    sentMs: NOON_MS + sentMs,
    arrivedMs: NOON_MS + arrivedMs,
    ...rest,
  })

describe('VEN-08: how far the clock of a venue is ahead of ours, at the least', () => {
  test.each([
    //  sent, arrived, ahead: its Date names a second and was written in between
    [0, 100, 0],
    [900, 1_000, 0],
    [1_000, 1_100, 0],
    [1_001, 1_101, -1], //         the second was over before we asked
    [-100, 0, 0],
    [-101, -1, 1], //              the second had not begun when it was heard
    [-9_000, 9_000, 0], //         an answer that takes long tells little …
    [-15_000, 14_000, 0],
    [-15_000, 14_001, null], //    … or nothing, when it leaves more than 30 s open
    [3_600_000, 3_600_100, -3_599_000],
    [-3_600_100, -3_600_000, 3_600_000],
    [-3_600_000, -3_000_000, 3_000_000], // one that takes long and still tells
  ])('asked at %i, heard at %i: %s', (sentMs, arrivedMs, expected) => {
    expect(heard(sentMs, arrivedMs)).toBe(expected)
  })
})

describe('VEN-08: an answer from a cache', () => {
  test.each([
    //  its Age, our clock after noon, ahead
    ['0', 0, 0],
    ['20', 20_000, 0], //     the cache keeps the Date of the origin
    ['20', 0, 0], //          the cache writes its own
    ['20', 22_000, 0], //     both are whole seconds
    ['20', 22_001, -1],
    ['20', -1, 1],
    ['28', 0, 0],
    ['29', 0, null], //       could be 30 s behind, or not
    ['29', 31_001, -1],
    ['3600', 0, null], //     the skew that is looked for could hide behind it
    ['3600', 7_200_000, -3_598_000],
    ['3600', -60_000, 60_000],
  ])('Age %s, our clock at %i: %s', (age, ourMs, expected) => {
    expect(heard(ourMs, ourMs, { age })).toBe(expected)
  })
})

describe('VEN-08, VEN-19: headers that do not tell are not guessed', () => {
  test.each<[Partial<Stamp>]>([
    [{ date: undefined }],
    [{ date: '' }],
    [{ date: '2026-11-21T12:00:00Z' }],
    [{ date: 'Sat, 21 Nov 2026 12:00:00' }],
    [{ date: 'Sat, 21 Nov 2026 12:00:00 +0100' }],
    [{ date: 'Sat, 41 Nov 2026 12:00:00 GMT' }],
    [{ date: [NOON, NOON] }],
    [{ age: '' }],
    [{ age: '-5' }],
    [{ age: '1.5' }],
    [{ age: '1e3' }],
    [{ age: ['1', '2'] }],
  ])('%j', (given) => {
    expect(heard(0, 0)).toBe(0)
    expect(heard(0, 0, given)).toBeNull()
  })
})
