import { expect } from 'vitest'
import { followOrder } from '../../../../api/listOrder.ts'
import type { KeptRows } from '../../../../engine/core/boards/keptRows.ts'

/** A reader that is told what changes. */
export function listener<Row>(list: KeptRows) {
  const rows = new Map<string, Row>()
  let order: Int32Array = new Int32Array()
  return () => {
    for (const parts of list.changes()) {
      const line = parts.join('')
      const [slot, text] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]
      if (text === '') rows.delete(slot)
      else rows.set(slot, JSON.parse(text))
    }
    const runs = list.runs()
    if (runs !== null) order = followOrder({ rows: order }, `{"rows":${runs}}`).rows!
    list.settle()
    expect(rows.size).toBe(order.length)
    return [...order].map((slot) => rows.get(`${slot}`))
  }
}
