import { MINUTE, SECOND } from '../../ops/units.ts'
import { BOOK } from '../contract/book.ts'
import { MOVERS } from '../contract/movers.ts'
import { REFUSALS } from '../contract/refusals.ts'
import { TOPICS, type TopicRow } from '../contract/topics.ts'
import { BookTable } from '../core/boards/liquidBook.ts'
import { Listings } from '../core/boards/listings.ts'
import { MoversTable } from '../core/boards/movers.ts'
import { refusalsBoard } from '../core/boards/refusals.ts'
import { RowParts } from '../core/boards/rowParts.ts'
import { topicsBoard } from '../core/boards/topics.ts'
import { type Board, type Body, type BodyAt, jsonFields } from './board.ts'
import { LivePairs } from './livePairs.ts'
import { LookAlikes } from './lookAlikes.ts'
import type { Changes, World } from './world.ts'

/** Which markets there are changes slowly, and the list is long. */
const TOPICS_EVERY_MS = 1 * MINUTE
/** A page for people; what makes two questions different changes with the markets, not with prices. */
const REFUSALS_EVERY_MS = 30 * SECOND

const markets = (world: World) => ({ a: world.listed('a'), b: world.listed('b') })

/** Boards `movers` and `book`: they look at every market that moved. */
export function listingBoards(): Board[] {
  let tables = startTables()
  const note = (changes: Changes) => {
    for (const { venue, marketId } of changes.touched) tables.listings.touch(venue, marketId)
    return true
  }
  const look = (world: World, { nowMs }: BodyAt) => {
    tables.listings.look((venue, marketId) => world.listing(venue, marketId), nowMs)
    return tables
  }
  //  both are told the same: one of them passes it on
  const movers: Board = {
    name: MOVERS,
    warm(world) {
      tables = startTables()
      for (const venue of ['a', 'b'] as const)
        for (const marketId of world.marketIds(venue)) tables.listings.touch(venue, marketId)
    },
    note,
    body(world, at) {
      const { movers, listings } = look(world, at)
      return { fields: jsonFields(movers.board(listings)) }
    },
  }
  const book: Board = {
    name: BOOK,
    warm() {},
    note: () => true,
    body(world, at) {
      const { book, listings } = look(world, at)
      return { fields: jsonFields(book.board(listings)) }
    },
  }
  return [movers, book]
}

function startTables() {
  const [movers, book] = [new MoversTable(), new BookTable()]
  return { movers, book, listings: new Listings([movers, book]) }
}

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
