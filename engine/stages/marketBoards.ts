import { MINUTE, SECOND } from '../../ops/units.ts'
import { BOOK } from '../contract/book.ts'
import { MOVERS } from '../contract/movers.ts'
import { REFUSALS } from '../contract/refusals.ts'
import { TOPICS, type TopicRow } from '../contract/topics.ts'
import { bookBoard } from '../core/boards/liquidBook.ts'
import { moversBoard } from '../core/boards/movers.ts'
import { refusalsBoard } from '../core/boards/refusals.ts'
import { RowParts } from '../core/boards/rowParts.ts'
import { topicsBoard } from '../core/boards/topics.ts'
import { type Board, type Body, type BodyAt, jsonFields } from './board.ts'
import { LivePairs } from './livePairs.ts'
import { LookAlikes } from './lookAlikes.ts'
import type { World } from './world.ts'

/** Which markets there are changes slowly, and the list is long. */
const TOPICS_EVERY_MS = 1 * MINUTE
/** A page for people; what makes two questions different changes with the markets, not with prices. */
const REFUSALS_EVERY_MS = 30 * SECOND

const markets = (world: World) => ({ a: world.listed('a'), b: world.listed('b') })

/** Boards `movers` and `book`: they look at every market. */
export const listingBoards = (): Board[] => [
  board(MOVERS, (world, { nowMs }) => ({ fields: jsonFields(moversBoard(markets(world), nowMs)) })),
  board(BOOK, (world, { nowMs }) => ({ fields: jsonFields(bookBoard(markets(world), nowMs)) })),
]

/** Board `topics`. */
export function topicsStage(): Board {
  const pairs = new LivePairs()
  const parts = new RowParts<TopicRow>(({ venue, marketId }) => `${venue}:${marketId}`)
  return slow(TOPICS_EVERY_MS, TOPICS, (world, { nowMs }) => {
    const { rows, ...rest } = topicsBoard(markets(world), pairs.read(world), nowMs)
    return { fields: jsonFields(rest), lists: { rows: parts.update(rows) } }
  })
}

/** Board `refusals`. */
export function refusalsStage(): Board {
  const lookAlikes = new LookAlikes()
  return slow(REFUSALS_EVERY_MS, REFUSALS, (world) => ({
    fields: jsonFields(refusalsBoard(lookAlikes.scan(world), world.refusedCounts(), world.pairs)),
  }))
}

const board = (name: string, body: (world: World, at: BodyAt) => Body): Board => ({
  name,
  warm() {},
  note: () => true,
  body,
})

/** The same body again until it is old, however often freshness has to be told. */
function slow(everyMs: number, name: string, make: (world: World, at: BodyAt) => Body): Board {
  let made: { body: Body; atMs: number } | null = null
  return {
    name,
    warm() {
      made = null
    },
    note: () => made === null || performance.now() - made.atMs >= everyMs,
    body(world, at) {
      if (made === null || performance.now() - made.atMs >= everyMs)
        made = { body: make(world, at), atMs: performance.now() }
      return made.body
    },
  }
}
