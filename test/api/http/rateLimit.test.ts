import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../api/http/exchange.ts'
import { limitedSocket } from '../../../api/http/limited.ts'
import type { Limit } from '../../../api/http/limits.ts'
import { createRateLimit, type RateLimit } from '../../../api/http/rateLimit.ts'

const clock = { atMs: 1_790_000_000_000, nowMs: () => clock.atMs }
const limitOf = (limit: Partial<Limit>): RateLimit =>
  createRateLimit({ name: 'test', covers: 'tests', burst: 1, perS: 1, ...limit }, clock)
/** The same, asked by address and agent. */
const takerOf = (limit: Partial<Limit>) => {
  const { take } = limitOf(limit)
  return (address: string, agentId = '') => take({ address, header: () => agentId })
}
const passes = (take: ReturnType<typeof takerOf>, address: string, times: number) =>
  Array.from({ length: times }, () => take(address) >= 0).filter(Boolean).length

describe('8. a bucket per address', () => {
  test('so many at once, then so many a minute, never more than a full bucket', () => {
    const take = takerOf({ burst: 4, perS: 4 / 60 })
    expect(Array.from({ length: 5 }, () => take('1.2.3.4'))).toEqual([3, 2, 1, 0, -15])
    clock.atMs += 1
    expect(take('1.2.3.4')).toBe(-15) //  whole seconds, after which it is not refused again
    clock.atMs += 14_998
    expect(take('1.2.3.4')).toBe(-1)
    clock.atMs += 1
    expect(passes(take, '1.2.3.4', 10)).toBe(1)
    clock.atMs += 3_600_000
    expect(passes(take, '1.2.3.4', 10)).toBe(4)
  })

  test('a caller does not wait for another', () => {
    const take = takerOf({ perS: 2 })
    expect([take('a'), take('a'), take('b')]).toEqual([0, -1, 0])
    clock.atMs += 499
    expect(take('a')).toBe(-1)
    clock.atMs += 1
    expect(take('a')).toBe(0)
  })

  test.each([
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:0db8:0000:0001:ffff:0000:0000:0002', true],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:0db8:0000:0002:0000:0000:0000:0001', false],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2a00:0db8:0000:0001:0000:0000:0000:0001', false],
    ['0000:0000:0000:0000:0000:ffff:0102:0304', '0000:0000:0000:0000:0000:ffff:0102:0305', false],
    ['1.2.3.4', '1.2.3.5', false],
  ])('%s and %s share one: %s', (one, other, shared) => {
    const take = takerOf({})
    take(one)
    expect(take(other) < 0).toBe(shared)
  })

  test('is bounded: 10,000 callers are remembered, and of 20,000 more the longest quiet one is forgotten', () => {
    const take = takerOf({ perS: 0.001 })
    take('first')
    for (let n = 0; n < 9_999; n++) take(`other-${n}`)
    expect(take('first')).toBeLessThan(0)
    take('one more')
    expect(take('first')).toBeLessThan(0)
    for (let n = 0; n < 20_000; n++) take(`more-${n}`)
    expect(take('first')).toBe(0)
  })

  test('a clock that is set back locks nobody out', () => {
    const take = takerOf({ burst: 2 })
    take('a')
    clock.atMs -= 86_400_000
    expect(take('a')).toBeGreaterThanOrEqual(0)
    clock.atMs += 86_400_000
  })

  test('property: in any time, never more than the burst and what has flown in since', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 300 }),
        (burst, perS, waits) => {
          const take = takerOf({ burst, perS })
          let [granted, passedMs] = [0, 0]
          for (const waitMs of waits) {
            clock.atMs += waitMs
            passedMs += waitMs
            if (take('a') >= 0) granted++
            expect(granted).toBeLessThanOrEqual(burst + (passedMs / 1_000) * perS + 0.001)
          }
        },
      ),
    )
  })
})

describe('design 4: of what is free, one agent at an address gets half', () => {
  const taker = () => takerOf({ burst: 4, perS: 1, byAgent: true })

  test('the other half is left for the agents beside it', () => {
    const take = taker()
    expect([1, 2, 3, 4, 5].map(() => take('a', 'greedy'))).toEqual([1, 0, -2, -2, -2])
    expect([take('a', 'other'), take('a', 'third')]).toEqual([1, 0])
    expect(take('a', 'fourth')).toBeLessThan(0) //  the address has had its four
  })

  test('an agent id is nobody else’s: the same at another address has its own bucket', () => {
    const take = taker()
    for (let n = 0; n < 4; n++) take('a', 'agent')
    expect(take('b', 'agent')).toBe(1)
  })

  test('an id that is longer than we take as one counts for its address alone', () => {
    const take = taker()
    const long = 'x'.repeat(129)
    expect([take('a', long), take('a', long), take('a', long)]).toEqual([3, 2, 1])
    const longest = 'x'.repeat(128)
    expect([take('b', longest), take('b', longest), take('b', longest)]).toEqual([1, 0, -2])
  })

  test('of an odd number it is the larger half: where one call is allowed, an agent has it too', () => {
    const [one, five] = [1, 5].map((burst) => takerOf({ burst, perS: 1, byAgent: true }))
    expect([one!('a', 'agent'), one!('a', 'agent')]).toEqual([0, -2])
    expect([1, 2, 3, 4].map(() => five!('a', 'agent'))).toEqual([2, 1, 0, -2])
  })
})

describe('callers are told apart when the process is busy', () => {
  const taker = () => takerOf({ burst: 5, perS: 5, whenBusy: true })
  const granted = (take: ReturnType<typeof takerOf>, address: string, times: number) =>
    passes(take, address, times)

  test('nobody is looked at while all together stay within what one may', () => {
    const { take } = limitOf({ burst: 5, perS: 5, whenBusy: true })
    const unseen = {
      get address(): string {
        throw new Error('looked at')
      },
      header: () => '',
    }
    for (let second = 0; second < 3; second++, clock.atMs += 1_000)
      for (let n = 0; n < 5; n++) expect(take(unseen)).toBe(5)
    for (let n = 0; n < 5; n++) take(unseen)
    expect(() => take(unseen)).toThrow('looked at')
  })

  test('who floods has his burst twice at most, and then no more than flows in; others go on', () => {
    const take = taker()
    expect(granted(take, 'flood', 100)).toBe(10)
    for (let second = 0; second < 5; second++) {
      clock.atMs += 1_000
      expect(granted(take, 'flood', 100)).toBe(5)
      expect(granted(take, 'other', 3)).toBe(3)
    }
    clock.atMs += 2_000
    expect(granted(take, 'flood', 5)).toBe(5)
  })

  test('a flood is over when a second has passed in which nobody called: nobody is looked at then', () => {
    const { take } = limitOf({ burst: 5, perS: 5, whenBusy: true })
    const looksAfter = (quietMs: number) => {
      for (let n = 0; n < 20; n++) take({ address: 'flood', header: () => '' })
      clock.atMs += quietMs
      let looks = 0
      take({
        get address() {
          looks++
          return 'other'
        },
        header: () => '',
      })
      return looks
    }
    expect([1_000, 1_999, 2_000, 2_500].map(looksAfter)).toEqual([1, 1, 0, 0])
  })

  test('a clock that is set back changes nothing', () => {
    const take = taker()
    granted(take, 'a', 100)
    clock.atMs -= 3_600_000
    expect(granted(take, 'b', 3)).toBe(3)
    clock.atMs += 3_600_000
  })
})

test('an upgrade beyond the limit is refused with both headers; the last within it is accepted', () => {
  const accepted = { status: 101, headers: [], body: '' }
  const route = { path: '/feed', maxMessageBytes: 9, accept: () => accepted }
  const { accept, ...others } = limitedSocket(limitOf({ burst: 3, perS: 2 }), route)
  const request = { address: 'a', header: () => 'x' } as unknown as HttpRequest
  expect(others).toEqual({ path: '/feed', maxMessageBytes: 9 })
  expect([1, 2, 3].map(() => accept(request))).toEqual([accepted, accepted, accepted])
  expect(accept(request)).toMatchObject({
    status: 429,
    headers: expect.arrayContaining([
      ['retry-after', '1'],
      ['ratelimit-policy', '"test";q=3;w=2'],
      ['ratelimit', '"test";r=0;t=2'],
    ]),
  })
})
