import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askBps, bidBps, lastBps, microOfNumber, microOfText } from '../../../ingest/venues/price.ts'

describe('dollars to bps', () => {
  test('number and text of the same price agree, for every millionth of a dollar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (micro) => {
        const text = `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`
        expect(microOfText(text)).toBe(micro)
        expect(microOfNumber(Number(text))).toBe(micro)
      }),
    )
  })
  test('rounding never narrows the spread and moves a price by less than one bps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), (micro) => {
        const bid = bidBps(micro) ?? 0
        const ask = askBps(micro) ?? 10_000
        expect(bid * 100).toBeLessThanOrEqual(micro)
        expect(ask * 100).toBeGreaterThanOrEqual(micro)
        expect(micro - bid * 100).toBeLessThan(100)
        expect(ask * 100 - micro).toBeLessThan(100)
      }),
    )
  })
  test.each([
    ['1.000001', 'range'],
    ['-0.000001', 'range'],
    ['0.0000001', 'fine'],
    ['.5', 'range'],
    ['5e-1', 'range'],
    ['', 'range'],
    ['Infinity', 'range'],
    ['0', 0],
    ['1', 1_000_000],
    ['0.5', 500_000],
  ])('%s: %s', (text, expected) => {
    expect(microOfText(text)).toBe(expected)
  })
  test('an order stands strictly between 0 and 1; a trade of 0 was none', () => {
    expect([bidBps(0), bidBps(99), bidBps(100), bidBps(999_999), bidBps(1_000_000)]).toEqual([
      null,
      null,
      1,
      9_999,
      null,
    ])
    expect([askBps(0), askBps(1), askBps(999_900), askBps(999_901), askBps(1_000_000)]).toEqual([
      null,
      1,
      9_999,
      null,
      null,
    ])
    expect([lastBps(0), lastBps(50), lastBps(1_000_000)]).toEqual([null, 1, 10_000])
  })
})
