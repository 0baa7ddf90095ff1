import { z } from 'zod'
import type { EdgeRow } from '../../../engine/contract/edges.ts'
import { isProblem, type Problem } from '../../errors.ts'
import type { Draft, GoodPorts } from '../good.ts'
import { book } from '../market/book.ts'
import { freshBoard, NOT_FRESH } from '../market/freshness.ts'
import { move } from '../market/move.ts'
import { net } from '../market/net.ts'
import { PairProvenance } from '../market/shapes.ts'
import { spread } from '../market/spread.ts'
import { OptionalTopic, topicOf } from '../market/topic.ts'
import { defineService, usd } from './service.ts'
import { conclude, Verdict } from './verdict.ts'

/** The reads a report is made of, by the name under which each answers. A report has all of them or is refused. */
const PARTS = { spread, net, move, book } as const
type PartName = keyof typeof PARTS

const Output = PairProvenance.extend({
  inquiry: z.object({
    topic: z.string(),
    verdict: Verdict,
    ...Object.fromEntries(Object.entries(PARTS).map(([name, { output }]) => [name, output.shape[name]!])),
  }),
})

/** One report on a topic from all boards (spec 2.3), refused when nothing is known about it or the data is old. */
export const inquiry = defineService({
  sku: 'SKU_INQUIRY_01',
  title: 'Topic inquiry',
  description:
    'One report on a topic; without one, on the largest live gap: exact yes prices of both venues, whether they ask the same question, what is left after buying and selling across them, before and after both venues’ taker fees, the movers and the order books around it, and a verdict in words.',
  listPriceMicroUsdc: usd(5),
  priceMicroUsdc: usd(2, 49),
  input: OptionalTopic,
  output: Output,
  refusals: NOT_FRESH,
  async answer({ q }, ports) {
    const spreadPart = await readPart('spread', q, ports)
    if (isProblem(spreadPart)) return spreadPart
    const topic = topicOf(q) || String(spreadPart.body.topic)
    const found: Partial<Record<PartName, Record<string, unknown>>> = { spread: spreadPart.body }
    for (const name of ['net', 'move', 'book'] as const) {
      const part = await readPart(name, topic, ports)
      if (isProblem(part)) return part
      found[name] = part.body
    }
    if (Object.values(found).every((body) => body.found === false))
      return { problem: 'no_data', detail: 'No board has a market on this topic now.' }
    const edges = freshBoard('edges', ports)
    if (isProblem(edges)) return edges
    const edge = edges.board.snapshot.body.rows.find(isOfFirstPair(found.net))
    const { spread: _, ...provenance } = spreadPart.draft.result
    return {
      result: { inquiry: { topic, verdict: conclude(found, edge), ...found }, ...provenance },
      snapshotVersion: spreadPart.draft.snapshotVersion,
    }
  },
  presented: {
    type: 'service',
    collection: 'reports',
    tagline: 'Everything both venues say about one topic',
    deliveryNote:
      'The report is in the answer, at once. Name the topic as payload.q; without it the report is on the largest live gap.',
    delivers:
      'inquiry {topic, verdict {summary, tradable, edgeCents, reasons[]}, spread, net, move, book}; plus paymentAttestation',
    cardCheckout: true,
    promoted: true,
  },
})

/** Of a net answer, only what identifies the pairs of its rows. */
const PairsOfNet = z.object({
  rows: z.array(
    z.object({
      venueA: z.object({ title: z.string(), url: z.string() }),
      venueB: z.object({ ticker: z.string() }),
    }),
  ),
})

function isOfFirstPair(net: unknown): (edge: EdgeRow) => boolean {
  const [first] = PairsOfNet.parse(net).rows
  return ({ a, b }) =>
    b.marketId === first?.venueB.ticker && a.title === first.venueA.title && a.url === first.venueA.url
}

type Part = { body: Record<string, unknown>; draft: Draft }

async function readPart(name: PartName, q: string | undefined, ports: GoodPorts): Promise<Part | Problem> {
  const { input, answer } = PARTS[name]
  const draft = await answer(input.parse(q === undefined ? {} : { q }), ports)
  if (isProblem(draft)) return draft
  return { body: draft.result[name] as Record<string, unknown>, draft }
}
