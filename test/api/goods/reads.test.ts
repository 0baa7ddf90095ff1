import { describe, expect, test } from 'vitest'
import type { Draft, GoodPorts } from '../../../api/goods/good.ts'
import { book } from '../../../api/goods/market/book.ts'
import { move } from '../../../api/goods/market/move.ts'
import { net } from '../../../api/goods/market/net.ts'
import { BOOK_MAX } from '../../../engine/contract/book.ts'
import { MOVERS_MAX, type MoverRow } from '../../../engine/contract/movers.ts'
import { someBookRow, someLeg, someMover, someNet } from '../../support/boards.ts'
import { moversBody, NOW, portsOver } from './support.ts'

type Rows = { found: boolean; q: string | null; rows: Record<string, unknown>[] } & Record<string, unknown>
const soldAs = (name: string, draft: unknown) => (draft as Draft).result[name] as Rows

describe('4.1 rule 4: net is cents left after buying the ask and selling the bid', () => {
  const many = Array.from({ length: 25 }, (_, n) =>
    someNet({ pairId: `p${n}`, topic: `Question ${n}`, netCents: 25 - n }),
  )
  const ask = (q: string | undefined, rows = many) =>
    soldAs('net', net.answer({ q }, portsOver({ nets: { rows } })))

  test('without q: the largest nets, at most 20', () => {
    const { found, rows, netCents } = ask(undefined)
    expect([found, rows.length, netCents]).toEqual([true, 20, 25])
    expect(rows.map((row) => row.netCents)).toEqual(many.slice(0, 20).map((row) => row.netCents))
  })

  test('with q it filters; without a hit it says so', () => {
    expect(ask('question 24').rows.map((row) => row.topic)).toEqual(['Question 24'])
    expect(ask('tennis')).toMatchObject({
      found: false,
      q: 'tennis',
      rows: [],
      netCents: null,
      executable: null,
    })
  })

  test('with q in the very words of a question: the head and the first row are of that one, the others follow', () => {
    const rows = [
      someNet({ pairId: 'wide', topic: 'Solana above $30 on November 28', netCents: 9, executable: false }),
      someNet({ pairId: 'mid', topic: 'Solana above $29 on November 28', netCents: 5 }),
      someNet({ pairId: 'meant', topic: 'Solana above $28 on November 28', netCents: -1, executable: true }),
    ]
    const asked = ask('solana above $28 on November 28', rows)
    expect(asked).toMatchObject({ netCents: -1, executable: true })
    expect(asked.rows.map((row) => row.netCents)).toEqual([-1, 9, 5])
    expect(ask('solana november 28', rows).rows.map((row) => row.netCents)).toEqual([9, 5, -1])
  })

  test.each([
    [-1.25, false, null],
    [6, true, 0], // a mid-price gap can be zero here
  ])('net %d, executable %s, gap %s', (netCents, executable, gapCents) => {
    expect(ask(undefined, [someNet({ netCents, executable, gapCents })])).toMatchObject({
      netCents,
      executable,
      rows: [
        {
          netCents,
          executable,
          gapCents,
          buyVenue: 'a',
          sellVenue: 'b',
          buyPrice: 0.44,
          sellPrice: 0.5,
          matchVerdict: 'identity',
          matchReasons: ['title'],
          venueA: { slug: 'fed-december-2026', ask: 0.44 },
          venueB: { ticker: 'KXFED-26DEC-C25', bid: 0.5 },
        },
      ],
    })
  })

  test('a missing side stays null, 0 stays 0', () => {
    const row = someNet({ b: someLeg({ midBps: null, askBps: null, bidBps: 0 }) })
    expect(ask(undefined, [row]).rows[0]).toMatchObject({ venueB: { yesPrice: null, ask: null, bid: 0 } })
  })

  test('VEN-11 what has closed at venue B since is no row, and leaves its place to the next', () => {
    const closed = someNet({ pairId: 'closed', netCents: 99, b: someLeg({ closeMs: NOW }) })
    const { rows, netCents } = ask(undefined, [closed, ...many])
    expect([rows.length, netCents]).toEqual([20, 25])
    expect(ask('fed', [closed])).toMatchObject({ found: false, rows: [] })
    const alike = [closed, ...many].map((row) => ({ ...row, topic: 'One question' }))
    expect(ask('question', alike)).toMatchObject({ netCents: 25, rows: { length: 20 } })
  })

  test('an empty board is not sold', () => {
    expect(net.answer({}, portsOver({ nets: { rows: [] } }))).toMatchObject({ problem: 'no_data' })
  })
})

describe('4.1 rule 5: move, VEN-12', () => {
  const rowB = someMover({ venue: 'b', marketId: 'KX', topic: 'Beyonce album', volumeUnit: 'contracts' })
  const ports = portsOver({
    movers: moversBody({
      hour: [someMover({ changeCents: 1 })],
      day: [rowB, someMover({ changeCents: 2 })],
      week: [someMover({ changeCents: 3 })],
    }),
  })
  const ask = (input: Record<string, string>, from: GoodPorts = ports) =>
    soldAs('move', move.answer(move.input.parse(input), from))

  test.each([
    ['hour', [1], false],
    ['day', [-4.5, 2], true],
    ['week', [3], false],
  ])(
    'window %s is echoed, and venue B is in day only and the answer says so',
    (window, changes, included) => {
      const { rows, ...said } = ask({ window })
      expect(said).toMatchObject({ found: true, window, venueB: { included } })
      expect(rows.map((row) => row.changeCents)).toEqual(changes)
    },
  )

  test.each([
    ['without q', {}],
    ['with q', { q: 'beyonce album' }],
  ])('VEN-11 what has closed at venue B since is passed over, %s', (_, input) => {
    const closing = (marketId: string, closeMs: number | null) => ({ ...rowB, marketId, closeMs })
    const day = [closing('CLOSED', NOW), closing('OPEN', NOW + 1), closing('LATER', null)]
    const { rows } = ask(input, portsOver({ movers: moversBody({ day }) }))
    expect(rows.map(({ marketId }) => marketId)).toEqual(['OPEN', 'LATER'])
  })

  test('without window: day', () => expect(ask({}).window).toBe('day'))

  test.each(['Day', 'DAY', '', ' day', 'month', 'hours'])(
    'window %j is refused before any charge',
    (window) => {
      expect(move.input.safeParse({ window }).success).toBe(false)
    },
  )

  test('q finds within the window only', () => {
    expect(ask({ q: 'beyonce' }).rows).toMatchObject([
      { venue: 'b', volumeUnit: 'contracts', lastPrice: 0.44 },
    ])
    expect(ask({ q: 'beyonce', window: 'hour' })).toMatchObject({ found: false, q: 'beyonce', rows: [] })
  })

  test.each([
    [1, true],
    [MOVERS_MAX - 1, true],
    [MOVERS_MAX, false],
  ])('of %d swings kept: all were looked through, %s', (most, complete) => {
    const day = Array.from({ length: most }, () => someMover())
    const { searched } = ask({ q: 'nothing like it' }, portsOver({ movers: moversBody({ day }) }))
    expect(searched).toEqual({ rows: most, complete })
  })

  test('what stands still is no swing: told to who asks for its topic, and sold to nobody else', () => {
    const still = someMover({ changeCents: 0, volume24h: 62_124.91601299997 })
    const from = (...day: MoverRow[]) => portsOver({ movers: moversBody({ day }) })
    expect(ask({}, from(someMover({ changeCents: 1 }), still)).rows).toMatchObject([{ changeCents: 1 }])
    expect(move.answer(move.input.parse({}), from(still))).toMatchObject({ problem: 'no_data' })
    const asked = ask({ q: still.topic }, from(still))
    expect(asked).toMatchObject({ found: true, rows: [{ changeCents: 0, volume24h: 62_124.92 }] })
  })

  test('at most 20 rows; an empty window is not sold', () => {
    const rows = Array.from({ length: 30 }, (_, n) => someMover({ changeCents: 30 - n }))
    expect(ask({}, portsOver({ movers: moversBody({ day: rows }) })).rows).toHaveLength(20)
    expect(
      move.answer(move.input.parse({ window: 'week' }), portsOver({ movers: moversBody({ day: rows }) })),
    ).toMatchObject({
      problem: 'no_data',
    })
  })
})

describe('4.1 rule 6: book', () => {
  const a = ['Fed cuts rates', 'Paris hosts games'].map((topic, n) =>
    someBookRow({ topic, volume24h: 9.004 - n }),
  )
  const b = ['Rates rise in Japan', 'Beyonce album', 'Fed holds'].map((topic, n) =>
    someBookRow({ venue: 'b', topic, volume24h: 900 - n, volumeUnit: 'contracts' }),
  )
  const ask = (q?: string, body = { a, b }) => soldAs('book', book.answer({ q }, portsOver({ book: body })))
  const topics = (rows: Rows['rows']) => rows.map((row) => row.topic)

  test('without q: the liquid board, venues by turns, because their volumes do not compare', () => {
    const { rows, matchedPairs } = ask()
    expect(matchedPairs).toBe(false)
    expect(topics(rows)).toEqual([a[0], b[0], a[1], b[1], b[2]].map((row) => row!.topic))
    expect(rows[0]).toMatchObject({ volume: 9, volumeUnit: 'usd', bid: 0.43, ask: 0.44 })
  })

  test('q keeps markets that share a word with the topic, one is enough', () => {
    expect(topics(ask('fed rates').rows)).toEqual(['Fed cuts rates', 'Rates rise in Japan', 'Fed holds'])
    expect(topics(ask('the beyonce').rows)).toEqual(['Beyonce album']) // "the" is no topic
    expect(ask('tennis')).toMatchObject({ found: false, rows: [] })
  })

  test.each([
    [BOOK_MAX - 1, true],
    [BOOK_MAX, false],
  ])('a search says how far it looked: %d markets of a venue, all that are traded: %s', (most, complete) => {
    const full = Array.from({ length: most }, (_, n) => someBookRow({ marketId: String(n) }))
    const lone = [someBookRow()]
    const searched = { rows: most + 1, complete }
    expect(ask('tennis', { a: full, b: lone })).toMatchObject({ found: false, searched })
    expect(ask('tennis', { a: lone, b: full })).toMatchObject({ found: false, searched })
  })

  test('a missing side is null; at most 20 rows; nothing traded is not sold', () => {
    const lone = [someBookRow({ bidBps: null, askBps: 0 })]
    expect(ask(undefined, { a: lone, b: [] }).rows[0]).toMatchObject({ bid: null, ask: 0 })
    const many = Array.from({ length: 30 }, () => someBookRow())
    expect(ask(undefined, { a: many, b: many }).rows).toHaveLength(20)
    expect(ask('fed', { a: many, b: many }).rows).toHaveLength(20)
    expect(book.answer({}, portsOver({ book: { a: [], b: [] } }))).toMatchObject({ problem: 'no_data' })
  })
})
