import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractFee, type Fill, orderFee, UNITS_PER_CENT } from '../../../../engine/core/boards/fees.ts'
import { FEE_TABLES, feeTableAt } from '../../../../engine/core/boards/feeTable.ts'
import { feesA, feesB } from './support.ts'

const TABLE = FEE_TABLES.at(-1)!
const shares = (count: number, price: number): Fill => ({
  bps: Math.round(price * 10_000),
  hundredths: Math.round(count * 100),
})
const dollars = (e5: number) => e5 / 1e5

describe('wire 3.1 venue A: C × rate × p(1 − p), five decimals, nothing below 0.00001', () => {
  test.each([
    //  the venue's own examples
    ['crypto, 100 at 0.30', 0.07, shares(100, 0.3), 1.47],
    ['sports, 100 at 0.20', 0.05, shares(100, 0.2), 0.8],
    ['politics, 100 at 0.50', 0.04, shares(100, 0.5), 1],
    ['peak of sports', 0.05, shares(100, 0.5), 1.25],
    ['peak of crypto', 0.07, shares(100, 0.5), 1.75],
    ['geopolitics', 0, shares(100, 0.5), 0],
    //  rounding
    ['0.00000975 is below the smallest fee, though it would round to it', 0.0039, shares(0.01, 0.5), 0],
    ['exactly 0.00001 stays', 0.004, shares(0.01, 0.5), 0.00001],
    ['half a step goes up', 0.006, shares(0.01, 0.5), 0.00002],
    ['less than half goes down', 0.0059, shares(0.01, 0.5), 0.00001],
  ])('%s', (_what, rate, fill, usd) => {
    expect(dollars(orderFee(feesA(rate), [fill], TABLE))).toBe(usd)
  })

  test('each fill is rounded by itself', () => {
    const fill = { bps: 5_000, hundredths: 1 } //  0.000125 → 0.00013
    expect(orderFee(feesA(0.05), [fill], TABLE)).toBe(13)
    expect(orderFee(feesA(0.05), [fill, fill], TABLE)).toBe(26)
    expect(orderFee(feesA(0.05), [{ ...fill, hundredths: 2 }], TABLE)).toBe(25)
  })
})

describe('wire 3.2 venue B: 0.07 × m × C × P × (1 − P), the order rounded up to the cent', () => {
  test.each([
    ['100 at 0.50 is exactly 1.75 and not a cent more', 1, [shares(100, 0.5)], 1.75],
    ['1 at 0.50: 0.0175 up', 1, [shares(1, 0.5)], 0.02],
    ['half the multiplier', 0.5, [shares(100, 0.5)], 0.88],
    ['100 at 0.10: 0.63', 1, [shares(100, 0.1)], 0.63],
    ['1 at 0.01: 0.000693 up', 1, [shares(1, 0.01)], 0.01],
    ['a hundredth of a contract', 1, [shares(0.01, 0.5)], 0.01],
    ['two fills are one order', 1, [shares(1, 0.5), shares(1, 0.5)], 0.04],
    ['at 0 and at 1 nothing', 1, [shares(100, 0), shares(100, 1)], 0],
    ['no fills', 1, [], 0],
  ])('%s', (_what, multiplier, fills, usd) => {
    expect(dollars(orderFee(feesB(multiplier), fills, TABLE))).toBe(usd)
  })
})

describe('style 6: fees are finer than prices and rounded once', () => {
  test('per contract they are exact', () => {
    expect(contractFee(feesB(), 5_000) / UNITS_PER_CENT).toBe(1.75)
    expect(contractFee(feesA(0.05), 123) / UNITS_PER_CENT).toBe(0.06074355)
    expect(contractFee(feesB(0.5), 1) / UNITS_PER_CENT).toBe(0.000349965)
  })

  test('exponent 2, should a venue use it again', () => {
    expect(contractFee(feesA(0.25, { exponent: 2 }), 5_000) / UNITS_PER_CENT).toBeCloseTo(1.5625, 9)
  })

  test('no terms, no fee', () => {
    expect([contractFee(null, 5_000), orderFee(null, [shares(100, 0.5)], TABLE)]).toEqual([0, 0])
  })

  test('a yes at p costs what a no at 1 − p costs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        (bps, rateMicro) => {
          const terms = feesA(rateMicro / 1e6)
          expect(contractFee(terms, bps)).toBe(contractFee(terms, 10_000 - bps))
        },
      ),
    )
  })

  test('never negative; B at least the exact fee and less than a cent more, A within half a step a fill', () => {
    const fills = fc.array(
      fc.record({ bps: fc.integer({ min: 0, max: 10_000 }), hundredths: fc.integer({ min: 1, max: 1e9 }) }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(fills, fc.integer({ min: 1, max: 100_000 }), (taken, rateMicro) => {
        const exact = taken.reduce(
          (sum, { bps, hundredths }) =>
            sum + BigInt(rateMicro) * BigInt(bps * (10_000 - bps)) * BigInt(hundredths),
          0n,
        )
        const step = 100_000_000_000n
        const a = BigInt(orderFee(feesA(rateMicro / 1e6), taken, TABLE)) * step
        const b = BigInt(orderFee({ ...feesB(), rate: rateMicro / 1e6 }, taken, TABLE)) * step
        expect(a >= 0n && b >= exact && b - exact < 1_000n * step).toBe(true)
        const off = a > exact ? a - exact : exact - a
        expect(off <= step * BigInt(taken.length)).toBe(true)
      }),
    )
  })
})

describe('VEN-21 the fee table is versioned', () => {
  test.each([
    ['2025-12-31T00:00:00Z', '2026-01-05'], //  before all: the oldest
    ['2026-03-29T23:59:59.999Z', '2026-01-05'],
    ['2026-03-30T00:00:00Z', '2026-03-30'], //  from its first instant
    ['2026-07-09T23:59:59.999Z', '2026-03-30'],
    ['2026-07-10T00:00:00Z', '2026-07-10'],
    ['2030-01-01T00:00:00Z', '2026-07-10'],
  ])('at %s version %s', (iso, version) => {
    expect(feeTableAt(Date.parse(iso)).version).toBe(version)
  })

  test('records are in order, each with its source and a version of its own', () => {
    const days = FEE_TABLES.map(({ effectiveMs }) => effectiveMs)
    expect(days).toEqual([...new Set(days)].sort((x, y) => x - y))
    for (const { a, b, version } of FEE_TABLES) {
      expect(`${a.source} ${b.source}`).toMatch(/published.*, \d{4}-\d\d-\d\d.*published.*, \d{4}-\d\d-\d\d/)
      expect(Date.parse(version)).not.toBeNaN()
    }
  })

  test('the published rates peak at what the venue prints for 100 shares', () => {
    const peak = (rate: number) => dollars(orderFee(feesA(rate), [shares(100, 0.5)], TABLE))
    const { rates } = TABLE.a
    expect([rates.crypto, rates.sports, rates.weather, rates.politics].map((rate) => peak(rate!))).toEqual([
      1.75, 1.25, 1.25, 1,
    ])
  })

  test('steps come from the record, not from the code', () => {
    const coarse = { ...TABLE, a: { ...TABLE.a, stepE5: 1_000 }, b: { ...TABLE.b, stepE5: 10 } }
    expect(orderFee(feesA(0.05), [shares(1, 0.5)], coarse)).toBe(1_000) //  0.0125 to the cent
    expect(orderFee(feesB(), [shares(1, 0.5)], coarse)).toBe(1_750)
  })
})
