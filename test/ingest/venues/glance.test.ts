import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { commitPage, planPage } from '../../../ingest/poll/planPage.ts'
import { GLANCE_A, readEventA } from '../../../ingest/venues/a/map.ts'
import { GLANCE_B, readEventB } from '../../../ingest/venues/b/map.ts'
import { type ReadRaw, readPage } from '../../../ingest/venues/readPage.ts'
import { isRead } from '../../../ingest/venues/venue.ts'
import { eventA, eventB, marketA, marketB, SEEN_MS } from '../support/rows.ts'

type Fields = Record<string, unknown>
type Event = { fields: Fields; markets: Fields[] }

/** What moves, what stays, what nobody reads; some of it refused. */
const CHANGES = {
  a: {
    moving: [
      { bestBid: 0.41 },
      { bestAsk: 0.9 },
      { lastTradePrice: 1e-3 },
      { volume24hr: 17.25 },
      { oneDayPriceChange: -0.02 },
      { bestBid: undefined },
      { outcomePrices: '["0.43", "0.57"]' },
      { updatedAt: '2026-08-22T01:12:25Z' },
      { updatedAt: '2026-08-22T01:11:00Z' },
      { volume: '5', liquidityNum: 3 },
    ],
    refused: [
      { bestBid: 1.5 },
      { outcomePrices: '["0.5", "0.6"]' },
      { bestBid: 0.12345678 },
      { bestAsk: '0.5' },
      { volume24hr: null },
    ],
    staying: [
      { id: 'other' },
      { id: 7 },
      { question: 'Another "question"?' },
      { description: 'x\u2028é' },
      { outcomes: '["Up", "Down"]' },
      { outcomes: '["One"]' },
      { negRisk: true },
      { feeSchedule: { rate: 0.05, exponent: 1 } },
      { endDate: null },
      { acceptingOrders: false },
      { active: false },
      { closed: true },
      { enableOrderBook: undefined },
    ],
    event: [{ title: 'y' }, { tags: [{ label: 'z' }] }, { negRisk: true }, { volume: 3 }, { markets: null }],
  },
  b: {
    moving: [
      { yes_bid_dollars: '0.4000' },
      { yes_ask_dollars: '0.9000' },
      { last_price_dollars: '0.0000' },
      { yes_bid_size_fp: '0.00' },
      { volume_24h_fp: '17.00' },
      { previous_price_dollars: undefined },
      { no_bid_dollars: '0.5700', no_ask_dollars: '0.5900' },
      { open_interest_fp: '3.00' },
    ],
    refused: [
      { yes_bid_dollars: '1.5' },
      { no_bid_dollars: '0.5000' },
      { yes_ask_dollars: 0.4 },
      { volume_24h_fp: undefined },
    ],
    staying: [
      { ticker: 'KXOTHER-1' },
      { ticker: 7 },
      { title: 'Another "question"?' },
      { rules_primary: 'x\u2028é' },
      { strike_type: 'greater', floor_strike: 3 },
      { floor_strike: '3' },
      { market_type: 'scalar' },
      { close_time: null },
      { status: 'closed' },
      { mve_collection_ticker: 'KXMVE' },
      { fee_waiver_expiration_time: new Date(SEEN_MS + 2_500).toISOString() },
    ],
    event: [
      { title: 'y' },
      { series_ticker: 'KXOTHER' },
      { mutually_exclusive: false },
      { last_updated_ts: 'now' },
      { markets: null },
    ],
  },
} as const

const VENUES = {
  a: {
    glance: GLANCE_A,
    read: (): ReadRaw => readEventA,
    write: ({ fields, markets }: Event) => eventA(markets.map(marketA), fields),
    id: (id: string) => ({ id }),
    eventId: (id: string) => ({ id }),
  },
  b: {
    glance: GLANCE_B,
    read:
      (nowMs: number): ReadRaw =>
      (raw) =>
        readEventB(raw, () => null, nowMs),
    write: ({ fields, markets }: Event) => eventB(markets.map(marketB), fields),
    id: (id: string) => ({ ticker: id }),
    eventId: (id: string) => ({ event_ticker: id }),
  },
}

/** One sweep after the other over pages of one venue, once with a memory and once without. */
function createFeeds(venue: 'a' | 'b') {
  const { glance, read, write } = VENUES[venue]
  const [known, plain, cache] = [new Known(), new Known(), new EventCache()]
  let sweepId = 0
  let parsed = 0
  const one = (of: Known, memory: EventCache, bytes: Buffer) => {
    const nowMs = SEEN_MS + 1_000 * sweepId
    const counted: ReadRaw = (raw) => {
      parsed++
      return read(nowMs)(raw)
    }
    memory.begin(sweepId, of, nowMs)
    const page = readPage(bytes, memory, counted, glance)
    const plan = planPage(of, page, sweepId, nowMs)
    commitPage(of, page, plan, sweepId, memory)
    for (const id of of.notSeenIn(sweepId)) of.delete(id)
    memory.end(true)
    const { changes, closed, drops, rows, compared, jumped, clockMoved } = plan
    return {
      plan: { changes, closed, drops, rows, compared, jumped },
      clockMoved,
      known: [...of.ids()].sort().map((id) => {
        const slot = of.find(id)!
        return [
          id,
          of.figuresOf(slot),
          of.textOf(slot),
          of.marketOf(slot),
          of.quoteOf(slot),
          of.venueMsOf(slot),
        ]
      }),
    }
  }
  return {
    /** @returns how many events the feed with a memory parsed. */
    sweep(events: Event[], indented = false): number {
      sweepId++
      const bytes = Buffer.from(JSON.stringify({ events: events.map(write) }, null, indented ? 1 : 0))
      parsed = 0
      const withMemory = one(known, cache, bytes)
      const count = parsed
      expect(withMemory).toEqual(one(plain, new EventCache(), bytes))
      return count
    },
  }
}

describe.each(['a', 'b'] as const)(
  'venue %s: a market of which only figures changed is not parsed',
  (venue) => {
    const { id, eventId } = VENUES[venue]
    const { moving, staying, refused, event } = CHANGES[venue]
    const world = (change: Fields = {}, eventChange: Fields = {}): Event[] => [
      { fields: { ...eventId('e1'), ...eventChange }, markets: [id('m1'), { ...id('m2'), ...change }] },
      { fields: eventId('e2'), markets: [id('m3')] },
    ]
    test.each(moving.map((change) => [JSON.stringify(change), change]))('%s', (_, change) => {
      const { sweep } = createFeeds(venue)
      expect(sweep(world())).toBe(2)
      expect(sweep(world(change as Fields))).toBe(0)
      expect(sweep(world())).toBe(0)
    })
    test.each([...staying].map((change) => [JSON.stringify(change), change]))('but %s', (_, change) => {
      const { sweep } = createFeeds(venue)
      sweep(world())
      expect(sweep(world(change as Fields))).toBeGreaterThan(0)
    })
    test('asked for its text all the same, such a market says what it says when it is parsed', () => {
      const { glance, read, write } = VENUES[venue]
      const [known, cache] = [new Known(), new EventCache()]
      const look = (memory: EventCache, change: Fields) => {
        const bytes = Buffer.from(JSON.stringify({ events: world(change).map(write) }))
        memory.begin(1, known, SEEN_MS)
        return readPage(bytes, memory, read(SEEN_MS), glance)
      }
      const first = look(cache, {})
      commitPage(known, first, planPage(known, first, 1, SEEN_MS), 1, cache)
      cache.end(true)
      const rowOf = ({ events }: typeof first, place: number) => {
        const [one] = events
        return isRead(one!) ? one.rows[place]! : null
      }
      const glanced = rowOf(look(cache, moving[0] as Fields), 0)!
      const parsed = rowOf(look(new EventCache(), moving[0] as Fields), 1)!
      expect(glanced.market()).toEqual(parsed.market())
      expect(glanced.quote(SEEN_MS)).toEqual(parsed.quote(SEEN_MS))
    })
    test('what a quote is refused for is the same, and its event is parsed until it is gone', () => {
      for (const change of refused) {
        const { sweep } = createFeeds(venue)
        sweep(world())
        expect([sweep(world(change)), sweep(world(change)) > 0, sweep(world()) > 0]).toEqual([0, true, true])
      }
    })
    test('whatever changes, the same is known and published as without a memory', () => {
      const change = fc.constantFrom<Fields>({}, ...moving, ...moving, ...staying, ...refused)
      const anEvent = fc.record({
        eventChange: fc.constantFrom<Fields>({}, {}, {}, ...event),
        changes: fc.array(change, { maxLength: 4 }),
        shift: fc.constantFrom(0, 0, 0, 1),
      })
      //  not twice on a page: it would be known the same, but counted only as far as it is looked at
      const isOnce = (changes: Fields[]) => changes.filter((each) => each === staying[0]).length < 2
      const page = fc.record({
        events: fc
          .array(anEvent, { maxLength: 3 })
          .filter((events) => isOnce(events.flatMap(({ changes }) => changes))),
        indented: fc.constantFrom(false, false, false, true),
      })
      fc.assert(
        fc.property(fc.array(page, { maxLength: 8 }), (sweeps) => {
          const { sweep } = createFeeds(venue)
          for (const { events, indented } of sweeps)
            sweep(
              events.map(({ eventChange, changes, shift }, at) => ({
                fields: { ...eventId(`e${at}`), ...eventChange },
                //  a market belongs to one event
                markets: changes.map((each, place) => ({ ...id(`m${at}-${place + shift}`), ...each })),
              })),
              indented,
            )
        }),
      )
    })
  },
)

test('a fee waiver that ends is news though the page is the same', () => {
  const { sweep } = createFeeds('b')
  const waived = { ticker: 'm1', fee_waiver_expiration_time: new Date(SEEN_MS + 4_000).toISOString() }
  const page = (volume: string): Event[] => [
    { fields: {}, markets: [waived, { ticker: 'm2', volume_24h_fp: volume }] },
  ]
  expect([sweep(page('1.00')), sweep(page('1.00')), sweep(page('2.00'))]).toEqual([1, 0, 0])
  expect(sweep(page('2.00'))).toBe(1) //  the waiver ended
  expect(sweep(page('2.00'))).toBe(0)
})

test('and so it is of a market that stood still while the text of another one changed', () => {
  const { sweep } = createFeeds('b')
  const waived = { ticker: 'm1', fee_waiver_expiration_time: new Date(SEEN_MS + 4_000).toISOString() }
  const page = (title: string): Event[] => [{ fields: {}, markets: [waived, { ticker: 'm2', title }] }]
  expect([sweep(page('x')), sweep(page('y')), sweep(page('y'))]).toEqual([1, 1, 0])
  expect(sweep(page('y'))).toBe(1) //  the waiver ended
})

test.each([
  [4, 9],
  [9, 4],
])('of two that end, the first one counts: after %i and %i seconds', (one, other) => {
  const { sweep } = createFeeds('b')
  const waived = (ticker: string, afterS: number) => ({
    ticker,
    fee_waiver_expiration_time: new Date(SEEN_MS + afterS * 1_000).toISOString(),
  })
  const page = (title: string): Event[] => [
    { fields: {}, markets: [waived('m1', one), { ...waived('m2', other), title }] },
  ]
  expect(sweep(page('x'))).toBe(1)
  const parsed = Array.from({ length: 9 }, () => sweep(page('y')))
  expect(parsed).toEqual([1, 0, 1, 0, 0, 0, 0, 1, 0])
})
