import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { change, drainBlock, drainKey, standing, trim } from '../../ops/drainBlock.ts'
import type { DrainOptions, DrainSink, StreamGap, StreamRow } from '../../ops/drainStream.ts'
import { lookAtTables } from '../../ops/drainTables.ts'
import { createLog } from '../../ops/log.ts'
import { HOUR } from '../../ops/units.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { FACTS, FACTS_DRAIN } from './support/drainFacts.ts'

let server: TestRedis
let redis: Redis
let tables: ReturnType<typeof createTables>
let options: DrainOptions
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})
beforeEach(async () => {
  await redis.flushall()
  produced = 0
  tables = createTables()
  options = { ...FACTS_DRAIN, redis, sink: tables.sink, log: createLog('test', 'silent'), maxEntries: 4 }
})

/** Tables that lose rows and forget tokens on demand. */
function createTables() {
  const rows: Record<string, StreamRow[]> = { even: [], odd: [], holes: [] }
  const tokens = new Set<string>()
  let keptFromMs = 0
  const idOf = ({ stream_ms, stream_seq }: StreamRow) => `${stream_ms}-${stream_seq}`
  const sink: DrainSink = {
    insert: async (table, some, token) => {
      if (!tokens.has(token)) rows[table]!.push(...some)
      tokens.add(token)
    },
    upS: async () => 1e9,
    newest: async (table) => {
      const newest = rows[table]!.at(-1)
      return newest === undefined ? null : { ms: newest.stream_ms, seq: newest.stream_seq }
    },
    held: async (table) => new Set(rows[table]!.map(idOf)),
    keptFromMs: async (table) => (table === 'odd' ? keptFromMs : 0),
  }
  return {
    sink,
    forget: () => tokens.clear(),
    lose: (table: string, keep: number) => {
      rows[table] = rows[table]!.slice(0, keep * 2)
    },
    /** Removes what `odd` has of before this instant, as it does from now on. */
    age: (ms: number) => {
      keptFromMs = ms
      rows.odd = rows.odd!.filter(({ stream_ms }) => stream_ms >= ms)
    },
    numbers: (table: string) => rows[table]!.map(({ n }) => Number(n)).sort((a, b) => a - b),
    holes: () => rows.holes!.map(({ dropped }) => dropped),
  }
}
let produced: number
/** Adds entries whose ids count up, so that their order is known. */
const produce = async (count: number) => {
  for (let at = 0; at < count; at++) await redis.xadd(FACTS, `${++produced}-0`, 'n', produced - 1)
}
const drainAll = async (with_: Partial<DrainOptions> = {}) => {
  while ((await drainBlock({ ...options, ...with_ })) !== null) {} //  to the end
}
const exact = (from = 0) => {
  for (const [table, rest] of [['even', 0] as const, ['odd', 1] as const]) {
    const all = Array.from({ length: (produced - from) * 2 }, (_, at) => from * 4 + at * 2 + rest)
    expect([table, tables.numbers(table)]).toEqual([table, all])
  }
}
/** A sink that lets something happen once, before it is first written to. */
const meanwhile = (happens: () => Promise<unknown>): DrainSink => {
  let isOver = false
  const insert: DrainSink['insert'] = async (...args) => {
    if (!isOver) {
      isOver = true
      await happens()
    }
    await tables.sink.insert(...args)
  }
  return { ...tables.sink, insert }
}

/** A Redis connection on which something happens before this drain reads its first entry. */
const asleep = (happens: () => Promise<unknown>): Redis => {
  let isOver = false
  return new Proxy(redis, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'xrange') return typeof value === 'function' ? value.bind(target) : value
      return async (...args: unknown[]) => {
        if (!isOver) {
          isOver = true
          await happens()
        }
        return value.apply(target, args)
      }
    },
  })
}

describe('DATA-15: a drain that slept while another went on', () => {
  test('stores the block that the other has claimed, not the longer one that it would have claimed itself', async () => {
    await produce(8)
    const other = () => standing(options, ['claim', '0-0', '1-0', '4-0', 4])
    await drainBlock({ ...options, redis: asleep(other), maxEntries: 6 })
    expect(await redis.hget(drainKey('facts'), 'cursor')).toBe('4-0')
    await drainAll()
    exact()
  })

  test('brings what a table has no rows of, though it knows the token by the other, which was killed with it', async () => {
    await produce(4)
    let isLost = false
    const other: DrainSink['insert'] = async (table, rows, token) => {
      await tables.sink.insert(table, rows, token)
      tables.lose(table, 0)
      isLost = true
      throw new Error('killed')
    }
    const killed = () =>
      drainBlock({ ...options, sink: { ...tables.sink, insert: other } }).catch(() => 'killed')
    await drainBlock({ ...options, redis: asleep(killed) })
    expect(isLost).toBe(true)
    exact()
  })

  test('moves no cursor over a block that the other has claimed, and died with', async () => {
    await produce(8)
    const other = async () => {
      await drainBlock(options)
      await standing(options, ['claim', '4-0', '5-0', '8-0', 4])
    }
    await drainBlock({ ...options, sink: meanwhile(other) })
    expect(await redis.hmget(drainKey('facts'), 'cursor', 'first')).toEqual(['4-0', '5-0'])
    await drainAll()
    exact()
  })

  test('claims nothing from where the cursor was', async () => {
    await produce(8)
    await drainAll()
    const { cursor, claim } = await standing(options, ['claim', '0-0', '1-0', '3-0', 3])
    expect([cursor, claim]).toEqual(['8-0', null])
  })

  test('has nothing to do when the other has claimed and drained what it was reading', async () => {
    await produce(4)
    const drained = await drainBlock({ ...options, redis: asleep(() => drainBlock(options)) })
    expect(drained).toEqual({ last: '4-0', bytes: 0, more: true })
    exact()
  })

  test.each([
    ['its end', 0, ['0-0', '1-0', '3-0', 3]],
    ['its beginning', 1, ['1-0', '2-0', '4-0', 3]],
  ])(
    'stores nothing of its block when the other fills tables again with one that lacks %s',
    async (_, kept, claim) => {
      await produce(4)
      await standing(options, ['claim', '0-0', '1-0', '4-0', 4])
      const other = async () => {
        await drainAll()
        tables.lose('odd', kept)
        await lookAtTables(options)
        await standing(options, ['claim', ...claim])
      }
      const stored: string[] = []
      const insert: DrainSink['insert'] = async (table) => void stored.push(table)
      await drainBlock({ ...options, redis: asleep(other), sink: { ...tables.sink, insert } })
      expect(stored).toEqual([])
      await drainAll()
      exact()
    },
  )

  test.each([
    ['for the first time', 'it ends it', 0],
    ['for the first time', 'it writes it', 0],
    ['again', 'it ends it', 1],
    ['again', 'it writes it', 1],
  ])(
    'ends no block but its own: one that it stores %s; before %s, the other claims one of the same entries, to fill tables again',
    async (_, asleepBefore, earlier) => {
      await produce(4)
      const loseAndClaim = async () => {
        await drainAll()
        for (const table of ['even', 'odd']) tables.lose(table, 0)
        await lookAtTables(options)
        await standing(options, ['claim', '0-0', '1-0', '4-0', 4])
      }
      for (let time = 0; time < earlier; time++) await loseAndClaim()
      let hasSlept = false
      const sleepAt = async (table: string, point: string) => {
        if (hasSlept || table !== options.tables.at(-1) || point !== asleepBefore) return
        hasSlept = true
        await loseAndClaim()
      }
      const insert: DrainSink['insert'] = async (table, ...what) => {
        await tables.sink.insert(table, ...what)
        await sleepAt(table, 'it ends it')
      }
      const onlyNew = async (table: string, rows: StreamRow[]) => {
        await sleepAt(table, 'it writes it')
        return rows
      }
      await drainBlock({ ...options, onlyNew, sink: { ...tables.sink, insert } })
      await produce(4)
      await drainAll()
      await lookAtTables(options)
      await drainAll()
      exact()
    },
  )

  //  DATA-14: 10,000 blocks later a table no longer remembers the tokens
  test.each(['even', 'odd'])(
    'asleep behind its last look, before %s is written: stores nothing twice where tokens are forgotten',
    async (asleepAt) => {
      await produce(4)
      const onlyNew = async (table: string, rows: StreamRow[]) => {
        if (table !== asleepAt) return rows
        await drainAll()
        tables.forget()
        return rows
      }
      expect(await drainBlock({ ...options, onlyNew })).toEqual({ last: '4-0', bytes: 0, more: true })
      exact()
    },
  )

  test('tells nobody again of what the other has told already', async () => {
    await produce(4)
    await drainAll()
    await produce(8)
    await redis.xtrim(FACTS, 'MAXLEN', 3)
    const told: StreamGap[] = []
    const telling = { ...options, onGap: (gap: StreamGap) => told.push(gap) }
    await drainBlock({ ...telling, sink: meanwhile(() => drainBlock(telling)) })
    expect(told).toEqual([{ stream: FACTS, afterId: '4-0', beforeId: '10-0', dropped: 5 }])
    expect(tables.holes()).toEqual([5])
  })
})

describe('DATA-06 a server that is full', () => {
  afterEach(() => redis.config('SET', 'maxmemory', '0'))

  test('is drained and trimmed: nothing else makes room there', async () => {
    await produce(8)
    await redis.config('SET', 'maxmemory', 1_000_000)
    await expect(redis.set('anything', 'else')).rejects.toThrow(/^OOM/)
    await drainAll()
    exact()
    await trim(options, { ms: 0, entries: 2 }, '')
    expect(await redis.xlen(FACTS)).toBeLessThan(8)
  })
})

describe('D2: a drain that slept before it read what is claimed, while another drained it and it was trimmed', () => {
  test.each([
    ['all of it', 4, 0],
    ['some of it', 4, 2],
    ['and more came since', 9, 0],
  ])('tells no gap and stores nothing: %s', async (_, later, kept) => {
    await produce(4)
    await standing(options, ['claim', '0-0', '1-0', '4-0', 4])
    const other = async () => {
      await drainAll()
      await produce(later - 4)
      await redis.xtrim(FACTS, 'MAXLEN', later - 4 + kept)
    }
    const told: unknown[] = []
    const drained = await drainBlock({ ...options, redis: asleep(other), onGap: (gap) => told.push(gap) })
    expect([tables.holes(), told, drained?.more]).toEqual([[], [], true])
    await drainAll()
    exact()
  })

  test('what was lost of a claimed block that nobody has drained is a gap, as before', async () => {
    await produce(4)
    await standing(options, ['claim', '0-0', '1-0', '4-0', 4])
    const drained = await drainBlock({ ...options, redis: asleep(() => redis.xtrim(FACTS, 'MAXLEN', 1)) })
    expect([tables.holes(), drained?.more]).toEqual([[3], true])
  })
})

describe('DATA-03: tables that hold more than they were given', () => {
  test.each([1, 2, 3, 4])('by %d entries, of blocks that are cut differently now', async (more) => {
    await produce(4)
    await drainAll()
    const remembered = await redis.hgetall(drainKey('facts'))
    await produce(more)
    await drainAll()
    await redis.del(drainKey('facts'))
    await redis.hset(drainKey('facts'), remembered)
    await produce(6)
    await lookAtTables(options)
    await drainAll({ maxEntries: 5 })
    exact()
  })

  test('though only the first of them does: its drain was killed before the others had the block', async () => {
    await produce(4)
    await drainAll()
    const remembered = await redis.hgetall(drainKey('facts'))
    await produce(2)
    const insert: DrainSink['insert'] = (table, ...rest) =>
      table === 'even' ? Promise.reject(new Error('killed')) : tables.sink.insert(table, ...rest)
    await expect(drainBlock({ ...options, sink: { ...tables.sink, insert } })).rejects.toThrow('killed')
    await redis.del(drainKey('facts'))
    await redis.hset(drainKey('facts'), remembered)
    await produce(1)
    await lookAtTables(options)
    await drainAll()
    exact()
  })
})

describe('DATA-14: tables that lost rows are filled again', () => {
  test('not before they are migrated', async () => {
    const asked: string[] = []
    const newest: DrainSink['newest'] = async (table) => {
      asked.push(table)
      return null
    }
    const ready = () => Promise.reject(new Error('not migrated'))
    await expect(lookAtTables({ ...options, sink: { ...tables.sink, newest, ready } })).rejects.toThrow()
    expect(asked).toEqual([])
  })

  test.each([0, 1, 3, 4, 7])('one of them came back with %d of its entries', async (kept) => {
    await produce(8)
    await drainAll()
    tables.lose('odd', kept)
    await lookAtTables(options)
    await drainAll()
    exact()
  })

  test.each([
    [2, 6],
    [6, 2],
  ])('both, with %d and %d: from where the poorer ends', async (even, odd) => {
    await produce(8)
    await drainAll()
    tables.lose('even', even)
    tables.lose('odd', odd)
    await lookAtTables(options)
    await drainAll()
    exact()
  })

  test.each([4, 3])(
    'from a place that the stream still has, of %d entries: what it lost before that is no hole',
    async (kept) => {
      await produce(8)
      await drainAll()
      await redis.xtrim(FACTS, 'MAXLEN', kept)
      tables.lose('odd', 6)
      await lookAtTables(options)
      await drainAll()
      exact()
      expect(tables.holes()).toEqual([])
    },
  )

  test.each([2, 0])(
    'from a place that the stream has no longer, of %d entries: a hole, of nobody knows how many',
    async (kept) => {
      await produce(8)
      await drainAll()
      await redis.xtrim(FACTS, 'MAXLEN', kept)
      tables.lose('odd', 2)
      await lookAtTables(options)
      await produce(1)
      await drainAll()
      expect(tables.holes()).toEqual([1])
      expect(tables.numbers('odd').length).toBe(2 * (2 + kept + 1))
    },
  )

  test('and what came since follows at once', async () => {
    await produce(2)
    await drainAll()
    tables.lose('odd', 0)
    await lookAtTables(options)
    await produce(1)
    expect(await drainBlock(options)).toMatchObject({ last: '2-0', more: true })
    expect(await drainBlock(options)).toMatchObject({ last: '3-0', more: false })
    exact()
  })

  test('a table that an older version filled is none of ours', async () => {
    await produce(4)
    await drainAll()
    await redis.hset(drainKey('facts'), 'at:former', '4-0')
    await lookAtTables(options)
    expect(await redis.hget(drainKey('facts'), 'cursor')).toBe('4-0')
  })

  test('one that loses more while the other one is filled again: the cursor stays with the poorer', async () => {
    await produce(8)
    await drainAll()
    tables.lose('odd', 0)
    await lookAtTables(options)
    expect(await standing(options, ['look'])).toMatchObject({ cursor: '0-0', backlog: 8 })
    tables.lose('even', 4)
    await lookAtTables(options)
    await drainAll()
    exact()
  })

  test('twice: what is counted already is counted once, and what is lost later is told in full', async () => {
    await produce(8)
    await drainAll()
    tables.lose('odd', 4)
    await lookAtTables(options)
    await drainBlock({ ...options, maxEntries: 2 })
    tables.lose('even', 2)
    await lookAtTables(options)
    await drainAll()
    exact()
    await produce(9)
    await redis.xtrim(FACTS, 'MAXLEN', 2)
    await drainAll()
    expect(tables.holes()).toEqual([7])
  })

  test('while another one holds more than it was given: that gets nothing twice', async () => {
    await produce(8)
    await drainAll()
    const remembered = await redis.hgetall(drainKey('facts'))
    await produce(4)
    await drainAll()
    await redis.del(drainKey('facts'))
    await redis.hset(drainKey('facts'), remembered)
    tables.lose('odd', 4)
    await lookAtTables(options)
    await drainAll({ maxEntries: 5 })
    exact()
  })

  test('entries of one millisecond are told apart by their numbers', async () => {
    for (const seq of [8, 9, 10, 11]) await redis.xadd(FACTS, `1-${seq}`, 'n', produced++)
    await drainAll()
    tables.lose('odd', 2)
    await lookAtTables(options)
    expect(await redis.hget(drainKey('facts'), 'cursor')).toBe('1-9')
    await drainAll()
    exact()
  })

  test.each([
    [2, 3],
    [3, 2],
  ])('and by their milliseconds before those, of %d and %d', async (even, odd) => {
    for (const id of ['1-8', '1-9', '2-0', '3-0']) await redis.xadd(FACTS, id, 'n', produced++)
    await drainAll()
    tables.lose('even', even)
    tables.lose('odd', odd)
    await lookAtTables(options)
    expect(await redis.hget(drainKey('facts'), 'cursor')).toBe('1-9')
    await drainAll()
    exact()
  })

  test('when they are full again nothing is compared any more', async () => {
    await produce(8)
    await drainAll()
    tables.lose('odd', 0)
    await lookAtTables(options)
    await drainAll()
    await lookAtTables(options)
    let compared = 0
    const held: DrainSink['held'] = (...args) => {
      compared++
      return tables.sink.held(...args)
    }
    await produce(4)
    await drainAll({ sink: { ...tables.sink, held } })
    exact()
    expect(compared).toBe(0)
  })

  test('both, by whole blocks, whose tokens are remembered', async () => {
    await produce(12)
    await drainAll()
    for (const table of ['even', 'odd']) tables.lose(table, 4)
    await lookAtTables(options)
    await drainAll()
    exact()
  })

  test.each([
    ['the first less', [2, 6]],
    ['the first more', [6, 2]],
  ])('two looks while a block is claimed, %s', async (_, [first, second]) => {
    await produce(8)
    await drainAll()
    await produce(3)
    await standing(options, ['claim', '8-0', '9-0', '11-0', 3])
    tables.lose('odd', first!)
    await lookAtTables(options)
    tables.lose('even', second!)
    await lookAtTables(options)
    await drainAll()
    exact()
  })

  test('two that found it out at once begin once, and what is lost for good is counted once', async () => {
    await produce(8)
    await drainAll()
    for (const table of ['even', 'odd']) tables.lose(table, 0)
    await redis.xtrim(FACTS, 'MAXLEN', 6)
    const found = ['tables', '0-0', '0-0', 'even', '8-0', '0-0', 'odd', '8-0', '0-0']
    const told: number[] = []
    const telling = { ...options, onGap: ({ dropped }: { dropped: number }) => told.push(dropped) }
    expect(await change(options, found)).toBe(1)
    await drainBlock(telling)
    expect(await change(options, found)).toBe(0)
    await drainAll(telling)
    expect([told, tables.holes()]).toEqual([[2], [2]])
    exact(2)
  })

  test('what is lost for good is counted without what was not drained yet', async () => {
    await produce(8)
    await drainAll()
    await redis.xtrim(FACTS, 'MAXLEN', 6)
    await produce(3)
    for (const table of ['even', 'odd']) tables.lose(table, 0)
    await lookAtTables(options)
    await drainAll()
    expect(tables.holes()).toEqual([2])
    exact(2)
  })

  test('from the same place twice, and more is lost for good: each hole is stored', async () => {
    await produce(8)
    await drainAll()
    for (const left of [6, 4]) {
      for (const table of ['even', 'odd']) tables.lose(table, 0)
      await redis.xtrim(FACTS, 'MAXLEN', left)
      await lookAtTables(options)
      await drainAll()
    }
    expect(tables.holes()).toEqual([2, 4])
    exact(4)
  })

  test('from two places, by blocks that end alike: each hole is stored', async () => {
    await produce(8)
    await drainAll()
    await redis.xtrim(FACTS, 'MAXLEN', 4)
    for (const kept of [2, 0]) {
      for (const table of ['even', 'odd']) tables.lose(table, kept)
      await lookAtTables(options)
      await drainAll()
    }
    expect(tables.holes()).toEqual([1, 4])
    exact(4)
  })

  test.each([4, 3])('twice in the same way, by blocks of 4 and then of %d', async (maxEntries) => {
    await produce(8)
    await drainAll()
    for (const most of [4, maxEntries]) {
      tables.lose('odd', 0)
      await lookAtTables(options)
      await drainAll({ maxEntries: most })
      exact()
    }
  })

  test('what the stream loses meanwhile of later entries is counted with those, not with a block that is filled again', async () => {
    await produce(8)
    await drainAll()
    for (const table of ['even', 'odd']) tables.lose(table, 0)
    await lookAtTables(options)
    await produce(4)
    await redis.xtrim(FACTS, 'MAXLEN', 2)
    const { claim } = await standing(options, ['claim', '0-0', '1-0', '4-0', 4])
    expect(claim!.dropped).toBe(0)
    await drainAll()
    expect(tables.holes()).toEqual([4, 2])
  })

  test('meanwhile nothing is trimmed, however little others are promised', async () => {
    await produce(8)
    await drainAll()
    for (const table of ['even', 'odd']) tables.lose(table, 0)
    await lookAtTables(options)
    await trim(options, { ms: HOUR, entries: 1 }, '6-0')
    expect(await redis.xlen(FACTS)).toBe(8)
    await drainAll()
    exact()
    await trim(options, { ms: HOUR, entries: 1 }, '6-0')
    expect(await redis.xlen(FACTS)).toBe(1)
  })
})

describe('what a table removed because of its age is not lost', () => {
  test('a table that has nothing left of what it was given is complete: no hole, and nothing is read again', async () => {
    await produce(8)
    await drainAll()
    await redis.xtrim(FACTS, 'MAXLEN', 3)
    tables.age(9)
    for (const _ of ['first', 'second']) {
      await lookAtTables(options)
      expect(await redis.hget(drainKey('facts'), 'cursor')).toBe('8-0')
      await drainAll()
    }
    expect([tables.numbers('odd'), tables.holes()]).toEqual([[], []])
    await produce(1)
    await drainAll()
    expect(tables.numbers('odd')).toEqual([33, 35])
  })

  test('one that lacks rows which are not too old is filled again with those, and no others', async () => {
    await produce(8)
    await drainAll()
    tables.lose('odd', 0)
    tables.age(6)
    await lookAtTables(options)
    await drainAll()
    expect(tables.numbers('odd')).toEqual([21, 23, 25, 27, 29, 31])
    expect(tables.numbers('even').length).toBe(16)
  })

  test('nor does it get them when another table is filled again', async () => {
    await produce(8)
    await drainAll()
    tables.age(9)
    tables.lose('even', 2)
    await lookAtTables(options)
    await drainAll()
    expect(tables.numbers('even').length).toBe(16)
    expect(tables.numbers('odd')).toEqual([])
  })

  test('a block that is repeated after a kill is inserted under its own token alone', async () => {
    await produce(4)
    const tokens: string[] = []
    const insert: DrainSink['insert'] = async (table, rows, token) => {
      await tables.sink.insert(table, rows, token)
      tokens.push(`${table} ${token}`)
      tables.age(5)
    }
    const noting = { sink: { ...tables.sink, insert } }
    const fault = (point: string) => {
      if (point === 'drain-inserted') throw new Error('killed')
    }
    await expect(drainBlock({ ...options, ...noting, fault })).rejects.toThrow('killed')
    const first = tokens.splice(0)
    await drainAll(noting)
    expect(tokens).toEqual(first)
    expect(tables.numbers('even').length).toBe(8)
  })

  test('what it was never given is inserted however old it is: the views beside it keep it', async () => {
    await produce(4)
    tables.age(5)
    await drainAll()
    expect(tables.numbers('odd').length).toBe(8)
  })
})

describe('what is trimmed', () => {
  test('by time, though other bounds would leave more', async () => {
    await produce(8)
    await drainAll()
    await trim(options, { ms: HOUR, entries: 1_000 }, '2-0')
    expect(await redis.xlen(FACTS)).toBe(1)
  })

  test('never what is not drained, however few entries others are promised', async () => {
    await produce(12)
    await drainBlock(options)
    await trim(options, { ms: HOUR, entries: 1 }, '')
    expect((await redis.xrange(FACTS, '-', '+')).map(([id]) => id)[0]).toBe('4-0')
    await drainAll()
    exact()
    expect(tables.holes()).toEqual([])
  })
})

describe('a stream that was deleted, and is another one now', () => {
  const told: StreamGap[] = []
  const telling = () => ({ ...options, onGap: (gap: StreamGap) => told.push(gap) })
  beforeEach(() => told.splice(0))
  /** Looks at the stream as a drain that waits for its tables does. */
  const look = () => standing(options, ['look'])

  test('what was waiting is a hole, counted once; what came since is stored', async () => {
    await produce(4)
    await drainAll()
    await produce(6)
    expect((await look()).backlog).toBe(6)
    await redis.del(FACTS)
    await produce(3)
    expect((await look()).backlog).toBe(3)
    await drainAll(telling())
    expect(told).toEqual([{ stream: FACTS, afterId: '4-0', beforeId: '11-0', dropped: 6 }])
    expect(tables.holes()).toEqual([6])
    expect(tables.numbers('even').length).toBe(2 * (4 + 3))
    //  and later losses are counted as usual
    await produce(8)
    await redis.xtrim(FACTS, 'MAXLEN', 3)
    await drainAll(telling())
    expect(tables.holes()).toEqual([6, 5])
  })

  test('though nothing was there for a while', async () => {
    await produce(4)
    await drainAll()
    await produce(6)
    await look()
    await redis.del(FACTS)
    for (const _ of ['empty', 'and still']) expect((await look()).backlog).toBe(0)
    await produce(3)
    await look()
    await redis.del(FACTS)
    await produce(1)
    await drainAll(telling())
    expect(tables.holes()).toEqual([6 + 3])
  })

  test('with a block under way: its entries are counted with it', async () => {
    await produce(4)
    await drainAll()
    await produce(6)
    await standing(options, ['claim', '4-0', '5-0', '8-0', 4])
    await redis.del(FACTS)
    await produce(3)
    await trim(options, { ms: HOUR, entries: 1 }, '')
    expect(await redis.xlen(FACTS)).toBe(3)
    await drainAll(telling())
    expect(tables.holes()).toEqual([4, 2])
    expect(tables.numbers('even').length).toBe(2 * (4 + 3))
  })

  test('and the tables with it: what they had is a hole', async () => {
    await produce(8)
    await drainAll()
    await redis.del(FACTS)
    await look()
    for (const table of ['even', 'odd']) tables.lose(table, 0)
    await lookAtTables(options)
    await produce(2)
    await drainAll(telling())
    expect(tables.holes()).toEqual([8])
    exact(8)
  })

  test.each([
    ['', []],
    [', though an older version counted its predecessor', ['seen']],
  ])('nothing of the new one is trimmed unread%s', async (_, unknown) => {
    await produce(8)
    await drainAll()
    for (const field of unknown) await redis.hdel(drainKey('facts'), field)
    await redis.del(FACTS)
    await produce(6)
    await trim(options, { ms: HOUR, entries: 1 }, '')
    expect(await redis.xlen(FACTS)).toBe(6)
  })

  test('a look at one that nobody has drained yet writes nothing', async () => {
    await produce(4)
    expect((await look()).backlog).toBe(4)
    expect(await redis.exists(drainKey('facts'))).toBe(0)
  })

  test('no hole where nothing was waiting', async () => {
    await produce(4)
    await drainAll()
    await redis.del(FACTS)
    await produce(3)
    await drainAll()
    expect(tables.holes()).toEqual([])
    exact()
  })
})

test('the backlog is what can still be drained', async () => {
  await produce(4)
  await drainAll()
  await produce(8)
  await redis.xtrim(FACTS, 'MAXLEN', 3)
  expect(await standing(options, ['look'])).toMatchObject({ backlog: 3 })
})
