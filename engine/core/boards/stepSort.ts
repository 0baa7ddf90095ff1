/** So many are put in order, or merged, between two steps. */
const STEP_ITEMS = 2_000

type Compare = (x: number, y: number) => number

/**
 * Sorts, in steps between which others may run; what the numbers stand for must hold still meanwhile.
 * @param items written over.
 * @param compare negative when the first is to come first.
 */
export function* stepSort(
  items: Int32Array<ArrayBuffer>,
  compare: Compare,
  stepItems = STEP_ITEMS,
): Generator<void, Int32Array> {
  for (let from = 0; from < items.length; from += stepItems) {
    items.subarray(from, from + stepItems).sort(compare)
    yield
  }
  let [from, to] = [items, new Int32Array(items.length)]
  for (let run = stepItems; run < items.length; run *= 2) {
    yield* mergeRuns(from, to, run, compare, stepItems)
    ;[from, to] = [to, from]
  }
  return from
}

/** Each two neighbouring runs of that length become one. */
function* mergeRuns(
  from: Int32Array,
  to: Int32Array,
  run: number,
  compare: Compare,
  stepItems: number,
): Generator<void> {
  for (let written = 0; written < from.length; ) {
    let x = written
    const middle = Math.min(x + run, from.length)
    let y = middle
    const end = Math.min(middle + run, from.length)
    while (written < end) {
      const isFirst = y === end || (x < middle && compare(from[x]!, from[y]!) <= 0)
      to[written++] = isFirst ? from[x++]! : from[y++]!
      if (written % stepItems === 0) yield
    }
  }
}
