import { z } from 'zod'
import { CLOSE_WINDOW_MS } from '../../../engine/contract/marketRules.ts'
import type { NetRow } from '../../../engine/contract/nets.ts'
import { HOUR } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import { defineGood } from '../good.ts'
import { hitsOf, namedFirst } from './bestHit.ts'
import { freshBoard, NOT_FRESH } from './freshness.ts'
import { openNow, SPARE_HITS } from './open.ts'
import { Executable, GapCents, Legs, Match, NetCents, PairProvenance, searched, Trade } from './shapes.ts'
import { dollars, showLegs, showMatch } from './show.ts'
import { OptionalTopic, qParameter, topicOf } from './topic.ts'

const NET_ROWS = 20

const Output = PairProvenance.extend({
  net: z.object({
    netCents: NetCents.nullable().describe('Of the first row'),
    executable: Executable.nullable().describe('Of the first row'),
    ...searched(
      z.object({
        topic: z.string(),
        ...Trade.shape,
        gapCents: GapCents.nullable(),
        ...Match.shape,
        ...Legs.shape,
      }),
    ),
  }),
})

/** Cents left after buying the ask and selling the bid across venues, before fees (spec 4.1 rule 4); may be negative. */
export const net = defineGood({
  sku: 'SKU_AG_NET_01',
  path: '/x402/v1/net',
  title: 'Cross-venue net',
  description: `Cents left after buying the ask of one venue and selling the bid of the other, before fees, and whether it is executable: names match, both contracts close within ${CLOSE_WINDOW_MS / HOUR} hours of each other, data is fresh and books are two-sided. With q: that topic; without: the largest nets, at most ${NET_ROWS}.`,
  listPriceMicroUsdc: 1_000n,
  priceMicroUsdc: 1_000n,
  parameters: [qParameter('the largest nets')],
  input: OptionalTopic,
  delivers: 'net {netCents, executable, rows[]}',
  output: Output,
  refusals: NOT_FRESH,
  answer: ({ q }, ports) => {
    const fresh = freshBoard('nets', ports)
    if (isProblem(fresh)) return fresh
    const { board, provenance } = fresh
    const topic = topicOf(q)
    const isOpen = openNow(ports)
    const ranked =
      topic === ''
        ? board.snapshot.body.rows.slice(0, NET_ROWS + SPARE_HITS).filter(isOpen)
        : namedFirst(hitsOf(board.search, topic).filter(isOpen), topic)
    const rows = ranked.slice(0, NET_ROWS)
    const [top] = rows
    if (top === undefined && topic === '')
      return { problem: 'no_data', detail: 'No question has an ask and a bid across the venues now.' }
    return {
      result: {
        net: {
          found: top !== undefined,
          q: topic === '' ? null : topic,
          netCents: top?.netCents ?? null, //  of the first row
          executable: top?.executable ?? null,
          rows: rows.map(netOf),
        },
        ...provenance,
      },
      snapshotVersion: board.snapshot.version,
    }
  },
})

const netOf = (row: NetRow) => ({
  topic: row.topic,
  netCents: row.netCents,
  executable: row.executable,
  gapCents: row.gapCents,
  buyVenue: row.buyVenue,
  sellVenue: row.sellVenue,
  buySide: row.buySide,
  sellSide: row.sellSide,
  buyPrice: dollars(row.buyBps),
  sellPrice: dollars(row.sellBps),
  ...showMatch(row),
  ...showLegs(row),
})
