import { describe, expect, test } from 'vitest'
import type { FeedCard } from '../../../../engine/contract/feed.ts'
import { episodeIdOf } from '../../../../engine/core/boards/episodeRow.ts'
import {
  type Episodes,
  MAX_HOLE_MS,
  MAX_OPENINGS,
  NO_EPISODES,
  OpenGaps,
} from '../../../../engine/core/boards/episodes.ts'
import { recallEpisodes } from '../../../../engine/core/boards/recall.ts'
import { HOUR, MINUTE, SECOND } from '../../../../ops/units.ts'
import { stepEpisodes } from './atOnce.ts'
import { NOW_MS, somePair, toldCard } from './support.ts'

const ID = (id: string) => somePair({ id }).pairId
const endOf = (id: string, openedMs: number) => episodeIdOf(ID(id), openedMs)

/** The memory of an engine whose last look was at `atMs`: since when these gaps are open. */
function saved(openedMs: Record<string, number>, atMs = NOW_MS): Episodes {
  let state = NO_EPISODES
  for (const nowMs of [...new Set([...Object.values(openedMs), atMs])].sort((x, y) => x - y)) {
    const samples = Object.entries(openedMs)
      .filter(([, ms]) => ms <= nowMs)
      .map(([id]) => ({ pair: somePair({ id }), gapCents: 5, executable: true }))
    state = stepEpisodes(state, { nowMs, samples }).state
  }
  return state
}

/** The card of a gap, as it was told when the gap was `ageMs` old. */
function told(id: string, openedMs: number, { ageMs = 0, peakCents = 5 } = {}): FeedCard {
  const card = toldCard({ id }, { openedMs, ageMs, peakCents, everExecutable: true })
  return { ...card, toldMs: openedMs + ageMs, executable: false }
}

const recall = (memory: Episodes, cards: FeedCard[], { ended = [] as string[], nowMs = NOW_MS } = {}) =>
  recallEpisodes(memory, cards, new Set(ended), nowMs)
const openOf = ({ open }: Episodes) =>
  Object.fromEntries([...open.values()].map(({ pair, openedMs }) => [pair.topic.slice(-1), openedMs]))

describe('what is open: what was saved, and what was told since', () => {
  test('a gap that was told after the memory was saved is open since its card says so', () => {
    const later = NOW_MS + 10 * SECOND
    const state = recall(saved({ x: NOW_MS }), [told('x', NOW_MS), told('y', later)], { nowMs: later })
    expect(openOf(state)).toEqual({ x: NOW_MS, y: later })
  })

  test('one that was told to have ended since is not', () => {
    const state = recall(saved({ x: NOW_MS, y: NOW_MS }), [told('y', NOW_MS)], {
      ended: [endOf('x', NOW_MS)],
    })
    expect(openOf(state)).toEqual({ y: NOW_MS })
  })

  test('nor is one whose card still stands: an end is told once', () => {
    expect(recall(NO_EPISODES, [told('x', NOW_MS)], { ended: [endOf('x', NOW_MS)] })).toEqual(NO_EPISODES)
  })

  test('one that ended and opened again since is the later one, whatever was told of its end', () => {
    const later = NOW_MS + 10 * SECOND
    for (const ended of [[], [endOf('x', NOW_MS)]])
      expect(openOf(recall(saved({ x: NOW_MS }), [told('x', later)], { ended, nowMs: later }))).toEqual({
        x: later,
      })
  })

  test('the memory knows more of a gap than its card, which may be of an earlier one', () => {
    const memory = saved({ x: NOW_MS - 10 * SECOND })
    for (const openedMs of [NOW_MS - 10 * SECOND, NOW_MS - 20 * SECOND])
      expect(recall(memory, [told('x', openedMs)])).toEqual(memory)
  })

  test.each([
    ['higher than it was saved is as high as it was told', 9, { peakCents: 9, peakMs: 10, halfMs: null }],
    ['no higher keeps its peak, with its instant and its half', 6, { peakCents: 6, peakMs: 0, halfMs: 2 }],
  ])('a gap that was told later, and %s', (_what, peakCents, peak) => {
    const at = (second: number) => NOW_MS + second * SECOND
    let memory = NO_EPISODES
    for (const [second, gapCents] of [6, 5, 3].entries())
      memory = stepEpisodes(memory, {
        nowMs: at(second),
        samples: [{ pair: somePair({ id: 'x' }), gapCents, executable: false }],
      }).state
    const card = { ...told('x', NOW_MS, { ageMs: 10 * SECOND, peakCents }), gapCents: 4 }
    const state = recall(memory, [card], { nowMs: at(15) })
    expect(state.atMs).toBe(at(10))
    expect(state.open.get(ID('x'))).toEqual({
      ...memory.open.get(ID('x')),
      peakCents: peak.peakCents,
      peakMs: at(peak.peakMs),
      halfMs: peak.halfMs === null ? null : at(peak.halfMs),
      lastCents: 4,
      lastMs: at(10),
      everExecutable: true,
      samples: 4,
    })
    expect(state.openings).toEqual(memory.openings)
  })

  test('a card that was told before the memory was saved adds nothing to it', () => {
    const memory = saved({ x: NOW_MS - 10 * SECOND })
    const card = { ...told('x', NOW_MS - 10 * SECOND, { ageMs: 5 * SECOND }), gapCents: 3 }
    expect(recall(memory, [card])).toEqual(memory)
  })

  test('a card without an open gap opens none', () => {
    const cards = [{ ...told('x', NOW_MS), life: null }, told('y', NOW_MS)]
    expect(openOf(recall(NO_EPISODES, cards))).toEqual({ y: NOW_MS })
  })
})

describe('a gap that is taken from its card', () => {
  const state = recall(NO_EPISODES, [told('x', NOW_MS, { ageMs: 30 * SECOND, peakCents: 9 })], {
    nowMs: NOW_MS + MINUTE,
  })

  test('keeps its names, its peak and when it was seen', () => {
    expect(state.open.get(ID('x'))).toMatchObject({
      pair: { pairId: ID('x'), topic: 'Topic x', category: 'Economics', a: 'Ax', b: 'KXB-x' },
      openedMs: NOW_MS,
      lastMs: NOW_MS + 30 * SECOND,
      peakCents: 9,
      everExecutable: true,
    })
  })

  test('however coarsely it tells its age', () => {
    const toldMs = NOW_MS + HOUR + 9 * MINUTE
    const card = { ...told('x', NOW_MS, { ageMs: HOUR }), toldMs }
    expect(recall(NO_EPISODES, [card], { nowMs: toldMs }).open.get(ID('x'))?.lastMs).toBe(toldMs)
  })

  test('counts as an opening of its pair', () => {
    expect(new OpenGaps(state).openings(ID('x'), NOW_MS + MINUTE)).toEqual([NOW_MS])
  })

  test.each([
    ['goes on when somebody looks in time', MAX_HOLE_MS, []],
    ['ended where it was seen last when nobody looked for longer', MAX_HOLE_MS + 1, [NOW_MS + 30 * SECOND]],
  ])('%s', (_what, afterMs, closedMs) => {
    const samples = [{ pair: somePair({ id: 'x' }), gapCents: 5, executable: true }]
    const { ended } = stepEpisodes(state, { nowMs: NOW_MS + 30 * SECOND + afterMs, samples })
    expect(ended.map((each) => [each.why, each.closedMs])).toEqual(closedMs.map((ms) => ['unwatched', ms]))
  })

  test('a memory that is older than the card leaves no hole behind it', () => {
    const memory = saved({ y: NOW_MS })
    const openedMs = NOW_MS + 4 * MINUTE
    expect(recall(memory, [told('x', openedMs)], { nowMs: openedMs }).atMs).toBe(openedMs)
    expect(recall(memory, [told('x', NOW_MS - MINUTE)]).atMs).toBe(NOW_MS)
  })
})

describe('VEN-08 what lies further ahead than clocks differ was remembered under another clock', () => {
  test.each([
    ['a minute ahead', MINUTE, true],
    ['further', MINUTE + 1, false],
  ])('%s', (_what, aheadMs, isKept) => {
    const memory = saved({ x: NOW_MS + aheadMs }, NOW_MS + aheadMs)
    expect(recall(memory, [])).toEqual(isKept ? memory : NO_EPISODES)
    expect(openOf(recall(NO_EPISODES, [told('y', NOW_MS, { ageMs: aheadMs })]))).toEqual(
      isKept ? { y: NOW_MS } : {},
    )
  })
})

describe('openings are those of the memory and those that were told since', () => {
  const at = (second: number) => NOW_MS + second * SECOND
  const memory = saved({ x: at(0), y: at(10) }, at(15))
  const cards = [told('x', at(30)), told('z', at(20))] // in any order
  const state = recall(memory, cards, { ended: [endOf('x', at(0))], nowMs: at(40) })

  test('of each pair, oldest first', () => {
    const gaps = new OpenGaps(state)
    expect(['x', 'y', 'z'].map((id) => gaps.openings(ID(id), at(40)))).toEqual([
      [at(0), at(30)],
      [at(10)],
      [at(20)],
    ])
  })

  test('pairs are forgotten an hour after their last one, in whatever order they were told', () => {
    const left = (nowMs: number) => {
      const gaps = new OpenGaps({ ...state, atMs: nowMs - SECOND, open: new Map() })
      gaps.step({ nowMs, moved: new Map(), all: () => [] })
      return [...gaps.state().openings.keys()]
    }
    expect(left(at(10) + HOUR)).toEqual([ID('z'), ID('x')])
    expect(left(at(20) + HOUR)).toEqual([ID('x')])
  })

  test('never more than MAX_OPENINGS of a pair', () => {
    const times = Array.from({ length: MAX_OPENINGS }, (_, second) => at(second))
    const full = { atMs: at(15), open: new Map(), openings: new Map([[ID('x'), times]]) }
    const { openings } = recall(full, [told('x', at(30))], { nowMs: at(40) })
    expect(openings.get(ID('x'))).toEqual([...times.slice(1), at(30)])
  })
})
