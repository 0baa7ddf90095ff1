import type { Redis } from 'ioredis'
import type { Clock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { EDGES, type EdgeRow } from '../contract/edges.ts'
import { GAP_CARDS, type GapCard } from '../contract/gapCards.ts'
import { NETS, type NetRow } from '../contract/nets.ts'
import { episodeRow } from '../core/boards/episodeRow.ts'
import { type PairBoards, type PairMemory, pairBoards } from '../core/boards/pairBoards.ts'
import { NO_MEMORY } from '../core/boards/pairMemory.ts'
import { RowParts } from '../core/boards/rowParts.ts'
import { type Board, type BodyAt, jsonFields, type Position, type Told } from './board.ts'
import { LivePairs } from './livePairs.ts'
import { recall, remember } from './memory.ts'
import { PairedMarkets } from './pairedMarkets.ts'
import type { World } from './world.ts'

/** Open gaps are saved this often; ages of those opened since come back from their cards. */
export const SAVE_EVERY_MS = 5 * SECOND

/**
 * Boards `gapCards`, `nets` and `edges`, computed together, and the feed. What was looked at last becomes memory only
 * when its cards are out: a look whose publication failed never happened.
 */
export function pairStage({
  redis,
  clock,
  log,
  saveEveryMs = SAVE_EVERY_MS,
}: {
  redis: Redis
  clock: Clock
  log: Log
  saveEveryMs?: number
}): Board[] {
  let memory: PairMemory = NO_MEMORY
  let position: Position = { feedId: '0-0', episodeId: '0-0' }
  let unreadable: Told[] = []
  let look: { at: BodyAt; boards: PairBoards } | null = null
  let savedMs = Number.NEGATIVE_INFINITY
  const paired = new PairedMarkets()
  const live = new LivePairs()
  const lists = {
    nets: new RowParts<NetRow>(({ pairId }) => pairId),
    edges: new RowParts<EdgeRow>(({ pairId }) => pairId),
    cards: new RowParts<GapCard>(({ pairId }) => pairId),
  }

  const lookAt = (world: World, at: BodyAt): PairBoards => {
    if (look?.at !== at) {
      const bookOf = (venue: 'a' | 'b', marketId: string) => world.book(venue, marketId)
      look = { at, boards: pairBoards(live.read(world), bookOf, memory, at) }
    }
    return look.boards
  }
  const rows = (name: string, of: (boards: PairBoards) => RowParts<NetRow> | RowParts<EdgeRow>): Board => ({
    name,
    warm() {},
    note: () => false, //  published with the cards
    body: (world, at) => ({ fields: {}, lists: { rows: of(lookAt(world, at)) } }),
  })
  const cards: Board = {
    name: GAP_CARDS,
    async prepare() {
      const recalled = await recall(redis, clock.nowMs())
      memory = { ...memory, episodes: recalled.episodes, told: recalled.told }
      ;({ position, unreadable } = recalled)
      look = null
      const { gaps, edges } = recalled.told
      const open = { openGaps: memory.episodes.open.size, toldGaps: gaps.size, toldEdges: edges.size }
      log.info({ ...open, unreadable: unreadable.length }, 'memory of open gaps')
    },
    warm: (world) => paired.warm(world.livePairs()),
    note: (changes) => paired.note(changes) || changes.books,
    body(world, at) {
      const { gapCards, events, ended } = lookAt(world, at)
      const told = events.map(({ card, ...event }) => ({
        ...event,
        pairId: card.pairId,
        cardJson: JSON.stringify(card),
      }))
      return {
        fields: jsonFields({ unqualified: gapCards.unqualified }),
        lists: { cards: lists.cards.update(gapCards.cards) },
        story: { behind: position, events: [...unreadable, ...told], ended: ended.map(episodeRow) },
      }
    },
    async published(reached, fence) {
      if (look === null || reached === null) return
      memory = look.boards.memory
      position = reached
      unreadable = []
      if (performance.now() - savedMs < saveEveryMs) return
      await remember(redis, fence, memory.episodes, position.episodeId)
      savedMs = performance.now()
    },
  }
  return [
    cards,
    rows(NETS, ({ nets }) => lists.nets.update(nets.rows)),
    rows(EDGES, ({ edges }) => lists.edges.update(edges.rows)),
  ]
}
