import { describe, expect, test } from 'vitest'
import { parseEpochMs, parseInstant } from '../../../ingest/venues/time.ts'

describe('VEN-19: an instant has a zone and the right unit, or it is none', () => {
  const at = Date.UTC(2026, 6, 16, 23, 0, 0)
  test.each([
    ['2026-07-16T23:00:00Z', at],
    ['2026-07-16T23:00:00.123456Z', at + 123],
    ['2026-07-16 23:00:00+00', at], //  venue A, start of a game
    ['2026-07-16T19:00:00-04:00', at], // summer time is the venue's business
    ['2026-07-17T01:00:00+0200', at],
    ['2026-07-16T23:00:00', null], //    no zone
    ['2026-07-16', null],
    ['2026-07-16T23:00:60Z', null], //   leap second
    ['2026-13-16T23:00:00Z', null],
    ['0001-01-01T00:00:00Z', null], //   how venue B writes "never" [seen]
    ['9999-12-31T00:00:00Z', null],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59.999Z', null],
    ['2199-12-31T23:59:59.999Z', Date.UTC(2200, 0, 1) - 1],
    ['2200-01-01T00:00:00Z', null],
    ['1784242800', null],
    [1784242800000, null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('%j: %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected)
  })
  test.each([
    ['1778997825875', 1778997825875],
    ['1778997825', null], //       seconds
    ['1778997825875000', null], // microseconds
    [1778997825875, null],
    ['', null],
  ])('epoch %j: %s', (text, expected) => {
    expect(parseEpochMs(text)).toBe(expected)
  })
})
