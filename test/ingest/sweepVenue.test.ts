import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { latestMarketsKey, latestQuotesKey, type Sweep } from '../../ingest/contract/stream.ts'
import { createFeed, type SweepFeed } from '../../ingest/poll/feed.ts'
import { sweepVenue } from '../../ingest/poll/sweepVenue.ts'
import { createVenueA } from '../../ingest/venues/a/client.ts'
import { createVenueB } from '../../ingest/venues/b/client.ts'
import type { VenuePort } from '../../ingest/venues/venue.ts'
import { createHttpClient, type HttpClient } from '../../ops/http.ts'
import { MINUTE } from '../../ops/units.ts'
import { type Answer, serveAnswers } from './support/answers.ts'
import { type Bench, Latest, openBench, replayStream } from './support/bench.ts'
import { haveRecordings, readRecording, replayFiles } from './support/recorded.ts'
import { eventA, eventB, marketA, marketB } from './support/rows.ts'

const FAST = { perSecond: 10_000, burst: 10_000 }
let bench: Bench
let http: HttpClient
let venue: Awaited<ReturnType<typeof serveAnswers>>
let answer: (cursor: string | null, path: string) => Answer | Promise<Answer>

beforeAll(async () => {
  bench = await openBench()
  http = createHttpClient({ timeoutMs: 1_000, maxBytes: 4_000_000 })
  venue = await serveAnswers((path, url) =>
    answer(url.searchParams.get('after_cursor') ?? url.searchParams.get('cursor'), path),
  )
})
afterAll(async () => {
  await http.close()
  await venue.close()
  await bench.close()
})
beforeEach(() => bench.wipe())

const venueA = () =>
  createVenueA({ http, catalogUrl: venue.url, bookUrl: venue.url, limits: { catalog: FAST, books: FAST } })
const venueB = () => createVenueB({ http, url: venue.url, limit: FAST })

const pagesA =
  (pages: unknown[][]) =>
  (cursor: string | null): Answer => {
    const at = cursor === null ? 0 : Number(cursor)
    return { json: { events: pages[at], next_cursor: at + 1 < pages.length ? String(at + 1) : undefined } }
  }
const one = (fields: Record<string, unknown> = {}) => [eventA([marketA(fields)])]
const event = (id: string, fields: Record<string, unknown> = {}) =>
  eventA([marketA({ id: `m${id}`, ...fields })], { id: `e${id}` })

type Ports = ReturnType<Bench['ports']>
const never = new AbortController().signal
const sweep = (feed: SweepFeed, ports: Ports) => sweepVenue(feed, ports, never)
const start = (port: VenuePort = venueA(), owner = 'one'): [SweepFeed, Ports] => [
  createFeed(port),
  bench.ports(owner, { restMs: 0 }), //  takes turns with others at once
]
const sweeps = async (): Promise<Sweep[]> =>
  (await bench.stream()).flatMap((batch) => (batch.kind === 'sweep' ? [batch.sweep] : []))

/** Time limits of this length end by hand; all others by the clock. */
function deadlines(ofMs: number) {
  const signals: AbortController[] = []
  const { timeout } = AbortSignal
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== ofMs) return timeout.call(AbortSignal, ms)
    const limit = new AbortController()
    signals.push(limit)
    return limit.signal
  })
  return { signals, expire: () => signals.at(-1)?.abort(new DOMException('', 'TimeoutError')) }
}
afterEach(() => vi.restoreAllMocks())

/** At every moment the newest state equals what a reader of the whole stream holds. */
afterEach(async () => {
  const batches = await bench.stream()
  for (const name of ['a', 'b'] as const) {
    const held = replayStream(batches, name)
    const latest = await bench.latest(name)
    expect([...latest.keys()].sort()).toEqual([...held.keys()].sort())
    for (const [id, { market, quote }] of held) {
      const { seenMs: _, venueMs: __, ...figures } = Latest.parse(latest.get(id)).quote
      expect(quote).toMatchObject(figures)
      expect(Latest.parse(latest.get(id)).market).toEqual(market)
    }
  }
})

describe('a sweep publishes what changed, then itself', () => {
  test('`seenMs` is when the page arrived, however long the page before it takes to publish', async () => {
    const [arrivedMs, publishingMs] = [Date.now(), 5_000]
    let nowMs = arrivedMs
    const port = venueA()
    let second = () => {}
    const secondArrived = new Promise<void>((resolve) => {
      second = resolve
    })
    const page: VenuePort['page'] = async (cursor, ...rest) => {
      const read = await port.page(cursor, ...rest)
      if (cursor !== null) setImmediate(second)
      return read
    }
    const ports = bench.ports('one')
    const slow: typeof ports.publisher.begin = async (...of) => {
      const term = (await ports.publisher.begin(...of))!
      const publish: typeof term.publish = async (batch) => {
        await secondArrived
        nowMs += publishingMs
        return term.publish(batch)
      }
      return { ...term, publish }
    }
    answer = pagesA([[event('1')], [event('2')]])
    await sweep(createFeed({ ...port, page }), {
      ...ports,
      clock: { nowMs: () => nowMs },
      publisher: { begin: slow },
    })
    const quotes = (await bench.stream()).flatMap((batch) => (batch.kind === 'changes' ? batch.quotes : []))
    expect(quotes.map(({ seenMs }) => seenMs)).toEqual([arrivedMs, arrivedMs])
  })

  test('first, unchanged, one figure, gone', async () => {
    const [feed, ports] = start()
    answer = pagesA([[event('1'), event('2')], [event('3')]])
    expect(await sweep(feed, ports)).toBe('complete')
    expect(await sweep(feed, ports)).toBe('complete')
    answer = pagesA([[event('1', { bestBid: 0.3 }), event('2')], [event('3')]])
    expect(await sweep(feed, ports)).toBe('complete')
    answer = pagesA([[event('1', { bestBid: 0.3 }), event('2')]])
    expect(await sweep(feed, ports)).toBe('complete')
    const story = (await bench.stream()).map((batch) =>
      batch.kind === 'changes'
        ? [batch.markets.length, batch.quotes.length, batch.closed]
        : batch.kind === 'sweep' && [
            batch.sweep.sweepId,
            batch.sweep.markets,
            batch.sweep.pages,
            batch.sweep.complete,
          ],
    )
    expect(story).toEqual([
      [2, 2, []],
      [1, 1, []],
      [1, 3, 2, true],
      [2, 3, 2, true],
      [0, 1, []],
      [3, 3, 2, true],
      [0, 0, ['m3']],
      [4, 2, 1, true],
    ])
  })
  test('a page is in the stream before the next page is there', async () => {
    const [feed, ports] = start()
    let published = 0
    answer = async (cursor) => {
      if (cursor === '1') {
        for (let tries = 0; published === 0 && tries < 100; tries++) {
          await sleep(5)
          published = (await bench.stream()).length
        }
      }
      return pagesA([[event('1')], [event('2')]])(cursor)
    }
    expect(await sweep(feed, ports)).toBe('complete')
    expect(published).toBe(1)
  })
  test('VEN-11: a market that stops trading is closed by the page that says so', async () => {
    const [feed, ports] = start()
    answer = pagesA([[event('1'), event('2')]])
    await sweep(feed, ports)
    answer = pagesA([[event('1', { acceptingOrders: false }), event('2')]])
    await sweep(feed, ports)
    expect([...(await bench.latest('a')).keys()]).toEqual(['m2'])
    expect((await sweeps()).at(-1)).toMatchObject({
      complete: true,
      markets: 1,
      dropped: { not_tradable: 1 },
    })
  })
})

describe('VEN-07: when the content last differed', () => {
  test('changedMs stands still with the content, and moves with a figure, a text, a clock, a market less', async () => {
    const [feed, ports] = start()
    const run = async (pages: unknown[][]) => {
      answer = pagesA(pages)
      await sleep(3)
      expect(await sweep(feed, ports)).toBe('complete')
      const last = (await sweeps()).at(-1)!
      return last.changedMs === last.startedMs
    }
    const two = [event('1'), event('2')]
    expect(await run([two])).toBe(true)
    expect(await run([two])).toBe(false)
    expect(await run([[event('1', { updatedAt: '2026-08-22T01:12:59Z' }), event('2')]])).toBe(true)
    expect(await run([[event('1', { updatedAt: '2026-08-22T01:12:59Z' }), event('2')]])).toBe(false)
    expect(await run([[event('1', { updatedAt: '2026-08-22T01:12:59Z', volume24hr: 5 }), event('2')]])).toBe(
      true,
    )
    expect(await run([[event('2')]])).toBe(true)
    expect(await run([[event('2')]])).toBe(false)
  })
})

describe('VEN-01: a venue that does not answer well', () => {
  const broken: [string, Answer, string][] = [
    ['too many requests', { status: 429 }, 'page_failed'],
    ['500', { status: 500, body: 'x' }, 'page_failed'],
    ['silence', { hang: true }, 'page_failed'],
    ['HTML', { body: '<html>Attention</html>' }, 'page_shape'],
    ['nothing', { body: '' }, 'page_shape'],
    [
      'cut gzip',
      { body: gzipSync('{}').subarray(0, 9), headers: { 'content-encoding': 'gzip' } },
      'page_failed',
    ],
    ['a page too large', { body: `[${' '.repeat(5_000_000)}]` }, 'page_failed'],
    ['[]', { json: [] }, 'page_shape'],
    ['null', { json: null }, 'page_shape'],
    ['{}', { json: {} }, 'page_shape'],
    ['no events at all', { json: { events: [] } }, 'empty'],
    ['events that are none', { json: { events: [1, 'x', null] } }, 'mass_refusal'],
  ]
  test.each(broken)(
    '%s: nothing is replaced, nothing closed, freshness stands',
    async (_, given, problem) => {
      const [feed, ports] = start()
      answer = pagesA([one()])
      await sweep(feed, ports)
      const before = [await bench.latest('a'), await bench.newestSweep('a')]
      answer = () => given
      expect(await sweep(feed, ports)).toBe(problem)
      expect([await bench.latest('a'), await bench.newestSweep('a')]).toEqual(before)
      expect((await sweeps()).at(-1)).toMatchObject({ sweepId: 2, complete: false, problem })
      answer = pagesA([one({ bestBid: 0.2 })])
      expect(await sweep(feed, ports)).toBe('complete')
    },
  )
  test('a page that fails twice is read at the third try', async () => {
    const [feed, ports] = start()
    let asked = 0
    answer = (cursor) => (++asked < 3 ? { status: 503 } : pagesA([one()])(cursor))
    expect(await sweep(feed, ports)).toBe('complete')
    expect(asked).toBe(3)
  })
  test('Retry-After: within the page when short, else no sweep before it is over', async () => {
    const [feed, ports] = start()
    answer = () => ({ status: 429, headers: { 'retry-after': '60' } })
    expect(await sweep(feed, ports)).toBe('page_failed')
    let asked = 0
    answer = (cursor) => {
      asked++
      return pagesA([one()])(cursor)
    }
    expect(await sweep(feed, ports)).toBe('cooling')
    expect(asked).toBe(0)
    expect(feed.notBeforeMs - performance.now()).toBeGreaterThan(55_000)
  })
  test('after a sweep that went well the next failure is the first again', async () => {
    const [feed, ports] = start()
    const slowly = { ...ports, random: () => 0.999_999 }
    const failing = () => {
      answer = () => ({ status: 404, json: {} })
      feed.notBeforeMs = 0
      return sweep(feed, slowly)
    }
    for (let failed = 0; failed < 3; failed++) await failing()
    expect(feed.failures).toBe(3)
    answer = pagesA([one()])
    feed.notBeforeMs = 0
    expect(await sweep(feed, slowly)).toBe('complete')
    expect(await failing()).toBe('page_failed')
    expect(feed.notBeforeMs - performance.now()).toBeLessThanOrEqual(500)
  })
  test('stopping is no failure: no sweep is told, and nothing is closed', async () => {
    const [feed, ports] = start()
    answer = pagesA([[event('1')], [event('2')]])
    await sweep(feed, ports)
    const stop = new AbortController()
    answer = (cursor) => {
      if (cursor !== null) stop.abort()
      return pagesA([[event('1', { bestBid: 0.2 })], []])(cursor)
    }
    expect(await sweepVenue(feed, ports, stop.signal)).toBe('stopped')
    expect([feed.failures, feed.notBeforeMs]).toEqual([0, 0])
    expect(await sweeps()).toHaveLength(1)
    expect([...(await bench.latest('a')).keys()].sort()).toEqual(['m1', 'm2'])
  })
  test('not done within five minutes: it is told as too slow, what came stays, nothing is closed', async () => {
    const [feed, ports] = start()
    answer = pagesA([[event('1')], [event('2')]])
    await sweep(feed, ports)
    const { signals, expire } = deadlines(5 * MINUTE)
    answer = (cursor) => {
      if (cursor === null) return pagesA([[event('1', { bestBid: 0.2 })], []])(cursor)
      expire()
      return { hang: true }
    }
    expect(await sweep(feed, ports)).toBe('too_slow')
    expect(signals).toHaveLength(1)
    expect((await sweeps()).at(-1)).toMatchObject({ complete: false, problem: 'too_slow', pages: 1 })
    expect(feed.failures).toBe(1)
    const latest = await bench.latest('a')
    expect([...latest.keys()].sort()).toEqual(['m1', 'm2'])
    expect(Latest.parse(latest.get('m1')).quote.bidBps).toBe(2000)
  })
  test('the second page fails: what the first one brought stays, nothing is closed', async () => {
    const [feed, ports] = start()
    answer = pagesA([[event('1')], [event('2')]])
    await sweep(feed, ports)
    answer = (cursor) =>
      cursor === null ? pagesA([[event('1', { bestBid: 0.2 })], []])(cursor) : { status: 404, json: {} }
    expect(await sweep(feed, ports)).toBe('page_failed')
    const latest = await bench.latest('a')
    expect([...latest.keys()].sort()).toEqual(['m1', 'm2'])
    expect(Latest.parse(latest.get('m1')).quote.bidBps).toBe(2000)
  })
})

describe('VEN-02: a listing that does not end well is never complete', () => {
  test.each<[string, (cursor: string | null) => Answer, string]>([
    ['the same cursor again', () => ({ json: { events: one(), next_cursor: 'x' } }), 'cursor_cycle'],
    [
      'ever new cursors, the same page',
      (cursor) => ({ json: { events: one(), next_cursor: `${cursor}x` } }),
      'no_progress',
    ],
  ])('%s', async (_, given, problem) => {
    const [feed, ports] = start()
    answer = given
    expect(await sweep(feed, ports)).toBe(problem)
    expect(await bench.newestSweep('a')).toBeNull()
  })
  test('the last pages are missing: not believed until three sweeps agree', async () => {
    const [feed, ports] = start()
    const all = Array.from({ length: 30 }, (_, at) => event(String(at)))
    answer = pagesA([all])
    await sweep(feed, ports)
    answer = pagesA([all.slice(0, 10)])
    expect(await sweep(feed, ports)).toBe('shrunk')
    expect(await sweep(feed, ports)).toBe('shrunk')
    expect((await bench.latest('a')).size).toBe(30)
    expect(await sweep(feed, ports)).toBe('complete')
    expect((await bench.latest('a')).size).toBe(10)
  })
  describe('three in a row', () => {
    const all = Array.from({ length: 30 }, (_, at) => event(String(at)))
    const few = all.slice(0, 10)
    const show = (page: typeof all) => {
      answer = pagesA([page])
    }
    test.each([
      ['of the same process', 'one'],
      ['of another process', 'two'],
    ])('a whole one %s between them begins anew', async (_, owner) => {
      const worker = start()
      const other = owner === 'one' ? worker : start(venueA(), owner)
      const outcomes: string[] = []
      for (const [by, page] of [
        [worker, all],
        [worker, few],
        [worker, few],
        [other, all],
        [worker, few],
        [worker, few],
      ] as const) {
        show(page)
        outcomes.push(await sweep(...by))
      }
      const twice = ['complete', 'shrunk', 'shrunk']
      expect(outcomes).toEqual([...twice, ...twice])
      expect((await bench.latest('a')).size).toBe(30)
    })
    test('two processes in turns: each believes its third', async () => {
      const [one, two] = [start(), start(venueA(), 'two')]
      show(all)
      await sweep(...one)
      show(few)
      const outcomes: string[] = []
      for (const by of [one, two, one, two, one]) outcomes.push(await sweep(...by))
      expect(outcomes).toEqual([...Array<string>(4).fill('shrunk'), 'complete'])
    })
  })
})

test('VEN-11: a thousand markets close at once; those that stay are there at every sweep after', async () => {
  const [feed, ports] = start()
  const markets = (name: string, count: number, acceptingOrders: boolean) =>
    eventA(
      Array.from({ length: count }, (_, at) => marketA({ id: `${name}${at}`, acceptingOrders })),
      { id: name },
    )
  for (const acceptingOrders of [true, false, false, false]) {
    answer = pagesA([[markets('leaves', 1_100, acceptingOrders), markets('stays', 5, true)]])
    expect(await sweep(feed, ports)).toBe('complete')
    expect((await bench.latest('a')).size).toBe(acceptingOrders ? 1_105 : 5)
  }
})

describe('VEN-05: the unit of prices changes', () => {
  test('nothing of such a page is published', async () => {
    const [feed, ports] = start(venueB())
    const page = (factor: number) => ({
      json: {
        cursor: '',
        events: [
          eventB(
            Array.from({ length: 12 }, (_, at) =>
              marketB({
                ticker: `T-${at}`,
                yes_bid_dollars: ((0.3 + at / 100) * factor).toFixed(4),
                yes_ask_dollars: ((0.31 + at / 100) * factor).toFixed(4),
              }),
            ),
          ),
        ],
      },
    })
    answer = (_, path) => (path === '/series' ? { status: 404 } : page(1))
    expect(await sweep(feed, ports)).toBe('complete')
    const before = await bench.latest('b')
    answer = () => page(0.01)
    expect(await sweep(feed, ports)).toBe('unit_change')
    answer = () => page(100)
    expect(await sweep(feed, ports)).toBe('mass_refusal')
    expect(await bench.latest('b')).toEqual(before)
    answer = () => page(1.01)
    expect(await sweep(feed, ports)).toBe('complete')
    //  a person looked and accepts the new unit, while ingest runs
    answer = () => page(0.01)
    expect(await sweep(feed, ports)).toBe('unit_change')
    expect(await sweep(feed, ports)).toBe('unit_change')
    await bench.redis.del(latestMarketsKey('b'), latestQuotesKey('b'))
    expect(await sweep(feed, ports)).toBe('complete')
    expect([...(await bench.latest('b')).keys()]).toHaveLength(12)
    //  what the alerts VenueUnitChange and VenueStale read
    const { sweeps, completeAt } = ports.metrics
    const units = (await sweeps.get()).values.filter(({ labels }) => labels.outcome === 'unit_change')
    expect(units.map(({ value, labels }) => [labels.venue, value])).toEqual([
      ['a', 0],
      ['b', 3],
    ])
    const complete = (await completeAt.get()).values.find(({ labels }) => labels.venue === 'b')!
    const { startedMs } = (await bench.newestSweep('b'))!
    expect(complete.value).toBe(startedMs)
    answer = () => page(100)
    expect(await sweep(feed, ports)).toBe('mass_refusal')
    expect((await completeAt.get()).values).toContainEqual(complete)
  })
})

describe('a worker that starts, or takes over, goes on where the feed is', () => {
  test('unchanged content is not published again by a new process', async () => {
    answer = pagesA([
      [event('1'), event('2', { feesEnabled: true, feeSchedule: { rate: 0.05, exponent: 1 } })],
    ])
    const [first, firstPorts] = start()
    await sweep(first, firstPorts)
    const [second, secondPorts] = start(venueA(), 'two')
    expect(await sweep(second, secondPorts)).toBe('complete')
    expect((await bench.stream()).map((batch) => batch.kind)).toEqual(['changes', 'sweep', 'sweep'])
    const [one_, two] = await sweeps()
    expect([two!.sweepId, two!.changedMs]).toEqual([2, one_!.changedMs])
  })
  test('two workers in turns: each sees what the other published', async () => {
    const [first, firstPorts] = start()
    const [second, secondPorts] = start(venueA(), 'two')
    answer = pagesA([[event('1'), event('2')]])
    await sweep(first, firstPorts)
    answer = pagesA([[event('1', { bestBid: 0.1 }), event('2')]])
    await sweep(second, secondPorts)
    answer = pagesA([[event('1'), event('2')]]) // back to what the first one remembers
    await sweep(first, firstPorts)
    expect(Latest.parse((await bench.latest('a')).get('m1')).quote.bidBps).toBe(4200)
  })
  test('VEN-18: two at once: one works, the other ends at once', async () => {
    const [first, firstPorts] = start()
    const [second, secondPorts] = start(venueA(), 'two')
    answer = pagesA([[event('1')]])
    const outcomes = await Promise.all([sweep(first, firstPorts), sweep(second, secondPorts)])
    expect(outcomes.sort()).toEqual(['busy', 'complete'])
    expect(await sweeps()).toHaveLength(1)
  })
  test('VEN-18: after a sweep the feed rests: nobody gets in before it is decided who goes on', async () => {
    const [first] = start()
    const [second, secondPorts] = start(venueA(), 'two')
    answer = pagesA([[event('1')]])
    expect(await sweep(first, bench.ports('one'))).toBe('complete')
    expect(await sweep(second, secondPorts)).toBe('busy')
  })
  test('VEN-04: a worker that is overtaken in the middle publishes nothing more and forgets what it knew', async () => {
    const [slow] = start()
    const [fast, fastPorts] = start(venueA(), 'fast')
    const slowPorts = bench.ports('slow', { leaseMs: 1, restMs: 0 })
    answer = async (cursor) => {
      if (cursor === '1') {
        answer = pagesA([[event('1'), event('2', { bestBid: 0.2 })]])
        expect(await sweep(fast, fastPorts)).toBe('complete')
        return { json: { events: [event('2', { bestBid: 0.1 })] } }
      }
      return pagesA([[event('1')], []])(cursor)
    }
    expect(await sweep(slow, slowPorts)).toBe('superseded')
    expect(slow.known).toBeNull()
    expect(Latest.parse((await bench.latest('a')).get('m2')).quote.bidBps).toBe(2000)
    expect(await bench.newestSweep('a')).toMatchObject({ sweepId: 2 })
  })
  test('an entry of another version of this service is published anew, or removed', async () => {
    answer = pagesA([[event('1')]])
    for (const key of [latestMarketsKey('a'), latestQuotesKey('a')])
      await bench.redis.hset(key, 'm1', '{}', 'old', 'not even JSON')
    const [feed, ports] = start()
    expect(await sweep(feed, ports)).toBe('complete')
    const latest = await bench.latest('a')
    expect([...latest.keys()]).toEqual(['m1'])
    expect(Latest.safeParse(latest.get('m1')).success).toBe(true)
  })
  test('the one hash of an earlier version goes, and everything is published anew', async () => {
    answer = pagesA([[event('1')]])
    await sweep(...start())
    const { market, quote } = Latest.parse((await bench.latest('a')).get('m1'))
    await bench.redis.del(latestMarketsKey('a'), latestQuotesKey('a'))
    await bench.redis.hset('ingest:latest:a', 'm1', JSON.stringify({ market, quote }), 'old', '{}')
    expect(await sweep(...start(venueA(), 'new version'))).toBe('complete')
    expect([...(await bench.latest('a')).keys()]).toEqual(['m1'])
    expect(await bench.redis.exists('ingest:latest:a')).toBe(0)
    expect((await bench.stream()).map(({ kind }) => kind)).toEqual(['changes', 'sweep', 'changes', 'sweep'])
  })
  test.each([
    ['texts', latestMarketsKey('a'), { markets: 1, quotes: 0 }],
    ['quotes', latestQuotesKey('a'), { markets: 0, quotes: 1 }],
  ])('%s that Redis lost are published again, and nothing else', async (_, key, published) => {
    answer = pagesA([[event('1')]])
    await sweep(...start())
    await bench.redis.del(key)
    expect(await sweep(...start(venueA(), 'two'))).toBe('complete')
    const [, , again] = await bench.stream()
    if (again?.kind !== 'changes') throw new Error('no changes')
    expect({ markets: again.markets.length, quotes: again.quotes.length }).toEqual(published)
    expect(Latest.safeParse((await bench.latest('a')).get('m1')).success).toBe(true)
  })
  test('a quote that Redis holds of a market that has left goes with the next complete sweep', async () => {
    answer = pagesA([[event('1')]])
    await sweep(...start())
    const quote = (await bench.redis.hget(latestQuotesKey('a'), 'm1'))!
    await bench.redis.hset(latestQuotesKey('a'), 'm2', quote.replace('"m1"', '"m2"'))
    expect(await sweep(...start(venueA(), 'two'))).toBe('complete')
    expect([...(await bench.latest('a')).keys()]).toEqual(['m1'])
  })
})

describe('venue B', () => {
  test('fees come from the series list, which is read once an hour', async () => {
    let nowMs = 0
    let asked = 0
    const port = createVenueB({ http, url: venue.url, limit: FAST, nowMs: () => nowMs })
    const [feed, ports] = start(port)
    answer = (_, path) => {
      if (path !== '/series') return { json: { events: [eventB([marketB()])], cursor: '' } }
      asked++
      return { json: { series: [{ ticker: 'KXFEDDECISION', fee_type: 'quadratic', fee_multiplier: 0.5 }] } }
    }
    await sweep(feed, ports)
    nowMs = 3_599_999
    await sweep(feed, ports)
    expect(asked).toBe(1)
    nowMs = 3_600_000
    await sweep(feed, ports)
    expect(asked).toBe(2)
    const { market } = Latest.parse((await bench.latest('b')).get('KXFEDDECISION-26DEC-C25'))
    expect(market.fees).toEqual({ rate: 0.035, exponent: 1, rounding: 'b_cent_up', flagged: false })
  })
  test('a series list that says the same again changes nothing, in whatever order; another fee does', async () => {
    let nowMs = 0
    const port = createVenueB({ http, url: venue.url, limit: FAST, nowMs: () => nowMs })
    const asked = async (...series: Record<string, unknown>[]) => {
      answer = () => ({ json: { series } })
      const changed = await port.prepare(0, never)
      nowMs += 3_600_000
      return changed
    }
    const one = { ticker: 'ONE', fee_type: 'quadratic', fee_multiplier: 1, volume: 5 }
    const two = { ticker: 'TWO', category: 'Politics', tags: ['x'] }
    expect(await asked(one, two)).toBe(true)
    expect(await asked({ ...one, volume: 6 }, two)).toBe(false) //  a field that we do not read
    expect(await asked(two, one)).toBe(false)
    expect(await asked({ ...one, fee_multiplier: 0.5 }, two)).toBe(true)
    expect(await asked({ ...one, fee_multiplier: 0.5 }, { ...two, tags: ['y'] })).toBe(true)
    expect(await asked({ ...one, fee_multiplier: 0.5 })).toBe(true)
  })
  test('terms that change while the page stays the same: a new series list, a waiver that ends, a fee that was announced (VEN-21)', async () => {
    let nowMs = 0
    let multiplier = 1
    const port = createVenueB({ http, url: venue.url, limit: FAST, nowMs: () => nowMs })
    const [feed, around] = start(port)
    const ports = { ...around, clock: { nowMs: () => Date.UTC(2026, 7, 22) + nowMs } }
    const until = '2026-08-22T02:30:00Z'
    const waived = marketB({ ticker: 'T-WAIVED', fee_waiver_expiration_time: until })
    const announced = {
      series_ticker: 'KXFEDDECISION',
      fee_multiplier: 3,
      scheduled_ts: '2026-08-22T02:45:00Z',
    }
    const answers: Record<string, () => object> = {
      '/series': () => ({
        series: [{ ticker: 'KXFEDDECISION', fee_type: 'quadratic', fee_multiplier: multiplier }],
      }),
      '/series/fee_changes': () => ({ series_fee_change_arr: [announced] }),
      '/events': () => ({
        events: [
          eventB([marketB()]),
          eventB([waived], { event_ticker: 'OTHER', series_ticker: 'KXFEDDECISION' }),
        ],
      }),
    }
    answer = (_, path) => ({ json: answers[path]!() })
    const rates = async () => {
      expect(await sweep(feed, ports)).toBe('complete')
      const latest = await bench.latest('b')
      return ['KXFEDDECISION-26DEC-C25', 'T-WAIVED'].map(
        (id) => Latest.parse(latest.get(id)).market.fees?.rate,
      )
    }
    expect(await rates()).toEqual([0.07, undefined])
    multiplier = 2
    nowMs = 3_600_000
    expect(await rates()).toEqual([0.14, undefined])
    nowMs = 2.5 * 3_600_000 - 1
    expect(await rates()).toEqual([0.14, undefined])
    nowMs = 2.5 * 3_600_000
    expect(await rates()).toEqual([0.14, 0.14])
    nowMs = 2.75 * 3_600_000
    expect(await rates()).toEqual([0.21, 0.21])
  })
  test('without a series list fees are guessed and flagged, and the sweep is complete', async () => {
    const [feed, ports] = start(venueB())
    answer = (_, path) =>
      path === '/series' ? { status: 404, json: {} } : { json: { events: [eventB([marketB()])], cursor: '' } }
    expect(await sweep(feed, ports)).toBe('complete')
    const { market } = Latest.parse((await bench.latest('b')).get('KXFEDDECISION-26DEC-C25'))
    expect(market.fees).toMatchObject({ rate: 0.07, flagged: true })
  })
  test('the list that failed is asked for again after five minutes, not an hour; until then the one before stands', async () => {
    let nowMs = 0
    let asked = 0
    const port = createVenueB({ http, url: venue.url, limit: FAST, nowMs: () => nowMs })
    const [feed, ports] = start(port)
    let list: Answer = { status: 404 }
    answer = (_, path) => {
      if (path !== '/series')
        return { json: { events: [eventB([marketB({ rules_primary: `At ${nowMs}.` })])], cursor: '' } }
      asked++
      return list
    }
    const at = async (ms: number) => {
      nowMs = ms
      expect(await sweep(feed, ports)).toBe('complete')
      const { market } = Latest.parse((await bench.latest('b')).get('KXFEDDECISION-26DEC-C25'))
      return [asked, market.fees?.rate]
    }
    expect(await at(0)).toEqual([1, 0.07])
    list = { json: { series: [{ ticker: 'KXFEDDECISION', fee_type: 'quadratic', fee_multiplier: 2 }] } }
    expect(await at(5 * MINUTE - 1)).toEqual([1, 0.07])
    expect(await at(5 * MINUTE)).toEqual([2, 0.14])
    list = { status: 404 }
    expect(await at(65 * MINUTE)).toEqual([3, 0.14])
    expect(await at(70 * MINUTE - 1)).toEqual([3, 0.14])
    expect(await at(70 * MINUTE)).toEqual([4, 0.14])
  })
})

describe.skipIf(!haveRecordings)('recordings as pages', () => {
  test('all 22 hours of the replay, both venues: every frame ends complete', async () => {
    for (const name of ['a', 'b'] as const) {
      const [feed, around] = start(name === 'a' ? venueA() : venueB())
      let hours = 0
      const ports = { ...around, clock: { nowMs: () => Date.UTC(2026, 7, 22, hours) } }
      for (const file of replayFiles('2026-08-22-hourly', name)) {
        const events = readRecording(file) as unknown[]
        const half = events.length >> 1
        answer = (cursor, path) => {
          if (path === '/series') return { status: 404 }
          const part = cursor === null ? events.slice(0, half) : events.slice(half)
          const next = cursor === null ? 'second half' : ''
          return { json: name === 'a' ? { events: part, next_cursor: next } : { events: part, cursor: next } }
        }
        hours++
        expect([file, await sweep(feed, ports)]).toEqual([file, 'complete'])
      }
      const all = (await sweeps()).filter((one) => one.venue === name)
      expect(all.map((one) => one.sweepId)).toEqual(Array.from({ length: 22 }, (_, at) => at + 1))
      expect((await bench.latest(name)).size).toBe(all.at(-1)!.markets)
    }
  })
})
