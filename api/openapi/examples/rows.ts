import type { BookRow } from '../../../engine/contract/book.ts'
import type { FeedCard } from '../../../engine/contract/feed.ts'
import type { GapCard } from '../../../engine/contract/gapCards.ts'
import type { Leg } from '../../../engine/contract/gaps.ts'
import type { MoverRow } from '../../../engine/contract/movers.ts'
import type { NetRow } from '../../../engine/contract/nets.ts'

/** One made-up question on both venues at one instant; the examples of all market reads are computed from it. */
export const EXAMPLE_MS = Date.parse('2026-11-21T12:00:00.000Z')
const SEEN_MS = EXAMPLE_MS - 2_000
const OPENED_MS = EXAMPLE_MS - 240_000

const TOPIC = 'Will the Fed cut rates in December 2026?'
const URL_A = 'https://polymarket.com/event/fed-decision-in-december'
const URL_B = 'https://kalshi.com/markets/kxfeddecision'

const A: Leg = {
  marketId: '516710',
  title: TOPIC,
  slug: 'fed-decision-in-december',
  url: URL_A,
  bidBps: 4_300,
  askBps: 4_400,
  bidSize: null, // venue A states none
  askSize: null,
  midBps: 4_350,
  volume24h: 182_340.5,
  closeMs: EXAMPLE_MS + 20 * 86_400_000,
  venueMs: SEEN_MS,
  seenMs: SEEN_MS,
}
const B: Leg = {
  ...A,
  marketId: 'KXFEDDECISION-26DEC-C25',
  slug: null,
  url: URL_B,
  bidBps: 5_000,
  askBps: 5_100,
  bidSize: 640,
  askSize: 410,
  midBps: 5_050,
  volume24h: 23_110,
  venueMs: null,
}

export const NET: NetRow = {
  pairId: `a:${A.marketId}|b:${B.marketId}`,
  topic: TOPIC,
  category: 'Economics',
  verdict: 'identity',
  reasons: ['same_words', 'same_limit', 'rules_read'],
  gapCents: 7,
  netCents: 6,
  cheaperVenue: 'a',
  closesApartMs: 0,
  executable: true,
  a: A,
  b: B,
  buyVenue: 'a',
  sellVenue: 'b',
  buySide: 'yes',
  sellSide: 'yes',
  buyBps: 4_400,
  sellBps: 5_000,
}

export const CARD: GapCard = {
  ...NET,
  gapCents: 7,
  schema: 'botFuel.v2',
  cardId: `${NET.pairId}@${OPENED_MS}`,
  edgeCents: 3.02,
  feeCents: { a: 1.232, b: 1.75 },
  feeTableVersion: '2026-07-10',
  feesGuessed: false,
  bySize: [
    {
      usd: 10,
      filled: true,
      contracts: 22.72,
      averageBuyBps: 4_400,
      averageSellBps: 5_000,
      feesUsd: 0.67991,
      profitUsd: 0.68329,
      edgeCents: 3.01,
    },
    {
      usd: 100,
      filled: true,
      contracts: 227.27,
      averageBuyBps: 4_400,
      averageSellBps: 5_000,
      feesUsd: 6.77997,
      profitUsd: 6.85623,
      edgeCents: 3.02,
    },
    {
      usd: 1_000,
      filled: true,
      contracts: 2_242.22,
      averageBuyBps: 4_459.86,
      averageSellBps: 4_928.54,
      feesUsd: 66.92797,
      profitUsd: 38.16083,
      edgeCents: 1.7,
    },
  ],
  depthSeenMs: SEEN_MS,
  lockUpDays: 20,
  annualisedPct: 56.83,
  riskFlags: ['settles_differently'],
  suggestedAction: 'buy_a_sell_b',
  life: { openedMs: OPENED_MS, ageMs: EXAMPLE_MS - OPENED_MS, peakCents: 8, everExecutable: true },
}

export const TOLD_CARD: FeedCard = { ...CARD, schema: 'feedCard.v1', toldMs: EXAMPLE_MS }

export const MOVER: MoverRow = {
  venue: 'a',
  marketId: A.marketId,
  topic: TOPIC,
  url: URL_A,
  changeCents: -4.5,
  yesBps: A.midBps,
  lastBps: A.askBps,
  volume24h: A.volume24h,
  volumeUnit: 'usd',
  closeMs: null,
  venueMs: SEEN_MS,
  seenMs: SEEN_MS,
}

export const BOOK_ROW: BookRow = {
  venue: 'a',
  marketId: A.marketId,
  topic: TOPIC,
  url: URL_A,
  bidBps: A.bidBps,
  askBps: A.askBps,
  bidSize: A.bidSize,
  askSize: A.askSize,
  volume24h: A.volume24h,
  volumeUnit: 'usd',
  venueMs: SEEN_MS,
  seenMs: SEEN_MS,
}
