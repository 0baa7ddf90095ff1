import { z } from 'zod'
import { Market } from '../../ingest/contract/market.ts'
import { Book, Quote } from '../../ingest/contract/quote.ts'
import { Batch } from '../../ingest/contract/stream.ts'
import { parseJsonOrNull } from '../../ops/jsonText.ts'
import { quickCheck } from '../../ops/quickCheck.ts'

const isMarkets = quickCheck(z.array(Market))
const isQuotes = quickCheck(z.array(Quote))
const isBooks = quickCheck(z.array(Book))

/**
 * The batch of one entry of the quote stream; null when the entry does not follow the contract, for one bad entry must not
 * stop the rest. Long lists are checked the quick way, and only what is left by the schema.
 */
export function readBatch(fields: readonly string[]): Batch | null {
  const at = fields.indexOf('batch')
  const value = at === -1 ? null : parseJsonOrNull(fields[at + 1]!)
  if (typeof value !== 'object' || value === null) return null
  const { markets, quotes, books, ...rest } = value as Record<string, unknown>
  if (rest.kind === 'changes' && isMarkets(markets) && isQuotes(quotes)) {
    const batch = parseBatch({ ...rest, markets: [], quotes: [] })
    return batch?.kind === 'changes' ? { ...batch, markets, quotes } : null
  }
  if (rest.kind === 'books' && isBooks(books)) {
    const batch = parseBatch({ ...rest, books: [] })
    return batch?.kind === 'books' ? { ...batch, books } : null
  }
  return parseBatch(value)
}

function parseBatch(value: unknown): Batch | null {
  const parsed = Batch.safeParse(value)
  return parsed.success ? parsed.data : null
}
