import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Deadlines } from '../../../../engine/core/boards/deadlines.ts'

test('each key is due once, at the earliest instant it was given, soonest first, the instant itself included', () => {
  const set = fc.record({ atMs: fc.nat(50), key: fc.nat(9), looks: fc.boolean() })
  fc.assert(
    fc.property(fc.array(set), (sets) => {
      const deadlines = new Deadlines<number>()
      const waiting = new Map<number, number>()
      let nowMs = 0
      for (const { atMs, key, looks } of sets) {
        deadlines.set(atMs, key)
        waiting.set(key, Math.min(atMs, waiting.get(key) ?? Number.POSITIVE_INFINITY))
        if (!looks) continue
        nowMs += 7
        const due = [...deadlines.due(nowMs)]
        const expected = [...waiting].filter(([, ms]) => ms <= nowMs)
        expect(due.map((each) => waiting.get(each)!)).toEqual(
          expected.map(([, ms]) => ms).sort((x, y) => x - y),
        )
        expect(due.toSorted()).toEqual(expected.map(([each]) => each).sort())
        for (const each of due) waiting.delete(each)
        expect(deadlines.size).toBe(waiting.size)
      }
    }),
  )
})
