import { z } from 'zod'
import { MIN_CONTRACTS } from '../../../engine/contract/marketRules.ts'
import { MOVE_WINDOWS, MOVERS_MAX, type MoverRow } from '../../../engine/contract/movers.ts'
import { roundTo } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import { firstOf } from '../../placedRows.ts'
import { defineGood } from '../good.ts'
import { freshBoard, NOT_FRESH } from './freshness.ts'
import { SPARE_HITS } from './open.ts'
import { Clocks, lookedThrough, Price, Provenance, searched, Venue } from './shapes.ts'
import { clocks, dollars } from './show.ts'
import { OptionalTopic, qParameter, topicOf } from './topic.ts'

const MOVE_ROWS = 20

const Output = Provenance.extend({
  move: z.object({
    window: z.enum(MOVE_WINDOWS),
    venueB: z.discriminatedUnion('included', [
      z.object({ included: z.literal(true), figure: z.string() }),
      z.object({ included: z.literal(false), why: z.string() }),
    ]),
    searched: lookedThrough(
      'Swings of the window that were looked through, the largest first',
      `smaller swings, beyond the ${MOVERS_MAX} largest,`,
    ),
    ...searched(
      z.object({
        venue: Venue,
        marketId: z.string(),
        topic: z.string(),
        changeCents: z
          .number()
          .describe('Venue A: its own change over the window; venue B: last trade less previous price'),
        yesPrice: Price.nullable(),
        lastPrice: Price.nullable(),
        volume24h: z.number().min(0).describe(`Rows below ${MIN_CONTRACTS} are dropped`),
        volumeUnit: z.enum(['usd', 'contracts']),
        url: z.string(),
        ...Clocks,
      }),
    ),
  }),
})

/** Swings of single markets over a window (spec 4.1 rule 5). Which rows qualify is the engine's part. */
export const move = defineGood({
  sku: 'SKU_AG_MOVE_01',
  path: '/x402/v1/move',
  title: 'Odds movers',
  description: `Largest swings of single markets with changeCents over an hour, a day or a week, at most ${MOVE_ROWS}. Venue A by its own change; venue B has a day figure only. With q: markets of that topic among the ${MOVERS_MAX} largest swings, also unmoved ones; \`searched\` says whether there are more.`,
  listPriceMicroUsdc: 1_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    qParameter('the largest swings'),
    {
      name: 'window',
      required: false,
      description: `${MOVE_WINDOWS.join(', ')}, exactly as written; omitted: day`,
      example: 'day',
    },
  ],
  input: OptionalTopic.extend({ window: z.enum(MOVE_WINDOWS).default('day') }),
  delivers: 'move {window, rows[] with changeCents}',
  output: Output,
  refusals: NOT_FRESH,
  answer: ({ q, window }, ports) => {
    const fresh = freshBoard('movers', ports)
    if (isProblem(fresh)) return fresh
    const { board, provenance } = fresh
    const topic = topicOf(q)
    const nowMs = ports.marketClock.nowMs()
    //  B's contract may close between two snapshots (VEN-11)
    const isOpen = ({ closeMs }: MoverRow) => closeMs === null || closeMs > nowMs
    const all = board.snapshot.body[window]
    //  a caller that asks for a topic is told that its market stands still; among the largest swings such a market is
    //  left out
    const rows =
      topic === ''
        ? firstOf(all, MOVE_ROWS, (row) => row.changeCents !== 0 && isOpen(row))
        : board.search[window](topic, MOVE_ROWS + SPARE_HITS)
            .filter(isOpen)
            .slice(0, MOVE_ROWS)
    if (rows.length === 0 && topic === '')
      return { problem: 'no_data', detail: `No market has moved over the ${window}.` }
    return {
      result: {
        move: {
          found: rows.length > 0,
          q: topic === '' ? null : topic,
          window,
          venueB:
            window === 'day'
              ? { included: true, figure: 'last trade minus previous price' }
              : { included: false, why: `Venue B has no ${window} figure, only a day figure.` },
          searched: { rows: all.length, complete: all.length < MOVERS_MAX },
          rows: rows.map(moveOf),
        },
        ...provenance,
      },
      snapshotVersion: board.snapshot.version,
    }
  },
})

const moveOf = (row: MoverRow) => ({
  venue: row.venue,
  marketId: row.marketId,
  topic: row.topic,
  changeCents: row.changeCents,
  yesPrice: dollars(row.yesBps),
  lastPrice: dollars(row.lastBps),
  volume24h: roundTo(row.volume24h, 2),
  volumeUnit: row.volumeUnit,
  url: row.url,
  ...clocks(row),
})
