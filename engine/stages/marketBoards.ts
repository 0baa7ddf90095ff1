import { MINUTE, SECOND } from '../../ops/units.ts'
import { BOOK } from '../contract/book.ts'
import { EDGES } from '../contract/edges.ts'
import { GAP_CARDS } from '../contract/gapCards.ts'
import { MOVERS } from '../contract/movers.ts'
import { NETS } from '../contract/nets.ts'
import { TOPICS } from '../contract/topics.ts'
import { bookBoard } from '../core/boards/liquidBook.ts'
import type { At, LivePair } from '../core/boards/livePair.ts'
import { livePair } from '../core/boards/livePair.ts'
import { moversBoard } from '../core/boards/movers.ts'
import { type PairBoards, pairBoards } from '../core/boards/pairBoards.ts'
import { NO_MEMORY } from '../core/boards/pairMemory.ts'
import { topicsBoard } from '../core/boards/topics.ts'
import type { Board } from './board.ts'
import type { World } from './world.ts'

/** These boards look at everything, so they follow changes with a delay; a sweep's end always refreshes them. */
const PAIR_BOARDS_EVERY_MS = 1 * SECOND
const LISTINGS_EVERY_MS = 2 * SECOND
/** Which markets there are changes slowly, and the body is long. */
const TOPICS_EVERY_MS = 1 * MINUTE

/** Boards `nets`, `edges`, `gapCards` (computed together, once an instant), `movers`, `book` and `topics`. */
export function marketBoards(): Board[] {
  let memory = NO_MEMORY
  let computed: { nowMs: number; boards: PairBoards } | null = null
  const pairsAt = (world: World, at: At): PairBoards => {
    if (computed?.nowMs !== at.nowMs) {
      const bookOf = (venue: 'a' | 'b', marketId: string) => world.book(venue, marketId)
      const boards = pairBoards(livePairs(world), bookOf, memory, { ...at, snapshotVersion: 0 })
      memory = boards.memory
      computed = { nowMs: at.nowMs, boards }
    }
    return computed.boards
  }
  const forget = () => {
    computed = null
  }
  const markets = (world: World) => ({ a: world.listed('a'), b: world.listed('b') })
  const pairs = (name: string, part: (boards: PairBoards) => unknown) =>
    board(name, PAIR_BOARDS_EVERY_MS, (world, at) => part(pairsAt(world, at)), forget)
  return [
    pairs(NETS, ({ nets }) => nets),
    pairs(EDGES, ({ edges }) => edges),
    pairs(GAP_CARDS, ({ gapCards }) => gapCards),
    board(MOVERS, LISTINGS_EVERY_MS, (world, { nowMs }) => moversBoard(markets(world), nowMs)),
    board(BOOK, LISTINGS_EVERY_MS, (world, { nowMs }) => bookBoard(markets(world), nowMs)),
    slow(
      board(TOPICS, TOPICS_EVERY_MS, (world, { nowMs }) =>
        topicsBoard(markets(world), livePairs(world), nowMs),
      ),
    ),
  ]
}

function board(
  name: string,
  everyMs: number,
  bodyOf: (world: World, at: At) => unknown,
  onWarm = () => {},
): Board {
  let madeMs = Number.NEGATIVE_INFINITY
  return {
    name,
    warm: onWarm,
    note: () => performance.now() - madeMs >= everyMs,
    body(world, { nowMs, fresh }) {
      madeMs = performance.now()
      return JSON.stringify(bodyOf(world, { nowMs, fresh }))
    },
  }
}

/** The same body again until its board says that something changed. */
function slow(inner: Board): Board {
  let body: string | null = null
  return {
    ...inner,
    warm(world) {
      body = null
      inner.warm(world)
    },
    note(changes) {
      const changed = inner.note(changes)
      if (changed) body = null
      return changed
    },
    body(world, at) {
      body ??= inner.body(world, at)
      return body
    },
  }
}

function livePairs(world: World): LivePair[] {
  const live: LivePair[] = []
  for (const pair of world.livePairs()) {
    const [a, b] = [world.listing('a', pair.a), world.listing('b', pair.b)]
    if (a !== null && b !== null) live.push(livePair(pair, a, b))
  }
  return live
}
