import { describe, expect, test } from 'vitest'
import { followOrder, readOrder } from '../../api/listOrder.ts'

const before = { rows: Int32Array.of(5, 6, 7, 8) }
const orderAfter = (runs: number[]) => [...followOrder(before, JSON.stringify({ rows: runs })).rows!]

describe('an order is told by the one before', () => {
  test.each([
    [[], []],
    [
      [9, 5],
      [9, 5],
    ],
    [
      [-4, 0],
      [5, 6, 7, 8],
    ],
    [
      [-2, 2, 9, -1, 0],
      [7, 8, 9, 5],
    ],
    [
      [-4, 0, -4, 0],
      [5, 6, 7, 8, 5, 6, 7, 8],
    ],
  ])('%j: %j', (runs, slots) => {
    expect(orderAfter(runs)).toEqual(slots)
  })

  test.each([[[-5, 0]], [[-1, 4]], [[-1, -1]], [[-2]], [[-1, 1.5]], [['0' as unknown as number]]])(
    '%j is refused',
    (runs) => {
      expect(() => orderAfter(runs)).toThrow()
    },
  )

  test('lines one after the other; a list that a line does not name stays', () => {
    const text = '7 {"a":[1,2],"b":[3]}\n9 {"a":[-1,1,4]}\n'
    expect(readOrder(text)).toEqual({
      orderAt: 9,
      orders: { a: Int32Array.of(2, 4), b: Int32Array.of(3) },
    })
    expect(readOrder('')).toEqual({ orderAt: 0, orders: {} })
  })
})
