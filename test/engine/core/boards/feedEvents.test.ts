import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FEED_OPEN_MAX, FEED_TOPICS, FeedEvent, TELLS_CENTS } from '../../../../engine/contract/feed.ts'
import type { GapCard } from '../../../../engine/contract/gapCards.ts'
import {
  type Cards,
  FeedFold,
  feedEvents,
  type News,
  NOTHING_TOLD,
  opens,
  type Told,
} from '../../../../engine/core/boards/feedEvents.ts'
import { someCard } from './support.ts'

const LIFE = { openedMs: 0, ageMs: 1_000, peakCents: 5, everExecutable: true }
const card = (rest: Partial<GapCard> = {}): GapCard => ({
  ...someCard({}, LIFE),
  suggestedAction: 'watch',
  ...rest,
})
/** What a reader holds after it is told these events as well. */
function fold(told: Told, events: readonly News[]): Told {
  const folded = new FeedFold(told)
  folded.take(events)
  return folded
}
const listOf = (told: Told, cards: readonly GapCard[]): Cards<GapCard> => ({
  moved: new Set([...told.gaps.keys(), ...told.edges.keys(), ...cards.map(({ pairId }) => pairId)]),
  get: (pairId) => cards.find((each) => each.pairId === pairId),
  waiting: (topic) => cards.filter((each) => opens(topic, each) && !told[topic].has(each.pairId)),
  order: (x, y) => cards.indexOf(x) - cards.indexOf(y),
})
const tellAt = (nowMs: number, told: Told, ...cards: GapCard[]) => {
  const events = feedEvents(told, listOf(told, cards), { nowMs, cardOf: (made) => made })
  return { events, told: fold(told, events) }
}
const tell = (told: Told, ...cards: GapCard[]) => tellAt(7, told, ...cards)
const kinds = (told: Told, ...cards: GapCard[]) =>
  tell(told, ...cards).events.map(({ kind, topic }) => `${topic} ${kind}`)
const toldOf = (...cards: GapCard[]) => tell(NOTHING_TOLD, ...cards).told

describe('topic gaps: qualifying cards whose gap is open', () => {
  test.each([
    ['a card comes', NOTHING_TOLD, [card()], ['gaps opened']],
    ['a card without an open gap', NOTHING_TOLD, [card({ life: null })], []],
    ['the same again', toldOf(card()), [card()], []],
    ['moved by 0.49', toldOf(card({ gapCents: 3 })), [card({ gapCents: 3.49 })], []],
    ['moved by 0.50', toldOf(card({ gapCents: 3 })), [card({ gapCents: 3.5 })], ['gaps changed']],
    ['moved down by 0.50', toldOf(card({ gapCents: 3.3 })), [card({ gapCents: 2.8 })], ['gaps changed']],
    ['executable changed', toldOf(card()), [card({ executable: false })], ['gaps changed']],
    ['the gap closed', toldOf(card()), [card({ life: null })], ['gaps closed']],
    ['the card is gone', toldOf(card()), [], ['gaps closed']],
    [
      'another gap of the same pair',
      toldOf(card()),
      [card({ life: { ...LIFE, openedMs: 1 } })],
      ['gaps closed', 'gaps opened'],
    ],
    [
      'the pair was turned round',
      toldOf(card()),
      [card({ verdict: 'inverted' })],
      ['gaps closed', 'gaps opened'],
    ],
  ])('%s', (_what, told, cards, expected) => {
    expect(kinds(told, ...cards)).toEqual(expected)
  })
})

describe('a card is told again when anything an agent acts on is another', () => {
  const size = { usd: 10, filled: true, contracts: 22, averageBuyBps: 4_100, averageSellBps: 4_500 }
  const depth = (profitUsd: number, filled = true) => ({
    bySize: [{ ...size, filled, feesUsd: 0.1, profitUsd, edgeCents: profitUsd }],
  })
  const before = card({ netCents: 4, edgeCents: 3, buyBps: 4_100, sellBps: 4_500, ...depth(0.5) })
  const flags = before.riskFlags
  test.each<[string, Partial<GapCard>, boolean]>([
    ['edge by 0.49', { edgeCents: 2.51 }, false],
    ['edge by 0.50', { edgeCents: 2.5 }, true],
    ['net by 0.49', { netCents: 4.49 }, false],
    ['net by 0.50', { netCents: 4.5 }, true],
    ['price to buy by 0.49', { buyBps: 4_149 }, false],
    ['both prices by 0.50, the gap by nothing', { buyBps: 4_150, sellBps: 4_550 }, true],
    ['price to sell by 0.50', { sellBps: 4_450 }, true],
    ['a flag more', { riskFlags: ['thin_top', ...flags] }, true],
    ['a flag less', { riskFlags: flags.slice(1) }, true],
    ['the other venue is the cheaper one', { buyVenue: 'b', sellVenue: 'a' }, true],
    ['less profit at a size that pays', depth(0.01), false],
    ['a size pays no more', depth(0), true],
    ['a size is not filled', depth(0.5, false), true],
    ['older, with another peak', { life: { ...LIFE, ageMs: 90_000, peakCents: 9 } }, false],
  ])('%s', (_what, change, isTold) => {
    expect(kinds(toldOf(before), { ...before, ...change })).toEqual(isTold ? ['gaps changed'] : [])
  })
})

describe('topic edges: cards that suggest a trade, until their edge is gone', () => {
  const trade = (rest: Partial<GapCard> = {}) =>
    card({ life: null, suggestedAction: 'buy_a_sell_b', edgeCents: 2, ...rest })
  test.each([
    ['a trade is suggested', NOTHING_TOLD, [trade()], ['edges opened']],
    ['an edge to watch', NOTHING_TOLD, [card({ life: null, edgeCents: 9 })], []],
    [
      'no longer suggested, edge still there',
      toldOf(trade()),
      [trade({ suggestedAction: 'watch' })],
      ['edges changed'],
    ],
    [
      'the last bit of edge',
      toldOf(trade({ edgeCents: 0.5 })),
      [trade({ suggestedAction: 'watch', edgeCents: 0.01 })],
      ['edges changed'],
    ],
    [
      'the edge is gone',
      toldOf(trade()),
      [trade({ suggestedAction: 'watch', edgeCents: 0 })],
      ['edges closed'],
    ],
    ['moved by 0.49', toldOf(trade()), [trade({ edgeCents: 2.49 })], []],
    ['moved by 0.50', toldOf(trade()), [trade({ edgeCents: 2.5 })], ['edges changed']],
    ['turned round', toldOf(trade()), [trade({ suggestedAction: 'buy_b_sell_a' })], ['edges changed']],
    [
      'the pair was turned round',
      toldOf(trade()),
      [trade({ verdict: 'inverted' })],
      ['edges closed', 'edges opened'],
    ],
    [
      'turned round, its edge is one to watch',
      toldOf(trade()),
      [trade({ verdict: 'inverted', suggestedAction: 'watch' })],
      ['edges closed'],
    ],
    ['the gap moved, the edge did not', toldOf(trade()), [trade({ gapCents: 9 })], ['edges changed']],
  ])('%s', (_what, told, cards, expected) => {
    expect(kinds(told, ...cards)).toEqual(expected)
  })

  test('one card may be told under both topics', () => {
    expect(kinds(NOTHING_TOLD, trade({ life: LIFE }))).toEqual(['gaps opened', 'edges opened'])
  })
})

describe('events', () => {
  test('a contract; each card says of when it is: closed shows the one that was told last', () => {
    const [opened] = tell(NOTHING_TOLD, card({ gapCents: 4 })).events
    expect(FeedEvent.parse({ ...opened, snapshotVersion: 3 })).toEqual({
      kind: 'opened',
      topic: 'gaps',
      atMs: 7,
      snapshotVersion: 3,
      card: { ...card({ gapCents: 4 }), schema: 'feedCard.v1', toldMs: 7 },
    })
    for (const now of [[], [card({ gapCents: 1, life: null })]]) {
      const [closed] = tellAt(8, toldOf(card({ gapCents: 4 })), ...now).events
      expect(closed).toMatchObject({ kind: 'closed', atMs: 8, card: { gapCents: 4, toldMs: 7 } })
    }
  })

  test('what is no longer open comes first; what opened or changed is told best first', () => {
    const of = (pairId: string, gapCents: number) => card({ pairId, cardId: `${pairId}@0`, gapCents })
    const told = toldOf(of('p', 3), of('q', 3), of('r', 3))
    const { events } = tell(told, of('s', 9), of('r', 8), of('t', 7), of('p', 6))
    expect(events.map(({ kind, card: { pairId } }) => `${kind} ${pairId}`)).toEqual([
      'closed q',
      'opened s',
      'changed r',
      'opened t',
      'changed p',
    ])
  })

  test('small steps are told when they add up', () => {
    let told = toldOf(card({ gapCents: 3 }))
    const heard = [3.2, 3.4, 3.6, 3.8].flatMap((gapCents) => {
      const next = tell(told, card({ gapCents }))
      told = next.told
      return next.events.map((event) => event.card.gapCents)
    })
    expect(heard).toEqual([3.6])
  })

  test('bounded: the best are told, the others when there is room', () => {
    const many = Array.from({ length: FEED_OPEN_MAX + 3 }, (_, at) =>
      card({ pairId: `p${at}`, cardId: `p${at}@0` }),
    )
    const { told, events } = tell(NOTHING_TOLD, ...many)
    expect([told.gaps.size, events.length, told.gaps.has('p0')]).toEqual([FEED_OPEN_MAX, FEED_OPEN_MAX, true])
    const next = tell(told, ...many.slice(2))
    expect(next.events.map(({ kind, card: { pairId } }) => `${kind} ${pairId}`)).toEqual([
      'closed p0',
      'closed p1',
      `opened p${FEED_OPEN_MAX}`,
      `opened p${FEED_OPEN_MAX + 1}`,
    ])
  })

  test('bounded: a gap that opens anew has no room before a better one that waits', () => {
    const many = Array.from({ length: FEED_OPEN_MAX }, (_, at) =>
      card({ pairId: `p${at}`, cardId: `p${at}@0` }),
    )
    const [again, ...others] = many
    const anew = { ...again!, life: { ...LIFE, openedMs: 1 } }
    const best = card({ pairId: 'best', cardId: 'best@0' })
    const { events } = tell(toldOf(...many), best, ...others, anew)
    expect(events.map(({ kind, card: { pairId } }) => `${kind} ${pairId}`)).toEqual([
      'closed p0',
      'opened best',
    ])
  })
})

describe('a reader that folds the events knows what is open', () => {
  const some = fc.record({
    pairId: fc.constantFrom('p', 'q', 'r'),
    life: fc.constantFrom(null, LIFE),
    executable: fc.boolean(),
    gapCents: fc.integer({ min: 1, max: 500 }).map((hundredths) => hundredths / 100),
    edgeCents: fc.integer({ min: -100, max: 200 }).map((hundredths) => hundredths / 100),
    suggestedAction: fc.constantFrom('watch' as const, 'buy_a_sell_b' as const),
    riskFlags: fc.subarray(['thin_top' as const, 'settles_differently' as const]),
  })
  const looks = fc.array(
    fc
      .uniqueArray(some, { selector: ({ pairId }) => pairId, maxLength: 3 })
      .map((list) => list.map((rest) => card(rest))),
    { maxLength: 12 },
  )

  test('the fold is what the engine remembers, holds what is open, and is never far off', () => {
    fc.assert(
      fc.property(looks, (history) => {
        let told = NOTHING_TOLD
        let heard = NOTHING_TOLD
        for (const cards of history) {
          const step = tell(told, ...cards)
          for (const { kind, topic, card: of } of step.events)
            expect(heard[topic].has(of.pairId)).toBe(kind !== 'opened')
          told = step.told
          heard = fold(heard, step.events)
          expect(heard).toEqual(told)
          expect([...heard.gaps.keys()].sort()).toEqual(
            cards
              .filter(({ life }) => life !== null)
              .map(({ pairId }) => pairId)
              .sort(),
          )
          const now = new Map(cards.map((each) => [each.pairId, each]))
          for (const topic of FEED_TOPICS)
            for (const [pairId, last] of heard[topic]) {
              const { executable, suggestedAction, riskFlags, ...current } = now.get(pairId)!
              for (const figure of ['gapCents', 'edgeCents'] as const)
                expect(Math.abs(current[figure] - last[figure])).toBeLessThan(TELLS_CENTS)
              expect(last).toMatchObject({ executable, suggestedAction, riskFlags })
            }
          expect(tell(told, ...cards).events).toEqual([]) //  looking twice tells nothing twice
        }
      }),
    )
  })
})
