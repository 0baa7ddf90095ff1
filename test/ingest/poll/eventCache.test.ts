import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventCache } from '../../../ingest/poll/eventCache.ts'
import { Known } from '../../../ingest/poll/known.ts'
import { commitPage, planPage } from '../../../ingest/poll/planPage.ts'
import { GLANCE_A, readEventA } from '../../../ingest/venues/a/map.ts'
import { readPage } from '../../../ingest/venues/readPage.ts'
import { isRead } from '../../../ingest/venues/venue.ts'
import { collectAll } from '../../support/collect.ts'
import { eventA, marketA, SEEN_MS } from '../support/rows.ts'

/** An event of our small world: its id and what it contains. */
type Event = { id: string; bid: number; tradable?: boolean; title?: string }

const bytesOf = (events: Event[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      events: events.map(({ id, bid, tradable = true, title }) =>
        eventA([marketA({ id: `m${id}`, bestBid: bid, acceptingOrders: tradable })], {
          id,
          ...(title === undefined ? {} : { title }),
        }),
      ),
    }),
  )

/** One sweep over one page, with and without the cache: both must know the same afterwards. */
function createFeed(mostEvents?: number) {
  const feeds = [
    { known: new Known(), cache: new EventCache(mostEvents) },
    { known: new Known(), cache: null },
  ]
  let sweepId = 0
  return (events: Event[], complete = true) => {
    sweepId++
    const results = feeds.map(({ known, cache }) => {
      const used = cache ?? new EventCache()
      used.begin(sweepId, known, SEEN_MS)
      const page = readPage(bytesOf(events), used, readEventA, GLANCE_A)
      const plan = planPage(known, page, sweepId, SEEN_MS + sweepId)
      commitPage(known, page, plan, sweepId, used)
      if (complete) for (const id of known.notSeenIn(sweepId)) known.delete(id)
      used.end(complete)
      return {
        parsed: page.events.filter(isRead).map(({ id }) => id),
        changed: plan.changes.map(({ marketId, next }) => [marketId, next.yesBps]),
        closed: plan.closed,
        drops: plan.drops,
        rows: plan.rows,
        compared: plan.compared,
        known: [...known.ids()].map((id) => [
          id,
          known.quoteOf(known.find(id)!),
          known.sweepOf(known.find(id)!),
        ]),
      }
    })
    const [{ parsed, ...cached }, { parsed: _, ...plain }] = results as [
      (typeof results)[0],
      (typeof results)[0],
    ]
    expect(cached).toEqual(plain)
    return parsed
  }
}
const event = (id: string, bid = 0.4): Event => ({ id, bid })

describe('only events whose bytes changed are parsed', () => {
  test('none, one, new ones, gone ones', () => {
    const sweep = createFeed()
    const all = ['1', '2', '3', '4'].map((id) => event(id))
    expect(sweep(all)).toEqual(['1', '2', '3', '4'])
    expect(sweep(all)).toEqual([])
    expect(sweep([event('1'), event('2', 0.3), event('3'), event('4')])).toEqual(['2'])
    expect(sweep([event('1'), event('9'), event('2', 0.3), event('3'), event('4')])).toEqual(['9'])
    expect(sweep([event('1'), event('9'), event('3'), event('4')])).toEqual([]) //  2 left
    expect(sweep([event('9'), event('3'), event('4')])).toEqual([]) //              the first one left
    expect(sweep([event('4'), event('3'), event('9')])).toEqual(['4', '3', '9']) // another order
    expect(sweep([event('4'), event('3'), event('9')])).toEqual([])
    expect(sweep([])).toEqual([])
  })
  test('two that left, each by itself', () => {
    const sweep = createFeed()
    sweep(['1', '2', '3', '4', '5', '6'].map((id) => event(id)))
    expect(sweep(['1', '3', '4', '6'].map((id) => event(id)))).toEqual([])
  })
  test('a market that stops trading is closed once and stays known as refused', () => {
    const sweep = createFeed()
    sweep([event('1'), event('2')])
    const closed = { ...event('1'), tradable: false }
    expect(sweep([closed, event('2')])).toEqual(['1'])
    expect(sweep([closed, event('2')])).toEqual([])
    expect(sweep([event('1'), event('2')])).toEqual(['1'])
  })
  test('an event with a refused price is parsed at every sweep', () => {
    const sweep = createFeed()
    expect(sweep([event('1', 1.01), event('2')])).toEqual(['1', '2'])
    expect(sweep([event('1', 1.01), event('2')])).toEqual(['1'])
  })
  test('an event that was shown twice and differently is parsed once more, and no more than that', () => {
    const sweep = createFeed()
    sweep([event('1'), event('1', 0.3)])
    expect([sweep([event('1')]), sweep([event('1')])]).toEqual([['1'], []])
  })
  test('after an incomplete sweep the events it did not reach are still recognised', () => {
    const sweep = createFeed()
    const all = [event('1'), event('2'), event('3')]
    sweep(all)
    expect(sweep([event('1')], false)).toEqual([])
    expect(sweep(all)).toEqual([])
  })
  test('but no more of them than a listing may have', () => {
    const sweep = createFeed(2)
    const all = [event('1'), event('2'), event('3'), event('4')]
    sweep(all)
    for (const id of ['5', '6']) sweep([event(id)], false)
    expect(sweep([event('6'), event('5'), ...all])).toHaveLength(4)
  })
  test('and those it reached are kept once, also when none of their markets is open', () => {
    const sweep = createFeed()
    const all = [{ ...event('1'), tradable: false }, event('2')]
    sweep(all)
    for (let times = 0; times < 3; times++) sweep(all.slice(0, 1), false)
    expect(sweep(all)).toEqual([])
  })
  test('one event in four hundred is parsed again although nothing changed, another one each time', () => {
    const sweep = createFeed()
    const all = Array.from({ length: 1_200 }, (_, at) => event(String(at)))
    sweep(all)
    const again = [sweep(all), sweep(all)]
    expect(again.map((ids) => ids.length)).toEqual([3, 3])
    expect(again[0]).not.toEqual(again[1])
  })
  test('a cache that was cleared knows nothing', () => {
    const cache = new EventCache()
    const bytes = bytesOf([event('1')])
    const known = new Known()
    const read = () => {
      cache.begin(1, known, SEEN_MS)
      const page = readPage(bytes, cache, readEventA, GLANCE_A)
      commitPage(known, page, planPage(known, page, 1, SEEN_MS), 1, cache)
      cache.end(true)
      return page.events.filter(isRead).length
    }
    expect([read(), read()]).toEqual([1, 0])
    cache.clear()
    expect(read()).toBe(1)
  })
})

test('an event that left takes up no memory', async () => {
  const known = new Known()
  const cache = new EventCache()
  const sweep = (sweepId: number, id: string) => {
    cache.begin(sweepId, known, SEEN_MS)
    const page = readPage(bytesOf([event(id)]), cache, readEventA, GLANCE_A)
    commitPage(known, page, planPage(known, page, sweepId, SEEN_MS), sweepId, cache)
    cache.end(true)
    return new WeakRef(page.events[0]!)
  }
  sweep(1, '1')
  const left = sweep(2, '1') //  recognised: this is what the cache holds
  const there = [sweep(3, '2'), sweep(4, '2')].at(-1)!
  await setImmediate() //        until then what a WeakRef was made of stays
  collectAll()
  expect([left.deref(), isRead(there.deref()!)]).toEqual([undefined, false])
})

describe('a market that another event closed comes back with the unchanged event that still lists it', () => {
  const bytes = (...events: { id: string; tradable: boolean }[]) =>
    Buffer.from(
      JSON.stringify({
        events: events.map(({ id, tradable }) =>
          eventA([marketA({ id: 'm', acceptingOrders: tradable })], { id }),
        ),
      }),
    )
  /** Sweeps as with a venue: a page is read before the content of the one before it is known. */
  const createWalk = () => {
    const known = new Known()
    const cache = new EventCache()
    return (sweepId: number, ...pages: Buffer[]) => {
      cache.begin(sweepId, known, SEEN_MS)
      for (const read of pages.map((page) => readPage(page, cache, readEventA, GLANCE_A)))
        commitPage(known, read, planPage(known, read, sweepId, SEEN_MS), sweepId, cache)
      for (const id of known.notSeenIn(sweepId)) known.delete(id)
      cache.end(true)
      return [...known.ids()]
    }
  }
  const open = { id: '1', tradable: true }
  const over = { id: '2', tradable: false }
  test.each([
    ['on the same page', [bytes(open, over)]],
    ['on the page before, when this one was read already', [bytes(over), bytes(open)]],
  ])('%s', (_, pages) => {
    const sweep = createWalk()
    expect(sweep(1, bytes(open))).toEqual(['m'])
    expect(sweep(2, ...pages)).toEqual([])
    expect(sweep(3, bytes(open))).toEqual(['m'])
  })
})

test('whatever the venue shows, in whatever order, the cache changes nothing but the cost', () => {
  const events = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
      bid: fc.constantFrom(0.1, 0.2, 0.3, 1.5),
      tradable: fc.boolean(),
      title: fc.constantFrom('x', 'y'),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(events, fc.boolean()), { maxLength: 8 }), (sweeps) => {
      const sweep = createFeed()
      for (const [page, complete] of sweeps) sweep(page, complete)
    }),
  )
})

describe('of an event that changed only the markets that changed are parsed', () => {
  type Market = { id: string; bid: number; tradable: boolean }
  type Held = { id: string; title: string; markets: Market[] }
  const pageOf = (events: Held[]): Buffer =>
    Buffer.from(
      JSON.stringify({
        events: events.map(({ id, title, markets }) =>
          eventA(
            markets.map((each) =>
              marketA({ id: each.id, bestBid: each.bid, acceptingOrders: each.tradable }),
            ),
            { id, title },
          ),
        ),
      }),
    )
  const sweepOver = (known: Known, cache: EventCache, sweepId: number, events: Held[]) => {
    cache.begin(sweepId, known, SEEN_MS)
    const page = readPage(pageOf(events), cache, readEventA, GLANCE_A)
    const plan = planPage(known, page, sweepId, SEEN_MS + sweepId)
    commitPage(known, page, plan, sweepId, cache)
    for (const id of known.notSeenIn(sweepId)) known.delete(id)
    cache.end(true)
    return { page, plan }
  }
  const open = (id: string, bid = 0.4): Market => ({ id, bid, tradable: true })
  const parsed = (known: Known, cache: EventCache, sweepId: number, events: Held[]) =>
    sweepOver(known, cache, sweepId, events).page.events.flatMap((each) =>
      isRead(each) ? each.rows.map(({ marketId }) => marketId) : [],
    )

  test('one of three; all when the event says something else, or is another one', () => {
    const [known, cache] = [new Known(), new EventCache()]
    const three = (bid: number, title = 'x', id = '1'): Held[] => [
      { id, title, markets: [open('m1'), open('m2', bid), open('m3')] },
    ]
    expect(parsed(known, cache, 1, three(0.4))).toEqual(['m1', 'm2', 'm3'])
    expect(parsed(known, cache, 2, three(0.3))).toEqual(['m2'])
    expect(parsed(known, cache, 3, three(0.3, 'y'))).toEqual(['m1', 'm2', 'm3'])
    expect(parsed(known, cache, 4, three(0.2, 'y'))).toEqual(['m2'])
    expect(parsed(known, cache, 5, three(0.2, 'y', '2'))).toEqual(['m1', 'm2', 'm3'])
  })

  test('whatever changes within events, the same is known and published as without a memory', () => {
    const market = fc.record({
      id: fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5'),
      bid: fc.constantFrom(0.1, 0.2, 1.5),
      tradable: fc.constantFrom(true, true, true, false),
    })
    const event = fc.record({
      id: fc.constantFrom('1', '2', '3'),
      title: fc.constantFrom('x', 'x', 'y'),
      markets: fc.array(market, { maxLength: 4 }),
    })
    const page = fc.uniqueArray(event, { selector: ({ id }) => id, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(page, { maxLength: 8 }), (sweeps) => {
        const [known, cache] = [new Known(), new EventCache()]
        const plain = new Known()
        sweeps.forEach((events, at) => {
          //  a market belongs to one event
          const met = new Set<string>()
          const own = events.map((each) => ({
            ...each,
            markets: each.markets.filter(({ id }) => !met.has(id) && met.add(id)),
          }))
          const { plan } = sweepOver(known, cache, at + 1, own)
          const { plan: whole } = sweepOver(plain, new EventCache(), at + 1, own)
          const said = ({ changes, closed, drops, rows, compared }: typeof plan) => ({
            changes,
            closed,
            drops,
            rows,
            compared,
          })
          expect(said(plan)).toEqual(said(whole))
          expect([...known.ids()].sort()).toEqual([...plain.ids()].sort())
        })
      }),
    )
  })
})

describe('a market that a sweep shows twice is judged by what it shows once again', () => {
  type Shown = { id: string; bids: Record<string, number> }
  /** Sweeps pages, with the given cache or a fresh one. @returns the prices that are known afterwards. */
  const createWalk = (cache?: EventCache) => {
    const known = new Known()
    let sweepId = 0
    return (pages: Shown[][], complete = true) => {
      sweepId++
      const used = cache ?? new EventCache()
      used.begin(sweepId, known, SEEN_MS)
      for (const events of pages) {
        const markets = (bids: Shown['bids']) =>
          Object.entries(bids).map(([id, bestBid]) => marketA({ id, bestBid }))
        const bytes = Buffer.from(
          JSON.stringify({ events: events.map(({ id, bids }) => eventA(markets(bids), { id })) }),
        )
        const page = readPage(bytes, used, readEventA, GLANCE_A)
        commitPage(known, page, planPage(known, page, sweepId, SEEN_MS), sweepId, used)
      }
      if (complete) for (const id of known.notSeenIn(sweepId)) known.delete(id)
      used.end(complete)
      return Object.fromEntries([...known.ids()].sort().map((id) => [id, known.yesBpsOf(known.find(id)!)]))
    }
  }
  const one = (bid: number): Shown => ({ id: '1', bids: { m: bid } })
  const two = (bid: number): Shown => ({ id: '2', bids: { m: bid } })
  const other: Shown = { id: '3', bids: { n: 0.2 } }
  /** What is known after the last of these sweeps, and after that one alone. */
  const known = (...sweeps: Shown[][][]) => {
    const walk = createWalk(new EventCache())
    return [sweeps.map((pages) => walk(pages)).at(-1), createWalk()(sweeps.at(-1)!)] as const
  }

  test.each<[string, Shown[][][]]>([
    ['a page shifts, the price goes and comes back', [[[one(0.2)], [one(0.3)]], [[one(0.2)]]]],
    [
      'the later page shows the former price',
      [[[other, one(0.2)]], [[one(0.3)], [other, one(0.2)]], [[other, one(0.2)]]],
    ],
    ['another event shows another price, and leaves', [[[one(0.2)]], [[one(0.2), two(0.3)]], [[one(0.2)]]]],
    ['the same on a page of its own', [[[one(0.2)]], [[one(0.2)], [two(0.3)]], [[one(0.2)]]]],
  ])('%s', (_, sweeps) => {
    const [after, alone] = known(...sweeps)
    expect(after).toEqual(alone)
  })
  test('a price that came with a refused one in a sweep that broke off, and goes back', () => {
    const event = (bid: number, spoilt: number): Shown => ({ id: '1', bids: { m: bid, n: spoilt } })
    const walk = createWalk(new EventCache())
    const before = walk([[event(0.2, 0.4), other]])
    walk([[event(0.3, 1.5)]], false)
    expect(walk([[event(0.2, 0.4), other]])).toEqual(before)
  })
  test('a market that another event shows in a sweep that broke off, and that goes back', () => {
    const walk = createWalk(new EventCache())
    const before = walk([[two(0.3)]])
    walk([[one(0.2)]], false)
    expect(walk([[two(0.3)]])).toEqual(before)
  })
  test('whatever was shown how often before, on whatever pages, complete or not', () => {
    const bids = fc.dictionary(fc.constantFrom('m', 'n', 'o'), fc.constantFrom(0.2, 0.3, 1.5), { maxKeys: 2 })
    const event = fc.record({ id: fc.constantFrom('1', '2', '3'), bids })
    const pages = fc.array(fc.array(event, { maxLength: 4 }), { maxLength: 3 })
    const bid = fc.constantFrom(0.2, 0.3)
    const once = fc.tuple(bid, bid, bid).map(([m, n, o]): Shown[] => [
      { id: '1', bids: { m } },
      { id: '2', bids: { n } },
      { id: '3', bids: { o } },
    ])
    fc.assert(
      fc.property(fc.array(fc.tuple(pages, fc.boolean()), { maxLength: 5 }), once, (sweeps, shown) => {
        const walk = createWalk(new EventCache())
        for (const [each, complete] of sweeps) walk(each, complete)
        expect(walk([shown])).toEqual(createWalk()([shown]))
      }),
      { numRuns: 500 },
    )
  })
})
