import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TopList } from '../../../../engine/core/boards/topList.ts'

type Item = { id: number; rank: number }
const byId = (x: Item, y: Item) => x.id - y.id

test('whatever comes, goes and is replaced: what all items sorted would begin with', () => {
  const step = fc.record({ id: fc.nat(30), rank: fc.nat(6), goes: fc.boolean(), asked: fc.nat(9) })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 300 }), (max, steps) => {
      const all = new Map<number, Item>()
      const list = new TopList<Item>(max, ({ rank }) => rank, byId)
      for (const { id, rank, goes, asked } of steps) {
        const before = all.get(id)
        if (before !== undefined) list.delete(before)
        all.delete(id)
        if (!goes) {
          all.set(id, { id, rank })
          list.add(all.get(id)!)
        }
        if (asked > 0) continue
        const sorted = [...all.values()].sort((x, y) => y.rank - x.rank || byId(x, y))
        expect(list.best(all.values())).toEqual(sorted.slice(0, max))
        expect(list.size).toBe(all.size)
      }
    }),
  )
})

test('all items are read again only when the pool ran low', () => {
  const items = Array.from({ length: 1_000 }, (_, id) => ({ id, rank: id }))
  const list = new TopList<Item>(10, ({ rank }) => rank, byId)
  for (const item of items) list.add(item)
  let read = 0
  const all = function* () {
    read++
    yield* items
  }
  for (let turn = 0; turn < 10; turn++) {
    const moved = items.pop()!
    list.delete(moved)
    expect(list.best(all())[0]?.id).toBe(items.at(-1)!.id)
  }
  expect(read).toBe(0)
  for (let turn = 0; turn < 30; turn++) list.delete(items.pop()!)
  expect(list.best(all()).map(({ id }) => id)).toEqual(
    items
      .slice(-10)
      .reverse()
      .map(({ id }) => id),
  )
  expect(read).toBe(1)
})
