import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstOf, inPlace, PlacedRows } from '../../api/placedRows.ts'
import { SlotRows } from '../../api/slotRows.ts'

type Row = { value: number }
type Change = [slot: number, row: Row | undefined]

/** The same changes made to a plain array. */
function mirror(rows: readonly (Row | undefined)[], changes: readonly Change[]): (Row | undefined)[] {
  const copy = [...rows]
  for (const [slot, row] of changes) copy[slot] = row
  return Array.from(copy)
}

const change = fc.tuple(
  fc.oneof(fc.nat(20), fc.integer({ min: 250, max: 260 }), fc.nat(3_000)), //  within a page, at its edge, far off
  fc.option(fc.record({ value: fc.nat() }), { nil: undefined }),
)
const versions = fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 12 })

describe('rows by slot', () => {
  test('a version says what an array says; those before it stay as they were, whatever comes', () => {
    fc.assert(
      fc.property(versions, (all) => {
        const taken: { rows: SlotRows<Row>; plain: (Row | undefined)[] }[] = []
        let [rows, plain] = [SlotRows.none<Row>(), [] as (Row | undefined)[]]
        for (const changes of all) {
          ;[rows, plain] = [rows.with(changes), mirror(plain, changes)]
          taken.push({ rows, plain })
        }
        for (const { rows, plain } of taken) {
          expect(rows.size).toBeGreaterThanOrEqual(plain.length)
          const slots = Array.from({ length: rows.size + 2 }, (_, slot) => slot)
          expect(slots.filter((slot) => rows.at(slot) !== plain[slot])).toEqual([])
        }
      }),
    )
  })

  test('differences between two versions are the slots whose rows are other objects, each once', () => {
    fc.assert(
      fc.property(versions, versions, (earlier, later) => {
        const following = (from: SlotRows<Row>, all: Change[][]) =>
          all.reduce((rows, changes) => rows.with(changes), from)
        const before = following(SlotRows.none<Row>(), earlier)
        const now = following(before, later)
        const wanted = Array.from({ length: Math.max(before.size, now.size) }, (_, slot) => slot).filter(
          (slot) => before.at(slot) !== now.at(slot),
        )
        expect([...now.differences(before)].flat()).toEqual(wanted)
        expect([...before.differences(now)].flat()).toEqual(wanted)
      }),
    )
  })

  test('where nothing changed nothing is looked at: pages are shared', () => {
    const rows = inPlace(Array.from({ length: 3_000 }, (_, value) => ({ value }))).bySlot
    expect([...rows.with([]).differences(rows)]).toEqual([])
    expect([...rows.with([[1_000, { value: -1 }]]).differences(rows)]).toEqual([[1_000]])
  })
})

describe('a list in its order', () => {
  const rows = Array.from({ length: 600 }, (_, value) => ({ value }))
  const turned = new PlacedRows(Int32Array.from(rows.keys()).reverse(), inPlace(rows).bySlot)

  test('is read like an array', () => {
    const wanted = rows.toReversed()
    expect([...turned]).toEqual(wanted)
    expect(turned.length).toBe(600)
    expect(turned.at(1)).toBe(rows[598])
    for (const [from, to] of [
      [0, 3],
      [590, 700],
      [600, 601],
    ] as const)
      expect(turned.slice(from, to)).toEqual(wanted.slice(from, to))
    expect(turned.find(({ value }) => value < 10)).toBe(rows[9])
    expect(turned.find(({ value }) => value < 0)).toBeUndefined()
  })

  test('a slot without a row is refused', () => {
    expect(() => new PlacedRows(Int32Array.of(0, 600), inPlace(rows).bySlot)).toThrow(RangeError)
    expect(() => new PlacedRows(Int32Array.of(0, 5), inPlace(rows).bySlot.with([[5, undefined]]))).toThrow(
      RangeError,
    )
  })

  test('the first of those that are wanted, in the order of the list; no more are looked at', () => {
    let looked = 0
    const isEven = ({ value }: Row) => {
      looked++
      return value % 2 === 0
    }
    expect(firstOf(turned, 2, isEven)).toEqual([{ value: 598 }, { value: 596 }])
    expect(looked).toBe(4)
    expect(firstOf(turned, 1_000, isEven)).toHaveLength(300)
    expect(firstOf(turned, 0, isEven)).toEqual([])
  })
})
