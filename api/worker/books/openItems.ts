import type { Redis } from 'ioredis'
import { z } from 'zod'
import { writeOn } from '../../ledger/scripts.ts'
import { type BooksAsked, type BooksPorts, isUnexplained, type Part, type Unexplained } from './joinBooks.ts'
import type { BookId } from './tokenPlaces.ts'

const Micro = z.string().transform(BigInt)
const Item = z.looseObject({
  tx: z.string(),
  logIndex: z.number(),
  payer: z.string(),
  microUsdc: Micro,
})
const Block = z.string().transform(BigInt)
const Stored = z.object({
  until: Block,
  items: z.array(Item),
  unlistedSinceMs: z.number().nullable().default(null),
})

/** Kept one by one: the largest. */
export const MOST_OPEN = 2_000

/** How far a rail's books are joined, and what is unexplained up to there. */
export type OpenItems = {
  until: bigint
  items: Unexplained[]
  unlistedSinceMs: number | null //  since when there are more items than listed; null: all are listed
}

/** Adds what is unexplained in the following part; beyond the bound the smallest are left out. Pure. */
export function withItems(
  { items, unlistedSinceMs }: OpenItems,
  { until, unexplained, end }: Pick<Part, 'until' | 'unexplained' | 'end'>,
): OpenItems {
  const all = [...new Map([...items, ...unexplained].map((item) => [nameOf(item), item])).values()]
  if (all.length <= MOST_OPEN) return { until, items: all, unlistedSinceMs }
  all.sort((a, b) => (a.microUsdc < b.microUsdc ? 1 : a.microUsdc > b.microUsdc ? -1 : 0))
  const times = all.splice(MOST_OPEN).map(({ atMs }) => atMs ?? end.timeMs)
  const sinceMs = times.reduce((oldest, atMs) => Math.min(oldest, atMs), unlistedSinceMs ?? end.timeMs)
  return { until, items: all, unlistedSinceMs: sinceMs }
}

/** Those from before the blocks now being joined that are still unexplained. */
export async function stillOpen(
  items: Iterable<Unexplained>,
  fromMs: number,
  asked: Pick<BooksAsked, 'asset'>,
  ports: BooksPorts & { nowMs: number },
): Promise<Unexplained[]> {
  const open: Unexplained[] = []
  for (const item of items)
    if ((item.atMs ?? 0) <= fromMs && (await isUnexplained(item, asked, ports))) open.push(item)
  return open
}

export const nameOf = ({ tx, logIndex }: Unexplained): string => `${tx} ${logIndex}`

const keyOf = (rail: BookId): string => `books:${rail}`

/** null: never joined. */
export async function readOpenItems(redis: Redis, rail: BookId): Promise<OpenItems | null> {
  const text = await redis.get(keyOf(rail))
  return text === null ? null : (Stored.parse(JSON.parse(text)) as OpenItems)
}

export async function writeOpenItems(redis: Redis, rail: BookId, open: OpenItems): Promise<void> {
  const text = JSON.stringify(open, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  await writeOn(redis)('SET', keyOf(rail), text)
}
