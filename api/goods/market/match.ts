import { z } from 'zod'
import type { GapRow } from '../../../engine/contract/gaps.ts'
import type { TopicRow } from '../../../engine/contract/topics.ts'
import { usdcNumber } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import type { Rows } from '../../placedRows.ts'
import { defineGood } from '../good.ts'
import { bestHit, pairedTopic } from './bestHit.ts'
import { freshBoard, NOT_FRESH } from './freshness.ts'
import { BUCKET_CENTS, gapBucket } from './gapBucket.ts'
import { CheaperVenue, Match, Precision, Provenance } from './shapes.ts'
import { showMatch } from './show.ts'
import { qParameter, RequiredTopic, topicOf } from './topic.ts'

/** A default cap of 0.10 USD is mentioned for this read (spec 8). */
const MAX_SPEND_MICRO_USDC = 100_000n

const Hit = z.object({ found: z.boolean(), title: z.string().nullable() })

const Output = Provenance.extend({
  match: z.object({
    found: z.boolean().describe('At least one venue has the topic'),
    q: z.string(),
    venueA: Hit,
    venueB: Hit,
    samePair: z
      .boolean()
      .describe('Both venues ask the same question; without a price on both nothing is compared'),
    topic: z.string().nullable(),
    cheaperVenue: CheaperVenue,
    gapBucket: z
      .object({ fromCents: z.int().min(0), toCents: z.int() })
      .nullable()
      .describe(`The ${BUCKET_CENTS}-cent step that holds the gap; its lower end belongs to it`),
    matchVerdict: Match.shape.matchVerdict.nullable(),
    matchReasons: Match.shape.matchReasons,
    closesApartHours: Match.shape.closesApartHours,
    maxSpendUsdc: z.number().describe('Default spend cap of this read, USD'),
  }),
  matchPrecision: Precision.optional().describe('Where a pair was found'),
})

/**
 * Whether each venue has the topic, which one is cheaper, and the gap in 10-cent steps (spec 4.1 rule 3). Exact prices
 * are sold only in `spread`: of what moves with a pair's prices, only the bucket and the cheaper venue are shown here.
 */
export const match = defineGood({
  sku: 'SKU_AG_MATCH_01',
  path: '/x402/v1/match',
  title: 'Cross-venue match',
  description:
    'Says for topic keywords whether each of two prediction-market venues has a market, which venue is cheaper, and the gap in 10-cent buckets. No exact prices: those are in spread.',
  listPriceMicroUsdc: 50_000n,
  priceMicroUsdc: 1_000n,
  maxSpendMicroUsdc: MAX_SPEND_MICRO_USDC,
  parameters: [qParameter(null)],
  input: RequiredTopic,
  delivers: 'match {whether each venue has it, the cheaper venue, gapBucket of 10 cents}',
  output: Output,
  refusals: NOT_FRESH,
  answer: ({ q }, ports) => {
    const gaps = freshBoard('gaps', ports)
    if (isProblem(gaps)) return gaps
    const topic = topicOf(q)
    const cap = { maxSpendUsdc: usdcNumber(MAX_SPEND_MICRO_USDC) }
    const pair = bestHit(gaps.board.search, topic, ports)
    //  taken from the gaps board in both branches: an answer about a pair is outdated once that board no longer has the
    //  pair
    const snapshotVersion = gaps.board.snapshot.version
    if (pair !== undefined)
      return {
        result: { match: { ...pairHit(pair), q: topic, ...cap }, ...gaps.provenance },
        snapshotVersion,
      }
    const topics = freshBoard('topics', ports)
    if (isProblem(topics)) return topics
    const { search, snapshot } = topics.board
    const meant = pairedTopic(search.a, topic) ?? pairedTopic(search.b, topic)
    const hits =
      meant === undefined ? { a: search.a(topic, 1)[0], b: search.b(topic, 1)[0] } : { [meant.venue]: meant }
    const a = hits.a ?? otherHalf(hits.b, snapshot.body.a)
    const b = hits.b ?? otherHalf(hits.a, snapshot.body.b)
    const samePair = isPaired(a) && a.pairId === b?.pairId
    const { matchPrecision } = gaps.provenance
    return {
      result: {
        match: { ...hitsWithoutPrice(a, b), samePair, q: topic, ...cap },
        ...topics.provenance,
        ...(samePair && { matchPrecision }),
      },
      snapshotVersion,
    }
  },
})

const pairHit = (row: GapRow) => ({
  found: true,
  venueA: { found: true, title: row.a.title },
  venueB: { found: true, title: row.b.title },
  samePair: true,
  topic: row.topic,
  cheaperVenue: row.cheaperVenue,
  gapBucket: gapBucket(row.gapCents),
  ...showMatch(row),
})

const isPaired = (row: TopicRow | undefined): row is TopicRow & { pairId: string } =>
  row != null && row.pairId !== null

/** The same question at the other venue, whatever its wording there. */
const otherHalf = (hit: TopicRow | undefined, rows: Rows<TopicRow>): TopicRow | undefined =>
  isPaired(hit) ? rows.find(({ pairId }) => pairId === hit.pairId) : undefined

/** For a topic without a pair that has a price on both venues: a venue may still list it. Nothing is compared then. */
const hitsWithoutPrice = (a: TopicRow | undefined, b: TopicRow | undefined) => ({
  found: a !== undefined || b !== undefined,
  venueA: { found: a !== undefined, title: a?.topic ?? null },
  venueB: { found: b !== undefined, title: b?.topic ?? null },
  topic: null,
  cheaperVenue: null,
  gapBucket: null,
  matchVerdict: null,
  matchReasons: [],
  closesApartHours: null,
})
