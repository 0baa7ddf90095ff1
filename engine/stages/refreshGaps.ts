import { GAPS, type GapRow } from '../contract/gaps.ts'
import { RowSlots } from '../core/boards/rowSlots.ts'
import { GapsTable } from '../core/gapsTable.ts'
import { type Board, jsonFields } from './board.ts'
import type { World } from './world.ts'

/** Board `gaps`: all live pairs with a mid on both sides, largest gap first. `top` are the rows of the newest body. */
export function gapsBoard(): Board & { top(): readonly GapRow[] } {
  let table = new GapsTable()
  let newest: readonly GapRow[] = []
  const kept = new RowSlots<GapRow>(({ pairId }) => pairId)
  const listed = (world: World) => (venue: 'a' | 'b', marketId: string) => {
    const [market, quote] = [world.market(venue, marketId), world.quote(venue, marketId)]
    return market === null || quote === null ? null : { market, quote }
  }
  return {
    name: GAPS,
    top: () => newest,
    warm(world) {
      table = new GapsTable()
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
      newest = table.rows(listed(world), nowMs)
      const markets = { a: world.marketCount('a'), b: world.marketCount('b') }
      const refused = world.refusedCounts()
      return {
        fields: jsonFields({ markets, pairs: world.pairs, refused }),
        lists: { rows: kept.update(newest) },
      }
    },
  }
}
