import { GAPS } from '../contract/gaps.ts'
import type { Gap } from '../core/gapRow.ts'
import { byGap, GapsTable, type LivePairs } from '../core/gapsTable.ts'
import { type Board, jsonFields } from './board.ts'
import type { World } from './world.ts'

/** Board `gaps`: all live pairs with a mid on both sides, largest gap first. `top` are those of the newest body. */
export function gapsBoard(): Board & { top(): Iterable<Gap> } {
  const rows = byGap()
  let table = new GapsTable(rows)
  return {
    name: GAPS,
    top: () => rows.rows(),
    warm(world) {
      table = new GapsTable(rows)
      for (const { pairId } of world.livePairs()) table.touch(pairId)
    },
    note({ pairs }) {
      for (const pairId of pairs) table.touch(pairId)
      return pairs.size > 0
    },
    approach(world, { nowMs, fresh }) {
      table.setFresh(fresh)
      return table.approach(livePairs(world), nowMs)
    },
    body(world, { nowMs, fresh }) {
      table.setFresh(fresh)
      const markets = { a: world.marketCount('a'), b: world.marketCount('b') }
      const refused = world.refusedCounts()
      return {
        fields: jsonFields({ markets, pairs: world.pairs, refused }),
        lists: { rows: table.rows(livePairs(world), nowMs) },
      }
    },
  }
}

function livePairs(world: World): LivePairs {
  return {
    *ids() {
      for (const { pairId } of world.livePairs()) yield pairId
    },
    find: (pairId) => world.listedPair(pairId),
  }
}
