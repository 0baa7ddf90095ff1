import type { Listed } from '../gapRow.ts'

/** Makes a row once for each state of a market: the same object is returned until the market changes. */
export function perListed<Row extends object>(make: (listed: Listed) => Row): (listed: Listed) => Row {
  const known = new WeakMap<Listed, Row>()
  return (listed) => {
    const before = known.get(listed)
    if (before !== undefined) return before
    const row = make(listed)
    known.set(listed, row)
    return row
  }
}
