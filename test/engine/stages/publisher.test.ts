import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { GapsBoard } from '../../../engine/contract/gaps.ts'
import { SNAPSHOT_STREAM, Snapshot, snapshotKey } from '../../../engine/contract/snapshot.ts'
import type { AsOf, Board, BoardGroup } from '../../../engine/stages/board.ts'
import { LONGEST_REST_MS } from '../../../engine/stages/groupPace.ts'
import { FENCE_KEY } from '../../../engine/stages/keys.ts'
import { lastAsOf, Publisher } from '../../../engine/stages/publisher.ts'
import { gapsBoard } from '../../../engine/stages/refreshGaps.ts'
import { noChanges, World } from '../../../engine/stages/world.ts'
import type { Batch } from '../../../ingest/contract/stream.ts'
import { createLog } from '../../../ops/log.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { sleep, until } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { marketA, marketB, quote } from '../support/markets.ts'

const NOW = 1_800_000_000_000
let server: TestRedis
let redis: Redis
let publisher: Publisher | null = null
let nowMs = NOW
let fence: string | null = '1'
let isCurrent = true
let refused = 0
let lagsMs: (number | null)[] = [] //  of each publication

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})
beforeEach(async () => {
  await redis.flushall()
  await redis.set(FENCE_KEY, 1)
  nowMs = NOW
  fence = '1'
  isCurrent = true
  refused = 0
  lagsMs = []
})
afterEach(async () => {
  vi.useRealTimers()
  await publisher?.stop()
  publisher = null
})

const CLOSE = NOW + 90 * 24 * 60 * MINUTE
const markets = {
  a: marketA('1', 'Will Ola Berg visit Chile by June 30, 2027?', { closeMs: CLOSE }),
  b: marketB('KXCHILE-27JUL01-OBER', 'Will Ola Berg visit Chile before Jul 1, 2027?', {
    outcome: 'Ola Berg',
    closeMs: CLOSE,
  }),
}
let sweeps = 0
const sweepBatch = (venue: 'a' | 'b', startedMs: number, changedMs = startedMs): Batch => ({
  kind: 'sweep',
  venue,
  sweep: {
    venue,
    sweepId: ++sweeps,
    startedMs,
    finishedMs: startedMs,
    changedMs,
    complete: true,
    markets: 1,
    pages: 1,
    dropped: {},
  },
})
const quoteBatch = (venue: 'a' | 'b', bid: number, seenMs = 1_000): Batch => ({
  kind: 'changes',
  venue,
  markets: [],
  quotes: [quote(venue, markets[venue].marketId, bid, bid + 100, { seenMs })],
  closed: [],
})

const GAPS_ONLY = (): readonly BoardGroup[] => [{ boards: [gapsBoard()], everyMs: 0 }]

function start(world: World, groups = GAPS_ONLY(), before: AsOf = { a: null, b: null }) {
  publisher = new Publisher({
    redis,
    clock: { nowMs: () => nowMs },
    lead: { fence: () => fence },
    isCurrent: () => isCurrent,
    groups,
    freshness: { maxAgeMs: 90 * SECOND, frozenAfterMs: 10 * MINUTE, recorded: false },
    before,
    log: createLog('test', 'fatal'),
    onPublished: ({ lagMs }) => lagsMs.push(lagMs),
    onRefused: () => refused++,
  })
  publisher.warm(world)
  return (...batches: Batch[]) => {
    for (const batch of batches) {
      const changes = noChanges()
      for (const _ of world.apply(batch, changes));
      publisher!.note(changes, Date.now())
    }
  }
}

function paired(): World {
  const world = new World({ nowMs: () => nowMs })
  for (const venue of ['a', 'b'] as const) {
    const changes = noChanges()
    for (const _ of world.apply(
      {
        kind: 'changes',
        venue,
        markets: [markets[venue]],
        quotes: [
          quote(venue, markets[venue].marketId, venue === 'a' ? 4_000 : 4_500, venue === 'a' ? 4_100 : 4_600),
        ],
        closed: [],
      },
      changes,
    ));
    for (const _ of world.apply(sweepBatch(venue, NOW - 2_000), changes));
  }
  return world
}

async function newest() {
  const text = await redis.get(snapshotKey('gaps'))
  if (text === null) return null
  const snapshot = Snapshot.parse(JSON.parse(text))
  return { ...snapshot, body: GapsBoard.parse(snapshot.body) }
}
const when = (what: string, is: (snapshot: NonNullable<Awaited<ReturnType<typeof newest>>>) => boolean) =>
  until(what, async () => {
    const snapshot = await newest()
    return snapshot !== null && is(snapshot) ? snapshot : null
  })

describe('what is published', () => {
  test('a board that follows its contract, with the freshness of both venues', async () => {
    start(paired())
    const snapshot = await when('a snapshot', () => true)
    expect(snapshot).toMatchObject({
      version: 1,
      fence: 1,
      publishedMs: NOW,
      asOfMs: { a: NOW - 2_000, b: NOW - 2_000 },
    })
    expect(snapshot.body).toMatchObject({ markets: { a: 1, b: 1 }, pairs: 1 })
    expect(snapshot.body.rows).toMatchObject([{ gapCents: 5, netCents: 4, executable: true }])
  })

  test('a changed quote of a pair, and a sweep that changed nothing but the freshness', async () => {
    const send = start(paired())
    await when('the first', ({ version }) => version === 1)
    send(quoteBatch('b', 5_000))
    await when('the quote', ({ body }) => body.rows[0]?.gapCents === 10)
    send(sweepBatch('a', NOW - 500))
    const { version } = await when('the sweep', ({ asOfMs }) => asOfMs.a === NOW - 500)
    expect(version).toBe(3)
  })

  test('a burst of changes is published together', async () => {
    const send = start(paired())
    await when('the first', ({ version }) => version === 1)
    for (let step = 1; step <= 200; step++) send(quoteBatch('b', 4_500 + step))
    const { version } = await when('the last', ({ body }) => body.rows[0]?.b.bidBps === 4_700)
    expect(version).toBeLessThan(5)
  })

  test('nothing while nothing happens', async () => {
    start(paired())
    await when('the first', ({ version }) => version === 1)
    await sleep(1_500)
    expect((await newest())!.version).toBe(1)
  })
})

describe('old data is said to be old', () => {
  test('VEN-09 A fresh, B forty minutes old: both ages are shown, no row is executable', async () => {
    const world = new World({ nowMs: () => nowMs })
    for (const venue of ['a', 'b'] as const) {
      const changes = noChanges()
      for (const _ of world.apply(
        {
          kind: 'changes',
          venue,
          markets: [markets[venue]],
          quotes: [quote(venue, markets[venue].marketId, 4_000, 4_100)],
          closed: [],
        },
        changes,
      ));
      for (const _ of world.apply(
        sweepBatch(venue, venue === 'a' ? NOW - 1_000 : NOW - 40 * MINUTE),
        changes,
      ));
    }
    start(world)
    const snapshot = await when('a snapshot', () => true)
    expect(snapshot.asOfMs).toEqual({ a: NOW - 1_000, b: NOW - 40 * MINUTE })
    expect(snapshot.body.rows.map(({ executable }) => executable)).toEqual([false])
  })

  test('data that turns stale by itself is published as such', async () => {
    start(paired())
    await when('executable', ({ body }) => body.rows[0]?.executable === true)
    nowMs = NOW + 89 * SECOND
    await when('not executable', ({ body }) => body.rows[0]?.executable === false)
  })

  test('VEN-07 a frozen venue stays at its last change although its sweeps go on', async () => {
    const send = start(paired())
    nowMs = NOW + 11 * MINUTE
    send(sweepBatch('a', nowMs - 1_000), sweepBatch('b', nowMs - 1_000, NOW - 2_000))
    const { asOfMs } = await when('the sweeps', (snapshot) => snapshot.asOfMs.a === NOW + 11 * MINUTE - 1_000)
    expect(asOfMs.b).toBe(NOW - 2_000)
  })

  test('VEN-08 a sweep from the future counts as now', async () => {
    const send = start(paired())
    send(sweepBatch('a', NOW + 60 * MINUTE))
    const { asOfMs } = await when('the sweep', (snapshot) => snapshot.asOfMs.a !== NOW - 2_000)
    expect(asOfMs.a).toBe(NOW)
  })

  test('VEN-08 a clock that is put right: what it said of the future says nothing, whoever said it', async () => {
    nowMs = NOW + 60 * MINUTE
    const made = paired()
    for (const venue of ['a', 'b'] as const)
      for (const _ of made.apply(sweepBatch(venue, nowMs), noChanges()));
    const before = { a: nowMs, b: NOW - 2_000 } //  what the last engine published
    nowMs = NOW
    const send = start(made, undefined, before)
    const { asOfMs } = await when('a snapshot', () => true)
    expect(asOfMs).toEqual({ a: null, b: NOW - 2_000 })
    send(sweepBatch('a', NOW - 500))
    await when('fresh again', (snapshot) => snapshot.asOfMs.a === NOW - 500)
  })

  test('VEN-08 a last engine whose clock was a little ahead knew of now', async () => {
    start(new World({ nowMs: () => nowMs }), undefined, { a: NOW + 3 * SECOND, b: NOW - 2_000 })
    const { asOfMs } = await when('a snapshot', () => true)
    expect(asOfMs).toEqual({ a: NOW, b: NOW - 2_000 })
  })

  test('I17 a store that was emptied: until its first complete sweep nobody knows how old what is in it is', async () => {
    start(paired(), undefined, { a: NOW - 3_000, b: NOW - 3_000 })
    await when('the first', ({ version }) => version === 1)
    publisher!.warm(new World({ nowMs: () => nowMs }))
    const { asOfMs } = await when('the emptied one', ({ body }) => body.markets.a === 0)
    expect(asOfMs).toEqual({ a: null, b: null })
  })

  test('I17 a body that was made before says so', async () => {
    const asOf = { a: NOW - 30_000, b: NOW - 40_000 }
    const old: Board = { name: 'old', warm() {}, note: () => true, body: () => ({ asOf, fields: {} }) }
    start(paired(), [{ boards: [old], everyMs: 0 }])
    const text = await until('it is out', () => redis.get(snapshotKey('old')))
    expect(Snapshot.parse(JSON.parse(text!)).asOfMs).toEqual(asOf)
  })

  test('what the last engine knew holds until a complete sweep is seen', async () => {
    start(paired())
    await when('a snapshot', () => true)
    expect(await lastAsOf(redis, 'gaps')).toEqual({ a: NOW - 2_000, b: NOW - 2_000 })
    await redis.set(snapshotKey('gaps'), 'broken')
    expect(await lastAsOf(redis, 'gaps')).toEqual({ a: null, b: null })
    expect(await lastAsOf(redis, 'other')).toEqual({ a: null, b: null })
  })
})

describe('VEN-18 who may publish', () => {
  test('a stand-by follows and publishes nothing, and everything at once when it comes to lead', async () => {
    fence = null
    const send = start(paired())
    send(quoteBatch('b', 5_000))
    await sleep(300)
    expect(await redis.exists(snapshotKey('gaps'), SNAPSHOT_STREAM)).toBe(0)
    expect(refused).toBe(0)
    fence = '1'
    publisher!.lead()
    await when('the newest state', ({ body }) => body.rows[0]?.gapCents === 10)
  })

  test('who comes to lead again publishes everything under the new fence, also what has not changed since', async () => {
    vi.useFakeTimers({ toFake: ['performance'] }) //  so that no silence grows long enough to publish boards by itself
    start(paired())
    await when('the first', ({ version }) => version === 1)
    fence = String(await redis.incr(FENCE_KEY))
    vi.advanceTimersByTime(LONGEST_REST_MS)
    publisher!.lead()
    const { version } = await when('the second', (snapshot) => snapshot.fence === 2)
    expect(version).toBe(2)
  })

  test('a leader that does not know yet that it was replaced is refused', async () => {
    const send = start(paired())
    await when('the first', ({ version }) => version === 1)
    await redis.set(FENCE_KEY, 2)
    send(quoteBatch('b', 5_000))
    await until('the refusal', () => refused > 0)
    expect((await newest())!.version).toBe(1)
  })
})

describe('another world is loaded while boards are being made of the one before', () => {
  const worldOf = (bid: number) => {
    const world = paired()
    for (const _ of world.apply(quoteBatch('b', bid), noChanges()));
    return world
  }
  const bidsOf = ({ body }: NonNullable<Awaited<ReturnType<typeof newest>>>) =>
    body.rows.map(({ b }) => b.bidBps)

  test('while one is worked off ahead: the next holds the new world, and nothing of the other', async () => {
    const gaps = gapsBoard()
    let worked = 0
    /** Work of more than a slice, and then what was begun. */
    function* approach(...of: Parameters<NonNullable<Board['approach']>>): Generator<void> {
      const begun = gaps.approach!(...of)
      const untilMs = performance.now() + 30
      if (++worked === 2) setImmediate(() => publisher!.warm(worldOf(4_900)))
      while (performance.now() < untilMs);
      yield
      if (begun !== undefined) yield* begun
    }
    const note = start(worldOf(4_500), [{ boards: [{ ...gaps, approach }], everyMs: 0 }])
    await when('the first one', ({ version }) => version === 1)
    note(quoteBatch('b', 4_700))
    const found = await when('the new world', (snapshot) => bidsOf(snapshot).includes(4_900))
    expect(bidsOf(found)).toEqual([4_900])
    note(quoteBatch('b', 4_800)) //  of the world before
    await sleep(300)
    expect(bidsOf((await newest())!)).toEqual([4_900])
  })
  test('while it is read what is stored of a board: the next holds the new world', async () => {
    const gaps = gapsBoard()
    const prepare = async () => {
      await sleep(5)
      publisher!.warm(worldOf(4_900))
    }
    start(worldOf(4_500), [{ boards: [{ ...gaps, prepare }], everyMs: 0 }])
    const found = await when('the new world', ({ version }) => version >= 2)
    expect(bidsOf(found)).toEqual([4_900])
  })
})

describe('groups are published one after the other', () => {
  const order: string[] = []
  beforeEach(() => {
    order.length = 0
  })
  const board = (name: string, rest: Partial<Board> = {}): Board => ({
    name,
    warm() {},
    note: ({ sweep }) => name === 'first' || sweep,
    body: () => {
      order.push(name)
      return { fields: {} }
    },
    ...rest,
  })
  let note = (..._: Batch[]) => {}
  /** Moves a quote, and then has work to do until the first group is due again. */
  function* dear(): Generator<void> {
    note(quoteBatch('b', 4_500 + order.length, 1_000 + order.length))
    const untilMs = performance.now() + LONGEST_REST_MS + 100
    while (performance.now() < untilMs) yield
  }

  test('what came due again goes before what waits behind it, so that a dear board holds nobody up twice', async () => {
    const boards = [board('first'), board('second', { approach: dear }), board('third', { approach: dear })]
    note = start(
      paired(),
      boards.map((each) => ({ boards: [each], everyMs: 0 })),
    )
    await until('all were published', () => order.length >= 5)
    expect(order).toEqual(['first', 'second', 'first', 'third', 'first'])
  })

  test('one that stands aside holds nobody up at all', async () => {
    note = start(paired(), [
      { boards: [board('first')], everyMs: 0 },
      { boards: [board('aside', { approach: dear })], everyMs: 0, aside: true },
    ])
    await until('both were published', () => order.includes('aside'))
    expect(order.slice(0, 3)).toEqual(['first', 'first', 'aside'])
  })

  test('another world waits for what is being published, aside as well, and nothing is begun before it comes', async () => {
    let mayEnd = false
    function* approach(): Generator<void> {
      while (!mayEnd) yield
    }
    const warm = () => void order.push('warm')
    note = start(paired(), [
      { boards: [board('first', { warm })], everyMs: 0 },
      { boards: [board('aside', { approach })], everyMs: 0, aside: true },
    ])
    await until('the first one', () => order.includes('first'))
    publisher!.warm(paired())
    note(quoteBatch('b', 4_700), sweepBatch('b', NOW + 1_000))
    await sleep(300)
    expect(order).toEqual(['warm', 'first'])
    mayEnd = true
    await until('both of the new one', () => order.length >= 6)
    expect(order.slice(0, 4)).toEqual(['warm', 'first', 'aside', 'warm'])
  })

  test('boards of one group are told of everything, and describe one instant', async () => {
    let told = 0
    const instants: unknown[] = []
    const body: Board['body'] = (_, at) => {
      instants.push(at)
      return { fields: {} }
    }
    const second = board('second', { body, note: () => ++told < 0 })
    note = start(paired(), [{ boards: [board('first', { body }), second], everyMs: 0 }])
    note(quoteBatch('b', 4_700, 2_000))
    expect(told).toBe(1)
    await until('both were published', () => instants.length >= 2)
    expect(instants[1]).toBe(instants[0])
  })

  test('a change whose publication failed is still to be published, and counts from when it was written', async () => {
    let asked = 0
    const body: Board['body'] = () => {
      if (++asked === 2) throw new Error('this once')
      return { fields: {} }
    }
    note = start(paired(), [{ boards: [board('first', { body })], everyMs: 0 }])
    await until('the first one', () => lagsMs.length === 1)
    note(quoteBatch('b', 4_700, 2_000))
    await until('it is tried again', () => lagsMs.length === 2)
    expect([asked, lagsMs]).toEqual([3, [null, expect.any(Number)]])
  })

  test('who stops waits for what is being published, and begins nothing more', async () => {
    let [isBegun, mayEnd] = [false, false]
    function* approach(): Generator<void> {
      isBegun = true
      while (!mayEnd) yield
    }
    start(
      paired(),
      [board('first', { approach }), board('second')].map((each) => ({ boards: [each], everyMs: 0 })),
    )
    await until('the first is begun', () => isBegun)
    const stopped = publisher!.stop()
    mayEnd = true
    await stopped
    expect([await redis.exists(snapshotKey('first')), order]).toEqual([1, ['first']])
  })

  test('nobody waits for what is remembered', async () => {
    let asked = 0
    const never = () => {
      asked++
      return new Promise<void>(() => {})
    }
    note = start(paired(), [{ boards: [board('first', { remember: never })], everyMs: 0 }])
    await until('the first one', () => asked === 1)
    note(quoteBatch('b', 4_700, 2_000))
    await until('the next one', () => order.length === 2)
  })

  test('while the world is not current nothing is published, were it the turn of time; what moved meanwhile is, then', async () => {
    note = start(paired(), [{ boards: [board('first')], everyMs: 0 }])
    await until('the first one', () => lagsMs.length === 1)
    isCurrent = false
    note(quoteBatch('b', 4_700, 2_000))
    nowMs += 2 * MINUTE //  venues have turned stale
    await sleep(LONGEST_REST_MS + 500)
    expect(order).toHaveLength(1)
    isCurrent = true
    note(sweepBatch('a', nowMs))
    await until('the next one', () => lagsMs.length === 2)
    expect(lagsMs[1]).not.toBeNull()
  })

  test('who stood still while a group was being published does not go on with it', async () => {
    function* approach(): Generator<void> {
      order.push('approach')
      isCurrent = order.length > 1
      yield
    }
    note = start(paired(), [{ boards: [board('first', { approach })], everyMs: 0 }])
    await until('it is begun', () => order.length === 1)
    await sleep(100)
    expect([order, await redis.exists(snapshotKey('first'))]).toEqual([['approach'], 0])
    isCurrent = true
    await until('it is published', () => lagsMs.length === 1)
    expect(order).toEqual(['approach', 'approach', 'first'])
  })

  describe('who stops remembers once more what it published last', () => {
    let asked: boolean[] = [] //  whether it was the last time
    beforeEach(() => {
      asked = []
    })
    const remember = async (_fence: number, isLast: boolean) => void asked.push(isLast)

    test('after everything else', async () => {
      start(paired(), [{ boards: [board('first', { remember })], everyMs: 0 }])
      await until('it is published', () => asked.length === 1)
      await publisher!.stop()
      expect(asked).toEqual([false, true])
    })

    test('not when another one leads', async () => {
      start(paired(), [{ boards: [board('first', { remember })], everyMs: 0 }])
      await until('it is published', () => asked.length === 1)
      fence = null
      await publisher!.stop()
      expect(asked).toEqual([false])
    })

    test('nor what could not be published', async () => {
      const body = () => {
        order.push('first')
        throw new Error('this once')
      }
      start(paired(), [{ boards: [board('first', { body, remember })], everyMs: 0 }])
      await until('it failed', () => order.length === 1)
      await publisher!.stop()
      expect(asked).toEqual([])
    })

    test.each([
      ['fails', () => Promise.reject(new Error('the store is away'))],
      ['never ends', () => new Promise<void>(() => {})],
    ])('and stops though that %s', async (_what, end) => {
      const last = (fenceNow: number, isLast: boolean) => remember(fenceNow, isLast).then(end)
      start(paired(), [{ boards: [board('first', { remember: last })], everyMs: 0 }])
      await until('it is published', () => asked.length === 1)
      await publisher!.stop()
      expect(asked).toEqual([false, true])
    })
  })

  test('when nobody waits for the engine boards that put something off go out, and no others', async () => {
    let rests = 0
    const rest = (wants: boolean) => () => {
      rests++
      return wants
    }
    note = start(paired(), [
      { boards: [board('first', { rest: rest(true) })], everyMs: 0 },
      { boards: [board('second', { rest: rest(false) })], everyMs: 0 },
    ])
    await until('both were published', () => order.length === 2)
    publisher!.rest()
    await until('the first again', () => order.length === 3)
    note(quoteBatch('b', 4_700, 2_000))
    await until('and something moved', () => order.length === 5)
    expect([order, rests]).toEqual([['first', 'second', 'first', 'first', 'second'], 2])
  })

  test('a memory that cannot be written holds up no publication', async () => {
    let asked = 0
    const remember = async () => {
      asked++
      throw new Error('the store is away')
    }
    note = start(paired(), [{ boards: [board('first', { remember })], everyMs: 0 }])
    await until('the first one', () => asked === 1)
    note(quoteBatch('b', 4_700, 2_000))
    await until('it is tried again', () => asked === 2)
    expect(order).toHaveLength(2)
  })
})
