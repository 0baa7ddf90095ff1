import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BOARD_NAMES } from '../../api/boards.ts'
import { followBoards } from '../../api/latest.ts'
import type { Rows } from '../../api/placedRows.ts'
import type { NetRow } from '../../engine/contract/nets.ts'
import { rowsKey, SNAPSHOT_STREAM, snapshotKey } from '../../engine/contract/snapshot.ts'
import { RowSlots } from '../../engine/core/boards/rowSlots.ts'
import { FENCE_KEY, versionKey } from '../../engine/stages/keys.ts'
import { ListStore } from '../../engine/stages/listStore.ts'
import { publish } from '../../engine/stages/publish.ts'
import { createLog } from '../../ops/log.ts'
import { connectRedis } from '../../ops/redis.ts'
import {
  publishSnapshot,
  snapshotOf,
  someBookRow,
  someCard,
  someEdge,
  someGap,
  someMover,
  someNet,
  someSnapshot,
  someTopic,
} from '../support/boards.ts'
import { quietLog } from '../support/ledger.ts'
import { rememberStore, startRedis, watched } from '../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const follow = (url = server.url) =>
  followBoards({
    reader: connectRedis(url, { log: quietLog, name: 'test-boards', blocking: true }),
    log: quietLog,
  })

test('VEN-04 boards follow the stream, start with the newest, and never go back', async () => {
  const first = someSnapshot([someGap()], { version: 5, publishedMs: 5_000 })
  await publishSnapshot(server.url, first)
  const follower = follow()
  const version = () => follower.boards.gaps?.snapshot.version
  await expect.poll(version).toBe(5)
  await publishSnapshot(server.url, { ...first, version: 6, publishedMs: 6_000 })
  await expect.poll(version).toBe(6)
  await publishSnapshot(server.url, { ...first, version: 4, publishedMs: 4_000 }) // an older version that arrives late
  await publishSnapshot(server.url, { ...first, version: 7, publishedMs: 7_000 })
  await expect.poll(version).toBe(7)
  await follower.stop()
})

test('VEN-04 nor to an earlier board of the same version', async () => {
  const newest = someSnapshot([someGap()], { version: 20, publishedMs: 20_000 })
  await publishSnapshot(server.url, newest)
  const follower = follow()
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(20)
  await publishSnapshot(server.url, { ...newest, publishedMs: 19_999 })
  await publishSnapshot(server.url, snapshotOf('edges', { rows: [someEdge()] }, 20_000, { version: 20 }))
  await expect.poll(() => follower.boards.edges?.snapshot.version).toBe(20)
  expect(follower.boards.gaps!.snapshot.publishedMs).toBe(20_000)
  await follower.stop()
})

test('a board whose read failed is read again, though none is published', async () => {
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 30, publishedMs: 30_000 }))
  const reader = connectRedis(server.url, { log: quietLog, name: 'test-boards', blocking: true })
  const get = vi.spyOn(reader, 'get').mockRejectedValueOnce(new Error('LOADING Redis is loading the dataset'))
  const follower = followBoards({ reader, log: quietLog })
  await expect.poll(() => follower.boards.gaps?.snapshot.version, { timeout: 5_000 }).toBe(30)
  expect(get.mock.calls[0]).toEqual([snapshotKey('gaps')])
  await follower.stop()
})

test('a store that lost its versions begins again, with later boards', async () => {
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 50, publishedMs: 5_000 }))
  const follower = follow()
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(50)
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 1, publishedMs: 9_000 }))
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(1)
  await follower.stop()
})

test('DATA-03 a store that begins anew on a host whose clock is behind: its boards are taken as well', async () => {
  const store = await startRedis()
  const redis = new Redis(store.url.slice('unix:'.length))
  await publishSnapshot(store.url, someSnapshot([someGap()], { version: 50, publishedMs: 5_000 }))
  const follower = follow(store.url)
  const version = () => follower.boards.gaps?.snapshot.version
  await expect.poll(version).toBe(50)
  await redis.flushall()
  await redis.set(snapshotKey('gaps'), JSON.stringify(someSnapshot([], { version: 1, publishedMs: 9_000 })))
  await redis.xadd(SNAPSHOT_STREAM, '1-1', 'name', 'gaps') //  an id of long ago
  await expect.poll(version, { timeout: 45_000 }).toBe(1)
  await publishSnapshot(store.url, someSnapshot([], { version: 2, publishedMs: 10_000 }))
  await expect.poll(version, { timeout: 45_000 }).toBe(2)
  await follower.stop()
  redis.disconnect()
  await store.stop()
})

test('while the store is away the last boards stay; then the next is taken, and nobody waits for it who stops', async () => {
  const store = await startRedis()
  const publishAs = (version: number) =>
    publishSnapshot(store.url, someSnapshot([someGap()], { version, publishedMs: version }))
  await publishAs(1)
  const follower = follow(store.url)
  const version = () => follower.boards.gaps?.snapshot.version
  await expect.poll(version).toBe(1)
  await store.kill()
  await store.restart()
  expect(version()).toBe(1)
  await publishAs(2)
  await expect.poll(version).toBe(2)
  await store.kill()
  await sleep(200) //  time to notice it
  await follower.stop()
  expect(version()).toBe(2)
  await store.stop()
})

test('VEN-16 a value that cannot be read leaves the last board in place', async () => {
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 60, publishedMs: 10_000 }))
  const follower = follow()
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(60)
  await publishSnapshot(server.url, { ...someSnapshot([]), version: 61, body: { rows: 'half' } })
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 62, publishedMs: 11_000 }))
  await expect.poll(() => follower.boards.gaps?.snapshot.version, { timeout: 5_000 }).toBe(62)
  await follower.stop()
})

test('VEN-16 a board that cannot be read is told once, and again when it could be read in between', async () => {
  const reader = connectRedis(server.url, { log: quietLog, name: 'test-boards', blocking: true })
  const log = createLog('test', 'silent')
  const warn = vi.spyOn(log, 'warn').mockImplementation(() => {})
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 70, publishedMs: 70_000 }))
  const follower = followBoards({ reader, log })
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(70)
  const tellBad = (version: number) =>
    publishSnapshot(server.url, { ...someSnapshot([]), version, body: { rows: 'half' } })
  const tellGood = async (version: number) => {
    await publishSnapshot(server.url, someSnapshot([someGap()], { version, publishedMs: version * 1_000 }))
    await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(version)
  }
  await tellBad(71)
  await expect.poll(() => warn.mock.calls.length).toBe(1)
  await tellBad(72)
  await tellGood(73)
  expect(warn).toHaveBeenCalledTimes(1)
  await tellBad(74)
  await expect.poll(() => warn.mock.calls.length).toBe(2)
  expect(warn.mock.calls).toEqual(
    Array(2).fill([expect.objectContaining({ board: 'gaps' }), expect.any(String)]),
  )
  await follower.stop()
})

describe('every board of the contract is followed', () => {
  const BODIES = {
    gaps: someSnapshot([someGap()]).body,
    nets: { rows: [someNet()] },
    edges: { rows: [someEdge()] },
    gapCards: { cards: [someCard()], unqualified: {} },
    movers: { hour: [], day: [someMover()], week: [], dropped: {} },
    book: { a: [someBookRow()], b: [] },
    refusals: {
      pairs: 1,
      refused: 2,
      counts: { words: 2 },
      lookAlikes: [
        {
          a: { marketId: '1', title: 'Will Ola visit Chile?', url: 'https://polymarket.com/event/1' },
          b: { marketId: 'KX-1', title: 'Will Ola visit Peru?', url: 'https://kalshi.com/markets/kx' },
          category: null,
          reasons: ['name'],
          similarity: 0.75,
        },
      ],
    },
    topics: { a: [someTopic()], b: [someTopic({ venue: 'b' })], bound: 10, known: { a: 1, b: 1 } },
  }
  const publishAll = (version: number) =>
    Promise.all(
      Object.entries(BODIES).map(([name, body]) =>
        publishSnapshot(server.url, snapshotOf(name, body, version * 1_000, { version })),
      ),
    )
  const versions = ({ boards }: ReturnType<typeof follow>) =>
    BOARD_NAMES.map((name) => boards[name]?.snapshot.version)

  test('the newest of each, with its search', async () => {
    expect([...BOARD_NAMES].sort()).toEqual(Object.keys(BODIES).sort())
    await publishAll(100)
    const follower = follow()
    await expect.poll(() => versions(follower)).toEqual(BOARD_NAMES.map(() => 100))
    await publishAll(101)
    await expect.poll(() => versions(follower)).toEqual(BOARD_NAMES.map(() => 101))
    const { nets, movers, book, topics } = follower.boards
    expect(nets!.search('fed', 9)).toHaveLength(1)
    expect(movers!.search.day('fed', 9)).toHaveLength(1)
    expect(movers!.search.hour('fed', 9)).toEqual([])
    expect(book!.search.a('fed tennis', 9)).toHaveLength(1) //  one shared word is enough
    expect(topics!.search.b('fed', 9)).toMatchObject([{ venue: 'b' }])
    expect(topics!.search.b('fed tennis', 9)).toEqual([])
    await follower.stop()
  })

  test('VEN-04 none of them goes back', async () => {
    await publishAll(200)
    const follower = follow()
    await expect.poll(() => versions(follower)).toEqual(BOARD_NAMES.map(() => 200))
    await publishAll(150)
    await publishSnapshot(server.url, snapshotOf('edges', BODIES.edges, 201_000, { version: 201 }))
    await expect.poll(() => follower.boards.edges?.snapshot.version).toBe(201)
    expect(versions(follower).filter((version) => version !== 201)).toEqual(
      Array(BOARD_NAMES.length - 1).fill(200),
    )
    await follower.stop()
  })

  test('a name nobody knows is ignored, also one that every object has', async () => {
    const follower = follow()
    for (const name of ['weather', 'constructor', '__proto__'])
      await publishSnapshot(server.url, snapshotOf(name, { rows: [] }, 1, { version: 999 }))
    await publishAll(300)
    await expect.poll(() => versions(follower)).toEqual(BOARD_NAMES.map(() => 300))
    expect(Object.keys(follower.boards).sort()).toEqual([...BOARD_NAMES].sort())
    await follower.stop()
  })

  test('VEN-16 one board that cannot be read leaves the others alone', async () => {
    await publishSnapshot(
      server.url,
      snapshotOf('nets', { rows: [{ half: true }] }, 400_000, { version: 400 }),
    )
    await publishSnapshot(server.url, snapshotOf('topics', BODIES.topics, 400_000, { version: 400 }))
    const follower = follow()
    await expect.poll(() => follower.boards.topics?.snapshot.version).toBe(400)
    expect(follower.boards.nets).toBeUndefined()
    await publishSnapshot(server.url, snapshotOf('nets', BODIES.nets, 401_000, { version: 401 }))
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(401)
    await follower.stop()
  })

  test('an unchanged body keeps its rows and gets the new envelope; a changed one replaces them', async () => {
    await publishAll(500)
    const follower = follow()
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(500)
    const held = follower.boards.nets!
    const later = snapshotOf('nets', BODIES.nets, 501_000, { version: 501 })
    await publishSnapshot(server.url, later)
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(501)
    expect(follower.boards.nets!.snapshot.body).toBe(held.snapshot.body)
    expect(follower.boards.nets!.snapshot.asOfMs).toEqual(later.asOfMs)
    const changed = { rows: [someNet({ netCents: 9 })] }
    await publishSnapshot(server.url, snapshotOf('nets', changed, 502_000, { version: 502 }))
    await expect.poll(() => follower.boards.nets?.snapshot.body.rows.slice(0, 1)[0]?.netCents).toBe(9)
    await follower.stop()
  })

  test('an envelope in another order is read as well', async () => {
    const { body, name, ...head } = snapshotOf('book', BODIES.book, 600_000, { version: 600 })
    await publishSnapshot(server.url, { name, body, ...head })
    const follower = follow()
    await expect.poll(() => follower.boards.book?.snapshot.version).toBe(600)
    await follower.stop()
  })
})

describe('long lists are taken in by what changed', () => {
  const store = new ListStore('nets')
  const kept = new RowSlots<NetRow>(({ pairId }) => pairId)
  const named = (at: number, netCents = at) =>
    someNet({ pairId: `p${at}`, topic: `Question number n${at}`, netCents })
  const publishNets = async (rows: NetRow[], publishedMs = Date.now()) => {
    const redis = new Redis(server.url.slice('unix:'.length))
    await redis.set(FENCE_KEY, 1)
    await store.read(redis)
    const { version } = await publish(redis, store, {
      name: 'nets',
      fence: 1,
      publishedMs,
      asOfMs: { a: publishedMs, b: publishedMs },
      body: { fields: {}, lists: { rows: kept.update(rows) } },
    })
    redis.disconnect()
    return version
  }
  const many = Array.from({ length: 400 }, (_, at) => named(at))
  const first = 700_000

  test('the rows in the order of the board, with their search', async () => {
    const version = await publishNets(many, first)
    const follower = follow()
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(version)
    const { snapshot, search } = follower.boards.nets!
    expect([...snapshot.body.rows]).toEqual(many)
    expect(search('number n317', 9)).toEqual([many[317]])
    await follower.stop()
  })

  test('only what changed is read again: all other rows stay the same objects', async () => {
    const follower = follow()
    await expect.poll(() => follower.boards.nets?.snapshot.body.rows.length).toBe(many.length)
    const before = [...follower.boards.nets!.snapshot.body.rows]
    const changed = many.with(40, named(40, 99)).toReversed()
    const version = await publishNets(changed, first + 1)
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(version)
    const after = [...follower.boards.nets!.snapshot.body.rows]
    expect(after).toEqual(changed)
    const kept = new Set(before)
    expect(after.filter((row) => !kept.has(row))).toEqual([changed.at(-41)])
    expect(follower.boards.nets!.search('number n40', 9)).toMatchObject([{ netCents: 99 }])
    await follower.stop()
  })

  test('VEN-16 whatever is published meanwhile: every value that is seen is one that was published, whole', async () => {
    const published = new Map<number, NetRow[]>()
    const taken: { version: number; rows: Rows<NetRow> }[] = []
    const follower = followBoards({
      reader: connectRedis(server.url, { log: quietLog, name: 'test-boards', blocking: true }),
      log: quietLog,
      onSnapshot(name) {
        if (name !== 'nets') return
        const { version, body } = follower.boards.nets!.snapshot
        taken.push({ version, rows: body.rows })
      },
    })
    await expect.poll(() => taken.length).toBe(1)
    let version = 0
    for (let round = 1; round <= 15; round++) {
      const rows = many.map((_, at) => named(at, round * 1_000 + at))
      version = await publishNets(rows, first + 10 + round)
      published.set(version, rows)
    }
    await expect.poll(() => taken.at(-1)!.version, { timeout: 5_000 }).toBe(version)
    for (const { version, rows } of taken.slice(1)) expect([...rows]).toEqual(published.get(version))
    await follower.stop()
  })

  test('DATA-03 a version that was read, and lost like the reply of its publication, comes again as another one', async () => {
    const version = await publishNets(many, first + 50)
    const follower = follow()
    const held = () => follower.boards.nets?.snapshot
    await expect.poll(() => held()?.version).toBe(version)
    const redis = new Redis(server.url.slice('unix:'.length))
    const goBack = await rememberStore(redis)
    const losesReplies = watched(redis, {
      after() {
        throw new Error('Connection is closed.')
      },
    })
    const lost = many.with(0, named(0, 77))
    const publishedMs = first + 51
    const publication = {
      name: 'nets',
      fence: 1,
      publishedMs,
      asOfMs: { a: publishedMs, b: publishedMs },
      body: { fields: {}, lists: { rows: kept.update(lost) } },
    }
    await expect(publish(losesReplies, store, publication)).rejects.toThrow('closed')
    await expect.poll(() => held()?.version).toBe(version + 1)
    await goBack().exec()
    redis.disconnect()
    const next = many.with(1, named(1, 88))
    expect(await publishNets(next, first + 52)).toBe(version + 1)
    await expect.poll(() => [...held()!.body.rows]).toEqual(next)
    const last = next.with(2, named(2, 99))
    expect(await publishNets(last, first + 53)).toBe(version + 2)
    await expect.poll(() => held()?.version).toBe(version + 2)
    expect([...held()!.body.rows]).toEqual(last)
    await follower.stop()
  })

  test.each<[string, (redis: Redis) => Promise<unknown>]>([
    ['rows are missing', (redis) => redis.del(rowsKey('nets'))],
    [
      'a row is not what the contract says',
      async (redis) => {
        //  such rows can still be searched, and would be sold if nothing checked them
        for (const [slot, text] of Object.entries(await redis.hgetall(rowsKey('nets'))))
          await redis.hset(
            rowsKey('nets'),
            slot,
            text.replaceAll(/"netCents":[-\d.]+/g, '"netCents":"a lot"'),
          )
      },
    ],
    [
      'the value is in an older form',
      async (redis) => {
        const value = JSON.parse((await redis.get(snapshotKey('nets')))!)
        const lists = { rows: { parts: ['d41d8cd98f00b204e9800998ecf8427e'], order: [0] } }
        await redis.set(snapshotKey('nets'), JSON.stringify({ ...value, lists }))
      },
    ],
  ])('VEN-16 %s: the last board stays, and the next good one is taken', async (_what, spoil) => {
    const version = await publishNets(many, first + 100)
    const follower = follow()
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(version)
    const redis = new Redis(server.url.slice('unix:'.length))
    const value = JSON.parse((await redis.get(snapshotKey('nets')))!)
    //  a new base, as if the lists were written from nothing: so they are read whole
    const lists = { ...value.lists, base: 'another', at: version + 1, rowsAt: version + 1 }
    const spoilt = { ...value, lists, version: version + 1, hash: 'other' }
    await redis.set(snapshotKey('nets'), JSON.stringify(spoilt))
    await spoil(redis)
    await publishSnapshot(server.url, JSON.parse((await redis.get(snapshotKey('nets')))!))
    await publishSnapshot(
      server.url,
      snapshotOf('topics', { a: [], b: [], bound: 1, known: { a: 1, b: 1 } }, version, {
        version: 10_000 + version,
      }),
    )
    await expect.poll(() => follower.boards.topics?.snapshot.version).toBe(10_000 + version)
    expect(follower.boards.nets!.snapshot.version).toBe(version)
    expect([...follower.boards.nets!.snapshot.body.rows]).toEqual(many)
    await redis.set(versionKey('nets'), version + 1)
    redis.disconnect()
    const next = await publishNets(many.toReversed(), first + 200)
    await expect.poll(() => follower.boards.nets?.snapshot.version).toBe(next)
    await follower.stop()
  })
})
