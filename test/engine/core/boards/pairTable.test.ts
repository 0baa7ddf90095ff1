import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NetRow } from '../../../../engine/contract/nets.ts'
import { episodeRow } from '../../../../engine/core/boards/episodeRow.ts'
import { MAX_OPEN } from '../../../../engine/core/boards/episodes.ts'
import type { LivePair } from '../../../../engine/core/boards/livePair.ts'
import { bestNets } from '../../../../engine/core/boards/nets.ts'
import { NO_MEMORY } from '../../../../engine/core/boards/pairMemory.ts'
import { AGEING_AT_ONCE, type PairBoards, PairTable } from '../../../../engine/core/boards/pairTable.ts'
import type { Book } from '../../../../ingest/contract/quote.ts'
import { HOUR, MINUTE, SECOND } from '../../../../ops/units.ts'
import { takeSome } from '../../support/steps.ts'
import { pairBoards } from './atOnce.ts'
import { listener } from './listener.ts'
import { type Change, DEEP, feesA, NOW_MS, somePair } from './support.ts'

const step = fc.record({
  kind: fc.constantFrom('quote', 'quote', 'quote', 'go', 'book', 'wait', 'ahead', 'ahead'),
  id: fc.nat(4),
  verdict: fc.constantFrom('identity', 'identity', 'identity', 'inverted'),
  bidBps: fc.option(fc.constantFrom(4_000, 4_090, 4_150, 4_320, 4_321, 5_600)),
  waitMs: fc.constantFrom(1, SECOND, 31 * SECOND, MINUTE, 4 * MINUTE, 6 * MINUTE, 21 * MINUTE, -SECOND),
  fresh: fc.constantFrom(true, true, true, true, false),
  inMs: fc.constantFrom(null, 30 * SECOND, 3 * MINUTE, HOUR),
  approach: fc.nat(3), //  how many of its steps are taken
})

/** Boards with events and endings as sorted texts, since their order means nothing. */
const plain = ({ nets, events, ended, ...boards }: PairBoards) => ({
  ...boards,
  nets: [...nets],
  events: events.map((event) => JSON.stringify(event)).sort(),
  ended: ended.map((each) => JSON.stringify(each)).sort(),
})

describe('a table kept current pair by pair', () => {
  test('says at every look what one made anew from the same memory says, whatever moved and however time goes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pairs = new Map<string, LivePair>()
        const books = new Map<string, Book>()
        const table = new PairTable(NO_MEMORY)
        let memory = NO_MEMORY
        let nowMs = NOW_MS
        const bookOf = (venue: 'a' | 'b', marketId: string) => books.get(venue + marketId) ?? null
        const sources = { pair: (pairId: string) => pairs.get(pairId) ?? null, book: bookOf }
        for (const { kind, id, verdict, bidBps, waitMs, fresh, inMs, approach } of steps) {
          const text = {
            ...(inMs === null ? {} : { closeMs: NOW_MS + inMs, gameMs: NOW_MS + inMs / 2 }),
            fees: feesA(0.05),
          }
          const pair = somePair({
            id: `${id}`,
            verdict,
            marketA: text,
            marketB: text,
            b: { bidBps, askBps: (bidBps ?? 4_000) + 100 },
          })
          if (kind === 'quote' || kind === 'ahead') pairs.set(pair.pairId, pair)
          else if (kind === 'go') pairs.delete(pair.pairId)
          else if (kind === 'wait') nowMs += waitMs
          else
            for (const venue of ['a', 'b'] as const)
              books.set(venue + pair[venue].market.marketId, { ...DEEP[venue], seenMs: nowMs })
          if (kind !== 'wait') table.touch(pair.pairId)
          const at = { nowMs, fresh: { a: fresh, b: true } }
          if (kind === 'ahead') {
            takeSome(table.approach(sources, at), approach)
            continue
          }
          const { memory: next, ...whole } = pairBoards(pairs.values(), bookOf, memory, at)
          expect(plain(table.look(sources, at))).toEqual(plain(whole))
          expect(table.memory).toEqual(next)
          memory = next
        }
      }),
      { numRuns: 300 },
    )
  })

  test('what did not move keeps its rows', () => {
    const pairs = new Map(['1', '2'].map((id) => [somePair({ id }).pairId, somePair({ id })]))
    const table = new PairTable(NO_MEMORY)
    const sources = { pair: (pairId: string) => pairs.get(pairId) ?? null, book: () => null }
    for (const pairId of pairs.keys()) table.touch(pairId)
    const at = (inMs: number) => ({ nowMs: NOW_MS + inMs, fresh: { a: true, b: true } })
    const first = table.look(sources, at(0))
    const nets = [...first.nets.rows()]
    first.nets.settle()
    const again = table.look(sources, at(1))
    expect(again.nets.changed).toBe(0)
    expect(again.edges.rows[0]).toBe(first.edges.rows[0])
    const moved = somePair({ id: '1', b: { bidBps: 4_600, askBps: 4_700 } })
    pairs.set(moved.pairId, moved)
    table.touch(moved.pairId)
    const after = table.look(sources, at(2))
    expect([...after.nets.rows()].filter((net) => !nets.includes(net))).toMatchObject([
      { pair: { pairId: moved.pairId }, direction: { netBps: 500 } },
    ])
  })

  test('a gap that loses a mid after a quiet time ends five minutes later, though its pair was worked off ahead', () => {
    const quoted = somePair({ id: '1', b: { bidBps: 4_600, askBps: 4_700 } })
    const table = new PairTable(NO_MEMORY)
    let pair = quoted
    const sources = { pair: () => pair, book: () => null }
    const at = (minutes: number) => ({ nowMs: NOW_MS + minutes * MINUTE, fresh: { a: true, b: true } })
    table.touch(quoted.pairId)
    for (let minutes = 0; minutes <= 40; minutes += 4) table.look(sources, at(minutes))
    pair = somePair({ id: '1', b: { bidBps: null, askBps: 4_700 } })
    table.touch(pair.pairId)
    takeSome(table.approach(sources, at(41)), 1)
    expect(table.look(sources, at(41)).ended).toEqual([])
    expect(table.look(sources, at(45)).ended).toEqual([])
    expect(table.look(sources, at(46)).ended).toMatchObject([{ why: 'unquoted' }])
  })

  const at = (inMs: number) => ({ nowMs: NOW_MS + inMs, fresh: { a: true, b: true } })

  test('a peak that was reached while the clock was set back is told as soon as the clock has come up again', () => {
    const quoted = (bidBps: number) => somePair({ id: '1', b: { bidBps, askBps: bidBps + 100 } })
    const table = new PairTable(NO_MEMORY)
    let pair = quoted(4_320)
    const sources = { pair: () => pair, book: () => null }
    const peakCents = (inMs: number) => table.look(sources, at(inMs)).gapCards.cards[0]!.life!.peakCents
    table.touch(pair.pairId)
    expect(peakCents(0)).toBe(3.2)
    pair = quoted(4_400)
    table.touch(pair.pairId)
    expect(peakCents(-SECOND)).toBe(3.2)
    expect(peakCents(0)).toBe(4)
  })

  test('a card tells a step of age from its millisecond on, until the next', () => {
    const pair = somePair({ id: '1' })
    const table = new PairTable(NO_MEMORY)
    table.touch(pair.pairId)
    const sources = { pair: () => pair, book: () => null }
    let seenMs = 0
    const ageAt = (inMs: number) => {
      //  a gap that is not looked at for long is a new one afterwards
      for (; seenMs < inMs; seenMs += 4 * MINUTE) table.look(sources, at(seenMs))
      return table.look(sources, at(inMs)).gapCards.cards[0]?.life?.ageMs
    }
    for (const [fromMs, toMs] of [
      [0, 10 * SECOND],
      [10 * SECOND, 20 * SECOND],
      [50 * SECOND, MINUTE],
      [MINUTE, 2 * MINUTE],
      [HOUR - MINUTE, HOUR],
      [HOUR, HOUR + 10 * MINUTE],
      [HOUR + 10 * MINUTE, HOUR + 20 * MINUTE],
    ] as const)
      expect([ageAt(fromMs), ageAt(toMs - 1)]).toEqual([fromMs, fromMs])
  })

  test('gaps that all opened in one look grow older in several, each once', () => {
    const all = Array.from({ length: 1.5 * AGEING_AT_ONCE }, (_, id) => somePair({ id: `${id}` }))
    const pairs = new Map(all.map((pair) => [pair.pairId, pair]))
    const table = new PairTable(NO_MEMORY)
    for (const pairId of pairs.keys()) table.touch(pairId)
    const sources = { pair: (pairId: string) => pairs.get(pairId) ?? null, book: () => null }
    const told = (inMs: number) =>
      table
        .look(sources, at(inMs))
        .events.filter(({ topic }) => topic === 'gaps')
        .map(({ kind, card }) => `${kind} ${card.riskFlags.includes('young_gap') ? 'young' : 'old'}`)
    const count = (words: string[]) => Object.groupBy(words, (word) => word)
    const sizes = (inMs: number) =>
      Object.entries(count(told(inMs))).map(([word, those]) => [word, those!.length])
    expect(sizes(0)).toEqual([['opened young', all.length]])
    expect(sizes(MINUTE - 1)).toEqual([])
    expect(sizes(MINUTE)).toEqual([['changed old', AGEING_AT_ONCE]])
    expect(sizes(MINUTE + 1)).toEqual([['changed old', AGEING_AT_ONCE / 2]])
    expect(sizes(MINUTE + 2)).toEqual([])
  })

  describe('time alone changes what is said of a pair that stands still (VEN-06, VEN-11)', () => {
    /** @param seenMs when both books were seen. @returns gives the flags of its edge at an instant; null: no edge. */
    const standing = (change: Change, seenMs: number | null = null) => {
      const pair = somePair(change)
      const book = (venue: 'a' | 'b') => (seenMs === null ? null : { ...DEEP[venue], seenMs })
      const table = new PairTable(NO_MEMORY)
      table.touch(pair.pairId)
      const flagsAt = (inMs: number) =>
        table.look({ pair: () => pair, book }, at(inMs)).edges.rows[0]?.riskFlags ?? null
      flagsAt(0)
      flagsAt(2 * MINUTE) //  its gap is no longer young: nothing else is due
      return flagsAt
    }
    const TEN = 10 * MINUTE

    test('its contract at venue B closes', () => {
      const flagsAt = standing({ marketB: { closeMs: NOW_MS + TEN } })
      expect(flagsAt(TEN - 1)).toContain('near_resolution')
      expect(flagsAt(TEN)).toBeNull()
    })
    test.each<[string, Change]>([
      ['in_play', { marketA: { gameMs: NOW_MS + TEN } }],
      ['near_resolution', { marketA: { closeMs: NOW_MS + TEN - 1 + HOUR } }],
      ['near_resolution', { marketB: { closeMs: NOW_MS + TEN - 1 + HOUR } }],
      ['near_resolution', { marketB: { expectedMs: NOW_MS + TEN - 1 + HOUR } }],
    ])('%s: %j', (flag, change) => {
      const flagsAt = standing(change)
      expect(flagsAt(TEN - 1)).not.toContain(flag)
      expect(flagsAt(TEN)).toContain(flag)
    })
    test.each(['a', 'b'])('venue %s grows old, and is read again', (venue) => {
      const table = new PairTable(NO_MEMORY)
      table.touch(somePair().pairId)
      const isStale = (stale: boolean) => {
        const fresh = { a: true, b: true, ...(stale ? { [venue]: false } : {}) }
        const { edges } = table.look({ pair: () => somePair(), book: () => null }, { nowMs: NOW_MS, fresh })
        return edges.rows[0]!.riskFlags.includes('stale')
      }
      expect([isStale(false), isStale(true), isStale(false)]).toEqual([false, true, false])
    })
    test('VEN-21 a venue’s new fee table comes into force', () => {
      const fromMs = Date.UTC(2026, 6, 10)
      const table = new PairTable(NO_MEMORY)
      table.touch(somePair().pairId)
      const versionAt = (nowMs: number) =>
        table.look({ pair: () => somePair(), book: () => null }, { nowMs, fresh: { a: true, b: true } }).edges
          .rows[0]!.feeTableVersion
      const minutes = [-10, -5, 0].map((minute) => versionAt(fromMs + minute * MINUTE))
      expect(minutes).toEqual(['2026-03-30', '2026-03-30', '2026-07-10'])
    })
    test('its gap flickers no more: an hour after the first of its three openings', () => {
      const table = new PairTable(NO_MEMORY)
      const quoted = (bidBps: number) => somePair({ b: { bidBps, askBps: bidBps + 100 } })
      let pair = quoted(4_320)
      const flagsAt = (inMs: number) =>
        table.look({ pair: () => pair, book: () => null }, at(inMs)).edges.rows[0]!.riskFlags
      for (const [openings, bidBps] of [4_320, 4_000, 4_320, 4_000, 4_320].entries()) {
        pair = quoted(bidBps)
        table.touch(pair.pairId)
        expect(flagsAt(openings * 4 * MINUTE).includes('flickering')).toBe(openings === 4)
      }
      for (let minutes = 20; minutes < 60; minutes += 4) flagsAt(minutes * MINUTE)
      expect(flagsAt(HOUR - 1)).toContain('flickering')
      expect(flagsAt(HOUR)).not.toContain('flickering')
    })
    test('its books grow old', () => {
      const flagsAt = standing({}, NOW_MS + 2 * MINUTE)
      expect(flagsAt(3 * MINUTE)).not.toContain('depth_unknown')
      expect(flagsAt(3 * MINUTE + 1)).toContain('depth_unknown')
    })
  })

  test('made anew from what was told: rows and feed go on, and what is gone meanwhile leaves both', () => {
    const pairs = new Map(['1', '2'].map((id) => [somePair({ id }).pairId, somePair({ id })]))
    const sources = { pair: (pairId: string) => pairs.get(pairId) ?? null, book: () => null }
    const nets = bestNets()
    const told = listener<NetRow>(nets)
    const first = new PairTable(NO_MEMORY, nets)
    for (const pairId of pairs.keys()) first.touch(pairId)
    expect([first.look(sources, at(0)).events.length, told().length]).toEqual([2, 2])
    const [gone] = pairs.keys()
    pairs.delete(gone!)
    const memory = { episodes: NO_MEMORY.episodes, told: first.memory.told }
    const second = new PairTable(memory, nets)
    for (const pairId of pairs.keys()) second.touch(pairId)
    const { events } = second.look(sources, at(1))
    expect(events.filter(({ card }) => card.pairId === gone)).toMatchObject([{ kind: 'closed' }])
    expect(told().map((row) => row?.pairId)).toEqual([...pairs.keys()])
  })

  test('a gap that finds room among the open ones without a move of its own is told then', () => {
    const wide = { bidBps: 4_000, askBps: 5_000 }
    const others = Array.from({ length: MAX_OPEN }, (_, at) => somePair({ id: `${at}`, b: wide }))
    const best = somePair({ id: 'best', b: { bidBps: 4_290, askBps: 4_310 } })
    const pairs = new Map([...others, best].map((pair) => [pair.pairId, pair]))
    const table = new PairTable(NO_MEMORY)
    const sources = { pair: (pairId: string) => pairs.get(pairId) ?? null, book: () => null }
    for (const pairId of pairs.keys()) table.touch(pairId)
    const first = table.look(sources, at(0))
    const ofBest = ({ events }: PairBoards) => events.filter(({ card }) => card.pairId === best.pairId)
    expect([first.refusedGaps, ofBest(first)]).toEqual([1, []])
    pairs.delete(others[0]!.pairId)
    table.touch(others[0]!.pairId)
    const second = table.look(sources, at(1))
    expect(second.refusedGaps).toBe(0)
    expect(ofBest(second)).toMatchObject([{ kind: 'opened', topic: 'gaps' }])
  })

  test('an edge that was worked off ahead is told once, although its gap opens behind it', () => {
    const pair = somePair()
    const table = new PairTable(NO_MEMORY)
    const sources = { pair: () => pair, book: (venue: 'a' | 'b') => DEEP[venue] }
    table.touch(pair.pairId)
    takeSome(table.approach(sources, at(0)), 1)
    const { events } = table.look(sources, at(0))
    expect(events.map(({ kind, topic }) => `${topic} ${kind}`)).toEqual(['gaps opened', 'edges opened'])
  })

  test('VEN-09 while a venue is old no gap ends: what it is now is known when the venue is read again', () => {
    let pair = somePair()
    const table = new PairTable(NO_MEMORY)
    const ended = (minutes: number, fresh: boolean) => {
      const { nowMs } = at(minutes * MINUTE)
      return table.look({ pair: () => pair, book: () => null }, { nowMs, fresh: { a: fresh, b: true } }).ended
    }
    table.touch(pair.pairId)
    expect(ended(0, true)).toEqual([])
    pair = somePair({ b: { bidBps: 4_000, askBps: 4_100 } })
    table.touch(pair.pairId)
    expect(ended(1, false)).toEqual([])
    expect(ended(2, true)).toMatchObject([{ why: 'narrowed', closedMs: NOW_MS + 2 * MINUTE }])
  })

  test.each([
    ['between two looks', (table: PairTable) => table],
    ['while no engine ran', (table: PairTable) => new PairTable(table.memory)],
  ])('VEN-10 an edit that turns a pair round ends its gap, and opens another one: %s', (_what, next) => {
    let pair = somePair({ a: { bidBps: 4_600, askBps: 4_700 }, b: { bidBps: 4_900, askBps: 5_000 } })
    const sources = { pair: () => pair, book: () => null }
    const first = new PairTable(NO_MEMORY)
    first.touch(pair.pairId)
    first.look(sources, at(0))
    pair = { ...pair, verdict: 'inverted' }
    const table = next(first)
    table.touch(pair.pairId)
    const { ended, events } = table.look(sources, at(SECOND))
    expect(ended.map(episodeRow)).toMatchObject([
      { episode_id: `${pair.pairId}@${NOW_MS}`, verdict: 'identity', peak_cents: 3, why_closed: 'gone' },
    ])
    expect(events.map(({ kind, card }) => [kind, card.cardId, card.verdict])).toEqual([
      ['closed', `${pair.pairId}@${NOW_MS}`, 'identity'],
      ['opened', `${pair.pairId}@${NOW_MS + SECOND}`, 'inverted'],
    ])
    expect([...table.openGaps().open]).toMatchObject([
      { openedMs: NOW_MS + SECOND, openCents: 4, pair: { verdict: 'inverted' } },
    ])
  })

  test('a gap that nobody watched for more than five minutes is another one, however quiet its pair was', () => {
    const pair = somePair({ a: { bidSize: 10 } })
    const table = new PairTable(NO_MEMORY)
    const sources = { pair: () => pair, book: () => null }
    table.touch(pair.pairId)
    const kinds = (minutes: number) =>
      table.look(sources, at(minutes * MINUTE)).events.map(({ kind, topic }) => `${topic} ${kind}`)
    expect(kinds(0)).toEqual(['gaps opened'])
    expect(kinds(4)).toEqual(['gaps changed']) //  it is no longer young
    for (let minutes = 8; minutes <= 120; minutes += 4) expect(kinds(minutes)).toEqual([])
    expect(kinds(126)).toEqual(['gaps closed', 'gaps opened'])
  })
})
