import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  latestMarketsKey,
  latestQuotesKey,
  QUOTE_STREAM,
  SWEEP_KEY,
  type Sweep,
} from '../../ingest/contract/stream.ts'
import { SupersededError } from '../../ingest/errors.ts'
import { type Batch, MAX_ROWS } from '../../ingest/poll/batches.ts'
import { leaseKey } from '../../ingest/publish.ts'
import { HOUR } from '../../ops/units.ts'
import { sleep, until } from '../support/process.ts'
import { type Bench, openBench, type PublisherOptions } from './support/bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())
beforeEach(() => bench.wipe())

const batch = (id: string): Batch => ({
  head: '{"kind":"changes","venue":"a"',
  tail: `"closed":["${id}"]}`,
  rows: [{ marketId: id, market: `{"m":"${id}"}`, quote: `{"venue":"${id}"}` }],
  remove: [],
})
const raw = async () =>
  (await bench.redis.xrange(QUOTE_STREAM, '-', '+')).map(
    ([, [, json]]) => JSON.parse(json!) as Record<string, unknown>,
  )
const sweepOf = (sweepId: number, complete = true): Sweep => ({
  venue: 'a',
  sweepId,
  startedMs: 1,
  finishedMs: 2,
  changedMs: 1,
  complete,
  markets: 1,
  pages: 1,
  dropped: {},
})
const begin = async (owner: string, options?: PublisherOptions) => {
  const term = await bench.publisher(owner, options).begin('sweep:a', 'a')
  if (term === null) throw new Error(`${owner} did not get the feed`)
  return term
}

describe('VEN-18: one worker a time per feed', () => {
  test('while one holds the feed nobody else begins; afterwards the next term rises', async () => {
    const first = await begin('one')
    expect(await bench.publisher('two').begin('sweep:a', 'a')).toBeNull()
    expect(await bench.publisher('two').begin('sweep:b', 'b')).not.toBeNull()
    await first.release()
    const second = await begin('two')
    expect(second.term).toBe(first.term + 1)
  })
  test('a worker that died is missed for the lease only', async () => {
    await begin('one', { leaseMs: 60 })
    await sleep(80)
    expect((await begin('two')).term).toBe(2)
  })
  test('OPS-14: and so he is when the clock of the store was set back since', async () => {
    await begin('one')
    await bench.redis.hset(leaseKey('sweep:a'), 'untilMs', Date.now() + HOUR)
    const other = bench.publisher('two', { leaseMs: 60 })
    expect(await other.begin('sweep:a', 'a')).toBeNull()
    await sleep(80)
    expect((await other.begin('sweep:a', 'a'))?.term).toBe(2)
  })
  test('renewal keeps the feed, for the newest term only', async () => {
    const first = await begin('one', { leaseMs: 1_500 })
    await sleep(800)
    expect(await first.renew()).toBe(true)
    await sleep(800)
    expect(await bench.publisher('two').begin('sweep:a', 'a')).toBeNull()
    const again = await begin('one')
    expect(await first.renew()).toBe(false)
    await first.release() // the term is no longer its own: no effect
    expect(await bench.publisher('two').begin('sweep:a', 'a')).toBeNull()
    await again.release()
  })
})

describe('VEN-18: a feed between two terms', () => {
  const feed = 'sweep:a'
  const rested = async (owner: string, options: PublisherOptions = {}) => {
    const leases = bench.publisher(owner, options)
    await (await leases.begin(feed, 'a'))?.release()
    return leases
  }
  test('kept, nobody else begins; left, anybody does', async () => {
    const one = await rested('one')
    expect(await one.keep(feed)).toBe('ours')
    expect(await bench.publisher('two').isFree(feed, false)).toBe(false)
    expect(await bench.publisher('two').begin(feed, 'a')).toBeNull()
    expect(await one.isFree(feed, false)).toBe(true)
    await one.leave(feed)
    expect(await bench.publisher('two').isFree(feed, false)).toBe(true)
    expect((await bench.publisher('two').begin(feed, 'a'))?.term).toBe(2)
    expect(await one.keep(feed)).toBe('lost')
    await one.leave(feed) //  not its own any more: no effect
    expect(await bench.publisher('three').begin(feed, 'a')).toBeNull()
  })
  test('resting, it is kept from others from the end of the term on, as long as a kept one', async () => {
    const one = await bench.publisher('one', { restMs: 400 }).begin(feed, 'a')
    await one?.rest()
    expect(await bench.publisher('two').begin(feed, 'a')).toBeNull()
    await until(
      'its rest is over',
      async () => (await bench.publisher('two').begin(feed, 'a')) !== null,
      5_000,
    )
    await one?.rest() // the term is no longer its own: no effect
    expect(await bench.redis.hget(leaseKey(feed), 'owner')).toBe('two')
  })
  test('a process that has not worked on it has nothing to keep', async () => {
    expect(await bench.publisher('one').keep(feed)).toBe('lost')
    await rested('one')
    expect(await bench.publisher('two').keep(feed)).toBe('lost')
  })
  test('who looks may ask for it, which is remembered as long as a rest lasts', async () => {
    const one = await rested('one', { restMs: 500 })
    await one.keep(feed)
    await bench.publisher('two').isFree(feed, false)
    expect(await one.keep(feed)).toBe('ours')
    await bench.publisher('two').isFree(feed, true)
    expect(await one.keep(feed)).toBe('asked for')
    await sleep(600)
    expect(await one.keep(feed)).toBe('ours')
  })
  test('also over the next terms of who has it, which may follow faster than it looks', async () => {
    const one = await rested('one')
    await one.keep(feed)
    await bench.publisher('two').isFree(feed, true)
    await (await one.begin(feed, 'a'))?.rest()
    expect(await one.keep(feed)).toBe('asked for')
  })
  test('who asked for it and got it asks for it no more', async () => {
    const one = await rested('one')
    const two = bench.publisher('two')
    await one.keep(feed)
    await two.isFree(feed, true)
    await one.leave(feed)
    await two.begin(feed, 'a')
    expect(await two.keep(feed)).toBe('ours')
  })
})

describe('VEN-04: a worker that slept through its lease publishes nothing', () => {
  test('neither changes nor a sweep', async () => {
    const slow = await begin('slow', { leaseMs: 30 })
    await slow.publish(batch('1'))
    await sleep(50)
    const fast = await begin('fast')
    await fast.publish(batch('2'))
    await fast.publishSweep(sweepOf(fast.term))
    await expect(slow.publish(batch('3'))).rejects.toBeInstanceOf(SupersededError)
    await expect(slow.publishSweep(sweepOf(slow.term))).rejects.toBeInstanceOf(SupersededError)
    expect([...(await bench.latest('a')).keys()].sort()).toEqual(['1', '2'])
    expect(await bench.newestSweep('a')).toEqual(sweepOf(fast.term))
    expect(await bench.redis.xlen(QUOTE_STREAM)).toBe(3)
  })
  test('DATA-03: nor does one whose term Redis has lost, and given to another', async () => {
    const slow = await begin('slow')
    await slow.publish(batch('1'))
    await bench.redis.del(leaseKey('sweep:a'))
    const fast = await begin('fast')
    expect(fast.term).toBe(slow.term)
    await expect(slow.publish(batch('2'))).rejects.toBeInstanceOf(SupersededError)
    expect(await slow.renew()).toBe(false)
    await slow.release() // the term is not its own: no effect
    expect(await bench.publisher('third').begin('sweep:a', 'a')).toBeNull()
    await fast.publish(batch('3'))
    await fast.publish(batch('4'))
    expect((await raw()).map((entry) => entry.closed)).toEqual([['1'], ['3'], ['4']])
  })
  test.each([[[]], [['2']], [['2', '3']]])(
    'DATA-03: … whatever that one has published: %j',
    async (published) => {
      const slow = await begin('slow')
      await slow.publish(batch('1'))
      await bench.redis.del(leaseKey('sweep:a'))
      const fast = await begin('fast')
      for (const id of published) await fast.publish(batch(id))
      await expect(slow.publish(batch('4'))).rejects.toBeInstanceOf(SupersededError)
      await fast.publish(batch('5'))
      expect((await raw()).map((entry) => entry.closed)).toEqual([
        ['1'],
        ...published.map((id) => [id]),
        ['5'],
      ])
    },
  )
  test('nor does a term that the same worker has followed by another', async () => {
    const slow = await begin('one')
    const next = await begin('one')
    await expect(slow.publish(batch('1'))).rejects.toBeInstanceOf(SupersededError)
    await next.publish(batch('2'))
    expect((await raw()).map((entry) => entry.closed)).toEqual([['2']])
  })
  test('DATA-03: a term that Redis has lost, back at the one before, is over and not taken for repeated', async () => {
    const before = await begin('one')
    for (const id of ['1', '2']) await before.publish(batch(id))
    const remembered = await bench.redis.hgetall(leaseKey('sweep:a'))
    const lost = await begin('one')
    await bench.redis.hset(leaseKey('sweep:a'), remembered)
    await expect(lost.publish(batch('3'))).rejects.toBeInstanceOf(SupersededError)
  })
  test('DATA-03: nor a batch that follows one which Redis has lost', async () => {
    const term = await begin('one')
    await term.publish(batch('1'))
    const remembered = await bench.redis.hgetall(leaseKey('sweep:a'))
    await term.publish(batch('2'))
    await bench.redis.hset(leaseKey('sweep:a'), remembered)
    await expect(term.publish(batch('3'))).rejects.toBeInstanceOf(SupersededError)
    expect((await raw()).map((entry) => entry.closed)).toEqual([['1'], ['2']])
  })
  test('a lease that ran out harms nobody while there is no newer term', async () => {
    const slow = await begin('slow', { leaseMs: 1 })
    await sleep(10)
    await slow.publish(batch('1'))
    expect(await bench.redis.xlen(QUOTE_STREAM)).toBe(1)
  })
})

describe('a term says whether Redis is as this process left it', () => {
  const left = { owner: 'one', term: '1', seq: '2' }
  test.each<[string, Record<string, string>, boolean]>([
    ['as it was', {}, true],
    ['a batch fewer (DATA-03)', { seq: '1' }, false],
    ['a batch more', { seq: '3' }, false],
    ['another term', { term: '2' }, false],
    ['of somebody else', { owner: 'two' }, false],
  ])('%s', async (_, found, continues) => {
    const publisher = bench.publisher('one')
    const first = (await publisher.begin('sweep:a', 'a'))!
    await first.publish(batch('1'))
    await first.publishSweep(sweepOf(first.term))
    await first.release()
    await bench.redis.hset(leaseKey('sweep:a'), { ...left, ...found })
    expect([first.continues, (await publisher.begin('sweep:a', 'a'))?.continues]).toEqual([false, continues])
  })
  test('each feed for itself, and a term without a batch is as good as one with', async () => {
    const publisher = bench.publisher('one')
    await (await publisher.begin('sweep:a', 'a'))!.publish(batch('1'))
    expect((await publisher.begin('sweep:b', 'b'))?.continues).toBe(false)
    expect((await publisher.begin('sweep:a', 'a'))?.continues).toBe(true)
    expect((await publisher.begin('sweep:a', 'a'))?.continues).toBe(true)
  })
  test('a batch whose reply is lost may be there or not', async () => {
    const publisher = bench.publisher('one')
    const term = (await publisher.begin('sweep:a', 'a'))!
    await term.publish(batch('1')) // loads the script
    const { redis } = bench
    const original = redis.evalsha.bind(redis)
    let isLost = true
    redis.evalsha = (async (...args: Parameters<typeof original>) => {
      const reply = await original(...args)
      if (isLost) throw new Error('Connection is closed.')
      return reply
    }) as typeof redis.evalsha
    onTestFinished(() => {
      redis.evalsha = original
    })
    await expect(term.publish(batch('2'))).rejects.toThrow('closed')
    isLost = false
    expect((await publisher.begin('sweep:a', 'a'))?.continues).toBe(false)
  })
})

describe('a batch is one step, once', () => {
  test('stream entry and newest state appear together, and removed ids go', async () => {
    const term = await begin('one')
    await term.publish(batch('1'))
    await term.publish({ ...batch('2'), remove: ['1'] })
    expect(await bench.latest('a')).toEqual(new Map([['2', { market: { m: '2' }, quote: { venue: '2' } }]]))
    expect(await raw()).toEqual([
      { kind: 'changes', venue: 'a', markets: [{ m: '1' }], quotes: [{ venue: '1' }], closed: ['1'] },
      { kind: 'changes', venue: 'a', markets: [{ m: '2' }], quotes: [{ venue: '2' }], closed: ['2'] },
    ])
  })
  test('what is not sent stays as it is, and is not in the entry', async () => {
    const term = await begin('one')
    await term.publish(batch('1'))
    await term.publish({ ...batch('1'), rows: [{ marketId: '1', market: '', quote: '{"venue":"new"}' }] })
    await term.publish({ ...batch('1'), rows: [{ marketId: '1', market: '{"m":"new"}', quote: '' }] })
    expect(await bench.latest('a')).toEqual(
      new Map([['1', { market: { m: 'new' }, quote: { venue: 'new' } }]]),
    )
    expect((await raw()).slice(1)).toMatchObject([
      { markets: [], quotes: [{ venue: 'new' }] },
      { markets: [{ m: 'new' }], quotes: [] },
    ])
  })
  test.each([
    ['text', { market: '', quote: '{"venue":"1"}' }],
    ['quote', { market: '{"m":"1"}', quote: '' }],
  ])('a %s that is neither sent nor there: nothing is written at all', async (_, part) => {
    const term = await begin('one')
    const rows = [...batch('2').rows, { marketId: '1', ...part }]
    await expect(term.publish({ ...batch('1'), rows })).rejects.toThrow('MISSING')
    expect(await bench.redis.exists(QUOTE_STREAM, latestMarketsKey('a'), latestQuotesKey('a'))).toBe(0)
  })
  test('texts come through as they are, whatever their alphabet', async () => {
    const term = await begin('one')
    const market = { m: 'Größe “A” – 東京 🏆\u2028\ttab\n' }
    await term.publish({
      ...batch('1'),
      rows: [{ marketId: '1', market: JSON.stringify(market), quote: '{"venue":"1"}' }],
    })
    expect((await bench.latest('a')).get('1')).toMatchObject({ market })
    expect((await raw())[0]).toMatchObject({ markets: [market] })
  })
  test('a batch of as many markets as one may have', async () => {
    const term = await begin('one')
    const ids = Array.from({ length: MAX_ROWS }, (_, at) => String(at))
    const rows = ids.map((marketId) => ({ marketId, market: `{"m":"${marketId}"}`, quote: '{"venue":"1"}' }))
    await term.publish({ ...batch('1'), rows })
    expect((await bench.latest('a')).size).toBe(MAX_ROWS)
    await term.publish({ ...batch('1'), rows: [], remove: ids })
    expect((await bench.latest('a')).size).toBe(0)
  })
  test('the same call sent again by the client has no second effect', async () => {
    const term = await begin('one')
    //  a lost reply: the command arrives twice with the same arguments
    const { redis } = bench
    const original = redis.evalsha.bind(redis)
    const twice = (async (...args: Parameters<typeof original>) => {
      await original(...args)
      return original(...args)
    }) as typeof redis.evalsha
    await term.publish(batch('1')) // loads the script
    redis.evalsha = twice
    try {
      await term.publish(batch('2'))
    } finally {
      redis.evalsha = original
    }
    expect(await redis.xlen(QUOTE_STREAM)).toBe(2)
    expect(await redis.hget(leaseKey('sweep:a'), 'seq')).toBe('2')
  })
  test('each of a term’s batches, however many they are', async () => {
    const term = await begin('one')
    for (let n = 0; n < 11; n++) await term.publish(batch(String(n)))
    expect(await bench.redis.xlen(QUOTE_STREAM)).toBe(11)
  })
  test('DATA-09: a server that forgot its scripts is told again', async () => {
    const term = await begin('one')
    await term.publish(batch('1'))
    await bench.redis.script('FLUSH')
    await term.publish(batch('2'))
    expect(await bench.redis.xlen(QUOTE_STREAM)).toBe(2)
  })
  test.each([latestMarketsKey('a'), latestQuotesKey('a'), SWEEP_KEY])(
    'DATA-08: %s of another type: nothing is written at all',
    async (key) => {
      const term = await begin('one')
      await bench.redis.set(key, 'text')
      await expect(term.publish(batch('1'))).rejects.toThrow('WRONGTYPE')
      expect(await bench.redis.exists(QUOTE_STREAM)).toBe(0)
    },
  )
})

describe('the newest sweep', () => {
  test('an incomplete one is in the stream and not the newest', async () => {
    const term = await begin('one')
    await term.publishSweep(sweepOf(term.term))
    await term.publishSweep({ ...sweepOf(term.term, false), problem: 'page_failed' })
    expect(await bench.redis.hgetall(SWEEP_KEY)).toEqual({ a: JSON.stringify(sweepOf(term.term)) })
    expect((await bench.stream()).map((entry) => entry.kind === 'sweep' && entry.sweep.complete)).toEqual([
      true,
      false,
    ])
  })
})

describe('the stream is bounded', () => {
  test('beyond the bound the oldest entries go and publishing goes on', async () => {
    const term = await begin('one', { maxBatches: 3 })
    for (const id of ['1', '2', '3', '4', '5']) await term.publish(batch(id))
    expect((await raw()).map((entry) => entry.closed)).toEqual([['3'], ['4'], ['5']])
    expect((await bench.latest('a')).size).toBe(5)
  })
  test('the newest entry stays, were it larger than all bytes that are allowed', async () => {
    const before = await begin('one')
    await before.publish(batch('1'))
    const term = await begin('one', { maxBytes: 1 })
    await term.publish(batch('2'))
    expect((await raw()).map((entry) => entry.closed)).toEqual([['2']])
  })
  test('DATA-13: nor may it grow beyond its bytes while nobody drains it, however few entries that are', async () => {
    const large = (n: number) => ({
      ...batch(String(n)),
      head: `{"kind":"changes","pad":"${'x'.repeat(100_000)}"`,
    })
    const before = await begin('one')
    for (let n = 0; n < 40; n++) await before.publish(large(n))
    await before.release()
    const term = await begin('two', { maxBytes: 1_000_000 })
    await term.publish(large(40))
    const bytes = Number(await bench.redis.memory('USAGE', QUOTE_STREAM, 'SAMPLES', 0))
    expect(bytes).toBeLessThanOrEqual(1_100_000)
    expect(bytes).toBeGreaterThan(500_000)
  })
})
