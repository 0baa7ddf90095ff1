import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  KEPT_MAX,
  MINUTES_MAX,
  noteEvent,
  showTicker,
  TICKER_DELAY_MS,
  TICKER_EVENTS,
  TICKER_SPAN_MS,
  type Ticker,
  type Told,
} from '../../../api/live/ticker.ts'

const MINUTE = 60_000
const START = 1_790_000_040_000 //  a full minute
const told = (change: Partial<Told> = {}): Told => ({
  kind: 'opened',
  topic: 'gaps',
  atMs: START,
  card: { topic: 'Fed cuts rates', gapCents: 7.25, edgeCents: -1.5 },
  ...change,
})
const ticker = (...events: Told[]): Ticker => {
  const made: Ticker = new Map()
  for (const event of events) noteEvent(made, event)
  return made
}

describe('I20 the feed is given away late', () => {
  test.each([
    [START + TICKER_DELAY_MS, 0], //              only the start of its minute is old enough
    [START + MINUTE + TICKER_DELAY_MS - 1, 0],
    [START + MINUTE + TICKER_DELAY_MS, 1],
    [START + TICKER_DELAY_MS + TICKER_SPAN_MS, 1],
    [START + TICKER_DELAY_MS + TICKER_SPAN_MS + 1, 0],
  ])('at %d: %d shown, and counted', (nowMs, shown) => {
    const { events, counts } = showTicker(ticker(told()), nowMs)
    expect(events).toHaveLength(shown)
    expect(counts.opened).toBe(shown)
  })

  test('any event, at any time: never sooner than its delay', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: START, max: START + 60 * MINUTE }), { maxLength: 60 }),
        fc.integer({ min: START, max: START + 90 * MINUTE }),
        (times, nowMs) =>
          showTicker(ticker(...times.map((atMs) => told({ atMs }))), nowMs).events.every(
            ({ at }) => nowMs - Date.parse(at) >= TICKER_DELAY_MS,
          ),
      ),
    )
  })
})

describe('and in bands', () => {
  const shown = (change: Partial<Told>) => showTicker(ticker(told(change)), START + 10 * MINUTE).events[0]!
  test('of the gap; about edges, of the edge', () => {
    expect(shown({})).toEqual({
      kind: 'opened',
      at: new Date(START).toISOString(),
      about: 'gaps',
      topic: 'Fed cuts rates',
      band: '5 to 10 cents',
    })
    expect(shown({ topic: 'edges' }).band).toBe('-5 to 0 cents')
  })
})

describe('whatever the feed does, it is bounded', () => {
  test('a few of each kind and minute, all of them counted', () => {
    const made = ticker(...Array.from({ length: 100 }, () => told()), told({ kind: 'closed' }))
    const { events, counts } = showTicker(made, START + 10 * MINUTE)
    expect(events.map(({ kind }) => kind).sort()).toEqual(['closed', 'opened', 'opened', 'opened'])
    expect(counts).toEqual({ opened: 100, changed: 0, closed: 1 })
  })

  test('minutes, events a minute, events shown; newest first', () => {
    const events = Array.from({ length: 100 }, (_, at) =>
      (['opened', 'changed', 'closed'] as const).flatMap((kind) =>
        (['gaps', 'edges'] as const).flatMap((topic) =>
          [1, 2, 3, 4].map((second) => told({ kind, topic, atMs: START + at * MINUTE + second * 1_000 })),
        ),
      ),
    ).flat()
    const made = ticker(...events)
    expect(made.size).toBe(MINUTES_MAX)
    expect(Math.max(...[...made.values()].map(({ kept }) => kept.length))).toBe(KEPT_MAX)
    const shown = showTicker(made, START + 100 * MINUTE).events.map(({ at }) => at)
    expect(shown).toHaveLength(TICKER_EVENTS)
    expect(shown).toEqual([...shown].sort().reverse())
  })

  test('and yet all that is to be shown is kept, with one event in every minute up to now', () => {
    const made: Ticker = new Map()
    const nowMs = START + 99 * MINUTE
    for (let atMs = START; atMs <= nowMs + MINUTE; atMs += MINUTE) noteEvent(made, told({ atMs }))
    expect(showTicker(made, nowMs).counts.opened).toBe(TICKER_SPAN_MS / MINUTE)
  })

  test.each([
    ['as far ahead as an event may be', 1, 1],
    ['a minute further', 2, 0],
  ])('of a minute %s', (_, ahead, kept) => {
    const made = ticker(told({ atMs: START + ahead * MINUTE }))
    showTicker(made, START)
    expect(made.size).toBe(kept)
  })

  test('what a clock that was set back left in the future does not push out the present', () => {
    const made = ticker(...Array.from({ length: 50 }, (_, at) => told({ atMs: START + (500 + at) * MINUTE })))
    showTicker(made, START)
    noteEvent(made, told())
    expect(showTicker(made, START + 10 * MINUTE).events).toHaveLength(1)
  })
})
