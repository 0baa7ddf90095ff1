import { GAPS, type GapRow } from '../contract/gaps.ts'
import { byGap, GapsTable } from '../core/gapsTable.ts'
import { type Board, jsonFields } from './board.ts'
import type { World } from './world.ts'

/** Board `gaps`: all live pairs with a mid on both sides, largest gap first. `top` are the rows of the newest body. */
export function gapsBoard(): Board & { top(): Iterable<GapRow> } {
  const rows = byGap()
  let table = new GapsTable(rows)
  const listed = (world: World) => (venue: 'a' | 'b', marketId: string) => {
    const [market, quote] = [world.market(venue, marketId), world.quote(venue, marketId)]
    return market === null || quote === null ? null : { market, quote }
  }
  return {
    name: GAPS,
    top: () => rows,
    warm(world) {
      table = new GapsTable(rows)
      for (const pair of world.livePairs()) table.addPair(pair)
    },
    note({ pairsAdded, pairsRemoved, touched }) {
      let changed = pairsAdded.length + pairsRemoved.length > 0
      for (const pairId of pairsRemoved) table.removePair(pairId)
      for (const pair of pairsAdded) table.addPair(pair)
      for (const { venue, marketId } of touched) if (table.touch(venue, marketId)) changed = true
      return changed
    },
    approach(world, { nowMs, fresh }) {
      table.setFresh(fresh)
      return table.approach(listed(world), nowMs)
    },
    body(world, { nowMs, fresh }) {
      table.setFresh(fresh)
      const markets = { a: world.marketCount('a'), b: world.marketCount('b') }
      const refused = world.refusedCounts()
      return {
        fields: jsonFields({ markets, pairs: world.pairs, refused }),
        lists: { rows: table.rows(listed(world), nowMs) },
      }
    },
  }
}
