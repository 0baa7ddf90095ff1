import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Deadlines } from '../../../../engine/core/boards/deadlines.ts'
import { NearDeadlines } from '../../../../engine/core/boards/nearDeadlines.ts'

test('says at every look what deadlines say that remember everything, whatever the window', () => {
  const step = fc.record({
    atMs: fc.option(fc.nat(60)),
    key: fc.nat(9),
    passes: fc.option(fc.nat(9)),
  })
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 20 }), (steps, windowMs) => {
      const all = new Map<number, number | null>()
      const near = new NearDeadlines<number>(function* () {
        for (const [key, atMs] of all) yield [atMs, key]
      }, windowMs)
      const plain = new Deadlines<number>()
      let nowMs = 0
      for (const { atMs, key, passes } of steps) {
        //  a key keeps its instant until that has come
        if (!all.has(key)) {
          all.set(key, atMs)
          near.set(atMs, key)
          if (atMs !== null) plain.set(atMs, key)
        }
        if (passes === null) continue
        nowMs += passes
        const due = [...plain.due(nowMs)].sort()
        expect([...near.due(nowMs)].sort()).toEqual(due)
        for (const each of due) all.delete(each)
      }
    }),
  )
})
