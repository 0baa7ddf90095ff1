import { describe, expect, test } from 'vitest'
import { EdgesBoard } from '../../../../engine/contract/edges.ts'
import { FeedEvent } from '../../../../engine/contract/feed.ts'
import { GapCardsBoard } from '../../../../engine/contract/gapCards.ts'
import { NetsBoard } from '../../../../engine/contract/nets.ts'
import { type LivePair, livePair } from '../../../../engine/core/boards/livePair.ts'
import { formatEpisodes, NO_MEMORY, parseEpisodes } from '../../../../engine/core/boards/pairMemory.ts'
import { MINUTE, SECOND } from '../../../../ops/units.ts'
import { pairBoards } from './atOnce.ts'
import { DEEP, FRESH, feesA, NOW_MS, somePair } from './support.ts'

const look = (pairs: LivePair[], memory = NO_MEMORY, inMs = 0, fresh = FRESH.fresh) => {
  const nowMs = NOW_MS + inMs
  const bookOf = (venue: 'a' | 'b') => ({ ...DEEP[venue], seenMs: nowMs })
  return pairBoards(pairs, bookOf, memory, { nowMs, fresh })
}
const WORLD = [
  somePair({ id: '1', marketA: { fees: feesA(0.05) } }),
  somePair({ id: '2', b: { bidBps: 4_020, askBps: 4_120 } }), //   gap 0.20: no episode
  somePair({ id: '3', b: { bidBps: null } }), //                   one-sided, but can be bought at B
  somePair({ id: '4', a: { bidBps: 4_100 } }), //                  locked
  somePair({ id: '5', b: { bidBps: 8_000, askBps: 8_100 } }), //   far too good
  somePair({ id: '6', marketB: { closeMs: NOW_MS } }), //          closed
  somePair({ id: '7', verdict: 'inverted', b: { bidBps: 5_400, askBps: 5_500 } }),
]

describe('all boards of pairs at one instant', () => {
  const boards = look(WORLD)
  const ids = (rows: readonly { topic: string }[]) => rows.map(({ topic }) => topic.slice(-1))

  test('each pair is where it belongs', () => {
    expect(ids([...boards.nets])).toEqual(['5', '1', '7', '2', '3'])
    expect(ids(boards.edges.rows)).toEqual(['7', '1', '2', '3', '5'])
    expect(ids(boards.gapCards.cards)).toEqual(['7', '1', '2'])
    expect(boards.gapCards.unqualified).toEqual({
      one_sided: 1,
      crossed: 1,
      large_gap_suspicious: 1,
      closed: 1,
    })
    expect(boards.gapCards.cards.map(({ suggestedAction }) => suggestedAction)).toEqual([
      'buy_a_sell_b',
      'buy_a_sell_b',
      'watch',
    ])
  })

  test('every pair is a card or is counted', () => {
    const counted = Object.values(boards.gapCards.unqualified).reduce((sum, count) => sum + count, 0)
    expect(counted + boards.gapCards.cards.length).toBe(WORLD.length)
  })

  test('the lives of gaps are in the cards of the same instant', () => {
    expect(
      boards.gapCards.cards.map(({ life, cardId }) => [life?.ageMs ?? null, cardId.split('@')[1]]),
    ).toEqual([
      [0, String(NOW_MS)],
      [0, String(NOW_MS)],
      [null, '0'],
    ])
    expect(boards.gapCards.cards[0]!.riskFlags).toContain('young_gap')
    expect([...boards.memory.episodes.open.keys()]).toEqual(['a:A1|b:KXB-1', 'a:A5|b:KXB-5', 'a:A7|b:KXB-7'])
  })

  test('and the feed tells of them', () => {
    expect(boards.events.map(({ kind, topic, card }) => `${topic} ${kind} ${card.topic.slice(-1)}`)).toEqual([
      'gaps opened 7',
      'gaps opened 1',
      'edges opened 7',
      'edges opened 1',
    ])
    for (const event of boards.events)
      expect(FeedEvent.parse({ ...event, snapshotVersion: 5 })).toMatchObject({ atMs: NOW_MS })
  })

  test('the promises to the api hold', () => {
    expect(() => [
      NetsBoard.parse({ rows: [...boards.nets] }),
      EdgesBoard.parse(boards.edges),
      GapCardsBoard.parse(boards.gapCards),
    ]).not.toThrow()
  })

  test('the order of the pairs does not matter', () => {
    const turned = look([...WORLD].reverse())
    expect([turned.nets, turned.edges, turned.gapCards]).toEqual([boards.nets, boards.edges, boards.gapCards])
    expect(turned.events).toEqual(boards.events)
  })
})

describe('from look to look', () => {
  test('a gap ages, narrows, and is told closed; its row is history', () => {
    const opened = look([WORLD[0]!])
    const older = look([WORLD[0]!], opened.memory, 2 * MINUTE)
    //  that a gap is no longer young is news
    expect(older.events.map(({ kind, topic }) => `${topic} ${kind}`)).toEqual([
      'gaps changed',
      'edges changed',
    ])
    expect(older.gapCards.cards[0]).toMatchObject({
      life: { ageMs: 2 * MINUTE },
      cardId: opened.gapCards.cards[0]!.cardId,
    })
    expect(older.gapCards.cards[0]!.riskFlags).not.toContain('young_gap')
    const closed = look(
      [somePair({ id: '1', b: { bidBps: 4_010, askBps: 4_110 } })],
      older.memory,
      3 * MINUTE,
    )
    expect(closed.events.map(({ kind, topic }) => `${topic} ${kind}`)).toEqual([
      'gaps closed',
      'edges closed',
    ])
    expect(closed.ended).toMatchObject([{ why: 'narrowed', episode: { everExecutable: true, samples: 3 } }])
  })

  test('a gap that opens for the third time within an hour is said to flicker', () => {
    const narrow = somePair({ id: '1', b: { bidBps: 4_010, askBps: 4_110 } })
    let memory = NO_MEMORY
    const flickers = [WORLD[0]!, narrow, WORLD[0]!, narrow, WORLD[0]!].map((pair, at) => {
      const boards = look([pair], memory, at * MINUTE)
      memory = boards.memory
      return boards.gapCards.cards[0]!.riskFlags.includes('flickering')
    })
    expect(flickers).toEqual([false, false, false, false, true])
  })

  test('a market that closes is gone at once, with no edge left to act on (VEN-11)', () => {
    const closesAt = { marketA: { closeMs: NOW_MS + MINUTE }, marketB: { closeMs: NOW_MS + MINUTE } }
    const open = look([somePair(closesAt)])
    const shut = look([somePair(closesAt)], open.memory, MINUTE)
    expect([[...shut.nets], shut.edges.rows, shut.gapCards.cards, shut.gapCards.unqualified]).toEqual([
      [],
      [],
      [],
      { closed: 1 },
    ])
    expect(shut.ended.map(({ why }) => why)).toEqual(['gone'])
    expect(shut.events.map(({ kind }) => kind)).toEqual(['closed'])
  })

  test.each([
    ['A', { a: false, b: true }],
    ['B (VEN-09)', { a: true, b: false }],
  ])(
    'while %s is stale no card stands, nothing is executable, and nothing is said to have happened',
    (_venue, fresh) => {
      const before = look([WORLD[0]!])
      const stale = look([WORLD[0]!], before.memory, 20 * SECOND, fresh)
      expect([stale.gapCards.cards, stale.gapCards.unqualified, stale.events, stale.ended]).toEqual([
        [],
        { stale: 1 },
        [],
        [],
      ])
      expect([...stale.nets]).toMatchObject([{ executable: false }])
      expect(stale.edges.rows).toMatchObject([
        { suggestedAction: 'avoid', riskFlags: ['stale', 'young_gap', 'settles_differently'] },
      ])
      const again = look([WORLD[0]!], stale.memory, 40 * SECOND)
      expect([again.events, again.gapCards.cards[0]!.life?.ageMs]).toEqual([[], 40 * SECOND])
    },
  )
})

describe('the memory survives a change of engine', () => {
  const { memory } = look(WORLD)
  const { atMs, open, openings } = memory.episodes
  const upTo = { endedId: '7-1', toldId: '9-2' }
  const text = [...formatEpisodes({ atMs, open: open.values(), openings }, upTo)].join('')

  test('as text and back', () => {
    const again = parseEpisodes(text)
    expect(again).toEqual({ episodes: memory.episodes, ...upTo })
    const next = { ...NO_MEMORY, episodes: again!.episodes, told: memory.told }
    expect(look(WORLD, next, 10 * SECOND).events).toEqual([])
  })

  test('gaps that opened more than an hour ago have no openings left', () => {
    const texts = formatEpisodes({ atMs, open: open.values(), openings: new Map() }, upTo)
    expect(parseEpisodes([...texts].join(''))!.episodes).toEqual({ atMs, open, openings: new Map() })
  })

  test('of the version before, which did not say what of the feed it accounts for', () => {
    const before = parseEpisodes(text.replace('"toldId":"9-2",', ''))
    expect(before).toEqual({ episodes: memory.episodes, endedId: '7-1', toldId: null })
  })

  test.each([
    '',
    '{}',
    'null',
    '{"version":2}',
    text.replace('"version":2', '"version":1'),
    text.slice(0, -1),
  ])('anything else is no memory: %#', (other) => {
    expect(parseEpisodes(other)).toBeNull()
  })
})

test('a live pair takes its words from A, its category from whoever has one', () => {
  const { a, b } = somePair({ marketA: { category: null }, marketB: { category: 'Politics' } })
  const pair = { pairId: 'a:A1|b:KXB-1', a: 'A1', b: 'KXB-1', verdict: 'identity' as const, reasons: [] }
  expect(livePair(pair, a, b)).toMatchObject({
    topic: 'Title 1',
    category: 'Politics',
    pairId: 'a:A1|b:KXB-1',
  })
  const both = { ...a, market: { ...a.market, category: 'Elections' } }
  expect(livePair(pair, both, b).category).toBe('Elections')
})
