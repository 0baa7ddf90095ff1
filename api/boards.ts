import { z } from 'zod'
import { BOOK, BookBoard, type BookRow } from '../engine/contract/book.ts'
import { EDGES, EdgesBoard } from '../engine/contract/edges.ts'
import { GAP_CARDS, GapCardsBoard } from '../engine/contract/gapCards.ts'
import { GAPS, type GapRow, GapsBoard } from '../engine/contract/gaps.ts'
import { MOVERS, type MoverRow, MoversBoard } from '../engine/contract/movers.ts'
import { NETS, type NetRow, NetsBoard } from '../engine/contract/nets.ts'
import { REFUSALS, RefusalsBoard } from '../engine/contract/refusals.ts'
import type { Snapshot } from '../engine/contract/snapshot.ts'
import { TOPICS, type TopicRow, TopicsBoard } from '../engine/contract/topics.ts'
import { type RowReaders, rowReader } from './keptLists.ts'
import { type HeldBody, inPlace, type PlacedRows } from './placedRows.ts'
import { TopicIndex, type Wanted } from './search.ts'
import type { Steps } from './steps.ts'

type ListsOf<Body> = {
  [Key in keyof Body as Body[Key] extends readonly object[]
    ? Key
    : never]: Body[Key] extends readonly (infer Row)[] ? PlacedRows<Row> : never
}

/** Takes the lists of a board, version after version, and says how they are searched. */
type Searcher<Body, Find> = (lists: ListsOf<Body>) => Steps<Find>

type Kept<Body, Find> = { schema: z.ZodObject; searcher(): Searcher<Body, Find> }

const keep = <Schema extends z.ZodObject, Find>(
  schema: Schema,
  searcher: () => Searcher<z.output<Schema>, Find>,
): Kept<z.output<Schema>, Find> => ({ schema, searcher })

/** Searcher of a board that is not searched. */
const nothing = () =>
  function* (): Steps<null> {
    yield
    return null
  }

type PairRow = Pick<GapRow, 'pairId' | 'topic' | 'category' | 'a' | 'b'>

const pairRows = <Row extends PairRow>() =>
  new TopicIndex<Row>({
    textOf: ({ topic, category, a, b }) => `${topic} ${a.title} ${b.title} ${category ?? ''}`,
  })

const marketRows = <Row extends TopicRow | MoverRow | BookRow>(wanted?: Wanted) =>
  new TopicIndex<Row>({
    textOf: ({ topic }) => topic,
    ...(wanted === undefined ? {} : { wanted }),
  })

/** Every board an api process holds, with its schema and its search. Adding a board is adding an entry. */
export const BOARDS = {
  [GAPS]: keep(GapsBoard, () => {
    const index = pairRows<GapRow>()
    return ({ rows }) => index.update(rows)
  }),
  [NETS]: keep(NetsBoard, () => {
    const index = pairRows<NetRow>()
    return ({ rows }) => index.update(rows)
  }),
  [EDGES]: keep(EdgesBoard, nothing),
  [REFUSALS]: keep(RefusalsBoard, nothing),
  [GAP_CARDS]: keep(GapCardsBoard, nothing),
  [MOVERS]: keep(MoversBoard, () => {
    const index = {
      hour: marketRows<MoverRow>(),
      day: marketRows<MoverRow>(),
      week: marketRows<MoverRow>(),
    }
    return function* ({ hour, day, week }) {
      const ends = {
        hour: yield* index.hour.prepare(hour),
        day: yield* index.day.prepare(day),
        week: yield* index.week.prepare(week),
      }
      return { hour: ends.hour(), day: ends.day(), week: ends.week() }
    }
  }),
  [BOOK]: keep(BookBoard, () => {
    const index = { a: marketRows<BookRow>('any'), b: marketRows<BookRow>('any') }
    return function* ({ a, b }) {
      const ends = { a: yield* index.a.prepare(a), b: yield* index.b.prepare(b) }
      return { a: ends.a(), b: ends.b() }
    }
  }),
  [TOPICS]: keep(TopicsBoard, () => {
    const index = { a: marketRows<TopicRow>(), b: marketRows<TopicRow>() }
    return function* ({ a, b }) {
      const ends = { a: yield* index.a.prepare(a), b: yield* index.b.prepare(b) }
      return { a: ends.a(), b: ends.b() }
    }
  }),
}

export type BoardName = keyof typeof BOARDS

export const BOARD_NAMES = Object.keys(BOARDS) as BoardName[]

export const isBoardName = (name: string): name is BoardName => Object.hasOwn(BOARDS, name)

/** A board as it is held: replaced as a whole, never changed. */
export type HeldBoard<Name extends BoardName> =
  (typeof BOARDS)[Name] extends Kept<infer Body, infer Find>
    ? { snapshot: Snapshot<HeldBody<Body>>; search: Find }
    : never

/** The newest of every board, in memory. Absent or null: none seen yet. */
export type Boards = { [Name in BoardName]?: HeldBoard<Name> | null }

const SLICE_ROWS = 100

/** How the lists of a board are read, row by row. */
export const rowReaders = (name: BoardName): RowReaders =>
  Object.fromEntries(
    Object.entries(BOARDS[name].schema.shape).flatMap(([key, of]) =>
      of instanceof z.ZodArray ? [[key, rowReader(of.element as z.ZodType)]] : [],
    ),
  )

/** Indexes one board, version after version: rows that stayed are not read again. */
export const createSearcher = (name: BoardName): ((lists: object) => Steps<unknown>) =>
  (BOARDS[name] as unknown as { searcher(): (lists: object) => Steps<unknown> }).searcher()

/**
 * Checks a body and builds its search, in slices: 10 µs per new row, next to nothing per unchanged one.
 * @param kept lists that were already read and checked; they are empty in the body.
 * @throws ZodError when the body violates the contract.
 */
export function* holdBoard<Name extends BoardName>(
  name: Name,
  snapshot: Snapshot,
  kept: Record<string, PlacedRows<unknown>> = {},
  search = createSearcher(name),
): Steps<HeldBoard<Name>> {
  const parsed = yield* parseBody(BOARDS[name].schema, snapshot.body)
  const lists = { ...placeLists(parsed), ...kept }
  const body = { ...parsed, ...kept }
  //  the table's entry and its body belong together by name, which the compiler cannot follow
  return { snapshot: { ...snapshot, body }, search: yield* search(lists) } as HeldBoard<Name>
}

const placeLists = (body: Record<string, unknown>): Record<string, PlacedRows<unknown>> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => (Array.isArray(value) ? [[key, inPlace(value)]] : [])),
  )

/** What `schema.parse` gives, with breaks within the body's lists. */
function* parseBody(schema: z.ZodObject, body: unknown): Steps<Record<string, unknown>> {
  const given = z.record(z.string(), z.unknown()).parse(body)
  const rest = { ...given }
  const lists: Record<string, unknown[]> = {}
  for (const [key, of] of Object.entries(schema.shape)) {
    const rows = given[key]
    if (!(of instanceof z.ZodArray) || !Array.isArray(rows)) continue
    const parsed: unknown[] = []
    for (let at = 0; at < rows.length; at += SLICE_ROWS) {
      yield
      for (const row of of.parse(rows.slice(at, at + SLICE_ROWS))) parsed.push(row)
    }
    lists[key] = parsed
    rest[key] = []
  }
  return { ...schema.parse(rest), ...lists }
}
