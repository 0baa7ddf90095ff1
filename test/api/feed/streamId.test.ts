import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareIds, isStreamId } from '../../../api/feed/streamId.ts'

describe('an event id is what the store writes, and nothing else', () => {
  test.each(['0-0', '1790000000000-0', '18446744073709551615-18446744073709551615'])('%s is one', (id) => {
    expect(isStreamId(id)).toBe(true)
  })
  test.each([
    '',
    '0',
    '1-',
    '-1',
    '+',
    '-',
    '$',
    '01-0',
    '1-00',
    '1-0 ',
    ' 1-0',
    '1-0\n',
    '1–0',
    '1e3-0',
    '(1-0',
    '123456789012345678901-0',
  ])('%j is none', (id) => {
    expect(isStreamId(id)).toBe(false)
  })
})

test('ids order as numbers do, of any size', () => {
  const part = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  fc.assert(
    fc.property(part, part, part, part, (aMs, a, bMs, b) => {
      const expected = aMs !== bMs ? (aMs < bMs ? -1 : 1) : a < b ? -1 : a > b ? 1 : 0
      expect(Math.sign(compareIds(`${aMs}-${a}`, `${bMs}-${b}`))).toBe(expected)
      expect(compareIds(`${aMs}-${a}`, `${aMs}-${a}`)).toBe(0)
    }),
  )
  expect(compareIds('9-0', '10-0')).toBeLessThan(0)
  expect(compareIds('5-9', '5-10')).toBeLessThan(0)
})
