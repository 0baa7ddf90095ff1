import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  PART_ROWS,
  partsKey,
  SNAPSHOT_STREAM,
  Snapshot,
  snapshotKey,
} from '../../../engine/contract/snapshot.ts'
import { RowParts } from '../../../engine/core/boards/rowParts.ts'
import { StaleFenceError, StoreMovedError } from '../../../engine/errors.ts'
import { FENCE_KEY, versionKey } from '../../../engine/stages/keys.ts'
import { PARTS_KEPT, PartShelf } from '../../../engine/stages/partShelf.ts'
import { PUT_AT_ONCE, publish } from '../../../engine/stages/publish.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

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
const bare = (change = {}) => publish(redis, new PartShelf(), { ...publication, ...change })

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

describe('VEN-16 long lists are kept in parts', () => {
  type Row = { id: number; text: string }
  const rowsOf = (count: number, from = 0): Row[] =>
    Array.from({ length: count }, (_, at) => ({ id: from + at, text: 'x'.repeat(1_000) }))
  const listOf = () => new RowParts<Row>(({ id }) => String(id))
  const bodyOf = (rows: RowParts<Row>) => ({
    ...publication,
    body: { fields: { note: '1' }, lists: { rows } },
  })
  const stored = () => redis.hkeys(partsKey('gaps'))
  const value = async () => Snapshot.parse(JSON.parse((await redis.get(snapshotKey('gaps')))!))
  const named = async () => (await value()).lists?.rows?.parts ?? []
  beforeEach(() => redis.set(FENCE_KEY, 7))

  test('a short list stays in the body', async () => {
    await publish(redis, new PartShelf(), bodyOf(listOf().update(rowsOf(100))))
    expect(await value()).toMatchObject({ body: { note: 1, rows: rowsOf(100) } })
    expect([await named(), await stored()]).toEqual([[], []])
  })

  test('a long one is empty in it, and the parts named are stored', async () => {
    const rows = listOf().update(rowsOf(300))
    await publish(redis, new PartShelf(), bodyOf(rows))
    expect(await value()).toMatchObject({ body: { note: 1, rows: [] } })
    expect(await named()).toHaveLength(Math.ceil(300 / PART_ROWS))
    expect((await stored()).sort()).toEqual([...(await named())].sort())
    for (const part of rows.parts) expect(await redis.hget(partsKey('gaps'), part.digest)).toBe(part.text())
  })

  test('only new parts are sent; the hash tells whether anything changed', async () => {
    const [rows, shelf, given] = [listOf(), new PartShelf(), rowsOf(300)]
    const first = await publish(redis, shelf, bodyOf(rows.update(given)))
    const { hash } = await value()
    const same = await publish(redis, shelf, bodyOf(rows.update(given)))
    expect((await value()).hash).toBe(hash)
    expect(same.bytes).toBeLessThan(first.bytes / 50)
    await publish(redis, shelf, bodyOf(rows.update(given.toReversed())))
    expect((await value()).hash).not.toBe(hash)
  })

  test('a part stays for PARTS_KEPT publications after the last that named it', async () => {
    const [rows, shelf] = [listOf(), new PartShelf()]
    const states: boolean[] = []
    await publish(redis, shelf, bodyOf(rows.update(rowsOf(300))))
    const [old] = await named()
    for (let round = 1; round <= PARTS_KEPT + 2; round++) {
      await publish(redis, shelf, bodyOf(rows.update(rowsOf(300, 1_000 * round))))
      states.push((await stored()).includes(old!))
    }
    expect(states).toEqual([...Array(PARTS_KEPT).fill(true), false, false])
    expect((await stored()).length).toBeLessThanOrEqual((PARTS_KEPT + 1) * (await named()).length)
  })

  test('parts that were lost, or that another engine wrote: refused, and good after reading what is there', async () => {
    const [rows, shelf] = [listOf().update(rowsOf(300)), new PartShelf()]
    await publish(redis, shelf, bodyOf(rows))
    await redis.hdel(partsKey('gaps'), (await stored())[0]!)
    await expect(publish(redis, shelf, bodyOf(rows))).rejects.toThrow(StoreMovedError)
    expect((await value()).version).toBe(1)
    await shelf.read(redis, 'gaps')
    await publish(redis, shelf, bodyOf(rows))
    expect(await stored()).toEqual(expect.arrayContaining(await named()))
  })

  describe('more than PUT_AT_ONCE new parts are written ahead', () => {
    const many = () =>
      listOf().update(
        Array.from({ length: PART_ROWS * (2 * PUT_AT_ONCE + 1) }, (_, id) => ({ id, text: 'x'.repeat(100) })),
      )

    test('all of them are there when the value names them', async () => {
      await redis.config('RESETSTAT')
      await publish(redis, new PartShelf(), bodyOf(many()))
      expect((await stored()).sort()).toEqual([...(await named())].sort())
      const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))
      expect(Number(calls?.[1])).toBeGreaterThanOrEqual(3)
    })

    test.each([
      ['another engine has led since', StaleFenceError, () => redis.set(FENCE_KEY, 8)],
      [
        'another engine has written parts',
        StoreMovedError,
        () => redis.hset(partsKey('gaps'), 'other', '[]'),
      ],
    ])('not one when %s', async (_what, refusal, spoil) => {
      await spoil()
      const before = (await stored()).length
      await expect(publish(redis, new PartShelf(), bodyOf(many()))).rejects.toThrow(refusal)
      expect([(await stored()).length, await redis.exists(snapshotKey('gaps'))]).toEqual([before, 0])
    })
  })
})
