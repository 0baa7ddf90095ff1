import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KeptListReader, PIECES_AT_ONCE, ROWS_AT_ONCE, rowReader } from '../../api/keptLists.ts'
import {
  changesKey,
  type KeptLists,
  orderKey,
  rowsKey,
  Snapshot,
  snapshotKey,
} from '../../engine/contract/snapshot.ts'
import { RowSlots } from '../../engine/core/boards/rowSlots.ts'
import { FENCE_KEY, versionKey } from '../../engine/stages/keys.ts'
import { INLINE_ROWS, ListStore, ROWS_AT_ONCE as ROWS_A_PIECE } from '../../engine/stages/listStore.ts'
import { publish } from '../../engine/stages/publish.ts'
import { startRedis, type TestRedis, watched } from '../support/redis.ts'

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
beforeEach(() => begin())

async function begin() {
  await redis.flushall()
  await redis.set(FENCE_KEY, 1)
}

const Row = z.object({ id: z.string(), value: z.number() })
type Row = z.infer<typeof Row>
const rowsOf = (count: number, value = 0): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: `r${at}`, value }))

/** Two lists of one board; `b` is the same in another order, and shorter. */
function startEngine(connection: Redis = redis) {
  const [a, b] = [new RowSlots<Row>(({ id }) => id), new RowSlots<Row>(({ id }) => id)]
  const store = new ListStore('gaps')
  return {
    prepare: () => store.read(connection),
    publish: (rows: Row[]) =>
      publish(connection, store, {
        name: 'gaps',
        fence: 1,
        publishedMs: 1,
        asOfMs: { a: null, b: null },
        body: { fields: {}, lists: { a: a.update(rows), b: b.update(shortened(rows)) } },
      }),
  }
}
const shortened = (rows: readonly Row[]) => rows.slice(rows.length / 3).toReversed()

const value = async () => {
  const text = await redis.get(snapshotKey('gaps'))
  return text === null ? null : Snapshot.parse(JSON.parse(text))
}
const lists = async () => (await value())!.lists!
const readers = { a: rowReader(Row), b: rowReader(Row) }
const startReader = (connection: Redis = redis) => new KeptListReader(connection, 'gaps', readers)
const read = async (reader: KeptListReader, known?: KeptLists) => {
  const kept = await reader.read(known ?? (await lists()))
  if (kept === null) return null
  return Object.fromEntries(
    Object.entries(kept).map(([key, list]) => {
      const rows = [...list] as Row[]
      expect(Array.from(list.slots, (slot) => list.bySlot.at(slot))).toEqual(rows)
      return [key, rows]
    }),
  )
}
const readAll = async (reader: KeptListReader) => (await read(reader)) ?? read(reader)
const calls = async (command: string) =>
  Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await redis.info('commandstats'))?.[1] ?? 0)

describe('a reader keeps long lists as the engine has them', () => {
  test('from nothing: every row once, a bounded number at once', async () => {
    const rows = rowsOf(2 * ROWS_AT_ONCE + 1)
    await startEngine().publish(rows)
    await redis.config('RESETSTAT')
    expect(await readAll(startReader())).toEqual({ a: rows, b: shortened(rows) })
    expect(await calls('hmget')).toBe(3 + 2)
  })

  test('then only what changed is read: all other rows stay the same objects', async () => {
    const [engine, reader, rows] = [startEngine(), startReader(), rowsOf(300)]
    await engine.publish(rows)
    const before = await readAll(reader)
    await redis.config('RESETSTAT')
    const changed = rows.with(250, { id: 'r250', value: 1 }).toReversed()
    await engine.publish(changed)
    const after = await read(reader)
    expect(after).toEqual({ a: changed, b: shortened(changed) })
    const kept = new Set(before!.a)
    expect(after!.a!.filter((row) => !kept.has(row))).toEqual([{ id: 'r250', value: 1 }])
    expect([await calls('hmget'), await calls('xrange')]).toEqual([0, 1])
  })

  test('the same lists again cost nothing', async () => {
    const reader = startReader()
    await startEngine().publish(rowsOf(300))
    const before = await readAll(reader)
    await redis.config('RESETSTAT')
    expect(await read(reader)).toEqual(before)
    expect([await calls('hmget'), await calls('xrange')]).toEqual([0, 0])
  })

  test('several versions behind, in few calls; a row that changed often is read once', async () => {
    const [engine, rows] = [startEngine(), rowsOf(300)]
    let texts = 0
    const reader = new KeptListReader(redis, 'gaps', {
      ...readers,
      a: (row) => {
        texts++
        return Row.parse(row)
      },
    })
    await engine.publish(rows)
    await readAll(reader)
    texts = 0
    for (let version = 1; version <= 10; version++)
      await engine.publish(rows.with(7, { id: 'r7', value: version }))
    expect((await read(reader))!.a![7]).toEqual({ id: 'r7', value: 10 })
    expect(texts).toBe(1)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['records it needs are gone', () => redis.xtrim(changesKey('gaps'), 'MAXLEN', 1)],
    ['all records are gone', () => redis.del(changesKey('gaps'))],
  ])('too far behind, %s: all is read again', async (_what, lose) => {
    const [engine, reader, rows] = [startEngine(), startReader(), rowsOf(300)]
    await engine.publish(rows)
    await readAll(reader)
    for (let version = 1; version <= 3; version++)
      await engine.publish(rows.with(version, { id: `r${version}`, value: version }))
    await lose()
    expect(await read(reader)).toBeNull()
    if ((await redis.xlen(changesKey('gaps'))) === 0) return
    await engine.publish(rows.toReversed())
    expect(await read(reader)).toEqual({
      a: rows.toReversed(),
      b: shortened(rows.toReversed()),
    })
  })

  test('VEN-16 a change in many pieces is read whole, also by a reader that comes before they are stored', async () => {
    let [isLast, isDead] = [false, false]
    const engine = startEngine(
      watched(redis, {
        before() {
          if (isDead) throw new Error('died')
        },
        after(reply) {
          isDead = isLast && Array.isArray(reply) //  the value is published, but its rows are in the records only
        },
      }),
    )
    await engine.publish(rowsOf(3_000))
    const early = startReader()
    await readAll(early)
    isLast = true
    const changed = rowsOf(3_000, 1)
    await expect(engine.publish(changed)).rejects.toThrow('died')
    expect(await lists()).toMatchObject({ at: 2, rowsAt: 1 })
    expect(await redis.hget(rowsKey('gaps'), 'a:0')).toContain('"value":0')
    for (const reader of [early, startReader()])
      expect(await readAll(reader)).toEqual({ a: changed, b: shortened(changed) })
  })

  describe('VEN-16 a record counts only with all its pieces', () => {
    const manyRows = (PIECES_AT_ONCE + 1) * ROWS_A_PIECE
    /** Behind by a record of many pieces and one of few. `meddle` comes after the first page of pieces was read. */
    async function farBehind(meddle: (engine: ReturnType<typeof startEngine>, rows: Row[]) => unknown) {
      let isFirst = true
      const engine = startEngine()
      const reader = startReader(
        watched(redis, {
          async after(page, command) {
            if (command !== 'xrange' || !isFirst) return
            expect(page).toHaveLength(PIECES_AT_ONCE)
            isFirst = false
            await meddle(engine, changed)
          },
        }),
      )
      const rows = rowsOf(2 * manyRows)
      await engine.publish(rows)
      await readAll(reader)
      const many = [...rowsOf(manyRows, 1), ...rows.slice(manyRows)]
      await engine.publish(many)
      const changed = [...many.slice(0, -300), ...rowsOf(2 * manyRows, 2).slice(-300)]
      await engine.publish(changed)
      return { reader, changed }
    }

    test('of many pages: each piece is read', async () => {
      const { reader, changed } = await farBehind(() => {})
      expect(await read(reader)).toEqual({ a: changed, b: shortened(changed) })
    })

    test.each<[string, Parameters<typeof farBehind>[0]]>([
      [
        'the engine publishes on and trims it between two pages',
        (engine, rows) =>
          engine.publish([...rows.slice(0, -2_000), ...rowsOf(2 * manyRows, 3).slice(-2_000)]),
      ],
      ['its rest is lost between two pages', () => redis.xtrim(changesKey('gaps'), 'MINID', '3')],
    ])('%s: all is read again', async (_what, meddle) => {
      const { reader } = await farBehind(meddle)
      expect(await read(reader)).toBeNull()
      expect((await redis.xrange(changesKey('gaps'), '-', '+', 'COUNT', 1))[0]![0]).toBe('3-1')
      const { a } = (await read(reader))!
      expect(a!.filter(({ value }) => value === 1)).toHaveLength(manyRows)
    })

    test.each([
      ['but its last piece', `2-${PIECES_AT_ONCE + 1}`],
      ['of it', '3'],
    ])('the newest, all %s lost between two pages: all is read again', async (_what, kept) => {
      let pages = 0
      const [engine, rows] = [startEngine(), rowsOf(manyRows)]
      const reader = startReader(
        watched(redis, {
          async after(_page, command) {
            if (command === 'xrange' && ++pages === 1) await redis.xtrim(changesKey('gaps'), 'MINID', kept)
          },
        }),
      )
      await engine.publish(rows)
      await readAll(reader)
      await engine.publish(rowsOf(manyRows, 1))
      expect(await redis.xlen(changesKey('gaps'))).toBeGreaterThan(PIECES_AT_ONCE)
      expect(await read(reader)).toBeNull()
      expect(pages).toBe(2)
    })

    test.each([
      ['first', '2-1'],
      ['second', '2-2'],
    ])('its %s piece is lost: all is read again', async (_which, id) => {
      const [engine, reader] = [startEngine(), startReader()]
      await engine.publish(rowsOf(3 * ROWS_A_PIECE))
      await readAll(reader)
      await engine.publish(rowsOf(3 * ROWS_A_PIECE, 1))
      expect(await redis.xdel(changesKey('gaps'), id)).toBe(1)
      expect(await read(reader)).toBeNull()
    })
  })

  describe('VEN-16 what is not there or not what the contract says is not sold', () => {
    const spoilRow = (text: string) => () => redis.hset(rowsKey('gaps'), 'a:5', text)
    test.each<[string, new (...of: never[]) => Error, () => Promise<unknown>]>([
      ['the order is lost', RangeError, () => redis.del(orderKey('gaps'))],
      ['a row is lost', RangeError, () => redis.hdel(rowsKey('gaps'), 'a:5')],
      ['a row is another thing', z.ZodError, spoilRow('{"id":"r5","value":"much"}')],
      ['a row is half there', SyntaxError, spoilRow('{"id":"r5","val')],
    ])('%s', async (_what, error, spoil) => {
      await startEngine().publish(rowsOf(300))
      await spoil()
      await expect(readAll(startReader())).rejects.toBeInstanceOf(error)
    })

    test('a slot is empty that the order names', async () => {
      const reader = startReader()
      await startEngine().publish(rowsOf(300))
      await readAll(reader)
      await redis.xadd(changesKey('gaps'), '2-1', 'behind', '1', 'rows', 'a:5 \n', 'order', '')
      await expect(reader.read({ ...(await lists()), at: 2 })).rejects.toBeInstanceOf(RangeError)
    })

    test('a version that the store lost and that came again is another one', async () => {
      const [engine, reader] = [startEngine(), startReader()]
      for (const count of [300, 301]) await engine.publish(rowsOf(count))
      await readAll(reader)
      await redis.decr(versionKey('gaps'))
      const next = startEngine()
      await next.prepare()
      expect((await next.publish(rowsOf(301, 7))).version).toBe(2)
      expect(await readAll(reader)).toEqual({ a: rowsOf(301, 7), b: shortened(rowsOf(301, 7)) })
    })

    test('a bad record costs nothing but the time until the row comes again', async () => {
      const [engine, reader, rows] = [startEngine(), startReader(), rowsOf(300)]
      await engine.publish(rows)
      await readAll(reader)
      await engine.publish(rows.with(5, { id: 'r5', value: 'much' as unknown as number }))
      await expect(read(reader)).rejects.toThrow()
      await engine.publish(rows.with(5, { id: 'r5', value: 5 }))
      expect((await read(reader))!.a![5]).toEqual({ id: 'r5', value: 5 })
    })
  })
})

describe('VEN-16 whatever is written while it is read, and whoever writes', () => {
  const change = fc.record({
    count: fc.constantFrom(INLINE_ROWS - 20, INLINE_ROWS + 1, 180, 200, 220),
    fresh: fc.array(fc.nat(220), { maxLength: 6 }), //  ids of rows with another value
    moved: fc.array(fc.nat(220), { maxLength: 3 }), //  ids of rows that go first
    fault: fc.constantFrom('none', 'none', 'none', 'none', 'restart', 'reply lost', 'away'),
    trim: fc.constantFrom(false, false, false, false, true),
  })
  const step = fc.record({
    before: fc.array(change, { maxLength: 3 }),
    between: fc.array(change, { maxLength: 3 }),
  })

  test('a reader has exactly the lists of the version that it read, or begins again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        await begin()
        const published = new Map<number, Row[]>()
        let [engine, fault]: [ReturnType<typeof startEngine> | null, string] = [null, 'none']
        const connection = watched(redis, {
          before(command) {
            if (command === 'evalsha' && fault === 'away') throw new Error('away')
          },
          after(_reply, command) {
            if (command === 'evalsha' && fault === 'reply lost') throw new Error('reply lost')
          },
        })
        let rows = rowsOf(200)
        let values = 0
        const apply = async (change: (typeof steps)[number]['before'][number]) => {
          const known = new Map(rows.map((row) => [row.id, row]))
          const order = [
            ...change.moved.map((at) => `r${at}`),
            ...known.keys(),
            ...rowsOf(220).map(({ id }) => id),
          ]
          for (const at of change.fresh) known.set(`r${at}`, { id: `r${at}`, value: ++values })
          rows = [...new Set(order)]
            .slice(0, change.count)
            .map((id) => known.get(id) ?? { id, value: ++values })
          if (engine === null || change.fault === 'restart') engine = startEngine(connection)
          fault = change.fault
          await engine.prepare()
          await engine.publish(rows).catch((error: unknown) => {
            if (fault === 'none' || fault === 'restart') throw error
          })
          if (change.fault !== 'away') published.set((await value())!.version, rows)
          if (change.trim) await redis.xtrim(changesKey('gaps'), 'MAXLEN', 1)
        }
        const waiting: (typeof steps)[number]['between'] = []
        const meddled = watched(redis, {
          async before() {
            const next = waiting.shift()
            if (next !== undefined) await apply(next)
          },
        })
        const reader = startReader(meddled)
        let found = 0
        for (const { before, between } of steps) {
          for (const each of before) await apply(each)
          waiting.push(...between)
          for (let tries = 0; tries < 12; tries++) {
            const now = await value()
            if (now?.lists === undefined) break
            const rows = await read(reader, now.lists).catch((error: unknown) => {
              //  the lists have become short meanwhile, as the new value says
              if (!(error instanceof RangeError)) throw error
              return null
            })
            if (rows === null) continue
            found++
            expect(rows).toEqual({ a: published.get(now.version), b: shortened(published.get(now.version)!) })
            break
          }
          waiting.length = 0
          const last = await value()
          if (last?.lists === undefined) continue
          const rows = (await read(reader, last.lists)) ?? (await read(reader, last.lists))
          expect(rows!.a).toEqual(published.get(last.version))
        }
        fc.pre(found > 0)
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
