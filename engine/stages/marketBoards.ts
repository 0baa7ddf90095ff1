import type { Venue } from '../../ingest/contract/market.ts'
import { SECOND } from '../../ops/units.ts'
import { BOOK, type BookRow } from '../contract/book.ts'
import { MOVERS, type MoverRow } from '../contract/movers.ts'
import { REFUSALS } from '../contract/refusals.ts'
import { TOPICS, type TopicRow } from '../contract/topics.ts'
import { BookTable } from '../core/boards/liquidBook.ts'
import { Listings } from '../core/boards/listings.ts'
import { MoversTable } from '../core/boards/movers.ts'
import { refusalsBoard } from '../core/boards/refusals.ts'
import { RowSlots } from '../core/boards/rowSlots.ts'
import { TopicsTable } from '../core/boards/topics.ts'
import { type Board, type Body, type BodyAt, jsonFields } from './board.ts'
import { LookAlikes } from './lookAlikes.ts'
import type { World } from './world.ts'

/** Which markets there are changes slowly, and the list is long. Well below the age at which it is not sold. */
const TOPICS_EVERY_MS = 45 * SECOND
/** A page for people; what makes two questions different changes with the markets, not with prices. */
const REFUSALS_EVERY_MS = 30 * SECOND

/** Boards that look at every market that moved: `movers` and `book` are published together, `topics` for itself. */
export function listingBoards(): { busy: Board[]; topics: Board } {
  let tables = startTables()
  const listed = (world: World) => (venue: Venue, marketId: string) => world.listing(venue, marketId)
  const pairOf = (world: World) => (venue: Venue, marketId: string) => world.pairOf(venue, marketId)
  const look = (world: World, { nowMs }: BodyAt) => {
    tables.listings.look(listed(world), nowMs)
    return tables
  }
  const kept = {
    hour: moverSlots(),
    day: moverSlots(),
    week: moverSlots(),
    a: rowSlots<BookRow>(),
    b: rowSlots<BookRow>(),
    topicsA: rowSlots<TopicRow>(),
    topicsB: rowSlots<TopicRow>(),
  }
  //  all are told the same: one of them passes it on
  const movers: Board = {
    name: MOVERS,
    warm(world) {
      tables = startTables()
      for (const venue of ['a', 'b'] as const)
        for (const marketId of world.marketIds(venue)) tables.listings.touch(venue, marketId)
    },
    note({ touched }) {
      for (const { venue, marketId } of touched) tables.listings.touch(venue, marketId)
      return true
    },
    approach: (world, { nowMs }) => tables.listings.approach(listed(world), nowMs),
    body(world, at) {
      const { movers, listings } = look(world, at)
      const { hour, day, week, dropped } = movers.board(listings)
      const lists = {
        hour: kept.hour.update(hour),
        day: kept.day.update(day),
        week: kept.week.update(week),
      }
      return { fields: jsonFields({ dropped }), lists }
    },
  }
  const book: Board = {
    name: BOOK,
    warm() {},
    note: () => true,
    body(world, at) {
      const { book, listings } = look(world, at)
      const { a, b } = book.board(listings)
      return { fields: {}, lists: { a: kept.a.update(a), b: kept.b.update(b) } }
    },
  }
  const topicsBody = (world: World, at: BodyAt) => {
    const { topics, listings } = look(world, at)
    const { a, b, ...rest } = topics.board(listings, pairOf(world))
    return { fields: jsonFields(rest), lists: { a: kept.topicsA.update(a), b: kept.topicsB.update(b) } }
  }
  const topics = slow(TOPICS_EVERY_MS, TOPICS, topicsBody, function* (world, { nowMs }) {
    const { topics, listings } = tables
    yield* listings.approach(listed(world), nowMs)
    yield* topics.approach(listings, pairOf(world))
  })
  return { busy: [movers, book], topics }
}

const moverSlots = () => new RowSlots<MoverRow>(({ venue, marketId }) => `${venue}:${marketId}`)
/** Of one venue. */
const rowSlots = <Row extends { marketId: string }>() => new RowSlots<Row>(({ marketId }) => marketId)

function startTables() {
  const [movers, book, topics] = [new MoversTable(), new BookTable(), new TopicsTable()]
  return { movers, book, topics, listings: new Listings([movers, book]) }
}

/** Board `refusals`. */
export function refusalsStage(): Board {
  const lookAlikes = new LookAlikes()
  return slow(REFUSALS_EVERY_MS, REFUSALS, (world) => ({
    fields: jsonFields(refusalsBoard(lookAlikes.scan(world), world.refusedCounts(), world.pairs)),
  }))
}

/** The same body again until it is old, however often the others are told; as fresh as when it was made (I17). */
function slow(
  everyMs: number,
  name: string,
  make: (world: World, at: BodyAt) => Body,
  approach?: (world: World, at: BodyAt) => Generator<void>,
): Board {
  let made: { body: Body; fresh: BodyAt['fresh']; atMs: number } | null = null
  const isOld = () => made === null || performance.now() - made.atMs >= everyMs
  //  what was made of stale data is not told of fresh data
  const isDue = ({ fresh }: BodyAt) => isOld() || made!.fresh.a !== fresh.a || made!.fresh.b !== fresh.b
  return {
    name,
    warm() {
      made = null
    },
    note: isOld,
    approach: (world, at) => (isDue(at) ? approach?.(world, at) : undefined),
    body(world, at) {
      if (made === null || isDue(at)) {
        const body = { ...make(world, at), asOf: at.asOfMs }
        made = { body, fresh: at.fresh, atMs: performance.now() }
      }
      return made.body
    },
  }
}
