import { describe, expect, test } from 'vitest'
import { createRateLimit } from '../../../api/http/rateLimit.ts'

const clock = { atMs: 0, nowMs: () => clock.atMs }
const passes = (limit: ReturnType<typeof createRateLimit>, address: string, times: number) =>
  Array.from({ length: times }, () => limit(address) === null).filter(Boolean).length

describe('a bucket per address', () => {
  test('so many at once, then so many a minute, never more than a full bucket', () => {
    const limit = createRateLimit({ burst: 4, clock })
    expect(passes(limit, '1.2.3.4', 10)).toBe(4)
    clock.atMs += 15_000
    expect(passes(limit, '1.2.3.4', 10)).toBe(1)
    expect(limit('1.2.3.4')).toMatchObject({ problem: 'rate_limited', retryAfterS: 15 })
    clock.atMs += 3_600_000
    expect(passes(limit, '1.2.3.4', 10)).toBe(4)
  })

  test.each([
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:0db8:0000:0001:ffff:0000:0000:0002', true],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:0db8:0000:0002:0000:0000:0000:0001', false],
    ['0000:0000:0000:0000:0000:ffff:0102:0304', '0000:0000:0000:0000:0000:ffff:0102:0305', false],
    ['1.2.3.4', '1.2.3.5', false],
  ])('%s and %s share one: %s', (one, other, shared) => {
    const limit = createRateLimit({ burst: 1, clock })
    limit(one)
    expect(limit(other) !== null).toBe(shared)
  })

  test('is bounded: the address seen longest ago is forgotten', () => {
    const limit = createRateLimit({ burst: 1, clock })
    limit('first')
    for (let n = 0; n < 9_999; n++) limit(`other-${n}`)
    expect(limit('first')).not.toBeNull()
    for (let n = 0; n < 10_000; n++) limit(`more-${n}`)
    expect(limit('first')).toBeNull()
  })
})
