import type { Redis } from 'ioredis'
import type { Clock } from '../../ops/clock.ts'
import type { Log } from '../../ops/log.ts'
import { EDGES, type EdgeRow } from '../contract/edges.ts'
import { GAP_CARDS, type GapCard } from '../contract/gapCards.ts'
import { NETS } from '../contract/nets.ts'
import { episodeRow } from '../core/boards/episodeRow.ts'
import type { KeptRows } from '../core/boards/keptRows.ts'
import { livePair } from '../core/boards/livePair.ts'
import { bestNets } from '../core/boards/nets.ts'
import { formatEpisodes, NO_MEMORY } from '../core/boards/pairMemory.ts'
import { type PairBoards, type PairMemory, type PairSources, PairTable } from '../core/boards/pairTable.ts'
import { RowSlots } from '../core/boards/rowSlots.ts'
import { type Board, type BodyAt, jsonFields, type Position, type Told } from './board.ts'
import { LineSpace } from './lineSpace.ts'
import { recall, remember } from './memory.ts'
import { createSavePace } from './savePace.ts'
import type { World } from './world.ts'

/**
 * Boards `gapCards`, `nets` and `edges`, computed together, and the feed. The newest look counts as remembered only
 * once its cards are published: after a look whose publication failed, the table is made anew from what is stored.
 * `top` returns the edges of the newest look.
 */
export function pairStage({
  redis,
  clock,
  log,
  saveEveryMs,
}: {
  redis: Redis
  clock: Clock
  log: Log
  saveEveryMs?: number
}): [cards: Board, nets: Board, edges: Board & { top(): readonly EdgeRow[] }] {
  let live: World | null = null // null before a warm start
  let position: Position = { feedId: '0-0', episodeId: '0-0' }
  let unreadable: Told[] = []
  let look: { at: BodyAt; boards: PairBoards } | null = null
  //  ages of gaps that opened since the last save come back from their cards
  const whenDue = createSavePace(saveEveryMs)
  const space = new LineSpace()
  let isAtRest = false
  const lists = {
    nets: bestNets(),
    edges: new RowSlots<EdgeRow>(({ pairId }) => pairId),
    cards: new RowSlots<GapCard>(({ pairId }) => pairId),
  }
  let table = new PairTable(NO_MEMORY, lists.nets)

  const startTable = (memory: PairMemory) => {
    table = new PairTable(memory, lists.nets)
    for (const { pairId } of live?.livePairs() ?? []) table.touch(pairId)
    look = null
  }
  const lookAt = (world: World, at: BodyAt): PairBoards => {
    if (look?.at !== at) look = { at, boards: table.look(sourcesOf(world), at) }
    return look.boards
  }
  const rows = (name: string, of: (boards: PairBoards) => KeptRows): Board => ({
    name,
    warm() {},
    note: () => false, //  published with the cards
    body: (world, at) => ({ fields: {}, lists: { rows: of(lookAt(world, at)) } }),
  })
  const cards: Board = {
    name: GAP_CARDS,
    async prepare() {
      const recalled = await recall(redis, clock.nowMs())
      startTable({ episodes: recalled.episodes, told: recalled.told })
      ;({ position, unreadable } = recalled)
      const { gaps, edges } = recalled.told
      const open = { openGaps: recalled.episodes.open.size, toldGaps: gaps.size, toldEdges: edges.size }
      log.info({ ...open, unreadable: unreadable.length }, 'memory of open gaps')
    },
    warm(world) {
      live = world
      startTable(table.memory)
    },
    note({ pairs }) {
      isAtRest = false
      for (const pairId of pairs) table.touch(pairId)
      return pairs.size > 0
    },
    rest() {
      isAtRest = true
      return true //  open gaps are saved after a publication
    },
    approach: (world, at) => table.approach(sourcesOf(world), at),
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
    published(reached) {
      if (reached === null) return
      position = reached
      unreadable = []
    },
    remember: (fence, isLast) =>
      whenDue(
        () => {
          const upTo = { endedId: position.episodeId, toldId: position.feedId }
          return remember(redis, fence, formatEpisodes(table.openGaps(), upTo), space)
        },
        isAtRest,
        isLast,
      ),
  }
  const edges = rows(EDGES, (boards) => lists.edges.update(boards.edges.rows))
  return [cards, rows(NETS, ({ nets }) => nets), { ...edges, top: () => look?.boards.edges.rows ?? [] }]
}

function sourcesOf(world: World): PairSources {
  return {
    pair(pairId) {
      const found = world.listedPair(pairId)
      return found === null ? null : livePair(found.pair, found.a, found.b)
    },
    book: (venue, marketId) => world.book(venue, marketId),
  }
}
