import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { KeptListReader } from '../../../api/keptLists.ts'
import {
  aheadKey,
  changesKey,
  orderKey,
  rowsKey,
  SNAPSHOT_STREAM,
  Snapshot,
  snapshotKey,
} from '../../../engine/contract/snapshot.ts'
import { RowSlots } from '../../../engine/core/boards/rowSlots.ts'
import { StaleFenceError, StoreMovedError } from '../../../engine/errors.ts'
import { FENCE_KEY, oldPartsKey, versionKey } from '../../../engine/stages/keys.ts'
import { INLINE_ROWS, ListStore, mostRecorded, ROWS_AT_ONCE } from '../../../engine/stages/listStore.ts'
import { publish } from '../../../engine/stages/publish.ts'
import { startRedis, type TestRedis, watched } from '../../support/redis.ts'

let server: TestRedis
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})
beforeEach(() => redis.flushall())

const publication = {
  name: 'gaps',
  fence: 7,
  publishedMs: 5_000,
  asOfMs: { a: 4_000, b: null },
  body: { fields: { rows: '[]', note: '"ü"' } },
}
const bare = (change = {}) => publish(redis, new ListStore('gaps'), { ...publication, ...change })

describe('VEN-16 a snapshot is written whole, value and stream entry in one step', () => {
  test('the value follows the contract, its hash is that of the body', async () => {
    await redis.set(FENCE_KEY, 7)
    expect(await bare()).toMatchObject({ version: 1, position: null })
    const text = await redis.get(snapshotKey('gaps'))
    const snapshot = Snapshot.parse(JSON.parse(text!))
    expect(snapshot).toMatchObject({
      name: 'gaps',
      version: 1,
      fence: 7,
      publishedMs: 5_000,
      asOfMs: { a: 4_000, b: null },
      body: { rows: [], note: 'ü' },
    })
    expect(snapshot.hash).toBe(createHash('sha256').update('{"rows":[],"note":"ü"}').digest('hex'))
    const entries = await redis.xrange(SNAPSHOT_STREAM, '-', '+')
    expect(entries.map(([, fields]) => fields)).toEqual([['name', 'gaps', 'version', '1']])
  })

  test('versions of a board rise by one, each board for itself', async () => {
    await redis.set(FENCE_KEY, 7)
    const versions = []
    for (const name of ['gaps', 'gaps', 'books', 'gaps']) versions.push((await bare({ name })).version)
    expect(versions).toEqual([1, 2, 1, 3])
  })

  test('the stream is bounded', async () => {
    await redis.set(FENCE_KEY, 7)
    for (let round = 0; round < 1_500; round++) await bare()
    expect(await redis.xlen(SNAPSHOT_STREAM)).toBeLessThan(1_250) // cut by whole nodes, a little above a thousand
  })
})

describe('VEN-18 the fence: only the engine that leads publishes', () => {
  test.each([
    ['another engine has led since', '8'],
    ['the store lost its newest second, and our fence with it', '6'],
    ['nobody ever led', null],
  ])('refused, and nothing is written: %s', async (_, newest) => {
    if (newest !== null) await redis.set(FENCE_KEY, newest)
    await expect(bare()).rejects.toThrow(StaleFenceError)
    expect(await redis.exists(snapshotKey('gaps'), SNAPSHOT_STREAM, versionKey('gaps'))).toBe(0)
  })

  test('a server that forgot its scripts is told again', async () => {
    await redis.set(FENCE_KEY, 7)
    await bare()
    await redis.script('FLUSH')
    expect((await bare()).version).toBe(2)
  })
})

describe('VEN-16 long lists are kept beside the value', () => {
  type Row = { id: number; text: string }
  const rowsOf = (count: number, from = 0): Row[] =>
    Array.from({ length: count }, (_, at) => ({ id: from + at, text: 'x'.repeat(100) }))
  const listOf = () => new RowSlots<Row>(({ id }) => String(id))
  const storeOf = () => new ListStore('gaps')
  const put = (store: ListStore, rows: RowSlots<Row>, fence = 7) =>
    publish(redis, store, { ...publication, fence, body: { fields: { note: '1' }, lists: { rows } } })
  const value = async () => Snapshot.parse(JSON.parse((await redis.get(snapshotKey('gaps')))!))
  const records = () => redis.xrange(changesKey('gaps'), '-', '+')
  const keys = () => redis.exists(rowsKey('gaps'), aheadKey('gaps'), orderKey('gaps'), changesKey('gaps'))
  /** What a process that starts now reads. */
  const read = async () => {
    const reader = new KeptListReader(redis, 'gaps', { rows: (row) => row })
    for (;;) {
      const rows = await reader.read((await value()).lists!)
      if (rows !== null) return rows.rows && [...rows.rows]
    }
  }
  beforeEach(() => redis.set(FENCE_KEY, 7))

  test('INLINE_ROWS rows stay in the body, one more does not', async () => {
    await put(storeOf(), listOf().update(rowsOf(INLINE_ROWS)))
    expect(await value()).toMatchObject({ body: { note: 1, rows: rowsOf(INLINE_ROWS) } })
    expect([(await value()).lists, await keys()]).toEqual([undefined, 0])
    const store = storeOf()
    await store.read(redis)
    await put(store, listOf().update(rowsOf(INLINE_ROWS + 1)))
    expect(await value()).toMatchObject({
      body: { note: 1, rows: [] },
      lists: { at: 2, rowsAt: 2, keys: ['rows'] },
    })
    expect(await read()).toEqual(rowsOf(INLINE_ROWS + 1))
  })

  test('what was kept goes when the lists are short again', async () => {
    const [rows, store] = [listOf(), storeOf()]
    await put(store, rows.update(rowsOf(300)))
    await put(store, rows.update(rowsOf(299)))
    await put(store, rows.update(rowsOf(3)))
    expect([await keys(), (await value()).body]).toEqual([0, { note: 1, rows: rowsOf(3) }])
    await put(store, rows.update(rowsOf(300)))
    expect(await read()).toEqual(rowsOf(300))
  })

  test('only what changed is sent and recorded; the hash tells whether anything changed', async () => {
    const [rows, store, given] = [listOf(), storeOf(), rowsOf(1_000)]
    const first = await put(store, rows.update(given))
    const { hash, lists } = await value()
    const same = await put(store, rows.update(given))
    expect(await value()).toMatchObject({ hash, lists })
    expect([first.bytes / same.bytes > 100, await records()]).toEqual([true, []])
    const changed = given.with(500, { id: 500, text: 'other' })
    const one = await put(store, rows.update(changed))
    expect(one.bytes - same.bytes).toBeLessThan(100)
    expect((await value()).hash).not.toBe(hash)
    expect(await records()).toEqual([
      ['3-1', ['behind', '1', 'rows', 'rows:500 {"id":500,"text":"other"}\n', 'order', '']],
    ])
    const moved = await put(store, rows.update(changed.toSpliced(1, 1).toSpliced(7, 0, changed[1]!)))
    expect(moved.bytes - same.bytes).toBeLessThan(100)
    expect((await records())[1]).toEqual([
      '4-1',
      ['behind', '3', 'rows', '', 'order', '{"rows":[0,-6,2,1,-992,8]}\n'],
    ])
  })

  test('rows are stored once each; one that went is not', async () => {
    const [rows, store] = [listOf(), storeOf()]
    for (let round = 0; round < 20; round++) await put(store, rows.update(rowsOf(300, round)))
    expect(await redis.hlen(rowsKey('gaps'))).toBe(300)
    expect(await read()).toEqual(rowsOf(300, 19))
  })

  test('a list that grows shorter goes on as it is', async () => {
    const [rows, store] = [listOf(), storeOf()]
    await put(store, rows.update(rowsOf(300)))
    const { base } = (await value()).lists!
    for (const count of [299, 298]) await put(store, rows.update(rowsOf(count)))
    expect([(await value()).lists!.base, await redis.hlen(rowsKey('gaps'))]).toEqual([base, 298])
    expect(await read()).toEqual(rowsOf(298))
  })

  test('records are kept while they hold fewer rows than half of the list and some, and the newest however long', async () => {
    const [rows, store] = [listOf(), storeOf()]
    await put(store, rows.update(rowsOf(1_000)))
    const most = mostRecorded(1_000)
    for (let round = 1; round <= 10; round++)
      await put(store, rows.update(rowsOf(1_000).map((row) => ({ ...row, id: row.id, text: `${round}` }))))
    expect((await records()).map(([id]) => id)).toEqual(['11-1'])
    let given = rowsOf(1_000)
    for (let round = 1; round <= 20; round++) {
      given = given.map((row) => (row.id < 200 ? { ...row, text: `${round}` } : row))
      await put(store, rows.update(given))
    }
    expect((await records()).length).toBe(Math.floor(most / 201))
  })

  test('records that hold no row are bounded as well', async () => {
    const [rows, store, given] = [listOf(), storeOf(), rowsOf(INLINE_ROWS + 1)]
    const most = Math.floor(mostRecorded(given.length))
    for (let round = 0; round <= most + 20; round++)
      await put(store, rows.update(round % 2 === 0 ? given : given.toReversed()))
    expect((await records()).length).toBe(most)
  })

  test('the order is stored anew when its lines are longer than it is', async () => {
    const [rows, store, given] = [listOf(), storeOf(), rowsOf(1_000)]
    await put(store, rows.update(given))
    const lengths: number[] = []
    for (let round = 1; round <= 30; round++) {
      await put(store, rows.update(round % 2 === 0 ? given : given.toReversed()))
      lengths.push(await redis.strlen(orderKey('gaps')))
    }
    expect(Math.max(...lengths)).toBeLessThan(20_000)
    expect(await read()).toEqual(given)
  })

  describe('what is there is not what this engine left: refused, and written from nothing after a look', () => {
    test.each<[string, () => Promise<unknown>]>([
      ['a row is lost', () => redis.hdel(rowsKey('gaps'), 'rows:0')],
      ['all rows are lost', () => redis.del(rowsKey('gaps'))],
      ['somebody else wrote one', () => redis.hset(rowsKey('gaps'), 'rows:9000', '{}')],
      ['the store lost its last second', () => redis.decr(versionKey('gaps'))],
      ['another engine has published', () => redis.incr(versionKey('gaps'))],
    ])('%s', async (_what, spoil) => {
      const [rows, store] = [listOf(), storeOf()]
      await put(store, rows.update(rowsOf(300)))
      await put(store, rows.update(rowsOf(301)))
      const { lists, version } = await value()
      await spoil()
      await expect(put(store, rows.update(rowsOf(302)))).rejects.toThrow(StoreMovedError)
      expect((await value()).version).toBe(version)
      await store.read(redis)
      await put(store, rows.update(rowsOf(302)))
      expect((await value()).lists!.base).not.toBe(lists!.base)
      expect([await records(), await read()]).toEqual([[], rowsOf(302)])
    })

    test('a version that was lost and came again is another one', async () => {
      const [rows, store, given] = [listOf(), storeOf(), rowsOf(302)]
      for (const count of [300, 301]) await put(store, rows.update(given.slice(0, count)))
      await redis.decr(versionKey('gaps'))
      const other = storeOf()
      await other.read(redis)
      const { version } = await put(other, listOf().update(rowsOf(301, 500)))
      expect(version).toBe(2)
      await store.read(redis)
      await put(store, rows.update(given))
      expect(await read()).toEqual(given)
    })
  })

  describe('after a failure', () => {
    const full = async (bytes: number) => void (await redis.config('SET', 'maxmemory', bytes))
    test.each<[string, (put: (fence: number) => Promise<unknown>) => Promise<void>, boolean]>([
      [
        'of a term that is over: the same lists go on',
        (put) => expect(put(6)).rejects.toThrow(StaleFenceError),
        true,
      ],
      [
        'of a server that is full: the same lists go on, for writing them from nothing takes more room',
        async (put) => {
          await full(1)
          await expect(put(7)).rejects.toThrow('OOM')
          await full(0)
        },
        true,
      ],
      [
        'that tells nothing: written from nothing',
        async (put) => {
          const call = vi.spyOn(redis, 'evalsha').mockRejectedValue(new Error('Connection is closed.'))
          await expect(put(7)).rejects.toThrow('closed')
          call.mockRestore()
        },
        false,
      ],
    ])('%s', async (_, fails, goesOn) => {
      const [rows, store] = [listOf(), storeOf()]
      await put(store, rows.update(rowsOf(300)))
      const { lists } = await value()
      await fails((fence) => put(store, rows.update(rowsOf(301)), fence))
      await store.read(redis)
      await put(store, rows.update(rowsOf(302)))
      expect((await value()).lists!.base === lists!.base).toBe(goesOn)
      expect(await read()).toEqual(rowsOf(302))
    })
  })

  test('what engines of an older form kept is removed', async () => {
    await redis.hset(oldPartsKey('gaps'), 'digest', '[]')
    await redis.set(snapshotKey('gaps'), '{"version":3,"lists":{"rows":{"parts":[],"order":[]}},"body":{}}')
    const store = storeOf()
    await store.read(redis)
    expect(await redis.exists(oldPartsKey('gaps'))).toBe(0)
  })

  describe('more than ROWS_AT_ONCE rows are written in pieces', () => {
    const many = 2 * ROWS_AT_ONCE + 1
    const other = () => rowsOf(many).map((row) => ({ ...row, text: 'other' }))

    test.each(['from nothing', 'as a change'])('%s: whole, and stored when it is published', async (how) => {
      const [rows, store] = [listOf(), storeOf()]
      if (how === 'as a change') await put(store, rows.update(rowsOf(many)))
      const changed = other()
      const { version } = await put(store, rows.update(changed))
      expect(await read()).toEqual(changed)
      const { at, rowsAt } = (await value()).lists!
      expect([at, rowsAt]).toEqual([version, how === 'as a change' ? version - 1 : version])
      expect((await records()).length).toBe(how === 'as a change' ? 3 : 0)
      await put(store, rows.update(changed.slice(1)))
      expect([await read(), (await value()).lists!.rowsAt]).toEqual([changed.slice(1), version + 1])
    })

    test('a term that ends between the pieces and the publication, and comes back', async () => {
      const [rows, store] = [listOf(), storeOf()]
      await put(store, rows.update(rowsOf(many)))
      let left = 1
      const connection = watched(redis, {
        async after() {
          if (left-- === 0) await redis.set(FENCE_KEY, 8)
        },
      })
      await expect(
        publish(connection, store, {
          ...publication,
          body: { fields: {}, lists: { rows: rows.update(other()) } },
        }),
      ).rejects.toThrow(StaleFenceError)
      expect([(await records()).length, await read()]).toEqual([2, rowsOf(many)])
      await redis.set(FENCE_KEY, 7)
      await store.read(redis)
      await put(store, rows.update(other()))
      expect(await read()).toEqual(other())
    })

    test.each([
      ['another engine has led since', StaleFenceError, () => redis.set(FENCE_KEY, 8)],
      ['another engine has published', StoreMovedError, () => redis.incr(versionKey('gaps'))],
    ])('when %s the value stays, and so do its lists', async (_what, refusal, spoil) => {
      const [rows, store] = [listOf(), storeOf()]
      await put(store, rows.update(rowsOf(many)))
      const before = await value()
      await spoil()
      await expect(put(store, rows.update(other()))).rejects.toThrow(refusal)
      expect(await value()).toEqual(before)
      expect(await read()).toEqual(rowsOf(many))
      await redis.set(FENCE_KEY, 7)
      await store.read(redis)
      await put(store, rows.update(other()))
      expect(await read()).toEqual(other())
    })

    test.each(['from nothing', 'as a change'])(
      'VEN-18 who leads no more writes no piece ahead: %s',
      async (how) => {
        const [rows, store] = [listOf(), storeOf()]
        if (how === 'as a change') await put(store, rows.update(rowsOf(many)))
        const stored = async () => [await records(), await redis.hlen(aheadKey('gaps'))]
        const before = await stored()
        await redis.set(FENCE_KEY, 8)
        await expect(put(store, rows.update(other()))).rejects.toThrow(StaleFenceError)
        expect(await stored()).toEqual(before)
      },
    )

    test('VEN-18 nor does it take published pieces into the rows, which may be newer by then', async () => {
      const [rows, store] = [listOf(), storeOf()]
      await put(store, rows.update(rowsOf(many)))
      const stored = () => redis.hgetall(rowsKey('gaps'))
      let before: Record<string, string> = {}
      const connection = watched(redis, {
        async after(reply) {
          if (!Array.isArray(reply)) return //  only the publication answers with its version
          await redis.set(FENCE_KEY, 8)
          before = await stored()
        },
      })
      const body = { fields: {}, lists: { rows: rows.update(other()) } }
      await expect(publish(connection, store, { ...publication, body })).rejects.toThrow(StaleFenceError)
      expect(await stored()).toEqual(before)
      expect(await read()).toEqual(other())
    })

    test('what an engine left that ended before its publication is overwritten', async () => {
      await redis.hset(aheadKey('gaps'), 'rows:5', '{"id":"old"}', 'rows:90000', '{}')
      await put(storeOf(), listOf().update(rowsOf(many)))
      expect([await read(), await redis.hlen(rowsKey('gaps'))]).toEqual([rowsOf(many), many])
      await redis.hset(aheadKey('gaps'), 'rows:5', '{"id":"old"}')
      const store = storeOf()
      await store.read(redis)
      await put(store, listOf().update(rowsOf(300)))
      expect([await read(), await redis.hlen(rowsKey('gaps'))]).toEqual([rowsOf(300), 300])
    })
  })
})
