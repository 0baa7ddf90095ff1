import type { EdgeRow } from '../../../engine/contract/edges.ts'
import { isProblem, type Problem } from '../../errors.ts'
import { firstOf } from '../../placedRows.ts'
import type { Draft, GoodPorts } from '../good.ts'
import { freshBoard } from './freshness.ts'
import { notEnough } from './notEnough.ts'
import { openNow } from './open.ts'

/**
 * The best `count` edges, or a refusal before payment: fewer are never sold and never filled up (VEN-20). An edge that
 * we advise against does not count; one below zero does, as `watch`, because an empty market is an answer too.
 */
export function sellEdges(
  count: number,
  ports: GoodPorts,
  show: (rows: EdgeRow[]) => Record<string, unknown>,
): Draft | Problem {
  const fresh = freshBoard('edges', ports)
  if (isProblem(fresh)) return fresh
  const { board, provenance } = fresh
  const isOpen = openNow(ports)
  const isWanted = (row: EdgeRow) => row.suggestedAction !== 'avoid' && isOpen(row)
  const rows = firstOf(board.snapshot.body.rows, count, isWanted)
  if (rows.length < count) return notEnough('edges', count, rows.length)
  return { result: { ...show(rows), ...provenance }, snapshotVersion: board.snapshot.version }
}
