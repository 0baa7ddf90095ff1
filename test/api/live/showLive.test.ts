import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Sample } from '../../../api/free/samples.ts'
import { WIRE_ROWS } from '../../../api/free/venueWire.ts'
import { type SampledGap, sampledGaps } from '../../../api/live/gaps.ts'
import { LiveBoard } from '../../../api/live/liveBoard.ts'
import { MOVERS_PER_WINDOW, type SampledMover, sampledMovers } from '../../../api/live/movers.ts'
import { LOOK_ALIKES_SHOWN, REASONS_MAX, SAMPLE_DELAY_MS, shownSample } from '../../../api/live/sections.ts'
import { GAP_CARDS_MAX } from '../../../engine/contract/gapCards.ts'
import { someCard, someGap, someLeg, someMover } from '../../support/boards.ts'
import { cardsBody, gapsBody, MAX_AGE, moversBody, NOW } from '../goods/support.ts'
import { show } from './show.ts'
import { lookAlike, refusalsBody } from './world.ts'

const sample = <Row>(takenMs: number, rows: Row[]): Sample<Row> => ({ takenMs, asOf: { a: '', b: '' }, rows })

describe('age of each venue, and whether is sold', () => {
  test.each([
    [{ a: NOW, b: NOW - MAX_AGE }, true, true], //        at the limit is still fresh
    [{ a: NOW, b: NOW - MAX_AGE - 1 }, true, false],
    [{ a: NOW - MAX_AGE - 1, b: NOW }, false, true],
    [{ a: NOW + 5_000, b: NOW }, true, true], //          a venue's clock ahead of ours gives no negative age
    [{ a: NOW + 5_001, b: NOW }, false, true], //         further ahead: its age is unknown (VEN-08)
    [{ a: null, b: NOW }, false, true],
  ])('%j', (asOfMs, a, b) => {
    const { venues, selling, clock } = show({ gaps: gapsBody([someGap()]) }, { asOfMs })
    expect([venues.a.fresh, venues.b.fresh]).toEqual([a, b])
    expect(selling.open).toBe(a && b)
    const isKnown = asOfMs.a !== null && asOfMs.a <= NOW + 5_000
    expect(clock.ageMs.a).toBe(isKnown ? Math.max(0, NOW - asOfMs.a!) : null)
  })

  test('the refusal is the one a buyer gets', () => {
    expect(show({}).selling.code).toBe('no_data')
    expect(show({ gaps: gapsBody([]) }, { asOfMs: { a: 1, b: NOW } }).selling.code).toBe('stale_data')
  })
})

describe('what there is, and what is refused and why', () => {
  const board = show({
    gaps: {
      ...gapsBody([someGap()]),
      pairs: 7,
      refused: { year: 0, limit: 2, odd_one: 1, name: 5, even_one: 1 },
    },
    gapCards: { ...cardsBody([someCard(), someCard({ life: null })]), unqualified: { stale: 3 } },
    refusals: refusalsBody([lookAlike('<b>\n', 'javascript:alert(1)', ['limit', 'source', 'year', 'name'])]),
  })

  test('counts', () => {
    expect(board.counts).toEqual({ pairs: 7, quoted: 1, openGaps: 1, cards: 2, cardsCut: false, refused: 9 })
  })

  test.each([
    [GAP_CARDS_MAX - 1, false],
    [GAP_CARDS_MAX, true],
  ])('%d cards: cut %s', (most, cardsCut) => {
    const cards = Array.from({ length: most }, () => someCard())
    expect(show({ gapCards: cardsBody(cards) }).counts).toMatchObject({ cards: most, cardsCut })
  })

  test('most frequent reason first, equal ones by code, none that did not occur, in plain words', () => {
    expect(board.refused.pairs).toEqual([
      { code: 'name', words: 'A name on one side is missing on the other', count: 5 },
      { code: 'limit', words: 'Another deadline', count: 2 },
      { code: 'even_one', words: 'even one', count: 1 },
      { code: 'odd_one', words: 'odd one', count: 1 },
    ])
    expect(board.refused.cards).toEqual([{ code: 'stale', words: 'Data of one venue is too old', count: 3 }])
  })

  test('look-alikes: titles as data, no link that is not https, the first three reasons', () => {
    expect(board.refused.lookAlikes).toEqual([
      {
        a: { title: '<b>', url: null },
        b: { title: '<b> (another)', url: null },
        why: ['Another deadline', 'Another station, index or feed decides', 'Another year or edition'],
      },
    ])
  })

  test('look-alikes of every reason before more of one', () => {
    const of = (title: string, reason: string) => ({ ...lookAlike(title), reasons: [reason] })
    const refusals = refusalsBody([
      ...Array.from({ length: LOOK_ALIKES_SHOWN }, (_, at) => of(`year ${at}`, 'year')),
      of('numbers', 'numbers'),
      of('limit', 'limit'),
    ])
    const titles = show({ refusals }).refused.lookAlikes.map(({ a }) => a.title)
    expect(titles.slice(0, 4)).toEqual(['year 0', 'numbers', 'limit', 'year 1'])
    expect(titles).toHaveLength(LOOK_ALIKES_SHOWN)
  })

  test('every list is bounded; reasons beyond are one line with their sum', () => {
    const refused = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`r${at}`, 1]))
    const many = show({
      gaps: { ...gapsBody([]), refused },
      refusals: refusalsBody(Array.from({ length: 50 }, () => lookAlike('x'))),
    })
    expect(many.refused.pairs).toHaveLength(REASONS_MAX + 1)
    expect(many.refused.pairs.at(-1)!.count).toBe(30 - REASONS_MAX)
    expect(many.refused.lookAlikes).toHaveLength(LOOK_ALIKES_SHOWN)
    expect(
      sampledMovers(moversBody({ day: Array.from({ length: 50 }, () => someMover()) }) as never),
    ).toHaveLength(MOVERS_PER_WINDOW)
    expect(sampledGaps({ rows: Array.from({ length: 50 }, () => someGap()) })).toHaveLength(WIRE_ROWS)
  })
})

describe('which sample is shown', () => {
  const at = (...ages: number[]) =>
    shownSample(
      ages.map((age) => sample(NOW - age, [])),
      NOW,
    )?.takenMs
  test.each([
    [[0, SAMPLE_DELAY_MS - 1, SAMPLE_DELAY_MS], SAMPLE_DELAY_MS], //  the newest that is old enough
    [[0, SAMPLE_DELAY_MS, 2 * SAMPLE_DELAY_MS], SAMPLE_DELAY_MS],
    [[0, SAMPLE_DELAY_MS - 1], SAMPLE_DELAY_MS - 1], //               just begun: the first, though not old enough yet
  ])('ages %j: %d', (ages, shown) => expect(at(...ages)).toBe(NOW - shown))
  test('VEN-13 its topics are lines of ordinary characters', () => {
    const rows = sampledGaps({ rows: [someGap({ topic: 'Fed \u202ecuts\n' })] })
    const moved = sampledMovers(moversBody({ day: [someMover({ topic: 'Fed\tcuts' })] }) as never)
    const { gaps, movers } = show(
      {},
      {},
      { gapSamples: [sample(NOW, rows)], moverSamples: [sample(NOW, moved)] },
    )
    expect([...gaps.rows, ...movers.rows].map(({ topic }) => topic)).toEqual(['Fed cuts', 'Fed cuts'])
  })
  test('none, none', () => expect(at()).toBeUndefined())
})

describe('a row whose market has closed since it was sampled is not shown (VEN-11)', () => {
  test.each([
    [null, 1],
    [NOW + 1, 1],
    [NOW, 0],
    [NOW - 1, 0],
  ])('closing at %d: %d rows', (closeMs, shown) => {
    const rows = sampledGaps({ rows: [someGap({ b: someLeg({ closeMs }) })] })
    const day = [someMover({ venue: 'b', closeMs })]
    const { gaps, movers } = show(
      {},
      {},
      {
        gapSamples: [sample(NOW - SAMPLE_DELAY_MS, rows)],
        moverSamples: [sample(NOW - SAMPLE_DELAY_MS, sampledMovers(moversBody({ day }) as never))],
      },
    )
    expect(gaps.rows).toHaveLength(shown)
    expect(movers.rows).toHaveLength(shown)
    expect(JSON.stringify([gaps, movers])).not.toContain('closesMs')
  })
})

describe('movers: direction and band', () => {
  test('up, down, and none that stands still', () => {
    const day = [
      someMover({ changeCents: 12.34, topic: 'up' }),
      someMover({ changeCents: -5, topic: 'down' }),
      someMover({ changeCents: 0, topic: 'still' }),
    ]
    expect(sampledMovers(moversBody({ day }) as never)).toEqual([
      { window: 'day', venue: 'a', topic: 'up', direction: 'up', band: '10 to 15 cents', closesMs: null },
      { window: 'day', venue: 'a', topic: 'down', direction: 'down', band: '5 to 10 cents', closesMs: null },
    ])
  })
})

describe('VEN-17, I20 nothing free equals anything paid', () => {
  /** Every number and every decimal in the free part of a board. */
  const figures = (board: LiveBoard): number[] => {
    const { gaps, movers, ticker } = board
    const texts = JSON.stringify([gaps.rows, movers.rows, ticker.events.map(({ at: _, ...event }) => event)])
    return (texts.match(/-?\d+(\.\d+)?(?! to |\d| cents)/g) ?? []).map(Number)
  }

  test('rows carry bands in words and no figure, whatever the prices are', () => {
    const cents = fc.integer({ min: -9_900, max: 9_900 }).map((hundredths) => hundredths / 100)
    const bps = fc.integer({ min: 1, max: 9_999 })
    fc.assert(
      fc.property(cents, bps, bps, fc.boolean(), (change, a, b, inverted) => {
        const row = someGap({
          topic: 'T',
          gapCents: Math.abs(change),
          verdict: inverted ? 'inverted' : 'identity',
          a: someLeg({ midBps: a }),
          b: someLeg({ midBps: b }),
        })
        const mover = someMover({ topic: 'T', changeCents: change })
        const gapSamples: Sample<SampledGap>[] = [sample(NOW, sampledGaps({ rows: [row] }))]
        const moverSamples: Sample<SampledMover>[] = [
          sample(NOW, sampledMovers(moversBody({ day: [mover] }) as never)),
        ]
        const board = LiveBoard.parse(
          show(
            { gaps: gapsBody([row]), gapCards: cardsBody([someCard()]) },
            {},
            { gapSamples, moverSamples },
          ),
        )
        expect(figures(board)).toEqual([])
        const ids = [row.pairId, row.a.marketId, row.b.marketId, row.a.url]
        expect(ids.filter((id) => id !== 'M1' && JSON.stringify(board).includes(id))).toEqual([])
        expect(board.gaps.rows[0]!.opposite).toBe(inverted)
      }),
    )
  })
})
