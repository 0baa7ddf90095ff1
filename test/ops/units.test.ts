import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsdc, parseScaled, parseUsdc, roundTo, usdcNumber } from '../../ops/units.ts'

describe('an amount in millionths is the shortest exact decimal, and back', () => {
  test.each([
    [0n, '0'],
    [1n, '0.000001'],
    [10n, '0.00001'],
    [1_000n, '0.001'],
    [10_000n, '0.01'],
    [999_999n, '0.999999'],
    [1_000_000n, '1'],
    [1_500_000n, '1.5'],
    [10_000_000n, '10'],
    [100_000_010n, '100.00001'],
    [12_345_678_900_000n, '12345678.9'],
    [-1n, '-0.000001'],
    [-2_500_000n, '-2.5'],
  ])('%d: %s', (micro, text) => {
    expect([formatUsdc(micro), usdcNumber(micro), parseUsdc(text)]).toEqual([text, Number(text), micro])
  })

  const MOST = 2n ** 33n * 1_000_000n //  from there on a number holds every second millionth

  test('property: nothing is lost or gained on the way, as text and as a number in JSON', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MOST, max: MOST }), (micro) => {
        expect(parseUsdc(formatUsdc(micro))).toBe(micro)
        expect(parseUsdc(JSON.stringify(usdcNumber(micro)))).toBe(micro)
      }),
    )
  })
})

describe('decimal text is taken digit by digit, or not at all', () => {
  test.each([
    ['0.01', 4, 100],
    ['1', 4, 10_000],
    ['1.', 4, 10_000],
    ['1.50000000', 1, 15],
    ['0.29', 2, 29], //  100 * 0.29 is 28.999999999999996
    ['-0.5', 4, -5_000],
    ['-0', 4, 0],
    ['007', 0, 7],
    ['999999999999', 0, 999_999_999_999],
    ['0.00001', 4, null], //  finer than asked for
    ['1.5', 0, null],
    ['9007199254740', 3, null], //  13 digits
    ['999999999999', 6, null], //  no number holds it exactly
    ['0.1234567890123', 13, null], //  13 decimals
    ['', 4, null],
    ['.5', 4, null],
    ['+1', 4, null],
    ['1e3', 4, null],
    [' 1', 4, null],
    ['1,5', 4, null],
    ['1.5\n', 4, null],
    ['NaN', 4, null],
  ] as const)('%j at %d digits: %s', (text, digits, scaled) => {
    expect(parseScaled(text, digits)).toBe(scaled)
  })
})

describe('rounds half away from zero, on the decimal value', () => {
  test.each([
    [1.005, 2, 1.01], //  1.00499999999999989 in binary
    [-1.005, 2, -1.01],
    [1.004, 2, 1],
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [-0.4, 0, 0],
    [33.333_333, 2, 33.33],
    [66.666_666, 2, 66.67],
    [0, 2, 0],
  ])('%d to %d decimals: %d', (value, digits, rounded) => {
    expect(roundTo(value, digits)).toBe(rounded)
  })
})
