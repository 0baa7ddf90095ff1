import { describe, expect, test } from 'vitest'
import { isFresh, venueAsOf } from '../../../engine/core/asOf.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'

const NOW = 1_800_000_000_000
const rules = { maxAgeMs: 90 * SECOND, frozenAfterMs: 10 * MINUTE, recorded: false }
const sweep = (startedMs: number, changedMs = startedMs) => ({ startedMs, changedMs })

describe('the instant a venue is complete up to', () => {
  test('is when its newest complete sweep began; unknown before the first', () => {
    expect(venueAsOf(sweep(NOW - 3_000), NOW, rules)).toBe(NOW - 3_000)
    expect(venueAsOf(null, NOW, rules)).toBeNull()
  })

  test.each([
    ['unchanged for ten minutes', 10 * MINUTE, NOW - 1_000], //           the limit itself is not yet frozen
    ['a millisecond more', 10 * MINUTE + 1, NOW - 10 * MINUTE - 1],
    ['forty minutes', 40 * MINUTE, NOW - 40 * MINUTE],
  ])('VEN-07 frozen venue, %s', (_, still, asOf) => {
    expect(venueAsOf(sweep(NOW - 1_000, NOW - still), NOW, rules)).toBe(asOf)
  })

  test('VEN-07 the rule can be switched off, and a recording is still by nature', () => {
    const frozen = sweep(NOW - 1_000, NOW - 40 * MINUTE)
    expect(venueAsOf(frozen, NOW, { ...rules, frozenAfterMs: 0 })).toBe(NOW - 1_000)
    expect(venueAsOf(frozen, NOW, { ...rules, recorded: true })).toBe(NOW - 1_000)
  })

  test.each([
    ['a little ahead', 5 * SECOND, NOW],
    ['further ahead, put right since: how old it is nobody knows', 5 * SECOND + 1, null],
    ['an hour behind', -60 * MINUTE, NOW - 60 * MINUTE],
  ])('VEN-08 our clock %s: data is never in the future', (_, skew, asOf) => {
    expect(venueAsOf(sweep(NOW + skew), NOW, rules)).toBe(asOf)
  })
})

describe('fresh up to 90 seconds', () => {
  test.each([
    [90 * SECOND, true],
    [90 * SECOND + 1, false],
  ])('age %d ms: %s', (age, fresh) => {
    expect(isFresh(NOW - age, NOW, rules)).toBe(fresh)
  })

  test('never seen is not fresh', () => {
    expect(isFresh(null, NOW, rules)).toBe(false)
  })
})
