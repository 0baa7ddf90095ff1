import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PART_ROWS } from '../../../../engine/contract/snapshot.ts'
import { RowParts } from '../../../../engine/core/boards/rowParts.ts'
import { takeSome } from '../../support/steps.ts'

type Row = { id: string; value: number }
const rowsOf = (ids: readonly number[], value = 0): Row[] => ids.map((id) => ({ id: `r${id}`, value }))
const parts = () => new RowParts<Row>(({ id }) => id)
const digests = (list: RowParts<Row>) => list.parts.map(({ digest }) => digest)

/** As a reader puts it together. */
const read = (list: RowParts<Row>): Row[] => {
  const texts = list.parts.map((part): (Row | null)[] => JSON.parse(part.text()))
  return list.order.map((slot) => texts[Math.floor(slot / PART_ROWS)]![slot % PART_ROWS]!)
}

describe('a long list in parts of PART_ROWS rows', () => {
  test.each([0, 1, PART_ROWS - 1, PART_ROWS, PART_ROWS + 1, 3 * PART_ROWS])('%d rows', (count) => {
    const rows = rowsOf([...Array(count).keys()])
    const list = parts().update(rows)
    expect(list.parts).toHaveLength(Math.ceil(count / PART_ROWS))
    expect(read(list)).toEqual(rows)
    expect(JSON.parse(list.inline())).toEqual(rows)
  })

  test('a row that changes rank only moves in the order: no part changes', () => {
    const rows = rowsOf([...Array(100).keys()])
    const list = parts().update(rows)
    const before = digests(list)
    list.update(rows.toReversed())
    expect(digests(list)).toEqual(before)
    expect(read(list)).toEqual(rows.toReversed())
  })

  test('written ahead, in part or wholly, it is the same list', () => {
    const rows = rowsOf([...Array(3 * PART_ROWS).keys()])
    const plain = parts().update(rows)
    for (const steps of [0, 1, 3]) {
      const list = parts()
      takeSome(list.approach(rows), steps)
      list.update(rows)
      expect([digests(list), list.length, list.manifest()]).toEqual([
        digests(plain),
        plain.length,
        plain.manifest(),
      ])
      expect(read(list)).toEqual(rows)
    }
  })

  test('a row that is replaced changes its part alone', () => {
    const rows = rowsOf([...Array(3 * PART_ROWS + 1).keys()])
    const list = parts().update(rows)
    const before = digests(list)
    list.update(rows.with(PART_ROWS, { id: `r${PART_ROWS}`, value: 7 }))
    expect(digests(list).map((digest, at) => digest === before[at])).toEqual([true, false, true, true])
  })

  test('a list that shrank is packed anew', () => {
    const rows = rowsOf([...Array(400).keys()])
    const list = parts().update(rows)
    list.update(rows.slice(0, PART_ROWS))
    expect(list.parts).toHaveLength(1)
    expect(read(list)).toEqual(rows.slice(0, PART_ROWS))
  })

  test('a row that went is in no part', () => {
    const rows = rowsOf([...Array(PART_ROWS + 4).keys()])
    const list = parts().update(rows)
    list.update(rows.toSpliced(PART_ROWS + 1, 1))
    expect(list.parts.map((part) => part.text().includes(`"r${PART_ROWS + 1}"`))).toEqual([false, false])
  })

  test('whatever came and went: what is read is what was given last, and parts are named after their text', () => {
    const ids = fc.uniqueArray(fc.nat(150), { maxLength: 120 })
    const change = fc.record({ ids, fresh: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const list = parts()
        const known = new Map<number, Row>()
        const texts = new Map<string, string>()
        for (const [at, { ids, fresh }] of changes.entries()) {
          const rows = ids.map((id) => {
            const row = (fresh ? undefined : known.get(id)) ?? { id: `r${id}`, value: at }
            known.set(id, row)
            return row
          })
          list.update(rows)
          expect(read(list)).toEqual(rows)
          expect(JSON.parse(list.inline())).toEqual(rows)
          for (const part of list.parts) {
            expect(texts.get(part.digest) ?? part.text()).toBe(part.text())
            texts.set(part.digest, part.text())
          }
        }
      }),
    )
  })
})
