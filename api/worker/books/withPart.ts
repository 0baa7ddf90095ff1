import { type Books, type BooksAsked, noClasses, type Part, type Unexplained } from './joinBooks.ts'
import { sumOf } from './render.ts'

/** The books of a whole range, as far as its parts are joined; of the unexplained entries the oldest are listed. */
export type WholeBooks = Books & {
  unexplainedCount: number
  unexplainedMicroUsdc: bigint
  followedCount: number //          of these: outside the range, still followed by the worker
  unlistedFrom: bigint | null //    first block of more that even the worker does not list; null: there are none
}

const MOST_NAMED = 20_000

export const noBooks = ({ chainId, asset, receivers, from }: BooksAsked): WholeBooks => ({
  chainId,
  asset,
  receivers,
  from,
  until: from - 1n,
  inflowMicroUsdc: 0n,
  classes: noClasses(),
  unexplained: [],
  unexplainedCount: 0,
  unexplainedMicroUsdc: 0n,
  followedCount: 0,
  unlistedFrom: null,
})

/** The books with those of the part that follows. Pure. */
export function withPart(books: WholeBooks, part: Part): WholeBooks {
  const classes = noClasses()
  for (const each of [books.classes, part.classes])
    for (const [name, { count, microUsdc }] of Object.entries(each)) {
      classes[name as keyof typeof classes].count += count
      classes[name as keyof typeof classes].microUsdc += microUsdc
    }
  return {
    ...books,
    until: part.until,
    inflowMicroUsdc: books.inflowMicroUsdc + part.inflowMicroUsdc,
    classes,
    unexplained: [...books.unexplained, ...part.unexplained].slice(0, MOST_NAMED),
    unexplainedCount: books.unexplainedCount + part.unexplained.length,
    unexplainedMicroUsdc: books.unexplainedMicroUsdc + sumOf(part.unexplained),
  }
}

/** The books with what the worker follows from outside their range. Pure. */
export const withFollowed = (
  books: WholeBooks,
  { items, unlistedFrom }: { items: Unexplained[]; unlistedFrom: bigint | null },
): WholeBooks => ({
  ...books,
  unexplained: [...items.toSorted(byAge), ...books.unexplained].slice(0, MOST_NAMED),
  unexplainedCount: books.unexplainedCount + items.length,
  unexplainedMicroUsdc: books.unexplainedMicroUsdc + sumOf(items),
  followedCount: items.length,
  unlistedFrom,
})

/** A sale without its money has no time, and comes last. */
const byAge = (a: Unexplained, b: Unexplained) =>
  (a.atMs ?? Number.MAX_SAFE_INTEGER) - (b.atMs ?? Number.MAX_SAFE_INTEGER)
