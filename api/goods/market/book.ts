import { z } from 'zod'
import { BOOK_MAX, type BookRow } from '../../../engine/contract/book.ts'
import { roundTo } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import { defineGood } from '../good.ts'
import { freshBoard, NOT_FRESH } from './freshness.ts'
import { Clocks, lookedThrough, Price, Provenance, searched, Venue } from './shapes.ts'
import { clocks, dollars } from './show.ts'
import { OptionalTopic, qParameter, topicOf } from './topic.ts'

const BOOK_ROWS = 20

const Output = Provenance.extend({
  book: z.object({
    matchedPairs: z.literal(false),
    searched: lookedThrough(
      'Markets that were looked through, the most traded of each venue',
      `markets traded less than the ${BOOK_MAX} most traded of a venue`,
    ),
    ...searched(
      z.object({
        venue: Venue,
        marketId: z.string(),
        topic: z.string(),
        volume: z.number().min(0).describe('24 hours'),
        volumeUnit: z.enum(['usd', 'contracts']).describe('Never compared across venues'),
        bid: Price.nullable().describe('null: none, or above the ask, so that neither is a price'),
        ask: Price.nullable().describe('null: none, or below the bid, so that neither is a price'),
        bidSize: z.number().nullable().describe('Contracts'),
        askSize: z.number().nullable().describe('Contracts'),
        url: z.string(),
        ...Clocks,
      }),
    ),
  }),
})

/** Markets of the highest 24 h volume with their top of book (spec 4.1 rule 6). Not a matched pair. */
export const book = defineGood({
  sku: 'SKU_AG_BOOK_01',
  path: '/x402/v1/book',
  title: 'Liquid book',
  description: `Markets of the highest 24 h volume on both venues, each with volume, best bid and ask, at most ${BOOK_ROWS}. With q: those that share a word with the topic, among the ${BOOK_MAX} most traded of each venue; \`searched\` says whether there are more. Not a matched pair.`,
  listPriceMicroUsdc: 1_000n,
  priceMicroUsdc: 1_000n,
  parameters: [qParameter('the liquid board')],
  input: OptionalTopic,
  delivers: 'book {rows[] with volume, bid, ask}',
  output: Output,
  refusals: NOT_FRESH,
  answer: ({ q }, ports) => {
    const fresh = freshBoard('book', ports)
    if (isProblem(fresh)) return fresh
    const { board, provenance } = fresh
    const topic = topicOf(q)
    const { a, b } = board.snapshot.body
    const of = (venue: 'a' | 'b') =>
      topic === '' ? board.snapshot.body[venue].slice(0, BOOK_ROWS) : board.search[venue](topic, BOOK_ROWS)
    const rows = inTurn(of('a'), of('b')).slice(0, BOOK_ROWS)
    if (rows.length === 0 && topic === '')
      return { problem: 'no_data', detail: 'No market was traded in the last 24 hours.' }
    return {
      result: {
        book: {
          found: rows.length > 0,
          q: topic === '' ? null : topic,
          matchedPairs: false,
          searched: { rows: a.length + b.length, complete: a.length < BOOK_MAX && b.length < BOOK_MAX },
          rows: rows.map(bookOf),
        },
        ...provenance,
      },
      snapshotVersion: board.snapshot.version,
    }
  },
})

/** Rows of both venues alternately, the rest of the longer list last: dollars and contracts do not compare. */
function inTurn<Row>(a: readonly Row[], b: readonly Row[]): Row[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at], b[at]])
    .flat()
    .filter((row) => row !== undefined)
}

const bookOf = (row: BookRow) => ({
  venue: row.venue,
  marketId: row.marketId,
  topic: row.topic,
  volume: roundTo(row.volume24h, 2),
  volumeUnit: row.volumeUnit,
  bid: dollars(row.bidBps),
  ask: dollars(row.askBps),
  bidSize: row.bidSize,
  askSize: row.askSize,
  url: row.url,
  ...clocks(row),
})
