import { z } from 'zod'
import type { GapRow } from '../../../engine/contract/gaps.ts'
import { isProblem } from '../../errors.ts'
import { defineGood } from '../good.ts'
import { bestHit } from './bestHit.ts'
import { freshBoard, NOT_FRESH } from './freshness.ts'
import { openNow } from './open.ts'
import { CheaperVenue, GapCents, Legs, Match, PairProvenance } from './shapes.ts'
import { showLegs, showMatch } from './show.ts'
import { OptionalTopic, qParameter, topicOf } from './topic.ts'

const Output = PairProvenance.extend({
  spread: z.discriminatedUnion('found', [
    z.object({
      found: z.literal(true),
      topic: z.string(),
      gapCents: GapCents,
      cheaperVenue: CheaperVenue,
      ...Match.shape,
      ...Legs.shape,
    }),
    z.object({ found: z.literal(false), q: z.string() }),
  ]),
})

/** Exact yes prices of both venues for one question (spec 4.1 rule 2): the top gap, or the best hit of `q`. */
export const spread = defineGood({
  sku: 'SKU_AG_SPREAD_01',
  path: '/x402/v1/spread',
  title: 'Cross-venue spread',
  description:
    'Exact yes prices of the same question on two prediction-market venues, the mid-price gap in cents, the cheaper venue and both links. Without q: the largest live gap.',
  listPriceMicroUsdc: 10_000n,
  priceMicroUsdc: 1_000n,
  parameters: [qParameter('the top live gap')],
  input: OptionalTopic,
  delivers: 'spread {topic, gapCents, cheaperVenue, venueA, venueB}',
  output: Output,
  refusals: NOT_FRESH,
  answer: ({ q }, ports) => {
    const fresh = freshBoard('gaps', ports)
    if (isProblem(fresh)) return fresh
    const { board, provenance } = fresh
    const topic = topicOf(q)
    const row =
      topic === '' ? board.snapshot.body.rows.find(openNow(ports)) : bestHit(board.search, topic, ports)
    if (row === undefined && topic === '')
      return { problem: 'no_data', detail: 'No question is quoted on both venues now.' }
    return {
      result: { spread: row === undefined ? { found: false, q: topic } : spreadOf(row), ...provenance },
      snapshotVersion: board.snapshot.version,
    }
  },
})

const spreadOf = (row: GapRow) => ({
  found: true,
  topic: row.topic,
  gapCents: row.gapCents,
  cheaperVenue: row.cheaperVenue,
  ...showMatch(row),
  ...showLegs(row),
})
