import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GapCard } from '../../../../engine/contract/gapCards.ts'
import { AlphaPreview, type PreviewRow, VenueWire } from '../../../../engine/contract/preview.ts'
import {
  alphaPreview,
  BAND_CENTS,
  bandOf,
  PREVIEW_DELAY_MS,
  PREVIEW_EVERY_MS,
  PREVIEW_ROWS,
  type PreviewSamples,
  takeSample,
  venueWire,
  WIRE_EVERY_MS,
  WIRE_ROWS,
} from '../../../../engine/core/boards/preview.ts'
import { HOUR, MINUTE, SECOND } from '../../../../ops/units.ts'
import { someCard } from './support.ts'

const BASE = someCard()
const card = (topic: string, gapCents: number, edgeCents = 0): GapCard => ({
  ...BASE,
  topic,
  gapCents,
  edgeCents,
})
const bounds = (band: string) => band.replace(' cents', '').split(' to ').map(Number) as [number, number]

describe('bands of five cents, the lower end included (INP-15)', () => {
  test.each([
    [0, '0 to 5 cents'],
    [4.99, '0 to 5 cents'],
    [5, '5 to 10 cents'],
    [9.99, '5 to 10 cents'],
    [10, '10 to 15 cents'],
    [-0.01, '-5 to 0 cents'],
    [-5, '-5 to 0 cents'],
    [-5.01, '-10 to -5 cents'],
    [0.1 + 0.2 + 4.7, '5 to 10 cents'], //  5.000000000000001 or 4.999999999999999: both are 5.00
    [(0.58 - 0.51) * 100 - 2, '5 to 10 cents'], //  4.999999999999993
  ])('%d: %s', (cents, band) => {
    expect(bandOf(cents)).toBe(band)
  })
})

describe('free alpha rows are as old as the delay', () => {
  const seen = takeSample([], 0, [card('one', 3, 1)])

  test.each([
    [0, null, PREVIEW_DELAY_MS],
    [PREVIEW_DELAY_MS - 1, null, PREVIEW_DELAY_MS],
    [PREVIEW_DELAY_MS, 0, 2 * PREVIEW_DELAY_MS], //  nothing newer was looked at
  ])('at %d ms: as of %s, next %d', (nowMs, asOfMs, nextMs) => {
    const preview = alphaPreview(seen, nowMs)
    expect(AlphaPreview.parse(preview)).toMatchObject({ asOfMs, nextMs, delayMs: PREVIEW_DELAY_MS })
    expect(preview.rows).toEqual(
      asOfMs === null
        ? []
        : [{ topic: 'one', category: 'Economics', gapBand: '0 to 5 cents', edgeBand: '0 to 5 cents' }],
    )
  })

  test('looks once a minute', () => {
    const at = (nowMs: number) => takeSample(seen, nowMs, [card('two', 3)])
    expect(at(PREVIEW_EVERY_MS - 1)).toBe(seen)
    expect(at(PREVIEW_EVERY_MS)).toHaveLength(2)
  })

  test('bounded in rows and in looks; a clock that goes back drops the future', () => {
    const cards = Array.from({ length: PREVIEW_ROWS + 5 }, (_, at) => card(`t${at}`, 3))
    let samples: PreviewSamples = []
    for (let minute = 0; minute < 100; minute++) samples = takeSample(samples, minute * MINUTE, cards)
    expect(samples).toHaveLength(PREVIEW_DELAY_MS / PREVIEW_EVERY_MS + 2)
    expect(samples[0]!.rows).toHaveLength(PREVIEW_ROWS)
    expect(alphaPreview(samples, 99 * MINUTE).asOfMs).toBe(99 * MINUTE - PREVIEW_DELAY_MS)
    expect(takeSample(samples, 0, cards).map(({ atMs }) => atMs)).toEqual([0])
  })
})

describe('the wire is the same for half an hour', () => {
  const cards = [card('one', 3), card('two', 7)]
  const wire = venueWire(null, 7 * MINUTE, cards)

  test('full and half hours, and when the next comes', () => {
    expect(VenueWire.parse(wire)).toEqual({
      asOfMs: 7 * MINUTE,
      nextMs: 30 * MINUTE,
      rows: [
        { topic: 'two', category: 'Economics', gapBand: '5 to 10 cents', edgeBand: null },
        { topic: 'one', category: 'Economics', gapBand: '0 to 5 cents', edgeBand: null },
      ],
    })
    expect(venueWire(wire, WIRE_EVERY_MS - 1, [])).toBe(wire)
    expect(venueWire(wire, WIRE_EVERY_MS, cards)).toMatchObject({ asOfMs: WIRE_EVERY_MS, nextMs: HOUR })
  })

  test('an empty one is made again; bounded', () => {
    const empty = venueWire(null, 0, [])
    expect(venueWire(empty, SECOND, cards).rows).toHaveLength(2)
    expect(
      venueWire(
        null,
        0,
        Array.from({ length: WIRE_ROWS + 5 }, (_, at) => card(`t${at}`, 3)),
      ).rows,
    ).toHaveLength(WIRE_ROWS)
  })
})

describe('VEN-17: nothing free equals anything paid, within the delay or ever', () => {
  const cents = (min: number, max: number) =>
    fc
      .oneof(
        fc.integer({ min, max }),
        fc.integer({ min: min / 500, max: max / 500 }).map((fives) => fives * 500),
      )
      .map((hundredths) => hundredths / 100)
  const history = fc.array(
    fc.record({
      gap: cents(0, 1_000),
      edge: cents(-1_000, 1_000),
      waitMs: fc.integer({ min: 0, max: 5 * MINUTE }),
    }),
    { minLength: 1, maxLength: 60 },
  )

  /** Everything a row says that is no text about the question. */
  const figuresOf = ({ topic: _t, category: _c, ...figures }: PreviewRow): unknown[] => Object.values(figures)

  test('no number is given away, and no text that reads as one', () => {
    fc.assert(
      fc.property(history, (looks) => {
        let nowMs = 0
        let samples: PreviewSamples = []
        let wire: VenueWire | null = null
        for (const { gap, edge, waitMs } of looks) {
          nowMs += waitMs
          samples = takeSample(samples, nowMs, [card('one', gap, edge)])
          wire = venueWire(wire, nowMs, [card('one', gap, edge)])
          for (const figure of [...alphaPreview(samples, nowMs).rows, ...wire.rows].flatMap(figuresOf))
            expect(figure === null || (typeof figure === 'string' && Number.isNaN(Number(figure)))).toBe(true)
        }
      }),
    )
  })

  test('a band holds five hundred figures, and the true one of then is among them', () => {
    fc.assert(
      fc.property(history, (looks) => {
        let nowMs = 0
        let samples: PreviewSamples = []
        const paid: { atMs: number; gap: number; edge: number }[] = []
        for (const { gap, edge, waitMs } of looks) {
          nowMs += waitMs
          paid.push({ atMs: nowMs, gap, edge })
          samples = takeSample(samples, nowMs, [card('one', gap, edge)])
          const { rows, asOfMs } = alphaPreview(samples, nowMs)
          if (asOfMs === null) continue
          expect(nowMs - asOfMs).toBeGreaterThanOrEqual(PREVIEW_DELAY_MS)
          //  several looks may fall on one instant: the first of them is kept
          const then = paid.find(({ atMs }) => atMs === asOfMs)!
          for (const [band, figure] of [
            [rows[0]!.gapBand, then.gap],
            [rows[0]!.edgeBand!, then.edge],
          ] as const) {
            const [from, to] = bounds(band)
            expect(to - from).toBe(BAND_CENTS)
            expect(figure >= from && figure < to).toBe(true)
          }
        }
      }),
    )
  })

  test('rows name no market, price, size or side, and their order follows the bands', () => {
    fc.assert(
      fc.property(fc.array(cents(0, 1_000), { maxLength: 10 }), (gaps) => {
        const cards = gaps.map((gap, at) => card(`t${9 - at}`, gap))
        const { rows } = venueWire(null, 0, cards)
        for (const row of rows)
          expect(Object.keys(row).sort()).toEqual(['category', 'edgeBand', 'gapBand', 'topic'])
        const turned = venueWire(null, 0, [...cards].reverse())
        expect(turned.rows).toEqual(rows)
      }),
    )
  })
})
