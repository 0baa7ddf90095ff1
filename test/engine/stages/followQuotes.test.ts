import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { EventIndex } from '../../../engine/core/pairing/eventIndex.ts'
import { BEHIND_MS, type Follower, followQuotes } from '../../../engine/stages/followQuotes.ts'
import { type Changes, noChanges, World } from '../../../engine/stages/world.ts'
import {
  type Batch,
  latestMarketsKey,
  latestQuotesKey,
  QUOTE_STREAM,
} from '../../../ingest/contract/stream.ts'
import { createLog } from '../../../ops/log.ts'
import { HOUR, SECOND } from '../../../ops/units.ts'
import { until } from '../../support/process.ts'
import { rememberStore, startRedis, type TestRedis, watched } from '../../support/redis.ts'
import { marketA, marketB, quote } from '../support/markets.ts'
import { sendChanges, sendSweep } from '../support/stream.ts'

const NOW = 1_790_000_000_000

const path = (server: TestRedis) => server.url.slice('unix:'.length)
const A1 = {
  market: marketA('1', 'Will Ola Berg visit Chile by June 30, 2027?'),
  quote: quote('a', '1', 4_000, 4_100),
}
const B1 = {
  market: marketB('KXCHILE-27JUL01-OBER', 'Will Ola Berg visit Chile before Jul 1, 2027?', {
    outcome: 'Ola Berg',
  }),
  quote: quote('b', 'KXCHILE-27JUL01-OBER', 4_500, 4_600),
}
const A2 = {
  market: marketA('2', 'Will Leo Kirk visit Peru by June 30, 2027?'),
  quote: quote('a', '2', 1_000, 1_100),
}

let server: TestRedis
let redis: Redis
let follower: Follower | null = null
let warm: World[] = []
let seen: Changes[] = []
let [bad, faults] = [0, 0]
let rests = 0
let nowMs = NOW

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(path(server))
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})
beforeEach(async () => {
  await redis.flushall()
  warm = []
  seen = []
  ;[bad, faults] = [0, 0]
  rests = 0
  nowMs = NOW
})
afterEach(async () => {
  vi.restoreAllMocks()
  await follower?.stop()
  follower = null
})

async function start(
  blocking = new Redis(path(server)),
  {
    onWarm,
    onChanges,
    onBadBatch,
    ...rest
  }: {
    redis?: Redis
    onWarm?: () => void
    onChanges?: (writtenMs: number) => void
    onBadBatch?: () => void
  } = {},
): Promise<Pick<Follower, 'world' | 'problem'>> {
  const started = followQuotes({
    redis,
    ...rest,
    blocking,
    clock: { nowMs: () => nowMs },
    log: createLog('test', 'error'),
    onWarm(world) {
      warm.push(world)
      onWarm?.()
    },
    onChanges(changes, writtenMs) {
      seen.push(changes)
      onChanges?.(writtenMs)
    },
    onBadBatch() {
      bad++
      onBadBatch?.()
    },
    onFault: () => faults++,
    onRest: () => rests++,
  })
  follower = started
  await until('warm', () => warm.length > 0)
  return { world: () => started.world(), problem: () => started.problem() }
}

describe('warm start', () => {
  test('reads the newest state of every market and pairs it; history in the stream is not needed', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    await sendChanges(redis, 'b', { listed: [B1] })
    await sendSweep(redis, 'a', 5_000)
    await redis.xtrim(QUOTE_STREAM, 'MAXLEN', 0)
    const { world, problem } = await start()
    expect(problem()).toBeNull()
    expect([world().marketCount('a'), world().marketCount('b'), world().pairs]).toEqual([1, 1, 1])
    expect(world().listing('b', B1.market.marketId)?.quote).toEqual(B1.quote)
    expect(world().completeSweep('a')?.startedMs).toBe(5_000)
    expect(world().completeSweep('b')).toBeNull()
  })

  test('an empty Redis is a warm, empty world that then fills', async () => {
    const { world } = await start()
    expect(world().marketCount('a')).toBe(0)
    await sendChanges(redis, 'a', { listed: [A1] })
    await until('the market', () => world().market('a', '1'))
  })

  test('an entry of the state that nobody can read is passed over', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    for (const key of [latestMarketsKey('a'), latestQuotesKey('a')])
      await redis.hset(key, 'x', '{"venue":', 'y', '{}')
    const { world } = await start()
    expect(world().marketCount('a')).toBe(1)
  })

  test('tells when both venues are read to the end', async () => {
    await start()
    await sendChanges(redis, 'a', { listed: [A1] })
    await sendChanges(redis, 'b', { listed: [B1] })
    await sendSweep(redis, 'a', 5_000)
    await until('all is read', () => seen.length === 3)
    expect(rests).toBe(0)
    await sendSweep(redis, 'b', 5_000)
    await until('a rest', () => rests === 1)
  })

  test('goes on from the position it remembered: nothing between state and stream is missed', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const { world } = await start()
    await sendChanges(redis, 'b', { listed: [B1] })
    await until('the pair', () => world().pairs === 1)
    await sendChanges(redis, 'a', { quotes: [{ ...A1.quote, bidBps: 3_000, seenMs: 2_000 }] })
    await until('the quote', () => world().listing('a', '1')?.quote.bidBps === 3_000)
    expect(warm).toHaveLength(1)
  })

  test('a market that is listed while the state is read, behind the place that is read then, is there too', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const hscan = redis.hscan.bind(redis) as (...args: unknown[]) => Promise<[string, string[]]>
    const reading = Object.assign(Object.create(redis) as Redis, {
      async hscan(...args: unknown[]) {
        if (args[0] === latestQuotesKey('a')) await sendChanges(redis, 'a', { listed: [A2] })
        return hscan(...args)
      },
    })
    const { world } = await start(new Redis(path(server)), { redis: reading })
    expect(world().listing('a', '2')?.quote).toEqual(A2.quote)
  })

  test('VEN-04 what changed while the state was read is not told as it was before', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const bids: (number | null)[] = []
    const note = () => bids.push(follower!.world().listing('a', '1')!.quote.bidBps)
    let isRead = false
    const hscan = redis.hscan.bind(redis) as (...args: unknown[]) => Promise<[string, string[]]>
    const reading = Object.assign(Object.create(redis) as Redis, {
      async hscan(...args: unknown[]) {
        if (!isRead)
          for (const bidBps of [3_000, 2_000])
            await sendChanges(redis, 'a', { quotes: [{ ...A1.quote, bidBps }] })
        isRead = true
        return hscan(...args)
      },
    })
    await start(new Redis(path(server)), { redis: reading, onWarm: note, onChanges: note })
    await sendChanges(redis, 'a', { quotes: [{ ...A1.quote, bidBps: 1_000 }] })
    await until('the last one', () => bids.includes(1_000))
    expect(bids).toEqual([2_000, 1_000])
  })
})

test.each(['while the state is read', 'from the stream'])(
  'VEN-13 pairing a market fails %s: it is told of, and all goes on',
  async (when) => {
    const propose = vi.spyOn(EventIndex.prototype, 'propose')
    const fail = () =>
      propose.mockImplementation(() => {
        throw new TypeError('a text nobody has thought of')
      })
    if (when === 'while the state is read') fail()
    await sendChanges(redis, 'a', { listed: [A1] })
    const { world, problem } = await start()
    fail()
    await sendChanges(redis, 'b', { listed: [B1] })
    await until('both are there', () => world().marketCount('a') + world().marketCount('b') === 2)
    expect([world().pairs, problem(), warm.length]).toEqual([0, null, 1])
    expect(faults).toBe(when === 'while the state is read' ? 2 : 1)
  },
)

describe('entries that came while this engine stood still are over when it reads them', () => {
  const PAIR = 'a:1|b:KXCHILE-27JUL01-OBER'
  let told: { bid: number | null | undefined; pairs: string[]; writtenMs: number }[] = []
  let current: boolean[] = [] //  at each batch that nobody can read
  const read = async (ports: { redis?: Redis; onBadBatch?: () => void } = {}) => {
    told = []
    current = []
    const { problem } = await start(new Redis(path(server)), {
      ...ports,
      onChanges(writtenMs) {
        const bid = follower!.world().listing('a', '1')?.quote.bidBps
        told.push({ bid, pairs: [...seen.at(-1)!.pairs], writtenMs })
      },
      onBadBatch() {
        ports.onBadBatch?.()
        current.push(follower!.isCurrent())
      },
    })
    return problem
  }
  const batch = (rest: object) =>
    JSON.stringify({ kind: 'changes', venue: 'a', markets: [], quotes: [], closed: [], ...rest })
  const ENTRIES = [
    batch({ markets: [A1.market], quotes: [A1.quote] }),
    batch({ venue: 'b', markets: [B1.market], quotes: [B1.quote] }),
    'no json',
    batch({ quotes: [{ ...A1.quote, bidBps: 3_000 }] }),
    batch({ quotes: [{ ...A1.quote, bidBps: 2_000 }] }),
  ]
  /** Writes entries in one step, as if it had been so long ago; each a millisecond after the one before. */
  const write = async (entries: readonly string[], agoMs: number) => {
    const fromMs = Date.now() - agoMs
    const steps = redis.multi()
    for (const [at, entry] of entries.entries()) steps.xadd(QUOTE_STREAM, `${fromMs + at}-0`, 'batch', entry)
    await steps.exec()
    return fromMs
  }

  test('they are told once, as the newest one leaves everything', async () => {
    const problem = await read()
    const fromMs = await write(ENTRIES, BEHIND_MS + SECOND)
    await until('the newest', () => told.length > 0)
    expect(told).toEqual([{ bid: 2_000, pairs: [PAIR], writtenMs: fromMs + 4 }])
    expect(seen[0]!.touched.filter(({ venue }) => venue === 'a')).toEqual([{ venue: 'a', marketId: '1' }])
    expect([current, follower!.isCurrent(), problem()]).toEqual([[false], true, null])
    await sendChanges(redis, 'a', { quotes: [{ ...A1.quote, bidBps: 1_000 }] })
    await until('what comes then', () => told.at(-1)?.bid === 1_000)
    expect([told.length, warm.length]).toEqual([2, 1])
  })

  test('what is a few seconds old is told as it comes: a large sweep takes a while to read', async () => {
    await read()
    await write(ENTRIES, BEHIND_MS - 2 * SECOND)
    await until('the newest', () => told.at(-1)?.bid === 2_000)
    expect([told.map(({ bid }) => bid), current]).toEqual([[4_000, 4_000, 3_000, 2_000], [true]])
  })

  test('nothing but batches that nobody can read: it goes on', async () => {
    await read()
    await write(['no json'], BEHIND_MS + SECOND)
    await until('it was told', () => seen.length === 1)
    expect([told[0]!.pairs, current, follower!.isCurrent()]).toEqual([[], [false], true])
  })

  test('who stood still and cannot look at the stream is not current, until he has looked', async () => {
    const now = performance.now.bind(performance)
    let stoodMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs)
    let isAway = false
    const cut = watched(redis, {
      before(command) {
        if (isAway && command === 'evalsha') throw new Error('Command timed out')
      },
    })
    const problem = await read({ redis: cut })
    await write(ENTRIES, 0)
    await until('the newest', () => told.at(-1)?.bid === 2_000)
    expect(follower!.isCurrent()).toBe(true)
    ;[isAway, stoodMs] = [true, BEHIND_MS + 60 * SECOND]
    await until('it cannot look', () => /Command timed out/.test(problem() ?? ''))
    expect(follower!.isCurrent()).toBe(false)
    isAway = false
    await until('it has looked', () => problem() === null)
    expect(follower!.isCurrent()).toBe(true)
  })

  test('the stream may grow faster than it is read: what was there when that was noticed is told', async () => {
    let [grown, fromMs] = [0, 0]
    const xinfo = redis.xinfo.bind(redis) as (...args: unknown[]) => Promise<unknown>
    const growing = Object.assign(Object.create(redis) as Redis, {
      async xinfo(...args: unknown[]) {
        const info = await xinfo(...args)
        const more = batch({ quotes: [{ ...A1.quote, bidBps: 1_000 + grown }] })
        if (fromMs > 0 && grown++ < 3)
          for (let at = 0; at < 20; at++)
            await redis.xadd(QUOTE_STREAM, `${fromMs + 1_000 * grown + at}-0`, 'batch', more)
        return info
      },
    })
    await write(['no json'], BEHIND_MS + 20 * SECOND) //  so that the end is asked for only when we are behind
    await read({ redis: growing })
    fromMs = Date.now() - BEHIND_MS - 10 * SECOND
    await write(ENTRIES, BEHIND_MS + 10 * SECOND)
    await until('all of it', () => told.at(-1)?.bid === 1_002)
    expect(told.map(({ bid }) => bid)).toEqual([2_000, 1_000, 1_001, 1_002])
  })

  test('DATA-03 the store may lose the end that was noted: what it still has is told', async () => {
    const xinfo = redis.xinfo.bind(redis) as (...args: unknown[]) => Promise<unknown[]>
    const losing = Object.assign(Object.create(redis) as Redis, {
      async xinfo(...args: unknown[]) {
        const info = await xinfo(...args)
        const at = info.indexOf('entries-added') + 1
        if (warm.length > 0) info[at] = Number(info[at]) + 5
        return info
      },
    })
    await write(['no json'], BEHIND_MS + 20 * SECOND) //  so that the end is asked for only when we are behind
    await read({ redis: losing })
    await write(ENTRIES, BEHIND_MS + SECOND)
    await until('the newest', () => told.length > 0)
    expect(told.map(({ bid }) => bid)).toEqual([2_000])
  })

  test('who stood still in the middle of a read does not tell the rest of it one by one', async () => {
    const now = performance.now.bind(performance)
    let stoodMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs)
    await read({ onBadBatch: () => (stoodMs = BEHIND_MS + SECOND) })
    await write(ENTRIES, 0)
    await until('the newest', () => told.at(-1)?.bid === 2_000)
    expect(told.map(({ bid }) => bid)).toEqual([4_000, 4_000, 2_000])
    expect([current, follower!.isCurrent()]).toEqual([[false], true])
  })

  test('an engine whose stream says nothing is current, as long as it looks', async () => {
    const now = performance.now.bind(performance)
    let stoodMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs)
    await read()
    await write(ENTRIES, 0)
    await until('the newest', () => told.at(-1)?.bid === 2_000)
    stoodMs = BEHIND_MS + 2 * SECOND
    expect(follower!.isCurrent()).toBe(false)
    await until('it has looked', () => follower!.isCurrent())
  })
})

describe('entries that are gone', () => {
  test('cut past our position: the whole state is read again', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    await start()
    //  two entries, the first of which nobody can read any more
    const entry = (market: typeof A1) =>
      JSON.stringify({
        kind: 'changes',
        venue: 'a',
        markets: [market.market],
        quotes: [market.quote],
        closed: [],
      })
    await redis
      .multi()
      .hset(latestMarketsKey('a'), '2', JSON.stringify(A2.market))
      .hset(latestQuotesKey('a'), '2', JSON.stringify(A2.quote))
      .xadd(QUOTE_STREAM, '*', 'batch', entry(A2))
      .xadd(QUOTE_STREAM, '*', 'batch', entry(A1))
      .xtrim(QUOTE_STREAM, 'MAXLEN', 1)
      .exec()
    await until('a second warm start', () => warm.length === 2)
    expect(follower!.world().market('a', '2')).not.toBeNull()
  })

  test('cut behind our position: nothing happens', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const { world } = await start()
    await redis.xtrim(QUOTE_STREAM, 'MAXLEN', 0)
    await sendChanges(redis, 'a', { listed: [A2] })
    await until('the market', () => world().market('a', '2'))
    expect(warm).toHaveLength(1)
  })

  test('so many words that the world is worn: the whole state is read into a fresh one', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const { world } = await start()
    Object.defineProperty(world(), 'isWorn', { value: true })
    await sendChanges(redis, 'a', { listed: [A2] })
    await until('a second warm start', () => warm.length === 2)
    expect(world()).not.toBe(warm[0])
    expect(world().marketCount('a')).toBe(2)
  })

  test('a stream that began anew: the whole state is read again', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    await sendChanges(redis, 'a', { listed: [A2] })
    await start()
    await redis.flushall()
    await until('a second warm start', () => warm.length === 2)
    expect(follower!.world().marketCount('a')).toBe(0)
  })

  test('a stream that began anew and has entries already: the whole state is read again', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    await sendChanges(redis, 'a', { quotes: [A1.quote] })
    await start()
    const changes = { kind: 'changes', venue: 'a', markets: [], quotes: [A2.quote], closed: [] }
    await redis
      .multi()
      .flushall()
      .hset(latestMarketsKey('a'), '2', JSON.stringify(A2.market))
      .hset(latestQuotesKey('a'), '2', JSON.stringify(A2.quote))
      .xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify(changes))
      .exec()
    await until('a second warm start', () => warm.length === 2)
    expect([...follower!.world().marketIds('a')]).toEqual(['2'])
  })

  test.each([1, 2, 3])(
    'DATA-03 Redis lost its last entries, and has as many new ones or more: the whole state is read again (%i)',
    async (added) => {
      await sendChanges(redis, 'a', { listed: [A1, A2] })
      const { world } = await start()
      const goBack = await rememberStore(redis)
      for (const bidBps of [1_000, 2_000])
        await sendChanges(redis, 'a', { quotes: [{ ...A1.quote, bidBps }] })
      await until('the newest', () => world().listing('a', '1')?.quote.bidBps === 2_000)
      const back = goBack()
      const changes = { kind: 'changes', venue: 'a', markets: [], quotes: [A2.quote], closed: [] }
      for (let entry = 0; entry < added; entry++)
        back.xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify(changes))
      await back.exec()
      await until('a second warm start', () => warm.length === 2)
      expect(world().listing('a', '1')?.quote).toEqual(A1.quote)
    },
  )

  test('a read that fails: what is known stays, and it goes on from where it stood', async () => {
    await sendChanges(redis, 'a', { listed: [A1] })
    const blocking = new Redis(path(server), { maxRetriesPerRequest: 0 })
    blocking.on('error', () => {})
    const connection = await blocking.client('ID')
    const { world, problem } = await start(blocking)
    await redis.client('KILL', 'ID', connection)
    await until('it is told', () => problem() !== null)
    expect(world().market('a', '1')).not.toBeNull()
    await sendChanges(redis, 'b', { listed: [B1] })
    await until('the pair', () => world().pairs === 1)
    expect([warm.length, problem()]).toEqual([1, null])
  })

  test('a batch that breaks its contract is counted and passed over', async () => {
    const { world } = await start()
    await redis.xadd(QUOTE_STREAM, '*', 'batch', '{"kind":"changes"}')
    await redis.xadd(QUOTE_STREAM, '*', 'batch', 'no json')
    await redis.xadd(QUOTE_STREAM, '*', 'other', 'x')
    for (const value of [
      null,
      {
        kind: 'changes',
        venue: 'a',
        markets: [A2.market],
        quotes: [{ ...A2.quote, bidBps: 0.4 }],
        closed: [],
      },
      { kind: 'books', venue: 'a', books: [{ venue: 'a', marketId: '1' }] },
    ])
      await redis.xadd(QUOTE_STREAM, '*', 'batch', JSON.stringify(value))
    await sendChanges(redis, 'a', { listed: [A1] })
    await until('the market', () => world().market('a', '1'))
    expect([bad, world().market('a', '2')]).toEqual([6, null])
  })
})

describe('one batch applied', () => {
  const apply = (world: World, batch: Batch) => {
    const changes = noChanges()
    for (const _ of world.apply(batch, changes));
    return changes
  }
  const changes = (venue: 'a' | 'b', rest: object) => ({
    kind: 'changes' as const,
    venue,
    markets: [],
    quotes: [],
    closed: [],
    ...rest,
  })
  const make = () => {
    const world = new World({ nowMs: () => nowMs })
    apply(world, changes('a', { markets: [A1.market], quotes: [A1.quote] }))
    const added = apply(world, changes('b', { markets: [B1.market], quotes: [B1.quote] }))
    expect([...added.pairs]).toEqual(['a:1|b:KXCHILE-27JUL01-OBER'])
    return world
  }

  test('VEN-11 a market that closed is gone with its pair in the same batch', () => {
    const world = make()
    const after = apply(world, changes('a', { closed: ['1'] }))
    expect([...after.pairs]).toEqual(['a:1|b:KXCHILE-27JUL01-OBER'])
    expect([world.pairs, world.market('a', '1'), world.listing('a', '1')]).toEqual([0, null, null])
    expect(after.touched).toContainEqual({ venue: 'b', marketId: B1.market.marketId }) //  it is in no pair now
  })

  test('VEN-11 a market in no pair that closed is told, and so is every market that came or moved', () => {
    const world = make()
    const touched = (rest: object) => apply(world, changes('a', rest)).touched
    const told = [{ venue: 'a', marketId: '2' }]
    expect(touched({ markets: [A2.market] })).toEqual(told)
    expect(touched({ quotes: [A2.quote] })).toEqual(told)
    expect(touched({ closed: ['2'] })).toEqual(told)
  })

  test('of more than 2,000 books the one unheard of longest is forgotten', () => {
    const world = new World({ nowMs: () => nowMs })
    const say = (marketId: string) => {
      const book = { venue: 'b' as const, marketId, bids: [], asks: [], venueMs: null, seenMs: 1 }
      apply(world, { kind: 'books', venue: 'b', books: [book] })
    }
    for (let at = 0; at < 2_000; at++) say(`KX-${at}`)
    say('KX-0')
    say('KX-2000')
    expect(['KX-0', 'KX-1', 'KX-2', 'KX-2000'].filter((id) => world.book('b', id) === null)).toEqual(['KX-1'])
  })

  test.each([999, 1_000, 1_001])(
    'VEN-08 what comes later is newer, whatever the clock said: seen at %d',
    (seenMs) => {
      const world = make()
      apply(world, changes('a', { quotes: [{ ...A1.quote, bidBps: 3_000, seenMs }] }))
      expect(world.listing('a', '1')!.quote.bidBps).toBe(3_000)
      const book = { venue: 'b' as const, marketId: B1.market.marketId, asks: [], venueMs: null }
      apply(world, { kind: 'books', venue: 'b', books: [{ ...book, bids: [[4_000, 1]], seenMs: 1_000 }] })
      apply(world, { kind: 'books', venue: 'b', books: [{ ...book, bids: [[3_000, 1]], seenMs }] })
      expect(world.book('b', B1.market.marketId)!.bids).toEqual([[3_000, 1]])
    },
  )

  test('what moved a leg moved its pair: quote, text, depth; nothing else does', () => {
    const world = make()
    const pairId = 'a:1|b:KXCHILE-27JUL01-OBER'
    const other = { market: marketA('7', 'Will it rain?'), quote: quote('a', '7', 1, 2) }
    const moved = (batch: Batch) => [...apply(world, batch).pairs]
    expect(moved(changes('a', { quotes: [{ ...A1.quote, bidBps: 3_000 }] }))).toEqual([pairId])
    expect(moved(changes('a', { markets: [{ ...A1.market, url: 'https://polymarket.com/x' }] }))).toEqual([
      pairId,
    ])
    const book = { venue: 'b' as const, marketId: B1.market.marketId, bids: [], asks: [], venueMs: null }
    expect(moved({ kind: 'books', venue: 'b', books: [{ ...book, seenMs: 1 }] })).toEqual([pairId])
    expect(moved(changes('a', { markets: [other.market], quotes: [other.quote] }))).toEqual([])
  })

  test('a listing is the same object until its text or its quote moves', () => {
    const world = make()
    const before = world.listing('a', '1')!
    apply(world, changes('b', { quotes: [B1.quote] }))
    expect(world.listing('a', '1')).toBe(before)
    apply(world, changes('a', { markets: [{ ...A1.market, url: 'https://polymarket.com/x' }] }))
    const edited = world.listing('a', '1')!
    expect([edited.market.url, edited.quote]).toEqual(['https://polymarket.com/x', before.quote])
    apply(world, changes('a', { quotes: [{ ...A1.quote, bidBps: 3_000 }] }))
    expect(world.listing('a', '1')).toMatchObject({ market: edited.market, quote: { bidBps: 3_000 } })
    expect(world.listing('a', '1')!.market).toBe(edited.market)
  })

  test('a quote of a market nobody told us about is no market', () => {
    const world = make()
    const after = apply(world, changes('a', { quotes: [quote('a', '77', 1, 2)] }))
    expect([after.touched, world.listing('a', '77')]).toEqual([[], null])
  })

  test.each([
    ['a newer complete sweep', { startedMs: 6_000 }, 6_000],
    ['an older one that arrives late (VEN-04)', { sweepId: 0, startedMs: 6_000 }, 5_000],
    ['the same once more', { sweepId: 1, startedMs: 6_000 }, 5_000],
    ['a newer one whose clock was put right (VEN-08)', { startedMs: 4_000 }, 4_000],
    ['one whose clock is ahead of ours (VEN-08)', { startedMs: NOW + HOUR }, NOW],
    ['one with a page missing (VEN-02)', { startedMs: 6_000, complete: false }, 5_000],
  ])('freshness after %s', (_, change, startedMs) => {
    const world = make()
    const sweep = {
      venue: 'a' as const,
      sweepId: 1,
      startedMs: 5_000,
      finishedMs: 5_000,
      changedMs: 5_000,
      complete: true,
      markets: 1,
      pages: 1,
      dropped: {},
    }
    apply(world, { kind: 'sweep', venue: 'a', sweep })
    apply(world, { kind: 'sweep', venue: 'a', sweep: { ...sweep, sweepId: 2, ...change } })
    expect(world.completeSweep('a')!.startedMs).toBe(startedMs)
  })

  test('VEN-07 what changed by a clock ahead of ours changed now: a venue that froze then counts as old in time', () => {
    const world = make()
    const [startedMs, finishedMs, changedMs] = [NOW + HOUR, NOW + HOUR, NOW + HOUR]
    const rest = { sweepId: 1, complete: true, markets: 1, pages: 1, dropped: {} }
    const sweep = { venue: 'a' as const, startedMs, finishedMs, changedMs, ...rest }
    apply(world, { kind: 'sweep', venue: 'a', sweep })
    expect(world.completeSweep('a')!.changedMs).toBe(NOW)
  })

  test('VEN-08 books of a clock that is ahead grow old from now on', () => {
    const world = make()
    const book = { venue: 'b' as const, marketId: B1.market.marketId, bids: [], asks: [], venueMs: null }
    apply(world, { kind: 'books', venue: 'b', books: [{ ...book, seenMs: NOW + HOUR }] })
    expect(world.book('b', B1.market.marketId)!.seenMs).toBe(NOW)
  })

  test.each([
    [5_000, true],
    [5_001, false],
  ])('VEN-08 the state says it is %d ms ahead of our clock: believed %s', (aheadMs, believed) => {
    const world = new World({ nowMs: () => NOW })
    const startedMs = NOW + aheadMs
    world.loadSweep({
      venue: 'a',
      sweepId: 1,
      startedMs,
      finishedMs: startedMs,
      changedMs: startedMs,
      complete: true,
      markets: 1,
      pages: 1,
      dropped: {},
    })
    expect(world.completeSweep('a') !== null).toBe(believed)
  })
})
