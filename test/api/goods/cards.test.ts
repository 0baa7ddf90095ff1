import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../api/goods/good.ts'
import { botFuel } from '../../../api/goods/market/botFuel.ts'
import { botFuelPack } from '../../../api/goods/market/botFuelPack.ts'
import { edge } from '../../../api/goods/market/edge.ts'
import { edgePack } from '../../../api/goods/market/edgePack.ts'
import { someCard, someEdge, someLeg } from '../../support/boards.ts'
import { cardsBody, NOW, portsOver } from './support.ts'

const cards = (count: number) =>
  Array.from({ length: count }, (_, n) => someCard({ pairId: `p${n}`, topic: `Card ${n}` }))
const edges = (count: number, change = {}) =>
  Array.from({ length: count }, (_, n) => someEdge({ pairId: `p${n}`, topic: `Edge ${n}`, ...change }))
const overCards = (count: number) => portsOver({ gapCards: cardsBody(cards(count)) })
const overEdges = (rows: unknown[]) => portsOver({ edges: { rows } })
const resultOf = (draft: unknown) => (draft as Draft).result

/** What spec 2.2 names for every gap card, with what the contract and the design add. */
const CARD = {
  schema: 'botFuel.v2',
  yesPriceA: 0.435,
  yesPriceB: 0.505,
  gapCents: 7,
  edgeCents: 3.27,
  buyVenue: 'a',
  sellVenue: 'b',
  suggestedAction: 'buy_a_sell_b',
  riskFlags: ['settles_differently'],
  matchVerdict: 'identity',
  matchReasons: ['title'],
  feeTableVersion: '2026-11-01',
  bySize: [{ usd: 10, averageBuyPrice: 0.44, averageSellPrice: 0.5, profitUsd: 0.71 }],
  life: { ageMs: 120_000, peakCents: 8, everExecutable: true },
}

describe('2.2 bot-fuel: the top gap card', () => {
  test('botFuel {gap, edge, riskFlags, suggestedAction} and the whole card, with generatedAt', () => {
    expect(resultOf(botFuel.answer({}, overCards(3)))).toMatchObject({
      generatedAt: new Date(NOW).toISOString(),
      botFuel: {
        ...CARD,
        topic: 'Card 0',
        gap: { gapCents: 7, cheaperVenue: 'a' },
        edge: { edgeCents: 3.27, netCents: 6 },
      },
    })
  })

  test('what was sold is noted at the instant of the market clock, by which it will be judged', () => {
    expect(botFuel.answer({}, overCards(2))).toMatchObject({ cards: [{ marketMs: NOW, gapCents: 7 }] })
  })

  test('a card without an open episode or depth keeps its nulls', () => {
    const card = someCard({ life: null, bySize: null, depthSeenMs: null, lockUpDays: null })
    expect(resultOf(botFuel.answer({}, portsOver({ gapCards: cardsBody([card]) })))).toMatchObject({
      botFuel: { life: null, bySize: null, depthSeenAt: null, lockUpDays: null },
    })
  })

  test('no card qualifies: refused before payment', () => {
    expect(botFuel.answer({}, overCards(0))).toMatchObject({
      problem: 'not_enough_data',
      extra: { needed: 1, available: 0 },
    })
  })
})

describe('8, VEN-20 bot-fuel-pack: five cards and the top one, never fewer and never filled up', () => {
  test.each([0, 3, 4])('%d cards qualify: refused before payment', (count) => {
    expect(botFuelPack.answer({}, overCards(count))).toMatchObject({
      problem: 'not_enough_data',
      extra: { needed: 5, available: count },
    })
  })

  test.each([5, 6])('%d cards qualify: the five best, each once', (count) => {
    const pack = resultOf(botFuelPack.answer({}, overCards(count))).botFuel as { cards: { topic: string }[] }
    expect(pack.cards.map(({ topic }) => topic)).toEqual(['Card 0', 'Card 1', 'Card 2', 'Card 3', 'Card 4'])
    expect(pack).toMatchObject({
      schema: 'botFuel.v2',
      card: pack.cards[0],
      riskFlags: CARD.riskFlags,
      suggestedAction: CARD.suggestedAction,
    })
    for (const card of pack.cards) expect(card).toMatchObject(CARD)
  })
})

describe('VEN-11 a contract of venue B closes between two looks of the engine', () => {
  const closing = (closeMs: number | null) => ({ b: someLeg({ closeMs }) })
  const someOf = (closeMs: number | null, count: number) => ({
    gapCards: cardsBody([someCard({ topic: 'Closing', ...closing(closeMs) }), ...cards(count)]),
    edges: { rows: [someEdge({ topic: 'Closing', ...closing(closeMs) }), ...edges(count)] },
  })

  test.each([
    ['a millisecond before', NOW + 1, 'Closing'],
    ['at the instant', NOW, '0'],
    ['after it', NOW - 1, '0'],
    ['it names none', null, 'Closing'],
  ])('%s: the first that is sold', (_, closeMs, first) => {
    const ports = portsOver(someOf(closeMs, 1))
    expect(resultOf(botFuel.answer({}, ports))).toMatchObject({
      botFuel: { topic: expect.stringContaining(first) },
    })
    expect(resultOf(edge.answer({}, ports))).toMatchObject({
      edge: { topic: expect.stringContaining(first) },
    })
  })

  test('it fills no pack', () => {
    const ports = portsOver(someOf(NOW, 4))
    for (const good of [botFuelPack, edgePack])
      expect(good.answer({}, ports)).toMatchObject({ extra: { needed: 5, available: 4 } })
  })
})

describe('2.2 edge and 8 edge-pack: topic, size in cents, link', () => {
  test('one edge, with the link where it is bought', () => {
    expect(resultOf(edge.answer({}, overEdges(edges(3))))).toMatchObject({
      edge: {
        topic: 'Edge 0',
        edgeCents: 3.27,
        link: 'https://polymarket.com/event/fed-december-2026',
        matchVerdict: 'identity',
      },
    })
    expect(resultOf(edge.answer({}, overEdges(edges(1, { buyVenue: 'b', sellVenue: 'a' }))))).toMatchObject({
      edge: { link: 'https://kalshi.com/markets/kxfed' },
    })
  })

  test.each([
    [4, false],
    [5, true],
    [6, true],
  ])('%d edges: the pack is sold %s', (count, sold) => {
    const draft = edgePack.answer({}, overEdges(edges(count)))
    if (sold) expect(resultOf(draft).edges).toHaveLength(5)
    else expect(draft).toMatchObject({ problem: 'not_enough_data', extra: { needed: 5, available: count } })
  })

  test('what we advise against is not sold as an edge, and does not fill a pack', () => {
    const avoid = edges(3, { suggestedAction: 'avoid' })
    expect(edge.answer({}, overEdges(avoid))).toMatchObject({ problem: 'not_enough_data' })
    expect(edgePack.answer({}, overEdges([...edges(4), ...avoid]))).toMatchObject({
      problem: 'not_enough_data',
    })
  })

  test('an edge below zero is shown as it is', () => {
    const below = edges(1, { edgeCents: -0.4, suggestedAction: 'watch' })
    expect(resultOf(edge.answer({}, overEdges(below)))).toMatchObject({
      edge: { edgeCents: -0.4, suggestedAction: 'watch' },
    })
  })
})
