import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Memo, sharedList } from '../../ops/memo.ts'

describe('what was made of a text is remembered', () => {
  test.each([
    ['an object', { upper: 'A' }],
    ['null', null],
    ['false', false],
  ])('%s is made once', (_what, made) => {
    const memo = new Memo<unknown>(10)
    let times = 0
    const make = () => {
      times++
      return made
    }
    expect([memo.of('a', make), memo.of('a', make)]).toEqual([made, made])
    expect(times).toBe(1)
  })

  test('it holds at most its bound, and says the same whatever it forgot', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 2 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        (texts, bound) => {
          const memo = new Memo<string>(bound)
          for (const text of texts) {
            expect(memo.of(text, (asked) => `${asked}!`)).toBe(`${text}!`)
            expect(memo.size).toBeLessThanOrEqual(bound)
          }
        },
      ),
    )
  })

  test('a text of 257 units is made each time and not kept, one of 256 is kept', () => {
    const memo = new Memo<object>(2)
    const make = () => ({})
    const [long, short] = ['x'.repeat(257), 'x'.repeat(256)]
    expect(memo.of(long, make)).not.toBe(memo.of(long, make))
    expect(memo.size).toBe(0)
    expect(memo.of(short, make)).toBe(memo.of(short, make))
  })

  test('full, it starts anew', () => {
    const memo = new Memo<object>(2)
    const first = memo.of('a', () => ({}))
    memo.of('b', () => ({}))
    expect(memo.of('a', () => ({}))).toBe(first)
    memo.of('c', () => ({}))
    expect(memo.size).toBe(1)
    expect(memo.of('a', () => ({}))).not.toBe(first)
  })
})

describe('lists that read the same are one', () => {
  test('the same object for the same items, and no other', () => {
    expect(sharedList([1, 2])).toBe(sharedList([1, 2]))
    expect(sharedList(['>2', '<3'])).toBe(sharedList(['>2', '<3']))
    expect(sharedList([])).toBe(sharedList([]))
  })

  test.each([
    [[12], [1, 2]],
    [['1'], [1]],
    [['1', '2'], ['1,2']],
    [
      [2, 1],
      [1, 2],
    ],
    [[''], []],
  ])('%j is not %j', (x, y) => {
    expect([sharedList<string | number>(x), sharedList<string | number>(y)]).toEqual([x, y])
  })

  test('a shared list says what was given, also when the giver changes its own', () => {
    const item = fc.oneof(
      fc.array(fc.double({ noNaN: true }).map((value) => value + 0)),
      fc.array(fc.stringMatching(/^[ -~]*$/)),
    )
    fc.assert(
      fc.property(item, (list: (string | number)[]) => {
        const given = [...list]
        const shared = sharedList(given)
        given.push('more')
        expect(shared).toEqual(list)
      }),
    )
  })

  test('nobody can change one', () => {
    const shared = sharedList([1]) as number[]
    expect(() => shared.push(2)).toThrow(TypeError)
    expect(() => (sharedList<number>([]) as number[]).push(2)).toThrow(TypeError)
  })
})
