/** Rows of one version of a list, and the slots they keep from one version to the next, whatever their rank. */
export type PlacedRows<Row> = {
  rows: readonly Row[] //               best first
  slots: Int32Array //                  of these rows
  at: readonly (Row | undefined)[] //   by slot, undefined where none is; of the newest version only
}

/** For a list that is replaced as a whole with each version: a row's slot is its rank. */
export const inPlace = <Row>(rows: readonly Row[]): PlacedRows<Row> => ({
  rows,
  at: rows,
  slots: Int32Array.from(rows.keys()),
})
