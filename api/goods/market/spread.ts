import { z } from 'zod'
import type { GapRow, Leg } from '../../../engine/contract/gaps.ts'
import { BPS_PER_DOLLAR, roundTo } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import { defineGood } from '../good.ts'
import { provenanceOf } from './freshness.ts'

const MAX_Q_BYTES = 8 * 1024

/** Exact yes prices of both venues for one question (spec 4.1 rule 2): the top gap, or the best hit of `q`. */
export const spread = defineGood({
  sku: 'SKU_AG_SPREAD_01',
  path: '/x402/v1/spread',
  title: 'Cross-venue spread',
  description:
    'Exact yes prices of the same question on two prediction-market venues, the mid-price gap in cents, the cheaper venue and both links. Without q: the largest live gap.',
  listPriceMicroUsdc: 10_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    {
      name: 'q',
      required: false,
      description: 'Topic keywords; omitted: the top live gap',
      example: 'fed rate',
    },
  ],
  input: z.object({
    q: z
      .string()
      .refine((q) => Buffer.byteLength(q) <= MAX_Q_BYTES, `longer than ${MAX_Q_BYTES} bytes`)
      .optional(),
  }),
  answer: ({ q }, ports) => {
    const { gaps } = ports.boards
    const provenance = provenanceOf(gaps?.snapshot ?? null, ports)
    if (isProblem(provenance)) return provenance
    const topic = q?.trim() ?? ''
    const row = topic === '' ? gaps!.snapshot.body.rows[0] : gaps!.search(topic, 1)[0]
    if (row === undefined && topic === '')
      return { problem: 'no_data', detail: 'No question is quoted on both venues now.' }
    return {
      result: { spread: row === undefined ? { found: false, q: topic } : spreadOf(row), ...provenance },
      snapshotVersion: gaps!.snapshot.version,
    }
  },
})

function spreadOf(row: GapRow) {
  return {
    found: true,
    topic: row.topic,
    gapCents: row.gapCents,
    cheaperVenue: row.cheaperVenue,
    matchVerdict: row.verdict,
    matchReasons: row.reasons,
    closesApartHours: row.closesApartMs === null ? null : roundTo(row.closesApartMs / 3_600_000, 2),
    venueA: { ...leg(row.a), slug: row.a.slug },
    venueB: { ...leg(row.b), ticker: row.b.marketId },
  }
}

/** Prices in dollars, between 0 and 1, exact to a twentieth of a cent's hundredth. */
const leg = ({ title, midBps, bidBps, askBps, url, seenMs }: Leg) => ({
  title,
  yesPrice: dollars(midBps),
  bid: dollars(bidBps),
  ask: dollars(askBps),
  url,
  seenAt: new Date(seenMs).toISOString(),
})

const dollars = (bps: number | null) => (bps === null ? null : roundTo(bps / BPS_PER_DOLLAR, 5))
