import { type Books, type BooksAsked, noClasses, type Part } from './joinBooks.ts'
import { sumOf } from './render.ts'

/** The books of a whole range, as far as its parts are joined; of the unexplained entries the oldest are listed. */
export type WholeBooks = Books & { unexplainedCount: number; unexplainedMicroUsdc: bigint }

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
