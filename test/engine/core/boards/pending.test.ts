import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pending } from '../../../../engine/core/boards/pending.ts'

test('what waits is taken once, in the order it came, and then waits no longer', () => {
  const pending = new Pending<string>()
  for (const key of ['b', 'a', 'b']) pending.add(key)
  expect(pending.size).toBe(2)
  expect([...pending.take()]).toEqual(['b', 'a'])
  expect([...pending.take(), pending.size]).toEqual([0])
})

test('what comes while others are taken is left for the next time, also when it is one of those', () => {
  const pending = new Pending<string>()
  for (const key of ['a', 'b']) pending.add(key)
  const taken: string[] = []
  for (const key of pending.take()) {
    taken.push(key)
    pending.add('a')
  }
  expect([taken, [...pending.take()]]).toEqual([['a', 'b'], ['a']])
})

test('two that take in turns share what there is, and one that stops loses nothing', () => {
  const pending = new Pending<number>()
  for (const key of [1, 2, 3, 4]) pending.add(key)
  const slow = pending.take()
  expect(slow.next().value).toBe(1)
  expect([...pending.take()]).toEqual([2, 3, 4])
  expect(slow.next().done).toBe(true)
})

test('whoever adds and takes in whatever order: every key added is taken at least once behind its last adding', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key: fc.nat(6) }),
    fc.record({ kind: fc.constant('take' as const), most: fc.nat(5) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pending = new Pending<number>()
      const waiting = new Set<number>()
      const takers = [pending.take()]
      for (const each of steps) {
        if (each.kind === 'add') {
          pending.add(each.key)
          waiting.add(each.key)
          continue
        }
        const taker = each.most % 2 === 0 ? pending.take() : takers[0]!
        for (let taken = 0; taken < each.most; taken++) {
          const { done, value } = taker.next()
          if (done) break
          waiting.delete(value)
        }
      }
      const before = pending.size
      expect(before).toBeGreaterThanOrEqual(waiting.size)
      const rest = [...pending.take()]
      expect(rest).toHaveLength(before)
      for (const key of rest) waiting.delete(key)
      expect([waiting.size, pending.size]).toEqual([0, 0])
    }),
  )
})
