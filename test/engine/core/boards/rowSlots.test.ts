import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followOrder } from '../../../../api/listOrder.ts'
import type { RowLine } from '../../../../engine/core/boards/keptRows.ts'
import { RowSlots } from '../../../../engine/core/boards/rowSlots.ts'
import { listener } from './listener.ts'

type Row = { id: string; value: number }
const rowsOf = (ids: readonly number[], value = 0): Row[] => ids.map((id) => ({ id: `r${id}`, value }))
const count = (length: number) => rowsOf([...Array(length).keys()])
const slots = () => new RowSlots<Row>(({ id }) => id)

const linesOf = (lines: Iterable<RowLine>) => [...lines].map((parts) => parts.join(''))

describe('a long list says what changed since it was published', () => {
  test.each([0, 1, 2, 100])('%d rows, and nothing when nothing did', (length) => {
    const rows = count(length)
    const list = slots().update(rows)
    expect([list.count, list.changed]).toEqual([length, length])
    expect(listener(list)()).toEqual(rows)
    list.update([...rows])
    expect([list.changed, list.runs()]).toEqual([0, null])
  })

  test('a row that is replaced in its place is one line, and the order stays', () => {
    const rows = count(100)
    const list = slots().update(rows)
    list.settle()
    list.update(rows.with(40, { id: 'r40', value: 7 }))
    expect(linesOf(list.changes())).toEqual(['40 {"id":"r40","value":7}'])
    expect(list.runs()).toBeNull()
  })

  test('a row that changes its rank only is no line, and a few numbers however long the list is', () => {
    const rows = count(10_000)
    const list = slots().update(rows)
    list.settle()
    list.update(rows.toSpliced(20, 1).toSpliced(9_000, 0, rows[20]!))
    expect(linesOf(list.changes())).toEqual([])
    expect(JSON.parse(list.runs()!)).toEqual([-20, 0, -8_980, 21, 20, -999, 9_001])
  })

  test('what changed and was not published stays changed, however often the list is taken', () => {
    const rows = count(3)
    const list = slots().update(rows)
    const told = listener(list)
    told()
    list.update(rows.with(0, { id: 'r0', value: 1 }))
    list.update(rows.slice(1))
    list.update(rows.slice(1))
    expect(told()).toEqual(rows.slice(1))
    list.update(rows.slice(0, 2))
    list.update(rows.slice(0, 2).toReversed())
    expect(told()).toEqual(rows.slice(0, 2).toReversed())
  })

  test('a slot that became empty is used again', () => {
    const list = slots().update(count(3))
    list.settle()
    list.update(rowsOf([0, 2]))
    list.settle()
    list.update(rowsOf([0, 2, 7]))
    expect(linesOf(list.changes())).toContain('1 {"id":"r7","value":0}')
  })

  test('a row that comes back after another of its id went leaves nothing behind of what lay there meanwhile', () => {
    const list = slots()
    const told = listener(list)
    const [first, other] = [rowsOf([0]), rowsOf([1])]
    for (const rows of [first, rowsOf([0], 7), other, first]) {
      list.update(rows)
      expect(told()).toEqual(rows)
    }
  })

  test('whatever came, went, moved and was published: a reader that follows has what was given last', () => {
    const ids = fc.uniqueArray(fc.nat(60), { maxLength: 50 })
    const change = fc.record({ ids, fresh: fc.array(fc.nat(60)), publish: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const list = slots()
        const told = listener(list)
        const known = new Map<number, Row>()
        for (const [at, { ids, fresh, publish }] of changes.entries()) {
          for (const id of fresh) known.delete(id)
          const rows = ids.map((id) => {
            const row = known.get(id) ?? { id: `r${id}`, value: at }
            known.set(id, row)
            return row
          })
          list.update(rows)
          expect(JSON.parse(list.inline())).toEqual(rows)
          expect(linesOf(list.all())).toHaveLength(rows.length)
          if (publish) expect(told()).toEqual(rows)
        }
      }),
    )
  })

  test('all of the order says the same as what it was told by', () => {
    const list = slots().update(count(5))
    list.settle()
    list.update(rowsOf([4, 0, 1, 9]))
    const before = { rows: Int32Array.of(0, 1, 2, 3, 4) }
    const of = (runs: string) => [...followOrder(before, `{"rows":${runs}}`).rows!]
    expect(of(list.order())).toEqual(of(list.runs()!))
  })
})
