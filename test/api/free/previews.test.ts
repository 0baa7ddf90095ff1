import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alphaPreview, PREVIEW_DELAY_MS, PREVIEW_ROWS, previewRows } from '../../../api/free/alphaPreview.ts'
import { bandOf } from '../../../api/free/bands.ts'
import { venueWire, WIRE_EVERY_MS, WIRE_ROWS, wireRows } from '../../../api/free/venueWire.ts'
import { edge } from '../../../api/goods/market/edge.ts'
import { spread } from '../../../api/goods/market/spread.ts'
import { someEdge, someGap, someLeg } from '../../support/boards.ts'
import { gapsBody, portsOver } from '../goods/support.ts'

const T = Math.floor(1_790_000_000_000 / WIRE_EVERY_MS) * WIRE_EVERY_MS
const asOf = { a: 'then', b: 'then' }
const wireSample = (takenMs: number) => ({ takenMs, asOf, rows: wireRows(gapsBody([someGap()])) })

describe('free differences are bands in words; the lower end belongs to its band', () => {
  test.each([
    [0, '0 to 5 cents'],
    [4.99, '0 to 5 cents'],
    [5, '5 to 10 cents'],
    [9.99, '5 to 10 cents'],
    [10, '10 to 15 cents'],
    [-0.01, '-5 to 0 cents'],
    [-5, '-5 to 0 cents'],
    [-5.01, '-10 to -5 cents'],
  ])('%d cents: %s', (cents, band) => expect(bandOf(cents, 5)).toBe(band))
})

describe('1, 8 GET /venue-wire/gaps', () => {
  test('rows hold topic, category and bands, and nothing else', () => {
    expect(wireRows(gapsBody([someGap()]))).toEqual([
      {
        topic: 'Fed cuts rates in December 2026',
        category: 'Economics',
        gapBand: '5 to 10 cents',
        edgeBand: null,
        yesBandA: '40 to 50 cents',
        yesBandB: '50 to 60 cents',
        opposite: false,
      },
    ])
  })

  test('where B asks the opposite its own yes is shown, and the row says so', () => {
    const b = someLeg({ midBps: 4_950 })
    expect(wireRows(gapsBody([someGap({ verdict: 'inverted', b })]))).toMatchObject([
      { gapBand: '5 to 10 cents', yesBandA: '40 to 50 cents', yesBandB: '40 to 50 cents', opposite: true },
    ])
  })

  test.each([
    [999.5, '0 to 10 cents'], // a mid may lie half a basis point below the line
    [1_000, '10 to 20 cents'],
    [9_999.5, '90 to 100 cents'],
  ])('a mid of %d bps: %s', (midBps, band) => {
    expect(wireRows(gapsBody([someGap({ a: someLeg({ midBps }) })]))[0]?.yesBandA).toBe(band)
  })

  test('at most twenty, widest band first, then by topic', () => {
    const many = Array.from({ length: 30 }, (_, n) =>
      someGap({ topic: `T${30 - n}`, gapCents: n < 2 ? 12 : 3 }),
    )
    const rows = wireRows(gapsBody(many))
    expect(rows).toHaveLength(WIRE_ROWS)
    expect(rows.slice(0, 3).map(({ topic }) => topic)).toEqual(['T29', 'T30', 'T11'])
  })

  test.each([
    ['taken in this half hour', T + 60_000, T + 60_000, T + WIRE_EVERY_MS],
    ['taken as this half hour begins', T, T, T + WIRE_EVERY_MS],
    ['of the last half hour while there is none yet', T - WIRE_EVERY_MS, T - WIRE_EVERY_MS, T + 120_000],
    ['too old to be shown', T - WIRE_EVERY_MS - 1, null, T + 120_000],
  ])('%s', (_, takenMs, shownMs, nextMs) => {
    expect(venueWire([wireSample(takenMs)], T + 100_000)).toMatchObject({
      refreshedAt: shownMs === null ? null : new Date(shownMs).toISOString(),
      nextAt: new Date(nextMs).toISOString(),
      rows: shownMs === null ? [] : [{ gapBand: '5 to 10 cents' }],
    })
  })
})

test('8 who asks for the wire at its nextAt, and finds the old one, is told to ask again within the minute', () => {
  const old = [wireSample(T - WIRE_EVERY_MS + 5)]
  const nextAt = (nowMs: number) => Date.parse(venueWire(old, nowMs).nextAt)
  expect(nextAt(T - 1)).toBe(T)
  expect(nextAt(T)).toBe(T + 60_000)
  expect(nextAt(T + WIRE_EVERY_MS - 1)).toBe(T + WIRE_EVERY_MS)
})

describe('1 GET /alpha/preview: rounded, delayed edges', () => {
  const sample = (takenMs: number) => ({ takenMs, asOf, rows: previewRows({ rows: [someEdge()] }) })

  test.each([
    ['a millisecond too young', PREVIEW_DELAY_MS - 1, false],
    ['just old enough', PREVIEW_DELAY_MS, true],
  ])('%s', (_, ageMs, shown) => {
    const answer = alphaPreview([sample(T)], T + ageMs)
    expect(answer.refreshedAt).toBe(shown ? new Date(T).toISOString() : null)
    expect(answer.rows).toHaveLength(shown ? 1 : 0)
  })

  test('of several that are old enough the newest is shown', () => {
    const old = [T, T - 60_000, T - 2 * PREVIEW_DELAY_MS].map(sample)
    expect(alphaPreview(old, T + PREVIEW_DELAY_MS).refreshedAt).toBe(new Date(T).toISOString())
  })

  test('nextAt is when the oldest of the hidden ones comes out', () => {
    const two = [sample(T), sample(T - 60_000), sample(T - 2 * PREVIEW_DELAY_MS)]
    expect(alphaPreview(two, T + 1)).toMatchObject({
      refreshedAt: new Date(T - 2 * PREVIEW_DELAY_MS).toISOString(),
      nextAt: new Date(T - 60_000 + PREVIEW_DELAY_MS).toISOString(),
    })
  })

  test('while none is hidden nextAt is the end of the minute and the delay: the same at every request of a minute', () => {
    const old = [sample(T - PREVIEW_DELAY_MS)]
    const nextAt = (nowMs: number) => [alphaPreview([], nowMs).nextAt, alphaPreview(old, nowMs).nextAt]
    const later = (ms: number) => new Date(T + ms + PREVIEW_DELAY_MS).toISOString()
    expect([...nextAt(T), ...nextAt(T + 59_999)]).toEqual(Array(4).fill(later(60_000)))
    expect(nextAt(T + 60_000)).toEqual(Array(2).fill(later(120_000)))
  })

  test('at most ten rows, none that we advise against', () => {
    const rows = Array.from({ length: 15 }, (_, n) => someEdge({ topic: `T${n}` }))
    expect(previewRows({ rows })).toHaveLength(PREVIEW_ROWS)
    const bad = Array.from({ length: 15 }, () => someEdge({ suggestedAction: 'avoid' }))
    expect(previewRows({ rows: bad })).toEqual([])
    expect(previewRows({ rows: [...bad, ...rows] })).toHaveLength(PREVIEW_ROWS)
  })

  test('by the band of the edge, highest first, then by topic: the order inside a band tells nothing', () => {
    const rows = [
      someEdge({ topic: 'B', edgeCents: 4, gapCents: 30 }),
      someEdge({ topic: 'A', edgeCents: 3, gapCents: 30 }),
      someEdge({ topic: 'C', edgeCents: 11, gapCents: 12 }),
    ]
    expect(previewRows({ rows }).map(({ topic }) => topic)).toEqual(['C', 'A', 'B'])
  })
})

/** Every value of an answer, however deep. */
function* leaves(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) yield value
  else for (const inner of Object.values(value)) yield* leaves(inner)
}
const bps = fc.integer({ min: 0, max: 10_000 })
const cents = fc.integer({ min: -9_999, max: 9_999 }).map((n) => n / 100)
const BAND = /^-?\d+ to -?\d+ cents$/

describe('VEN-17 free output never equals a paid value within the delay', () => {
  const world = fc.record({
    gapCents: cents.map(Math.abs),
    edgeCents: cents,
    midA: bps,
    midB: bps,
    bidA: bps,
    askB: bps,
  })

  test('of any board, no free row holds a number, or a text that is a paid value', () => {
    fc.assert(
      fc.property(world, ({ gapCents, edgeCents, midA, midB, bidA, askB }) => {
        const legs = {
          a: someLeg({ midBps: midA, bidBps: bidA }),
          b: someLeg({ midBps: midB, askBps: askB }),
        }
        const gaps = gapsBody([someGap({ gapCents, ...legs })])
        const edges = { rows: [someEdge({ gapCents, edgeCents, ...legs })] }
        const ports = portsOver({ gaps, edges })
        const paid = [...leaves(spread.answer({}, ports)), ...leaves(edge.answer({}, ports))]
        const prices = new Set(paid.filter((value) => typeof value === 'number'))
        for (const { topic, category, ...free } of [
          ...wireRows(gaps),
          ...previewRows({ rows: edges.rows }),
        ]) {
          expect([topic, category]).toEqual(['Fed cuts rates in December 2026', 'Economics'])
          for (const value of leaves(free)) {
            if (value === null || typeof value === 'boolean') continue //  a flag
            expect(value).toMatch(BAND)
            expect(prices.has(Number(value))).toBe(false)
          }
        }
      }),
    )
  })

  test('bands are five or ten cents wide, and hold the paid value', () => {
    fc.assert(
      fc.property(cents, fc.constantFrom(5, 10), (value, width) => {
        const [from, to] = bandOf(value, width).match(/-?\d+/g)!.map(Number)
        expect(to! - from!).toBe(width)
        expect(from! <= value && value < to!).toBe(true)
      }),
    )
  })

  test('what /alpha/preview shows does not depend on anything younger than its delay', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 4 * PREVIEW_DELAY_MS }), { maxLength: 6 }),
        fc.array(cents, { minLength: 6, maxLength: 6 }),
        (ages, edgesCents) => {
          const samples = (change: number) =>
            ages
              .map((ageMs, at) => ({
                takenMs: T - ageMs,
                asOf,
                rows: previewRows({
                  rows: [someEdge({ edgeCents: edgesCents[at]! + (ageMs < PREVIEW_DELAY_MS ? change : 0) })],
                }),
              }))
              .sort((x, y) => y.takenMs - x.takenMs)
          expect(alphaPreview(samples(50), T)).toEqual(alphaPreview(samples(0), T))
        },
      ),
    )
  })
})
