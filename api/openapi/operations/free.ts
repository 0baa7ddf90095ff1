import { z } from 'zod'
import { HistorySchema } from '../../../engine/contract/history.ts'
import { PreviewRow } from '../../../engine/contract/preview.ts'
import { Mode } from '../../../ops/mode.ts'
import { WireRow } from '../../free/venueWire.ts'
import { PRECISION } from '../../goods/market/freshness.ts'
import { Precision } from '../../goods/market/shapes.ts'
import { LiveBoard } from '../../live/liveBoard.ts'
import { SAMPLE_RULE } from '../../live/sections.ts'
import { SurfaceAudit } from '../../storefront/audit/compare.ts'
import { PLACES } from '../../storefront/places.ts'
import { json, type Operation } from '../operation.ts'

const Iso = z.iso.datetime()
const AsOf = z.object({ a: Iso, b: Iso }).nullable()
const free = { ok: z.literal(true), mode: Mode }
const sample = {
  ...free,
  recorded: z.boolean(),
  refreshedAt: Iso.nullable().describe('Market clock; null: none yet'),
  nextAt: Iso.describe(
    'Market clock; when it is worth asking again. While the next sample is not taken yet: as if it were at the end of this minute',
  ),
  asOf: AsOf,
  matchPrecision: Precision,
  exact: z.string().describe('Paid path with exact figures'),
}
const Wire = z.object({ ...sample, rows: z.array(WireRow) })
const Preview = z.object({ ...sample, delayMs: z.int(), rows: z.array(PreviewRow) })
const Audit = z.object({
  ...free,
  minBuyersPerLine: z.int(),
  delayMs: z.int(),
  lines: z.array(z.object({ from: Iso, until: Iso, sku: z.string(), sales: z.int() })),
  surfaces: SurfaceAudit.describe('Self-check: whether all surfaces say what is charged'),
})
const History = z.object({
  ok: z.literal(true),
  access: z.object({
    protocol: z.string(),
    user: z.string(),
    database: z.string(),
    readOnly: z.literal(true),
    bounds: z.record(z.string(), z.number()),
    example: z.string(),
    formats: z.string(),
  }),
  tables: HistorySchema.shape.tables,
  queries: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      answers: z.string(),
      params: z.record(z.string(), z.string()),
      sql: z.string(),
    }),
  ),
})

const AT = '2026-11-21T12:00:00.000Z'
const TOPIC = { topic: 'Will the Fed cut rates in December 2026?', category: 'Economics' }
const SHOWN = { recorded: false, refreshedAt: AT, asOf: { a: AT, b: AT }, ...PRECISION }
const HEAD = { ok: true, mode: 'sandbox' } as const

/** What costs nothing (spec 1, 4.2): samples in bands, the live board, the schema of history. */
export const FREE: readonly Operation[] = [
  {
    method: 'GET',
    path: PLACES.venueWire.path,
    id: 'venueWire',
    tag: 'free',
    summary: 'Cross-venue gaps in bands, every 30 minutes',
    answers: {
      200: {
        description: 'At most 20 rows',
        content: json(Wire, {
          ...HEAD,
          ...SHOWN,
          nextAt: '2026-11-21T12:30:00.000Z',
          rows: [
            {
              ...TOPIC,
              gapBand: '5 to 10 cents',
              edgeBand: null,
              yesBandA: '40 to 50 cents',
              yesBandB: '50 to 60 cents',
              opposite: false,
            },
          ],
          exact: '/x402/v1/spread',
        } satisfies z.infer<typeof Wire>),
      },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: PLACES.alphaPreview.path,
    id: 'alphaPreview',
    tag: 'free',
    summary: 'The best edges in bands, at least 15 minutes late',
    answers: {
      200: {
        description: 'At most 10 rows',
        content: json(Preview, {
          ...HEAD,
          ...SHOWN,
          delayMs: 900_000,
          nextAt: '2026-11-21T12:15:00.000Z',
          rows: [{ ...TOPIC, gapBand: '5 to 10 cents', edgeBand: '0 to 5 cents' }],
          exact: '/x402/v1/bot-fuel',
        } satisfies z.infer<typeof Preview>),
      },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: PLACES.audit.path,
    id: 'surfaceAudit',
    tag: 'free',
    summary: 'The masked public ledger of today and yesterday',
    answers: {
      200: {
        description: 'Each line covers several buyers at least and appears an hour after its end',
        content: json(Audit, {
          ...HEAD,
          minBuyersPerLine: 5,
          delayMs: 3_600_000,
          lines: [
            {
              from: '2026-11-21T10:00:00.000Z',
              until: '2026-11-21T11:00:00.000Z',
              sku: 'several',
              sales: 12,
            },
          ],
          surfaces: {
            checkedAt: AT,
            goods: 25,
            agree: true,
            disagreements: [],
            checked: [{ path: '/skill.md', goods: 25, compared: ['amount', 'parameters', 'required'] }],
            tools: { sameGoods: true, soldDigest: '0'.repeat(16), checks: [] },
          },
        } satisfies z.infer<typeof Audit>),
      },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: PLACES.live.path,
    id: 'liveBoard',
    tag: 'free',
    summary: 'The live board: data ages, gaps in bands and minutes late, what is refused and why',
    answers: {
      200: {
        description: 'HTML, markdown or JSON by Accept',
        content: { 'text/html': {}, 'text/markdown': {}, 'application/json': { schema: LiveBoard } },
        headers: ['link'],
      },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: '/live.json',
    id: 'liveJson',
    tag: 'free',
    summary: 'The free board as JSON, rebuilt every second',
    description: SAMPLE_RULE,
    answers: {
      200: { description: 'The board', content: { 'application/json': { schema: LiveBoard } } },
      304: { description: 'The same as before' },
    },
  },
  {
    method: 'GET',
    path: '/live',
    id: 'liveStream',
    tag: 'free',
    summary: 'The live board as server-sent events',
    description:
      'Event board: the whole board. Event change: sections that changed, by name. Event clock: the clock alone.',
    answers: {
      200: {
        description: 'A stream',
        content: {
          'text/event-stream': {
            message: LiveBoard.partial().describe('One event: the sections it is about'),
          },
        },
      },
    },
    problems: ['busy'],
  },
  {
    method: 'GET',
    path: PLACES.history.path,
    id: 'history',
    tag: 'free',
    summary: 'Tables and example queries for analysts',
    answers: {
      200: {
        description: 'JSON, or HTML or markdown by Accept',
        content: { 'text/html': {}, 'text/markdown': {}, 'application/json': { schema: History } },
      },
      304: { description: 'The same as before' },
    },
    problems: ['no_data'],
  },
]
