import type { Venue } from '../../ingest/contract/market.ts'
import { SECOND } from '../../ops/units.ts'
import { BOOK, type BookRow } from '../contract/book.ts'
import { MOVERS, type MoverRow } from '../contract/movers.ts'
import { REFUSALS } from '../contract/refusals.ts'
import { TOPICS, TOPICS_MAX } from '../contract/topics.ts'
import { BookTable } from '../core/boards/liquidBook.ts'
import { Listings } from '../core/boards/listings.ts'
import { MoversTable } from '../core/boards/movers.ts'
import { refusalsBoard } from '../core/boards/refusals.ts'
import { RowSlots } from '../core/boards/rowSlots.ts'
import { TopicsTable, topicLists } from '../core/boards/topics.ts'
import { type Board, type Body, type BodyAt, jsonFields } from './board.ts'
import { LookAlikes } from './lookAlikes.ts'
import type { Changes, World } from './world.ts'

/** The set of markets changes slowly, and the list is long. Well below the age at which it is no longer sold. */
const TOPICS_EVERY_MS = 45 * SECOND
/** A page for people; what makes two questions different changes with the markets, not with prices. */
const REFUSALS_EVERY_MS = 30 * SECOND
/**
 * A board due within this time is made early, while nobody needs us: it takes a while, and prices would wait for it.
 */
const EARLY_MS = 10 * SECOND

/** Boards over every market: `movers` and `book` are published together, `topics` on its own. */
export function listingBoards(): { busy: Board[]; topics: Board } {
  const looks = new ListingLooks()
  return { busy: [moversBoard(looks), bookBoard(looks)], topics: topicsBoard(looks) }
}

/** The tables the three boards share. All of them get the same changes, so only `movers` passes them on. */
class ListingLooks {
  readonly #topics = topicLists()
  #tables = this.#start(() => null)

  get tables() {
    return this.#tables
  }

  warm(world: World): void {
    this.#tables = this.#start((venue, marketId) => world.pairOf(venue, marketId))
    for (const venue of ['a', 'b'] as const)
      for (const marketId of world.marketIds(venue)) this.#tables.listings.touch(venue, marketId)
  }

  note({ touched }: Changes): void {
    for (const { venue, marketId } of touched) this.#tables.listings.touch(venue, marketId)
  }

  approach(world: World, { nowMs }: BodyAt): Generator<void> {
    return this.#tables.listings.approach(listed(world), nowMs)
  }

  look(world: World, { nowMs }: BodyAt) {
    this.#tables.listings.look(listed(world), nowMs)
    return this.#tables
  }

  #start(pairOf: World['pairOf']) {
    const [movers, book] = [new MoversTable(), new BookTable()]
    const topics = new TopicsTable(pairOf, TOPICS_MAX, this.#topics)
    return { movers, book, topics, listings: new Listings([movers, book, topics]) }
  }
}

const listed = (world: World) => (venue: Venue, marketId: string) => world.listing(venue, marketId)

function moversBoard(looks: ListingLooks): Board {
  const slots = () => new RowSlots<MoverRow>(({ venue, marketId }) => `${venue}:${marketId}`)
  const kept = { hour: slots(), day: slots(), week: slots() }
  return {
    name: MOVERS,
    warm: (world) => looks.warm(world),
    note(changes) {
      looks.note(changes)
      return true
    },
    approach: (world, at) => looks.approach(world, at),
    body(world, at) {
      const { movers, listings } = looks.look(world, at)
      const { hour, day, week, dropped } = movers.board(listings)
      const lists = {
        hour: kept.hour.update(hour),
        day: kept.day.update(day),
        week: kept.week.update(week),
      }
      return { fields: jsonFields({ dropped }), lists }
    },
  }
}

function bookBoard(looks: ListingLooks): Board {
  const kept = { a: rowSlots<BookRow>(), b: rowSlots<BookRow>() }
  return {
    name: BOOK,
    warm() {},
    note: () => true,
    body(world, at) {
      const { book, listings } = looks.look(world, at)
      const { a, b } = book.board(listings)
      return { fields: {}, lists: { a: kept.a.update(a), b: kept.b.update(b) } }
    },
  }
}

function topicsBoard(looks: ListingLooks): Board {
  const body = (world: World, at: BodyAt): Body => {
    const { topics, listings } = looks.look(world, at)
    const { a, b, ...rest } = topics.board(listings)
    return { fields: jsonFields(rest), lists: { a, b } }
  }
  return slow(TOPICS_EVERY_MS, TOPICS, body, function* (world, at) {
    yield* looks.approach(world, at)
    const { topics, listings } = looks.tables
    yield* topics.approach(listings)
  })
}

/** For rows of one venue. */
const rowSlots = <Row extends { marketId: string }>() => new RowSlots<Row>(({ marketId }) => marketId)

/** Board `refusals`. */
export function refusalsStage(): Board {
  const lookAlikes = new LookAlikes()
  return slow(REFUSALS_EVERY_MS, REFUSALS, (world) => ({
    fields: jsonFields(refusalsBoard(lookAlikes.scan(world), world.refusedCounts(), world.pairs)),
  }))
}

/**
 * Returns the same body until it is old, however often the other boards are published; its `asOf` stays that of when it
 * was made (I17).
 */
function slow(
  everyMs: number,
  name: string,
  make: (world: World, at: BodyAt) => Body,
  approach?: (world: World, at: BodyAt) => Generator<void>,
): Board {
  let made: { body: Body; fresh: BodyAt['fresh']; atMs: number } | null = null
  let isAtRest = false
  const isOld = () =>
    made === null || performance.now() - made.atMs >= (isAtRest ? everyMs - EARLY_MS : everyMs)
  //  a body made from stale data is not published as one of fresh data
  const isDue = ({ fresh }: BodyAt) => isOld() || made!.fresh.a !== fresh.a || made!.fresh.b !== fresh.b
  return {
    name,
    warm() {
      made = null
    },
    note() {
      isAtRest = false
      return isOld()
    },
    rest() {
      isAtRest = true
      return isOld()
    },
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
