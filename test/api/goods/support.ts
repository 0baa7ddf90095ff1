import { type BoardName, type Boards, holdBoard } from '../../../api/boards.ts'
import type { GoodPorts } from '../../../api/goods/good.ts'
import { work } from '../../../api/goods/utility/pool/work.ts'
import { runNow } from '../../../api/steps.ts'
import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { Snapshot } from '../../../engine/contract/snapshot.ts'
import type { TopicRow } from '../../../engine/contract/topics.ts'
import { snapshotOf } from '../../support/boards.ts'

export const NOW = 1_790_000_000_000
export const MAX_AGE = 90_000

/** Ports of a good over these boards, as the follower would hold them; fresh unless `change` says otherwise. */
export function portsOver(
  bodies: { [Name in BoardName]?: unknown },
  change: Partial<Snapshot> = {},
): GoodPorts {
  const boards: Boards = {}
  for (const [name, body] of Object.entries(bodies))
    Object.assign(boards, {
      [name]: runNow(holdBoard(name as BoardName, snapshotOf(name, body, NOW, change))),
    })
  const refuse = async () => ({ problem: 'busy' as const })
  return {
    boards,
    marketClock: { nowMs: () => NOW },
    marketMaxAgeMs: MAX_AGE,
    recorded: false,
    lookUp: refuse,
    compute: async (task) => work(task),
  }
}

export const gapsBody = (rows: GapRow[]) => ({
  rows,
  markets: { a: 1, b: 1 },
  pairs: rows.length,
  refused: {},
})
export const cardsBody = (cards: unknown[]) => ({ cards, unqualified: {} })
export const moversBody = (windows: { hour?: unknown[]; day?: unknown[]; week?: unknown[] }) => ({
  hour: [],
  day: [],
  week: [],
  ...windows,
  dropped: {},
})
export const topicsBody = (rows: TopicRow[]) => {
  const of = (wanted: 'a' | 'b') => rows.filter(({ venue }) => venue === wanted)
  return { a: of('a'), b: of('b'), bound: 20_000, known: { a: 1, b: 1 } }
}
