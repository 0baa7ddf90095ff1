import { z } from 'zod'
import { BOOK, BookBoard, type BookRow } from '../engine/contract/book.ts'
import { EDGES, EdgesBoard } from '../engine/contract/edges.ts'
import { GAP_CARDS, GapCardsBoard } from '../engine/contract/gapCards.ts'
import { GAPS, type GapRow, GapsBoard } from '../engine/contract/gaps.ts'
import { MOVERS, type MoverRow, MoversBoard } from '../engine/contract/movers.ts'
import { NETS, NetsBoard } from '../engine/contract/nets.ts'
import { REFUSALS, RefusalsBoard } from '../engine/contract/refusals.ts'
import type { Snapshot } from '../engine/contract/snapshot.ts'
import { TOPICS, type TopicRow, TopicsBoard } from '../engine/contract/topics.ts'
import type { ListSchemas } from './partedLists.ts'
import { indexRows, topicWords } from './search.ts'
import type { Steps } from './steps.ts'

/** Rows that answer `q`, in the board's own order, at most `max`. */
export type Search<Row> = (q: string, max: number) => Row[]

type Kept<Body, Find> = { schema: z.ZodObject; search(body: Body): Steps<Find> }

const keep = <Schema extends z.ZodObject, Find>(
  schema: Schema,
  search: (body: z.output<Schema>) => Steps<Find>,
): Kept<z.output<Schema>, Find> => ({ schema, search })

/** The text a row is found by. Rows that stayed the same objects are not read again. */
function wordsBy<Row extends object>(text: (row: Row) => string): (row: Row) => readonly string[] {
  const known = new WeakMap<Row, readonly string[]>()
  return (row) => {
    const before = known.get(row)
    if (before !== undefined) return before
    const words = [...new Set(topicWords(text(row)))]
    known.set(row, words)
    return words
  }
}

function* find<Row>(
  rows: readonly Row[],
  words: (row: Row) => readonly string[],
  wanted: 'all' | 'any' = 'all',
): Steps<Search<Row>> {
  const index = yield* indexRows(rows.length, (row) => words(rows[row]!), wanted)
  return (q, max) => index(q, max).map((row) => rows[row]!)
}

/** Of a board that is not searched. */
function* nothing(): Steps<null> {
  yield
  return null
}

const pairWords = wordsBy(
  ({ topic, category, a, b }: Pick<GapRow, 'topic' | 'category' | 'a' | 'b'>) =>
    `${topic} ${a.title} ${b.title} ${category ?? ''}`,
)
const topicWordsOf = wordsBy(({ topic }: TopicRow | MoverRow | BookRow) => topic)

/** Every board an api process holds: what its body looks like and how it is searched. One line adds one. */
export const BOARDS = {
  [GAPS]: keep(GapsBoard, ({ rows }) => find(rows, pairWords)),
  [NETS]: keep(NetsBoard, ({ rows }) => find(rows, pairWords)),
  [EDGES]: keep(EdgesBoard, nothing),
  [REFUSALS]: keep(RefusalsBoard, nothing),
  [GAP_CARDS]: keep(GapCardsBoard, nothing),
  [MOVERS]: keep(MoversBoard, function* ({ hour, day, week }) {
    return {
      hour: yield* find(hour, topicWordsOf),
      day: yield* find(day, topicWordsOf),
      week: yield* find(week, topicWordsOf),
    }
  }),
  [BOOK]: keep(BookBoard, function* ({ a, b }) {
    return { a: yield* find(a, topicWordsOf, 'any'), b: yield* find(b, topicWordsOf, 'any') }
  }),
  [TOPICS]: keep(TopicsBoard, function* ({ rows }) {
    const of = (wanted: 'a' | 'b') => rows.filter(({ venue }) => venue === wanted)
    return { a: yield* find(of('a'), topicWordsOf), b: yield* find(of('b'), topicWordsOf) }
  }),
}

export type BoardName = keyof typeof BOARDS

export const BOARD_NAMES = Object.keys(BOARDS) as BoardName[]

export const isBoardName = (name: string): name is BoardName => Object.hasOwn(BOARDS, name)

/** A board as it is held: replaced as a whole, never changed. */
export type HeldBoard<Name extends BoardName> =
  (typeof BOARDS)[Name] extends Kept<infer Body, infer Find>
    ? { snapshot: Snapshot<Body>; search: Find }
    : never

/** The newest of every board, in memory. Absent or null: none seen yet. */
export type Boards = { [Name in BoardName]?: HeldBoard<Name> | null }

const SLICE_ROWS = 100

/** What a row of each list of a board looks like. */
export const listSchemas = (name: BoardName): ListSchemas =>
  Object.fromEntries(
    Object.entries(BOARDS[name].schema.shape).flatMap(([key, of]) =>
      of instanceof z.ZodArray ? [[key, of.element as z.ZodType]] : [],
    ),
  )

/**
 * Checks a body and builds its search, in slices: 10 µs a new row, 2 µs one that stayed.
 * @param lists of the body that were read and checked already: the body has them empty.
 * @throws ZodError when it is not what the contract says.
 */
export function* holdBoard<Name extends BoardName>(
  name: Name,
  snapshot: Snapshot,
  lists: Record<string, unknown[]> = {},
): Steps<HeldBoard<Name>> {
  //  the table's entry and its body belong together by name, which the compiler cannot follow
  const { schema, search } = BOARDS[name] as unknown as Kept<unknown, unknown>
  const body = { ...(yield* parseBody(schema, snapshot.body)), ...lists }
  return { snapshot: { ...snapshot, body }, search: yield* search(body) } as HeldBoard<Name>
}

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
