import { describe, expect, test } from 'vitest'
import { exactnessOf } from '../../../../../api/goods/utility/json/exact.ts'
import { canonicalJson } from '../../../../../api/receipts/canonical.ts'
import { repaired } from './support.ts'

describe('numbers keep their spelling in the repaired text', () => {
  test.each(['12345678901234567890', '-9223372036854775808', '1.50', '-0', '1E+5', '0.1234567890123456789'])(
    '%s',
    (number) => {
      expect(repaired(`[${number},]`).repaired).toBe(`[${number}]`)
    },
  )
})

describe('valueExact says whether `value` holds every number as written', () => {
  test.each([
    ['9007199254740992', 'exact'], //       2^53
    ['9007199254740993', 'rounded'],
    ['123456789012345', 'exact'],
    ['0.30000000000000004', 'exact'],
    ['0.300000000000000041', 'rounded'],
    ['100000000000000000000000', 'exact'],
    ['1.500000000000000000000', 'exact'],
    ['0.00000000000000000000', 'exact'],
    ['1e22', 'exact'],
    ['0.1e-6', 'exact'],
    ['1e-400', 'rounded'],
    ['0e999', 'exact'],
    ['1.7976931348623157e308', 'exact'],
    ['1e309', 'out_of_range'],
    ['-1e400', 'out_of_range'],
    ['+1234567890123456789', 'rounded'],
    ['.1234567890123456', 'exact'],
  ])('%s: %s', (number, exactness) => {
    expect(exactnessOf(number)).toBe(exactness)
    const { valueExact } = repaired(`[1, ${number}]`)
    expect(valueExact).toBe(exactness === 'exact')
  })

  test('a number beyond a binary64 leaves the value out: printing null would invent one', () => {
    const repair = repaired('{"x":1e400,}')
    expect(repair.repaired).toBe('{"x":1e400}')
    expect('value' in repair).toBe(false)
    expect(canonicalJson(repair)).not.toContain('null')
  })

  test('a million digits are not read, ten thousand are', () => {
    expect(repaired(`[${'7'.repeat(10_000)}]`)).toMatchObject({ valueExact: false, changeCount: 0 })
  })
})
