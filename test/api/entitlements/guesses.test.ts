import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guessesOf, WRONG_AT_ONCE } from '../../../api/entitlements/guesses.ts'

const at = (startMs = 0) => {
  const clock = { ms: startMs, nowMs: () => clock.ms }
  return { clock, guesses: guessesOf(clock, clock) }
}
const MINE = '10.0.0.1'

describe('CRD-03, ENT-09 who sends wrong secrets is slowed down', () => {
  test('thirty at once are free, then one every ten seconds', () => {
    const { clock, guesses } = at()
    for (let sent = 0; sent < WRONG_AT_ONCE; sent++) {
      expect(guesses.waitS(MINE)).toBe(0)
      guesses.count(MINE)
    }
    expect(guesses.waitS(MINE)).toBe(10)
    clock.ms += 9_999
    expect(guesses.waitS(MINE)).toBe(1)
    clock.ms += 1
    expect(guesses.waitS(MINE)).toBe(0)
    guesses.count(MINE)
    expect(guesses.waitS(MINE)).toBe(10)
  })

  test('by address, neighbours in one IPv6 /64 are one; whoever guesses nothing waits for nobody', () => {
    const { guesses } = at()
    for (let sent = 0; sent < WRONG_AT_ONCE; sent++) guesses.count('2001:0db8:0000:0001:0000:0000:0000:000a')
    expect(guesses.waitS('2001:0db8:0000:0001:ffff:0000:0000:0001')).toBe(10)
    expect(guesses.waitS('2001:0db8:0000:0002:0000:0000:0000:000a')).toBe(0)
    expect(guesses.waitS(MINE)).toBe(0)
  })

  test('never more than thirty and one each ten seconds, in whatever rhythm', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(25_000), { maxLength: 300 }), (pauses) => {
        const { clock, guesses } = at(1_000)
        let tried = 0
        for (const pause of pauses) {
          clock.ms += pause
          if (guesses.waitS(MINE) > 0) continue
          guesses.count(MINE)
          tried++
        }
        expect(tried).toBeLessThanOrEqual(WRONG_AT_ONCE + (clock.ms - 1_000) / 10_000)
      }),
    )
  })

  test('FAC-17 a clock that is set back locks nobody out', () => {
    const clock = { ms: 2_000_000_000_000, nowMs: () => clock.ms }
    const guesses = guessesOf(clock)
    guesses.count(MINE)
    clock.ms -= 3_600_000
    expect(guesses.waitS(MINE)).toBe(0)
    guesses.count(MINE)
    expect(guesses.waitS(MINE)).toBe(0)
  })

  test('one per clock: all routes of a process count together', () => {
    const { clock, guesses } = at()
    expect(guessesOf(clock)).toBe(guesses)
    expect(guessesOf({ nowMs: () => 0 })).not.toBe(guesses)
  })
})
