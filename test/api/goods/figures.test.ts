import { expect, test } from 'vitest'
import type { Draft } from '../../../api/goods/good.ts'
import { book } from '../../../api/goods/market/book.ts'
import { botFuel } from '../../../api/goods/market/botFuel.ts'
import { botFuelPack } from '../../../api/goods/market/botFuelPack.ts'
import { edge } from '../../../api/goods/market/edge.ts'
import { match } from '../../../api/goods/market/match.ts'
import { move } from '../../../api/goods/market/move.ts'
import { net } from '../../../api/goods/market/net.ts'
import { showMatch } from '../../../api/goods/market/show.ts'
import { spread } from '../../../api/goods/market/spread.ts'
import { HOUR } from '../../../ops/units.ts'
import {
  someBookRow,
  someCard,
  someEdge,
  someGap,
  someLeg,
  someMover,
  someNet,
} from '../../support/boards.ts'
import { cardsBody, gapsBody, moversBody, NOW, portsOver } from './support.ts'

/*
 * Spec 2.2: what is sold of a row, to the last figure. No two figures of these rows are alike, so each must stand under
 * its own name, in its own unit.
 */

const iso = (ms: number) => new Date(ms).toISOString()
const resultOf = (draft: unknown) => (draft as Draft).result

const a = someLeg({
  marketId: 'A7',
  title: 'On A',
  slug: 'slug-a',
  url: 'https://polymarket.com/event/slug-a',
  bidBps: 4_101,
  askBps: 4_202,
  midBps: 4_151.5,
  bidSize: 11,
  askSize: 12,
  volume24h: 13,
  closeMs: NOW + 9_000_000,
  venueMs: NOW - 31_000,
  seenMs: NOW - 21_000,
})
const b = someLeg({
  marketId: 'KXB-7',
  title: 'On B',
  slug: null,
  url: 'https://kalshi.com/markets/kxb',
  bidBps: 3_103,
  askBps: 3_304,
  midBps: 3_203.5,
  bidSize: 14,
  askSize: 15,
  volume24h: 16,
  closeMs: NOW + 1_800_000,
  venueMs: null,
  seenMs: NOW - 22_000,
})
const pair = {
  ...({ topic: 'Their topic', verdict: 'inverted', cheaperVenue: 'b' } as const),
  reasons: ['one', 'two'],
  a,
  b,
  gapCents: 9.48,
  closesApartMs: 5_445_000,
  executable: false,
}
const trade = {
  ...({ buyVenue: 'b', sellVenue: 'a', buySide: 'no', sellSide: 'yes' } as const),
  buyBps: 3_304,
  sellBps: 4_101,
  netCents: 7.97,
}
const size = { usd: 10, filled: false, contracts: 30.25, feesUsd: 0.44, profitUsd: 1.97, edgeCents: 6.51 }
const after = {
  edgeCents: 5.05,
  feeCents: { a: 0.9691, b: 1.5486 },
  feeTableVersion: '2026-07-10',
  feesGuessed: true,
  bySize: [{ ...size, averageBuyBps: 3_305.25, averageSellBps: 4_099.5 }],
  depthSeenMs: NOW - 23_000,
  lockUpDays: 0.1,
  annualisedPct: 1_941.28,
  riskFlags: ['closes_apart' as const],
  suggestedAction: 'watch' as const,
}
const life = { openedMs: NOW - 61_000, ageMs: 60_000, peakCents: 9.99, everExecutable: true }

const legs = {
  venueA: {
    title: 'On A',
    yesPrice: 0.41515,
    bid: 0.4101,
    ask: 0.4202,
    slug: 'slug-a',
    url: 'https://polymarket.com/event/slug-a',
    venueAt: iso(NOW - 31_000), //  design 3: both clocks travel with every quote
    seenAt: iso(NOW - 21_000),
  },
  venueB: {
    title: 'On B',
    yesPrice: 0.32035,
    bid: 0.3103,
    ask: 0.3304,
    ticker: 'KXB-7',
    url: 'https://kalshi.com/markets/kxb',
    venueAt: null,
    seenAt: iso(NOW - 22_000),
  },
}
const matched = { matchVerdict: 'inverted', matchReasons: ['one', 'two'], closesApartHours: 1.52 }
const traded = {
  netCents: 7.97,
  executable: false,
  buyVenue: 'b',
  sellVenue: 'a',
  buySide: 'no',
  sellSide: 'yes',
  buyPrice: 0.3304,
  sellPrice: 0.4101,
}
const edged = {
  ...traded,
  edgeCents: 5.05,
  feeCents: { a: 0.9691, b: 1.5486 },
  feeTableVersion: '2026-07-10',
  feesGuessed: true,
  bySize: [{ ...size, averageBuyPrice: 0.330525, averageSellPrice: 0.40995 }],
  depthSeenAt: iso(NOW - 23_000),
  lockUpDays: 0.1,
  annualisedPct: 1_941.28,
}
const advised = { riskFlags: ['closes_apart'], suggestedAction: 'watch' }
const carded = {
  schema: 'botFuel.v2',
  cardId: 'its id',
  topic: 'Their topic',
  category: 'Economics',
  yesPriceA: 0.41515,
  yesPriceB: 0.32035,
  gapCents: 9.48,
  cheaperVenue: 'b',
  ...edged,
  ...matched,
  ...legs,
  ...advised,
  life: { openedAt: iso(NOW - 61_000), ageMs: 60_000, peakCents: 9.99, everExecutable: true },
}

const gaps = portsOver({ gaps: gapsBody([someGap(pair)]) })
const card = someCard({ ...pair, ...trade, ...after, life, cardId: 'its id' })

test.each([
  [48 * HOUR, 48],
  [48 * HOUR + 1, 48.01],
  [48 * HOUR - 1, 48],
  [0, 0],
  [null, null],
])('VEN-10: %s ms apart read as %s hours: never as 48 what is more', (closesApartMs, hours) => {
  expect(showMatch({ verdict: 'identity', reasons: [], closesApartMs }).closesApartHours).toBe(hours)
})

test('spread', () => {
  expect(resultOf(spread.answer({}, gaps)).spread).toEqual({
    found: true,
    topic: 'Their topic',
    gapCents: 9.48,
    cheaperVenue: 'b',
    ...matched,
    ...legs,
  })
})

test('match: nothing of it moves with the prices but bucket and cheaper venue', () => {
  expect(resultOf(match.answer({ q: 'topic' }, gaps)).match).toEqual({
    found: true,
    q: 'topic',
    samePair: true,
    topic: 'Their topic',
    maxSpendUsdc: 0.1,
    venueA: { found: true, title: 'On A' },
    venueB: { found: true, title: 'On B' },
    cheaperVenue: 'b',
    gapBucket: { fromCents: 0, toCents: 10 },
    ...matched,
  })
})

test('net: its head is the first row’s, whatever the others say', () => {
  const rows = [someNet({ ...pair, ...trade }), someNet({ pairId: 'other', netCents: 1, executable: true })]
  const { rows: shown, ...head } = resultOf(net.answer({}, portsOver({ nets: { rows } }))).net as {
    rows: unknown[]
  }
  expect(head).toEqual({ found: true, q: null, netCents: 7.97, executable: false })
  expect(shown[0]).toEqual({ topic: 'Their topic', ...traded, gapCents: 9.48, ...matched, ...legs })
})

test('edge', () => {
  const rows = [someEdge({ ...pair, ...trade, ...after })]
  expect(resultOf(edge.answer({}, portsOver({ edges: { rows } }))).edge).toEqual({
    topic: 'Their topic',
    gapCents: 9.48,
    link: 'https://kalshi.com/markets/kxb',
    ...edged,
    ...advised,
    ...matched,
    ...legs,
  })
})

test('a gap card, as of its publication', () => {
  const ports = portsOver({ gapCards: cardsBody([card]) }, { publishedMs: NOW - 3_000 })
  const { botFuel: sold, generatedAt } = resultOf(botFuel.answer({}, ports))
  expect(sold).toEqual({ ...carded, gap: { gapCents: 9.48, cheaperVenue: 'b' }, edge: edged })
  expect(generatedAt).toBe(iso(NOW - 3_000))
})

test('a pack says of itself what its first card says', () => {
  const others = [1, 2, 3, 4].map((n) => someCard({ pairId: `p${n}`, riskFlags: [], topic: `Card ${n}` }))
  const pack = resultOf(botFuelPack.answer({}, portsOver({ gapCards: cardsBody([card, ...others]) }))).botFuel
  expect(pack).toMatchObject({ schema: 'botFuel.v2', card: carded, ...advised })
})

test.each([
  { venueMs: NOW - 32_000, venueAt: iso(NOW - 32_000) },
  { venueMs: null, venueAt: null },
])('move and book: by the venue’s clock $venueAt', ({ venueMs, venueAt }) => {
  const row = {
    marketId: 'KXB-7',
    topic: 'Their topic',
    url: 'https://kalshi.com/markets/kxb',
    venue: 'b' as const,
    volumeUnit: 'contracts' as const,
    volume24h: 16.5,
    venueMs,
    seenMs: NOW - 22_000,
  }
  const { venueMs: _, seenMs: __, volume24h, ...named } = { ...row, venueAt, seenAt: iso(NOW - 22_000) }
  const day = [someMover({ ...row, changeCents: -1.25, yesBps: 3_203.5, lastBps: 3_300 })]
  expect(
    resultOf(move.answer({ window: 'day' }, portsOver({ movers: moversBody({ day }) }))).move,
  ).toMatchObject({
    rows: [{ ...named, volume24h, changeCents: -1.25, yesPrice: 0.32035, lastPrice: 0.33 }],
  })
  const busy = [someBookRow({ ...row, bidBps: 3_103, askBps: 3_304, bidSize: 14, askSize: 15 })]
  expect(resultOf(book.answer({}, portsOver({ book: { a: [], b: busy } }))).book).toMatchObject({
    rows: [{ ...named, volume: volume24h, bid: 0.3103, ask: 0.3304, bidSize: 14, askSize: 15 }],
  })
})
