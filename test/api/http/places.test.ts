import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPlaces } from '../../../api/http/places.ts'

function openPlaces(max: number, each?: number) {
  const held = new Map<number, string>()
  let made = 0
  const places = createPlaces<number>({
    max,
    ...(each === undefined ? {} : { each }),
    onTaken: (taker) => held.delete(taker),
  })
  const come = (caller: string): boolean => {
    if (!places.hasRoom(caller)) return false
    places.take(caller, made)
    held.set(made++, caller)
    return true
  }
  const go = (taker: number): void => {
    const caller = held.get(taker)
    expect(places.leave(caller ?? 'nobody', taker)).toBe(held.delete(taker))
  }
  const count = (caller: string) => [...held.values()].filter((each) => each === caller).length
  return { come, go, held, count }
}

describe('places shared out among callers', () => {
  test.each([
    ['free places are whose who asks', 4, ['a', 'a', 'a', 'a'], { a: 4 }],
    [
      'who has one fewer than another has as many, and takes no more',
      3,
      ['a', 'a', 'b', 'b'],
      { a: 2, b: 1 },
    ],
    ['who has all gives half of them to another', 4, ['a', 'a', 'a', 'a', 'b', 'b', 'b'], { a: 2, b: 2 }],
    ['where everybody has one the next finds none', 2, ['a', 'b', 'c'], { a: 1, b: 1, c: 0 }],
  ])('%s', (_, max, callers, expected) => {
    const { come, count } = openPlaces(max)
    for (const caller of callers) come(caller)
    for (const [caller, places] of Object.entries(expected))
      expect([caller, count(caller)]).toEqual([caller, places])
  })

  test('nobody has more than each may, however many are free', () => {
    const { come, count } = openPlaces(10, 2)
    expect(['a', 'a', 'a'].map(come)).toEqual([true, true, false])
    expect(count('a')).toBe(2)
  })

  test('property: never more than there are; who is refused would have had as many as who has most', () => {
    const step = fc.oneof(
      fc.record({ caller: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ taker: fc.nat(40) }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 60 }), (max, steps) => {
        const { come, go, held, count } = openPlaces(max)
        for (const each of steps) {
          if ('taker' in each) go(each.taker)
          else if (!come(each.caller)) {
            const most = Math.max(...['a', 'b', 'c', 'd'].map(count))
            expect(held.size).toBe(max)
            expect(most).toBeLessThanOrEqual(count(each.caller) + 1)
          }
          expect(held.size).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})
