import { MINUTE } from '../../ops/units.ts'
import type { WantedBook } from '../venues/venue.ts'

/** Extra reads a round may spend on finding refused books: enough to find one among a hundred, halving 7 times. */
export const EXTRA_READS = 16

/** A refused book is asked for again after this time, in a read of its own. */
export const REFUSED_MS = 5 * MINUTE

/** Wanted books that the venue refuses, by `bookKey`, and when each may be asked for again (performance.now() clock). */
export type Refusals = Map<string, number>

export const bookKey = ({ marketId, token }: WantedBook): string => `${marketId}|${token}`

type Round = {
  perRead: number
  nowMs: number
  random: number // 0 ≤ random < 1
  ask(some: WantedBook[]): Promise<boolean>
}

/**
 * One round: asks for all wanted books, `perRead` at a time. A venue may refuse a whole read for one book in it; then
 * the other reads go on, and the refused reads are halved until the book is found, in this round or a later one. Books
 * found are remembered, unless the venue refused everything: then the cause is not the books. Every round starts at a
 * different book, so that many refused books in a row do not block the others for ever.
 * @param ask returns false when the venue refuses this read; an error it throws ends the round.
 * @returns how many books got no answer, and whether all books not remembered as refused were among them.
 */
export async function askBooks(
  wanted: WantedBook[],
  refusals: Refusals,
  { perRead, nowMs, random, ask }: Round,
): Promise<{ refused: number; nothing: boolean }> {
  const trusted = rotate(
    wanted.filter((book) => !refusals.has(bookKey(book))),
    random,
  )
  const due = wanted.filter((book) => (refusals.get(bookKey(book)) ?? Number.POSITIVE_INFINITY) <= nowMs)
  const found: WantedBook[] = []
  let answered = 0 //  books
  let extra = EXTRA_READS
  const read = async (some: WantedBook[]): Promise<boolean> => {
    const good = await ask(some)
    if (good) answered += some.length
    return good
  }
  /** @returns the refused reads. */
  const readTrusted = async (): Promise<WantedBook[][]> => {
    const refused: WantedBook[][] = []
    for (let from = 0; from < trusted.length; from += perRead) {
      const some = trusted.slice(from, from + perRead)
      if (!(await read(some))) refused.push(some)
    }
    return refused
  }
  /** Halves what is refused, the newest first, while there are extra reads. */
  const search = async (doubted: WantedBook[][]): Promise<void> => {
    for (let some = doubted.pop(); some !== undefined; some = doubted.pop()) {
      if (some.length === 1) found.push(...some)
      if (some.length === 1 || extra < 2) continue
      extra -= 2
      for (const half of halves(some)) if (!(await read(half))) doubted.push(half)
    }
  }
  const askAgain = async (): Promise<void> => {
    for (const book of due.slice(0, extra)) {
      if (await read([book])) refusals.delete(bookKey(book))
      else refusals.set(bookKey(book), nowMs + REFUSED_MS)
    }
  }
  try {
    await search(await readTrusted())
    await askAgain()
  } finally {
    if (answered > 0) for (const book of found) refusals.set(bookKey(book), nowMs + REFUSED_MS)
  }
  return { refused: wanted.length - answered, nothing: trusted.length > 0 && answered === 0 }
}

function rotate<T>(list: T[], random: number): T[] {
  const from = Math.floor(random * list.length)
  return [...list.slice(from), ...list.slice(0, from)]
}

function halves<T>(some: T[]): [T[], T[]] {
  const middle = some.length >> 1
  return [some.slice(0, middle), some.slice(middle)]
}
