import { z } from 'zod'
import { OrderRuns } from '../engine/contract/snapshot.ts'
import { quickParse } from '../ops/quickCheck.ts'

/** List → its slots, best row first. */
export type Orders = Readonly<Record<string, Int32Array>>

const runsOf = quickParse(OrderRuns)
const Line = z.record(z.string(), z.unknown())

/**
 * Parses a stored order, line by line.
 * @returns orderAt: the version that changed it last; 0 when nothing is stored.
 * @throws ZodError, SyntaxError, RangeError when the text is not an order.
 */
export function readOrder(text: string): { orders: Orders; orderAt: number } {
  let [orders, orderAt]: [Orders, number] = [{}, 0]
  for (const line of text.split('\n')) {
    if (line === '') continue
    const blank = line.indexOf(' ')
    orderAt = Number(line.slice(0, blank))
    orders = followOrder(orders, line.slice(blank + 1))
  }
  return { orders, orderAt }
}

/** The orders after one more line. @throws as above. */
export function followOrder(before: Orders, line: string): Orders {
  const told = Object.entries(Line.parse(JSON.parse(line)))
  return {
    ...before,
    ...Object.fromEntries(told.map(([key, runs]) => [key, followRuns(before[key], runsOf(runs))])),
  }
}

function followRuns(before: Int32Array = new Int32Array(), runs: readonly number[]): Int32Array {
  let length = 0
  for (let at = 0; at < runs.length; at++) length += runs[at]! < 0 ? -runs[at++]! : 1
  const order = new Int32Array(length)
  for (let [at, rank] = [0, 0]; at < runs.length; at++) {
    const run = runs[at]!
    if (run >= 0) order[rank++] = run
    else {
      const from = runs[++at] ?? -1
      if (from < 0 || from - run > before.length) throw new RangeError(`no ${-run} slots at rank ${from}`)
      order.set(before.subarray(from, from - run), rank)
      rank -= run
    }
  }
  return order
}
