import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gapAge } from '../../../../engine/contract/gapCards.ts'
import { lifeOf, UNQUOTED_MS } from '../../../../engine/core/boards/episode.ts'
import { episodeRow } from '../../../../engine/core/boards/episodeRow.ts'
import {
  type Ended,
  type Episodes,
  MAX_HOLE_MS,
  MAX_OPEN,
  MAX_OPENINGS,
  MAX_REMEMBERED,
  NO_EPISODES,
  OpenGaps,
} from '../../../../engine/core/boards/episodes.ts'
import type { LivePair } from '../../../../engine/core/boards/livePair.ts'
import { HOUR, MINUTE, SECOND } from '../../../../ops/units.ts'
import { stepEpisodes } from './atOnce.ts'
import { somePair } from './support.ts'

const pairs = new Map<string, LivePair>()
const pairOf = (id: string): LivePair => {
  if (!pairs.has(id)) pairs.set(id, somePair({ id }))
  return pairs.get(id)!
}
const ID = (id: string) => pairOf(id).pairId
const openingsOf = (state: Episodes, pairId: string, nowMs: number) =>
  new OpenGaps(state).openings(pairId, nowMs).length
type Frame = Record<string, number | null>

/** Runs frames of gaps, one each `everyMs`; pairs not named in a frame do not exist then. */
function run(
  frames: Frame[],
  { from = NO_EPISODES, atMs = 0, everyMs = 10 * SECOND, executable = false } = {},
) {
  let state: Episodes = from
  const ended: Ended[] = []
  frames.forEach((frame, at) => {
    const samples = Object.entries(frame).map(([id, gapCents]) => ({
      pair: pairOf(id),
      gapCents,
      executable,
    }))
    const step = stepEpisodes(state, { nowMs: atMs + at * everyMs, samples })
    state = step.state
    ended.push(...step.ended)
  })
  return { state, ended, open: [...state.open.keys()] }
}
const gaps = (...cents: (number | null)[]): Frame[] => cents.map((gapCents) => ({ x: gapCents }))

describe('design 3: a gap opens at 2.00 cents and closes at 1.00', () => {
  test.each([
    ['just below', [1.99], false],
    ['at the line', [2], true],
    ['stays open between the lines', [2, 1.99, 1.01], true],
    ['closes at the lower line', [2, 1], false],
    ['and does not open again between them', [2, 1, 1.99], false],
    ['opens again above', [2, 1, 2], true],
    ['0 is a gap', [2, 0], false],
    ['unknown does not open', [null], false],
  ])('%s: %j', (_what, cents, open) => {
    expect(run(gaps(...cents)).open).toEqual(open ? [ID('x')] : [])
  })

  test('the row of a whole life', () => {
    const { ended } = run(gaps(2, 3, 6, 5, 3.01, 3, 4, 0.5), { atMs: Date.UTC(2026, 10, 21) })
    expect(ended.map(episodeRow)).toEqual([
      {
        episode_id: `${ID('x')}@${Date.UTC(2026, 10, 21)}`,
        pair_id: ID('x'),
        topic: 'Topic x',
        category: 'Economics',
        verdict: 'identity',
        market_a: 'Ax',
        market_b: 'KXB-x',
        opened_at: '2026-11-21 00:00:00.000',
        peak_at: '2026-11-21 00:00:20.000',
        closed_at: '2026-11-21 00:01:10.000',
        open_cents: 2,
        peak_cents: 6,
        last_cents: 0.5,
        ever_executable: false,
        samples: 8,
        why_closed: 'narrowed',
        half_life_ms: 30_000, //  from 6 at 0:20 to 3 at 0:50: exactly half counts
      },
    ])
  })

  test('a higher peak starts the wait for its half anew', () => {
    const { state } = run(gaps(4, 2, 8, 4.01))
    expect(state.open.get(ID('x'))).toMatchObject({ peakCents: 8, peakMs: 20_000, halfMs: null })
  })

  test('the same height again is no new peak', () => {
    expect(run(gaps(4, 3, 4)).state.open.get(ID('x'))).toMatchObject({ peakMs: 0 })
  })

  test('life as a card tells it; once executable, ever executable', () => {
    const first = run(gaps(3), { executable: true })
    const { state } = run(gaps(5, 4), { from: first.state, atMs: 10_000 })
    expect(lifeOf(state.open.get(ID('x'))!, 20_000)).toEqual({
      openedMs: 0,
      ageMs: 20_000,
      peakCents: 5,
      everExecutable: true,
    })
  })

  test('no gap is younger than nothing: the clock of a new leader may be behind that of the last one', () => {
    const { state } = run(gaps(3), { atMs: 20_000 })
    expect(lifeOf(state.open.get(ID('x'))!, 19_999)).toMatchObject({ openedMs: 20_000, ageMs: 0 })
  })
})

describe('the age of a gap as its card tells it', () => {
  test.each([
    [0, 0, 10_000],
    [9_999, 0, 10_000],
    [10_000, 10_000, 20_000],
    [59_999, 50_000, 60_000],
    [60_000, 60_000, 120_000],
    [119_999, 60_000, 120_000],
    [3_599_999, 3_540_000, 3_600_000],
    [3_600_000, 3_600_000, 4_200_000],
    [4_200_001, 4_200_000, 4_800_000],
  ])('%d ms: %d, until it is %d', (ms, ageMs, nextMs) => expect(gapAge(ms)).toEqual({ ageMs, nextMs }))

  test('whatever the age, it is never ahead, and the same until the next step', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (ms) => {
        const { ageMs, nextMs } = gapAge(ms)
        expect([ageMs <= ms, ms < nextMs, gapAge(nextMs - 1), gapAge(nextMs).ageMs]).toEqual([
          true,
          true,
          { ageMs, nextMs },
          nextMs,
        ])
      }),
    ))
})

describe('why an episode ends', () => {
  test.each([
    ['the gap narrows', [3, 0.5], 'narrowed', 10_000],
    ['a leg without a mid, for too long', [3, ...Array(UNQUOTED_MS / 10_000 + 1).fill(null)], 'unquoted', 0],
  ])('%s', (_what, cents, why, closedMs) => {
    expect(run(gaps(...cents)).ended).toMatchObject([{ why, closedMs }])
  })

  test('a leg without a mid for just that long is borne, and does not count as a look', () => {
    const { state } = run(gaps(3, ...Array(UNQUOTED_MS / 10_000).fill(null), 2.5))
    expect(state.open.get(ID('x'))).toMatchObject({ openedMs: 0, samples: 2, lastCents: 2.5 })
  })

  test('a pair that is no longer there ends at once (VEN-11)', () => {
    const { ended, open } = run([{ x: 3, y: 3 }, { y: 3 }])
    expect([ended.map(({ why, closedMs }) => [why, closedMs]), open]).toEqual([[['gone', 10_000]], [ID('y')]])
  })

  test.each([
    ['opens anew', 7, [7]],
    ['does not, when the two sides now agree', 0.5, []],
  ])(
    'a pair that an edit turned round is another one: its gap ends at once, and %s',
    (_what, cents, open) => {
      const { state } = run(gaps(3, 4))
      const sample = { pair: somePair({ id: 'x', verdict: 'inverted' }), gapCents: cents, executable: true }
      const next = stepEpisodes(state, { nowMs: 20_000, samples: [sample] })
      expect(next.ended).toMatchObject([
        {
          why: 'gone',
          closedMs: 20_000,
          episode: { pair: { verdict: 'identity' }, peakCents: 4, samples: 2 },
        },
      ])
      expect([...next.state.open.values()].map(({ openCents }) => openCents)).toEqual(open)
      for (const episode of next.state.open.values())
        expect(episode).toMatchObject({ openedMs: 20_000, pair: { verdict: 'inverted' }, samples: 1 })
    },
  )

  test('what nobody watched ends where it was last seen, and may open anew', () => {
    const { state } = run(gaps(3, 4))
    const before = run(gaps(4), { from: state, atMs: 10_000 + MAX_HOLE_MS })
    expect([before.ended, before.open]).toEqual([[], [ID('x')]])
    const after = run(gaps(4), { from: state, atMs: 10_001 + MAX_HOLE_MS })
    expect(after.ended).toMatchObject([{ why: 'unwatched', closedMs: 10_000 }])
    expect(after.state.open.get(ID('x'))).toMatchObject({ openedMs: 10_001 + MAX_HOLE_MS, samples: 1 })
  })

  test('a clock that goes back a little changes nothing (VEN-08)', () => {
    const { state } = run(gaps(3), { atMs: HOUR })
    expect(run(gaps(0), { from: state, atMs: HOUR - 5_000 }).state).toEqual(state)
  })

  test('two looks at one instant both count', () => {
    const { state } = run(gaps(3), { atMs: HOUR })
    const again = run(gaps(1), { from: state, atMs: HOUR })
    expect(again.ended).toMatchObject([{ why: 'narrowed', closedMs: HOUR, episode: { samples: 2 } }])
  })

  test('one that is put right is a hole: lives begin anew, and do not stand still until it has caught up (VEN-08)', () => {
    const { state } = run(gaps(3), { atMs: HOUR })
    const after = run(gaps(3), { from: state, atMs: HOUR - 5_001 })
    expect(after.ended).toMatchObject([{ why: 'unwatched' }])
    expect(after.state.open.get(ID('x'))).toMatchObject({ openedMs: HOUR - 5_001, samples: 1 })
    expect(openingsOf(after.state, ID('x'), HOUR - 5_001)).toBe(1)
  })
})

describe('flickering: openings within the last hour', () => {
  const thrice = run(gaps(2, 1, 2, 1, 2)).state //  opened at 0, 20 and 40 s

  test.each([
    [40 * SECOND, 3],
    [HOUR - 1, 3],
    [HOUR, 2],
    [HOUR + 40 * SECOND, 0],
  ])('at %d ms: %d', (nowMs, count) => {
    expect(openingsOf(thrice, ID('x'), nowMs)).toBe(count)
  })

  test('never more than MAX_OPENINGS are kept of a pair: the last ones', () => {
    const { state } = run(gaps(...Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 2 : 1))))
    expect(openingsOf(state, ID('x'), 10 * MINUTE)).toBe(MAX_OPENINGS)
    //  it opened every 20 s, for the last time at 580 s
    expect(new OpenGaps(state).openings(ID('x'), 10 * MINUTE).at(-1)).toBe(580 * SECOND)
  })

  test('pairs whose openings are all old are forgotten', () => {
    const { state } = run(gaps(2, 1))
    const later = run([{ y: 2 }], { from: state, atMs: 10_000 + HOUR }).state
    expect([...later.openings.keys()]).toEqual([ID('y')])
  })

  test('the pair that opened last is forgotten last, whenever it opened first', () => {
    const { state } = run([{ x: 2, y: 0 }, { x: 1, y: 2 }, { x: 2 }]) //  y opened at 10 s, x again at 20 s
    const at = (atMs: number) => [...run([{}], { from: state, atMs }).state.openings.keys()]
    expect([at(HOUR + 9_999), at(HOUR + 10_000), at(HOUR + 20_000)]).toEqual([
      [ID('y'), ID('x')],
      [ID('x')],
      [],
    ])
  })
})

/** Steps that are told only what has moved. */
function stepping() {
  const gaps = new OpenGaps(NO_EPISODES)
  const step = (nowMs: number, moved: Frame) => {
    const samples = Object.entries(moved).map(([id, gapCents]) => ({
      pair: pairOf(id),
      gapCents,
      executable: false,
    }))
    return gaps.step({
      nowMs,
      moved: new Map(samples.map((each) => [each.pair.pairId, each])),
      all: () => [],
    })
  }
  return { gaps, step }
}

describe('a gap that stands as it stood was looked at, and seen, at every step', () => {
  test('until it closes', () => {
    const { step } = stepping()
    step(0, { x: 3 })
    step(1, {})
    step(2, { y: 3 })
    expect(step(3, { x: 0 }).ended).toMatchObject([{ closedMs: 3, episode: { samples: 4 } }])
  })

  test('until nobody looks any more', () => {
    const { step } = stepping()
    step(0, { x: 3 })
    step(1, {})
    expect(step(2 + MAX_HOLE_MS, {}).ended).toMatchObject([
      { why: 'unwatched', closedMs: 1, episode: { samples: 2, lastMs: 1 } },
    ])
  })

  test('but not while a leg has no mid', () => {
    const { gaps, step } = stepping()
    step(0, { x: 3 })
    step(1, { x: null })
    step(2, {})
    expect([...gaps.look().open]).toMatchObject([{ samples: 1, lastMs: 0 }])
    expect(step(1 + UNQUOTED_MS, { x: null }).ended).toMatchObject([{ why: 'unquoted', closedMs: 0 }])
  })
})

test('a look that is read while gaps go on says what was then', () => {
  const { gaps, step } = stepping()
  step(0, { x: 3, y: 4, z: 5 })
  step(1, {}) //  unchanged: one sample more
  const then = gaps.state()
  const { atMs, open, openings } = gaps.look()
  const read = open[Symbol.iterator]()
  const seen = [read.next().value!]
  step(2, { x: 9, y: 0, v: 8 })
  step(3, { z: 0, y: 6 })
  for (let next = read.next(); next.done !== true; next = read.next()) seen.push(next.value)
  expect(seen.map(({ samples, lastMs }) => [samples, lastMs])).toEqual([
    [2, 1],
    [2, 1],
    [2, 1],
  ])
  expect({
    atMs,
    open: new Map(seen.map((each) => [each.pair.pairId, each])),
    openings: new Map(openings),
  }).toEqual(then)
})

describe('bounded', () => {
  const many = (count: number, from: number): Frame =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${from + at}`, 2 + (from + at) / 1e5]))
  const samplesOf = (frame: Frame) =>
    Object.entries(frame).map(([id, gapCents]) => ({ pair: pairOf(id), gapCents, executable: false }))

  test('the largest gaps find room, the others are counted and wait', () => {
    const step = stepEpisodes(NO_EPISODES, { nowMs: 0, samples: samplesOf(many(MAX_OPEN + 2, 0)) })
    expect([step.state.open.size, step.refused]).toEqual([MAX_OPEN, 2])
    expect([step.state.open.has(ID('m0')), step.state.open.has(ID('m2'))]).toEqual([false, true])
    const full = stepEpisodes(step.state, { nowMs: 1, samples: samplesOf(many(MAX_OPEN + 2, 0)) })
    expect([full.state.open.size, full.refused, full.ended]).toEqual([MAX_OPEN, 2, []])
  })

  test('who waits gets room without a move of its own: the largest first, as it is by then', () => {
    const gaps = new OpenGaps(NO_EPISODES)
    const sample = (id: string, gapCents: number | null) => ({
      pair: pairOf(id),
      gapCents,
      executable: false,
    })
    const told: Record<string, number | null> = {}
    const step = (nowMs: number, moved: Record<string, number | null>, gone: string[] = []) => {
      Object.assign(told, moved)
      for (const id of gone) delete told[id]
      const samples = new Map<string, ReturnType<typeof sample> | null>(
        Object.entries(moved).map(([id, gapCents]) => [ID(id), sample(id, gapCents)]),
      )
      for (const id of gone) samples.set(ID(id), null)
      const all = () => Object.entries(told).map(([id, gapCents]) => sample(id, gapCents))
      const { opened, refused } = gaps.step({ nowMs, moved: samples, all })
      return { opened: opened.sort(), refused }
    }
    const full = { ...many(MAX_OPEN, 0), m0: 9, m1: 9, m2: 9 }
    expect(step(0, full).refused).toBe(0)
    expect(step(1, { u: 3, v: 5, w: 4, x: 8, y: 7, z: 6 })).toEqual({ opened: [], refused: 6 })
    //  x narrowed, y is gone, z has no price: of the others v is the largest
    expect(step(2, { m0: 0, x: 1.5, z: null }, ['y'])).toEqual({ opened: [ID('v')], refused: 2 })
    expect(step(3, {})).toEqual({ opened: [], refused: 2 })
    expect(step(4, { m1: 0, m2: 0 })).toEqual({ opened: [ID('u'), ID('w')], refused: 0 })
    //  after a hole every gap begins anew, as wide as it is by then
    expect(step(5, { r: 9, s: 3, t: 2 }).refused).toBe(3)
    const { opened, refused } = step(5 + MAX_HOLE_MS + 1, { s: 1 }, ['r'])
    expect([opened.length, ['r', 's', 't'].filter((id) => opened.includes(ID(id))), refused]).toEqual([
      MAX_OPEN,
      [],
      1,
    ])
  })

  test('so are the pairs whose openings are remembered', () => {
    const first = stepEpisodes(NO_EPISODES, { nowMs: 0, samples: samplesOf(many(MAX_OPEN, 0)) }).state
    const { state } = stepEpisodes(first, { nowMs: 1, samples: samplesOf(many(5, MAX_OPEN)) })
    expect(state.openings.size).toBe(MAX_REMEMBERED)
    expect(state.openings.has(ID('m0'))).toBe(false)
    expect(openingsOf(state, ID(`m${MAX_OPEN}`), 1)).toBe(1)
  })
})

describe('properties of any history', () => {
  const cents = fc.option(
    fc.integer({ min: 0, max: 800 }).map((hundredths) => hundredths / 100),
    { freq: 8 },
  )
  const frames = fc.array(fc.dictionary(fc.constantFrom('x', 'y', 'z'), cents), { maxLength: 40 })
  const steps = fc.constantFrom(SECOND, MINUTE, 6 * MINUTE)

  test('every opening is open or has ended once; figures agree with each other', () => {
    fc.assert(
      fc.property(frames, steps, (history, everyMs) => {
        const { state, ended } = run(history, { everyMs })
        const opened = ended.length + state.open.size
        const remembered = [...state.openings.values()].flat().length
        expect(remembered).toBeLessThanOrEqual(opened)
        const ids = [...ended.map(({ episode }) => episode), ...state.open.values()].map(
          ({ pair, openedMs }) => `${pair.pairId}@${openedMs}`,
        )
        expect(new Set(ids).size).toBe(opened)
        for (const { episode, closedMs, why } of ended) {
          expect(episode.openCents).toBeGreaterThanOrEqual(2)
          expect(episode.peakCents).toBeGreaterThanOrEqual(Math.max(episode.openCents, episode.lastCents))
          expect(episode.openedMs).toBeLessThanOrEqual(episode.peakMs)
          expect(episode.peakMs).toBeLessThanOrEqual(episode.lastMs)
          expect(closedMs).toBeGreaterThanOrEqual(episode.lastMs)
          //  a gap that closed has halved: it opened at twice the closing line at least
          if (why === 'narrowed') expect(episode.halfMs).not.toBeNull()
          if (episode.halfMs !== null) expect(episode.halfMs).toBeGreaterThan(episode.peakMs)
        }
      }),
    )
  })

  test('a state is never changed in place', () => {
    fc.assert(
      fc.property(frames, frames, (history, next) => {
        const { state } = run(history)
        const before = JSON.stringify([[...state.open], [...state.openings]])
        run(next, { from: state, atMs: history.length * 10_000 })
        expect(JSON.stringify([[...state.open], [...state.openings]])).toBe(before)
      }),
      { numRuns: 30 },
    )
  })
})
