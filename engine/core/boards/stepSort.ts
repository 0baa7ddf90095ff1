/** So many are put in order, or merged, between two steps. */
const STEP_ITEMS = 2_000

/**
 * Sorts a copy, in steps between which others may run; items must not change their places meanwhile.
 * @param compare negative when the first is to come first.
 */
export function* stepSort<T>(
  items: readonly T[],
  compare: (x: T, y: T) => number,
  stepItems = STEP_ITEMS,
): Generator<void, T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += stepItems) {
    runs.push(items.slice(from, from + stepItems).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(
        at + 1 === runs.length ? runs[at]! : yield* merge(runs[at]!, runs[at + 1]!, compare, stepItems),
      )
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<T>(
  xs: readonly T[],
  ys: readonly T[],
  compare: (x: T, y: T) => number,
  stepItems: number,
): Generator<void, T[]> {
  const merged: T[] = []
  for (let [x, y] = [0, 0]; x < xs.length || y < ys.length; ) {
    const isFirst = y === ys.length || (x < xs.length && compare(xs[x]!, ys[y]!) <= 0)
    merged.push(isFirst ? xs[x++]! : ys[y++]!)
    if (merged.length % stepItems === 0) yield
  }
  return merged
}
