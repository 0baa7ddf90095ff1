import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { frameAt, openRecording } from '../../../ops/sandbox/venues/replay/recording.ts'
import { replayWorld } from '../../../ops/sandbox/venues/replay/world.ts'
import {
  eventsA,
  eventsB,
  getJson,
  handClock,
  type Json,
  marketsB,
  nested,
  pages,
  venueServers,
} from './venuesClient.ts'

const REPLAY = new URL('../../../../shared/venues/replay', import.meta.url).pathname
const RAW = join(REPLAY, '2026-03-01-raw')
const HOURLY = join(REPLAY, '2026-08-22-hourly')
const there = existsSync(RAW) && existsSync(HOURLY)
const file = (folder: string, name: string): Json[] =>
  JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString())
const sorted = (rows: Json[], name: string) => rows.toSorted((x, y) => (x[name] < y[name] ? -1 : 1))

const servers = venueServers()
afterAll(() => servers.closeAll())
const replay = (folder: string, atMs: number) => {
  const clock = handClock(atMs)
  return servers.start(replayWorld(openRecording(folder)), clock)
}

describe.skipIf(!there)('a raw recording is served as it was recorded', () => {
  const capturedMs = Date.parse('2026-03-02T00:00:00Z')
  const a = there ? file(RAW, 'venue-a/events.json.gz') : []
  const b = there ? file(RAW, 'venue-b/events.json.gz') : []

  test('every event and market of both venues, field for field', async () => {
    const { aUrl, bUrl } = await replay(RAW, capturedMs)
    const everythingA = (await eventsA(aUrl, 7, '')).flat()
    expect(sorted(everythingA, 'id')).toEqual(sorted(a, 'id'))
    const everythingB = (await eventsB(bUrl, 9, 'with_nested_markets=true')).flat()
    expect(sorted(everythingB, 'event_ticker')).toEqual(sorted(b, 'event_ticker'))
  })

  test('open and closed are told apart by what was recorded', async () => {
    const { aUrl, bUrl } = await replay(RAW, capturedMs)
    const open = (await eventsA(aUrl)).flat()
    expect(open.map((event) => event.id).sort()).toEqual(
      a
        .filter((event) => !event.closed)
        .map((event) => event.id)
        .sort(),
    )
    const active = (await marketsB(bUrl)).flat()
    const wanted = nested([b]).filter((market) => market.status === 'active')
    expect(active.map((market) => market.ticker).sort()).toEqual(wanted.map((market) => market.ticker).sort())
    const settled = (await marketsB(bUrl, 1_000, 'status=settled')).flat()
    expect(settled).toHaveLength(nested([b]).length - wanted.length)
  })

  test('single objects by every name', async () => {
    const { aUrl, bUrl } = await replay(RAW, capturedMs)
    const event = a.find((one) => !one.closed)!
    expect(await getJson(`${aUrl}/events/slug/${event.slug}`)).toEqual(event)
    expect(await getJson(`${aUrl}/events/${event.id}`)).toEqual(event)
    expect(await getJson(`${aUrl}/markets/slug/${event.markets[0].slug}`)).toMatchObject(event.markets[0])
    const [market] = b[0]!.markets
    expect((await getJson(`${bUrl}/markets/${market.ticker}`)).market).toEqual(market)
    expect((await getJson(`${bUrl}/series/${b[0]!.series_ticker}`)).series).toMatchObject({
      fee_type: 'quadratic',
      fee_multiplier: 1,
    })
    expect((await fetch(`${aUrl}/__sandbox/truth`)).status).toBe(404)
  })

  test('books that were not recorded agree with the recorded best prices, on both venues', async () => {
    const { aUrl, bUrl } = await replay(RAW, capturedMs)
    const quoted = nested([a]).filter((market) => !market.closed && market.bestBid && market.bestAsk < 1)
    expect(quoted.length).toBeGreaterThan(5)
    for (const market of quoted) {
      const [yes, no] = JSON.parse(market.clobTokenIds)
      const book = await getJson(`${aUrl}/book?token_id=${yes}`)
      expect([Number(book.bids.at(-1).price), Number(book.asks.at(-1).price)]).toEqual([
        market.bestBid,
        market.bestAsk,
      ])
      expect(book.bids.length).toBeLessThanOrEqual(2)
      const other = await getJson(`${aUrl}/book?token_id=${no}`)
      expect(Number(other.asks.at(-1).price)).toBeCloseTo(1 - market.bestBid, 9)
    }
    const closed = nested([a]).find((market) => market.closed)
    expect((await fetch(`${aUrl}/book?token_id=${JSON.parse(closed.clobTokenIds)[0]}`)).status).toBe(404)
    const market = nested([b]).find(
      (one) => Number(one.yes_bid_dollars) > 0 && Number(one.no_bid_dollars) > 0,
    )
    const { orderbook_fp: book } = await getJson(`${bUrl}/markets/${market.ticker}/orderbook`)
    expect([book.yes_dollars.at(-1)[0], book.no_dollars.at(-1)[0]]).toEqual([
      market.yes_bid_dollars,
      market.no_bid_dollars,
    ])
    const dead = nested([b]).find((one) => one.status === 'finalized')
    expect((await getJson(`${bUrl}/markets/${dead.ticker}/orderbook`)).orderbook_fp).toEqual({
      yes_dollars: [],
      no_dollars: [],
    })
  })
})

describe.skipIf(!there)('an hourly recording steps with the market clock', () => {
  const frames = there ? openRecording(HOURLY).frames : []

  test('the first frame before the recording, each frame from its instant on, the last one after the end', async () => {
    const { aUrl, bUrl, clock } = await replay(HOURLY, frames[0]!.atMs)
    const served = async (atMs: number) => {
      clock.set(atMs)
      return [
        sorted((await eventsA(aUrl, 100)).flat(), 'id'),
        sorted(
          (await eventsB(bUrl, 100)).flat().flatMap((event) => event.markets),
          'ticker',
        ),
      ]
    }
    const recordedAt = (i: number) => [
      sorted(
        frames[i]!.a.flatMap((name) => file(HOURLY, name)),
        'id',
      ),
      sorted(nested([frames[i]!.b.flatMap((name) => file(HOURLY, name))]), 'ticker'),
    ]
    expect(await served(frames[0]!.atMs - 86_400_000)).toEqual(recordedAt(0))
    for (const i of [0, 1, 2, frames.length - 1]) {
      expect(await served(frames[i]!.atMs)).toEqual(recordedAt(i))
      if (i > 0) expect(await served(frames[i]!.atMs - 1)).toEqual(recordedAt(i - 1))
    }
    expect(await served(frames.at(-1)!.atMs + 365 * 86_400_000)).toEqual(recordedAt(frames.length - 1))
    expect(await served(frames[1]!.atMs)).toEqual(recordedAt(1)) //  and back
  })

  test('tokens that were not recorded are not made up', async () => {
    const { aUrl } = await replay(HOURLY, frames[0]!.atMs)
    const markets = nested(await eventsA(aUrl))
    expect(markets.length).toBeGreaterThan(300)
    expect(markets.every((market) => !('clobTokenIds' in market))).toBe(true)
  })

  test('a listing goes on over a change of frames', async () => {
    const { aUrl, clock } = await replay(HOURLY, frames[0]!.atMs)
    const first = await getJson(`${aUrl}/events/keyset?closed=false&limit=40`)
    clock.set(frames[1]!.atMs)
    const names = { rows: 'events', next: 'next_cursor', cursor: 'after_cursor' }
    const rest = (
      await pages(`${aUrl}/events/keyset?closed=false&limit=40&after_cursor=${first.next_cursor}`, names, 1)
    ).flat()
    const seen = new Set(first.events.map((event: Json) => event.id))
    expect(rest).toHaveLength(40)
    expect(rest.some((event) => seen.has(event.id))).toBe(false)
  })
})

describe('a folder is checked before it is served', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'recording-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const at = '2026-01-01T00:00:00Z'
  const write = (name: string, bytes: string | Buffer) => {
    mkdirSync(join(folder, 'x'), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  const manifest = (frames: unknown) => write('manifest.json', JSON.stringify({ capturedAt: at, frames }))

  test.each([
    ['no manifest', () => {}, /manifest\.json: is missing/],
    ['a manifest that is no JSON', () => write('manifest.json', '{'), /manifest\.json: is no JSON/],
    ['no frames', () => manifest([]), /frames/],
    [
      'a frame without a date',
      () => manifest([{ at: 'soon', a: [], b: [] }]),
      /frames\.0\.at: must be a date/,
    ],
    [
      'frames out of order',
      () =>
        manifest([
          { at, a: [], b: [] },
          { at, a: [], b: [] },
        ]),
      /frames\.1\.at: must rise/,
    ],
    [
      'a missing file',
      () => manifest([{ at, a: ['x/gone.json.gz'], b: [] }]),
      /x\/gone\.json\.gz: is missing/,
    ],
    [
      'a file that is no gzip',
      () => {
        manifest([{ at, a: ['x/a.json.gz'], b: [] }])
        write('x/a.json.gz', '[]')
      },
      /x\/a\.json\.gz: is no gzip, or cut short/,
    ],
    [
      'a gzip cut short',
      () => {
        manifest([{ at, a: ['x/a.json.gz'], b: [] }])
        write('x/a.json.gz', gzipSync(JSON.stringify([{ id: '1' }])).subarray(0, 15))
      },
      /cut short/,
    ],
    [
      'a file that is no JSON',
      () => {
        manifest([{ at, a: [], b: ['x/b.json.gz'] }])
        write('x/b.json.gz', gzipSync('{'))
      },
      /x\/b\.json\.gz: is no JSON/,
    ],
    [
      'an object where a list should be',
      () => {
        manifest([{ at, a: [], b: ['x/b.json.gz'] }])
        write('x/b.json.gz', gzipSync('{}'))
      },
      /must be an array of events/,
    ],
    ['a path out of the folder', () => manifest([{ at, a: ['../../etc/passwd'], b: [] }]), /must lie inside/],
  ])('%s', (_, prepare, message) => {
    prepare()
    expect(() => openRecording(folder)).toThrow(message)
  })

  test('every problem is named at once', () => {
    manifest([{ at, a: ['x/1.gz', 'x/2.gz'], b: [] }])
    expect(() => openRecording(folder)).toThrow(/x\/1\.gz[\s\S]*x\/2\.gz/)
  })

  test('the same event twice is listed twice, across pages too', async () => {
    manifest([{ at, a: ['x/a.json.gz'], b: [] }])
    const event = (n: number) => ({ id: '7', title: `${n}`, closed: false, markets: [] })
    write('x/a.json.gz', gzipSync(JSON.stringify([event(1), event(2), event(3)])))
    const { aUrl } = await replay(folder, Date.parse(at))
    expect((await eventsA(aUrl, 1)).flat().map((one) => one.title)).toEqual(['1', '2', '3'])
  })

  test.each([
    ['active', 1],
    ['inactive', 1],
    ['determined', 0],
    ['finalized', 0],
  ])('a market of venue B that is %s has a book: %d', async (status, sides) => {
    manifest([{ at, a: [], b: ['x/b.json.gz'] }])
    const market = { ticker: 'KXT-1-A', status, yes_bid_dollars: '0.4000', yes_ask_dollars: '0.4500' }
    write('x/b.json.gz', gzipSync(JSON.stringify([{ event_ticker: 'KXT-1', markets: [market] }])))
    const { bUrl } = await replay(folder, Date.parse(at))
    const { orderbook_fp: book } = await getJson(`${bUrl}/markets/KXT-1-A/orderbook`)
    expect(book.yes_dollars.slice(-1).map(([price]: [string]) => price)).toEqual(sides ? ['0.4000'] : [])
    expect(book.no_dollars.slice(-1).map(([price]: [string]) => price)).toEqual(sides ? ['0.5500'] : [])
  })

  test('which frame is valid when', () => {
    const recording = { folder, capturedMs: 0, frames: [10, 20, 30].map((atMs) => ({ atMs, a: [], b: [] })) }
    expect([0, 9, 10, 19, 20, 29, 30, 99].map((ms) => frameAt(recording, ms))).toEqual([
      0, 0, 0, 0, 1, 1, 2, 2,
    ])
  })
})
