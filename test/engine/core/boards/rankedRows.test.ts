import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RankedRows } from '../../../../engine/core/boards/rankedRows.ts'
import { listener } from './listener.ts'

type Row = { id: string; value: number; note?: string }
const compare = (x: Row, y: Row) => y.value - x.value || (x.id === y.id ? 0 : x.id < y.id ? -1 : 1)
const ranked = (max?: number) =>
  new RankedRows<Row>({
    idOf: ({ id }) => id,
    compare,
    toldOf: (row) => row,
    ...(max === undefined ? {} : { max }),
  })
const row = (id: number, value: number): Row => ({ id: `r${id}`, value })
const listOf = (rows: readonly Row[], max?: number) => {
  const list = ranked(max)
  for (const each of rows) list.add(each)
  return list.sort()
}

describe('a long list kept in its order', () => {
  test('the largest first, whatever the order they came in', () => {
    const rows = [row(1, 5), row(2, 9), row(3, 5)]
    expect([...listOf(rows)]).toEqual([rows[1], rows[0], rows[2]])
  })

  test('nothing is told when nothing moved, and a row that went and came is none', () => {
    const list = listOf([row(1, 5), row(2, 9)])
    list.settle()
    const [first] = list
    list.delete(first!)
    list.add(first!)
    list.sort()
    expect([list.changed, list.runs()]).toEqual([0, null])
  })

  test('a row replaced by one of its rank is one line, and the order stays', () => {
    const rows = [row(1, 9), row(2, 5), row(3, 1)]
    const list = listOf(rows)
    const [, second] = list.all()
    list.settle()
    list.delete(rows[1]!)
    list.add({ ...row(2, 5), note: 'other' })
    list.sort()
    const [slot, json] = second!
    expect([...list.changes()]).toEqual([[slot, json!.replace('}', ',"note":"other"}')]])
    expect(list.runs()).toBeNull()
  })

  test('only the best are published: who leaves them is told as gone, who comes among them as new', () => {
    const rows = [row(1, 9), row(2, 8), row(3, 7), row(4, 6)]
    const list = listOf(rows, 2)
    const told = listener<Row>(list)
    expect(told()).toEqual(rows.slice(0, 2))
    expect([list.count, [...list]]).toEqual([2, rows.slice(0, 2)])
    list.delete(rows[0]!)
    list.sort()
    expect([list.changed, told()]).toEqual([2, rows.slice(1, 3)])
    //  changes below the best are not told
    list.delete(rows[3]!)
    list.add(row(4, 6.5))
    list.sort()
    expect([list.changed, list.runs()]).toEqual([0, null])
    const best = [row(5, 11), row(6, 10)]
    for (const each of best) list.add(each)
    list.sort()
    expect([list.changed, told()]).toEqual([4, best])
  })

  test('begun anew it tells what is different then', () => {
    const list = listOf([row(1, 9), row(2, 8)])
    const told = listener<Row>(list)
    told()
    list.clear()
    expect([list.count, list.changed]).toEqual([0, 2])
    list.add(row(2, 3))
    list.sort()
    expect(told()).toEqual([row(2, 3)])
  })

  test('whatever came, went, moved, began anew and was published: a reader that follows has the best as they are', () => {
    const change = fc.record({
      puts: fc.array(fc.tuple(fc.nat(30), fc.nat(9)), { maxLength: 12 }),
      goes: fc.array(fc.nat(30)),
      clear: fc.nat(9),
      publish: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.nat(20), fc.array(change, { maxLength: 15 }), (max, changes) => {
        const list = ranked(max)
        const told = listener<Row>(list)
        const known = new Map<number, Row>()
        const leave = (id: number) => {
          const before = known.get(id)
          if (before !== undefined) list.delete(before)
          known.delete(id)
        }
        for (const { puts, goes, clear, publish } of changes) {
          if (clear === 0) {
            list.clear()
            for (const each of known.values()) list.add(each)
          }
          for (const id of goes) leave(id)
          for (const [id, value] of puts) {
            leave(id)
            known.set(id, row(id, value))
            list.add(known.get(id)!)
          }
          list.sort()
          const best = [...known.values()].sort(compare).slice(0, max)
          expect([...list]).toEqual(best)
          expect(JSON.parse(list.inline())).toEqual(best)
          expect([[...list.all()].length, list.count]).toEqual([best.length, best.length])
          if (publish) expect(told()).toEqual(best)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('whatever moved: with the best go those that are always told, and one that only moved is not told anew', () => {
    const put = fc.record({ id: fc.nat(20), value: fc.nat(9), isKept: fc.boolean(), goes: fc.boolean() })
    type Kept = { id: string; value: number; isKept: boolean }
    const toldOf = ({ id, isKept }: Kept) => ({ id, isKept })
    fc.assert(
      fc.property(fc.nat(8), fc.array(fc.array(put, { maxLength: 10 }), { maxLength: 15 }), (max, looks) => {
        const list = new RankedRows<Kept, ReturnType<typeof toldOf>>({
          idOf: ({ id }) => id,
          compare,
          toldOf,
          saysTheSame: (x, y) => x.isKept === y.isKept,
          max,
          isAlwaysTold: ({ isKept }) => isKept,
        })
        const told = listener<ReturnType<typeof toldOf>>(list)
        const known = new Map<string, Kept>()
        let before = new Map<string, boolean>()
        for (const puts of looks) {
          for (const { id, value, isKept, goes } of puts) {
            const was = known.get(`${id}`)
            if (was !== undefined) list.delete(was)
            known.delete(`${id}`)
            if (goes) continue
            known.set(`${id}`, { id: `${id}`, value, isKept })
            list.add(known.get(`${id}`)!)
          }
          list.sort()
          const all = [...known.values()].sort(compare)
          const best = all.filter(({ isKept }, rank) => rank < max || isKept).map(toldOf)
          const now = new Map(best.map(({ id, isKept }) => [id, isKept]))
          const gone = [...before.keys()].filter((id) => !now.has(id)).length
          const other = best.filter(({ id, isKept }) => before.get(id) !== isKept).length
          //  a slot that one row leaves and another takes is told once
          expect(list.changed).toBeLessThanOrEqual(gone + other)
          expect(list.count).toBe(best.length)
          expect(told()).toEqual(best)
          before = now
        }
      }),
      { numRuns: 500 },
    )
  })
})
