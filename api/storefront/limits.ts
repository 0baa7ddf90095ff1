import { z } from 'zod'
import { CLOSE_WINDOW_MS, MIN_CONTRACTS } from '../../engine/contract/marketRules.ts'
import { DAY, HOUR, MINUTE, SECOND, usdcNumber } from '../../ops/units.ts'
import { STATED_PRICE_FLOOR_USDC } from '../catalog/catalog.ts'
import { OPENING_SALE } from '../catalog/openingSale.ts'
import { GRACE_MS, INTENT_MS } from '../classic/open.ts'
import { PASS_CALLS, PASS_LIFETIME_MS } from '../entitlements/pass.ts'
import { PERMIT_CALLS, PERMIT_LIFETIME_MS, TOOL_TRIAL_USES } from '../entitlements/permit.ts'
import { UNLOCK_LIFETIME_MS } from '../entitlements/unlock.ts'
import { PREVIEW_DELAY_MS } from '../free/alphaPreview.ts'
import { WIRE_EVERY_MS } from '../free/venueWire.ts'
import { CARD_PACK_SIZE } from '../goods/market/botFuelPack.ts'
import { EDGE_PACK_SIZE } from '../goods/market/edgePack.ts'
import { BUCKET_CENTS } from '../goods/market/gapBucket.ts'
import { match } from '../goods/market/match.ts'
import { MAX_Q_BYTES } from '../goods/market/topic.ts'
import { SERVICES } from '../goods/services/index.ts'
import { MAX_RAW_BYTES } from '../goods/utility/scan/input.ts'
import { MAX_HEAD_BYTES } from '../http/server.ts'
import { CHEAP_MICRO_USDC, LATE_GRACE_MS, LEGACY_INTENT_MS, OBJECTION_MS } from '../payment/legacyTimes.ts'
import type { Facts } from './facts.ts'

/** One published limit: a number, its unit, and what it bounds. */
export const Limit = z.object({
  id: z.string(),
  value: z.number(),
  unit: z.enum([
    'bytes',
    'calls',
    'cents',
    'contracts',
    'days',
    'hours',
    'items',
    'minutes',
    'seconds',
    'USD',
    'uses',
  ]),
  what: z.string(),
})
export type Limit = z.infer<typeof Limit>

/** An amount in words for people: "1 hour", "600 calls". */
export const amountWords = ({ value, unit }: Pick<Limit, 'value' | 'unit'>): string =>
  `${value} ${value === 1 ? unit.replace(/s$/, '') : unit}`

/** Every limit that is stated (spec 8), each taken from where it is applied. */
export const limitsOf = (facts: Pick<Facts, 'terms' | 'marketMaxAgeMs' | 'goods'>): Limit[] => [
  { id: 'q', value: MAX_Q_BYTES, unit: 'bytes', what: 'Query parameter q' },
  {
    id: 'raw',
    value: MAX_RAW_BYTES,
    unit: 'bytes',
    what: 'Parameter raw of scan, by MCP; by GET as much as the request head holds',
  },
  {
    id: 'payload',
    value: MAX_RAW_BYTES,
    unit: 'bytes',
    what: 'The same in X-Service-Payload: by MCP; by GET as much as the request head holds',
  },
  { id: 'request_head', value: MAX_HEAD_BYTES, unit: 'bytes', what: 'Request line and headers together' },
  {
    id: 'payment_timeout',
    value: facts.terms.maxTimeoutSeconds,
    unit: 'seconds',
    what: 'How long a signed authorization may be valid',
  },
  {
    id: 'market_max_age',
    value: facts.marketMaxAgeMs / SECOND,
    unit: 'seconds',
    what: 'Older market data is not sold',
  },
  { id: 'hour_pass_calls', value: PASS_CALLS, unit: 'calls', what: 'Answers of one hour pass' },
  { id: 'hour_pass_hours', value: PASS_LIFETIME_MS / HOUR, unit: 'hours', what: 'Lifetime of an hour pass' },
  { id: 'permit_calls', value: PERMIT_CALLS, unit: 'calls', what: 'Calls of the local tool for one permit' },
  { id: 'permit_days', value: PERMIT_LIFETIME_MS / DAY, unit: 'days', what: 'Lifetime of a permit' },
  {
    id: 'unlock_days',
    value: UNLOCK_LIFETIME_MS / DAY,
    unit: 'days',
    what: 'Lifetime of an unlock key of the local tool',
  },
  ...feedLifetimes(facts),
  { id: 'card_pack', value: CARD_PACK_SIZE, unit: 'items', what: 'Gap cards in bot-fuel-pack' },
  { id: 'edge_pack', value: EDGE_PACK_SIZE, unit: 'items', what: 'Edges in edge-pack' },
  { id: 'match_bucket', value: BUCKET_CENTS, unit: 'cents', what: 'Step in which match states a gap' },
  {
    id: 'match_max_spend',
    value: usdcNumber(match.maxSpendMicroUsdc ?? match.priceMicroUsdc),
    unit: 'USD',
    what: 'Default spend cap of match',
  },
  {
    id: 'net_window',
    value: CLOSE_WINDOW_MS / HOUR,
    unit: 'hours',
    what: 'The two contracts of an executable net close no further apart than this',
  },
  {
    id: 'move_volume',
    value: MIN_CONTRACTS,
    unit: 'contracts',
    what: 'Rows with less volume in 24 hours are dropped from move; for venue A, which states dollars, with fewer of those',
  },
  { id: 'venue_wire', value: WIRE_EVERY_MS / MINUTE, unit: 'minutes', what: 'Between two venue wires' },
  {
    id: 'alpha_preview',
    value: PREVIEW_DELAY_MS / MINUTE,
    unit: 'minutes',
    what: 'Delay of the alpha preview',
  },
  {
    id: 'stated_price_floor',
    value: STATED_PRICE_FLOOR_USDC,
    unit: 'USD',
    what: 'Called the floor in the catalog; reads are priced below it and it raises no price',
  },
  {
    id: 'opening_sale',
    value: OPENING_SALE.slotsTotal,
    unit: 'items',
    what: 'Free reports of the opening sale, one for each buyer',
  },
  {
    id: 'tool_trial',
    value: TOOL_TRIAL_USES,
    unit: 'uses',
    what: 'Successful billable uses of the locally run tool that are free',
  },
  {
    id: 'legacy_intent',
    value: LEGACY_INTENT_MS / MINUTE,
    unit: 'minutes',
    what: 'Time to pay the intent in a 402',
  },
  {
    id: 'legacy_grace',
    value: LATE_GRACE_MS / MINUTE,
    unit: 'minutes',
    what: 'After that: a transfer that is in a block by then still buys',
  },
  {
    id: 'legacy_objection_cheap',
    value: OBJECTION_MS.cheap / SECOND,
    unit: 'seconds',
    what: 'A transfer shown without its sender’s signature: others may claim it for this long',
  },
  {
    id: 'legacy_objection_other',
    value: OBJECTION_MS.other / MINUTE,
    unit: 'minutes',
    what: `The same above ${usdcNumber(CHEAP_MICRO_USDC)} USD, and where a pass, permit, token or credit is bought`,
  },
  {
    id: 'classic_intent',
    value: INTENT_MS / MINUTE,
    unit: 'minutes',
    what: 'Time to pay the intent of a classic purchase',
  },
  {
    id: 'classic_grace',
    value: GRACE_MS / MINUTE,
    unit: 'minutes',
    what: 'After that: money that is in a block by then still buys',
  },
]

/** How often one caller may call, in the same words everywhere. */
export const describeRate = ({ covers, burst, perS }: Facts['rates'][number]): string =>
  `${covers}: ${burst} at once, then ${perS < 1 ? `${perS * (MINUTE / SECOND)} a minute` : `${perS} a second`}`

/** A token lives as long as its grant issues it for. */
const feedLifetimes = ({ goods }: Pick<Facts, 'goods'>): Limit[] =>
  [...goods, ...SERVICES].flatMap(({ sku, title, grant }) =>
    grant?.kind === 'feed'
      ? [
          {
            id: `feed_${sku}`,
            value: grant.issue({ token: '', nowMs: 0, publicUrl: '' }).expiresMs / DAY,
            unit: 'days' as const,
            what: `Lifetime of the token: ${title}`,
          },
        ]
      : [],
  )
