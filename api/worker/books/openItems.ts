import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { RailId } from '../../rails/rail.ts'
import type { Unexplained } from './joinBooks.ts'

const Micro = z.string().transform(BigInt)
const Item = z.looseObject({
  ...{ tx: z.string(), logIndex: z.number(), payer: z.string(), microUsdc: Micro },
})
const Stored = z.object({ until: z.string().transform(BigInt), items: z.array(Item) })

/** How far a rail's books are joined, and what is unexplained up to there. */
export type OpenItems = { until: bigint; items: Unexplained[] }

const keyOf = (rail: RailId): string => `books:${rail}`

/** null: never joined. */
export async function readOpenItems(redis: Redis, rail: RailId): Promise<OpenItems | null> {
  const text = await redis.get(keyOf(rail))
  return text === null ? null : (Stored.parse(JSON.parse(text)) as OpenItems)
}

export async function writeOpenItems(redis: Redis, rail: RailId, open: OpenItems): Promise<void> {
  const text = JSON.stringify(open, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  await redis.set(keyOf(rail), text)
}
