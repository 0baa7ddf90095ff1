import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTurns, type Turn } from '../../../ingest/poll/turns.ts'
import { type Feed, leaseKey } from '../../../ingest/publish.ts'
import { createLog } from '../../../ops/log.ts'
import { sleep, until } from '../../support/process.ts'
import { type Bench, openBench } from '../support/bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())
beforeEach(() => bench.wipe())

const REST_MS = 300

/** A process with its workers; jobs are given to it by hand. */
function join(owner: string) {
  const leases = bench.publisher(owner, { leaseMs: 600, restMs: REST_MS })
  let isDead = false
  const answer = <T>(call: () => Promise<T>): Promise<T> =>
    isDead ? Promise.reject(new Error('no connection')) : call()
  const turns = createTurns(
    {
      keep: (feed) => answer(() => leases.keep(feed)),
      leave: (feed) => answer(() => leases.leave(feed)),
      isFree: (feed, asks) => answer(() => leases.isFree(feed, asks)),
    },
    { everyMs: 0, log: createLog('test', 'silent'), tickMs: 20, leftMs: 2_000 },
  )
  const feeds = new Map<Feed, { turn: Turn; isAwake: boolean; isIdle: boolean; isPausing: boolean }>()
  const of = (feed: Feed) => {
    const known = feeds.get(feed)
    if (known !== undefined) return known
    const state = { isAwake: true, isIdle: false, isPausing: false }
    const worker = {
      feed,
      pause: async () => {
        state.isAwake = false
      },
      resume: () => {
        state.isAwake = true
      },
      isIdle: () => state.isIdle,
    }
    const turn = feed.startsWith('books:')
      ? turns.follow(feed.replace('books', 'sweep') as Feed, worker)
      : turns.keep({ ...worker, isPausing: () => state.isPausing })
    const opened = Object.assign(state, { turn })
    feeds.set(feed, opened)
    onTestFinished(() => opened.turn.close())
    return opened
  }
  return {
    isAwake: (feed: Feed) => of(feed).isAwake,
    /** Its queue gives it nothing any more. */
    starve: (feed: Feed) => {
      of(feed).isIdle = true
    },
    /** The venue asks for a pause. */
    pause: (feed: Feed) => {
      of(feed).isPausing = true
    },
    die: () => {
      isDead = true
    },
    stop: async () => {
      for (const { turn } of feeds.values()) await turn.close()
    },
    /** One job. @returns whether it was done, or whose it is. */
    run: async (feed: Feed, goesOn = true): Promise<'done' | 'busy' | 'left'> => {
      const { turn } = of(feed)
      if (!(await turn.begin())) return 'left'
      const term = await leases.begin(feed, 'a')
      if (term === null) {
        await turn.standBy()
        return 'busy'
      }
      if (feed.startsWith('books:')) await term.release()
      else await term.rest()
      await turn.end(goesOn)
      return 'done'
    },
  }
}

describe('who has worked on a feed goes on with it', () => {
  test('the others stand by for as long as it lives', async () => {
    const [one, two] = [join('one'), join('two')]
    expect(await one.run('sweep:a')).toBe('done')
    expect(await two.run('sweep:a')).toBe('busy')
    expect(two.isAwake('sweep:a')).toBe(false)
    await sleep(3 * REST_MS)
    expect(two.isAwake('sweep:a')).toBe(false)
    expect(await one.run('sweep:a')).toBe('done')
    expect(one.isAwake('sweep:a')).toBe(true)
  })
  test('a job that wakes a worker which stands by is left to the others untouched', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    expect(await two.run('sweep:a')).toBe('left')
    expect(await bench.redis.hget(leaseKey('sweep:a'), 'term')).toBe('1')
  })
  test('when it stops, the next one wakes at once', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    await one.stop()
    expect(await bench.redis.hget(leaseKey('sweep:a'), 'untilMs')).toBe('0')
    await until('two is awake', () => two.isAwake('sweep:a'))
    expect(await two.run('sweep:a')).toBe('done')
  })
  test('when it dies, the next one wakes after its rest', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    one.die()
    await until('two is awake', () => two.isAwake('sweep:a'))
    expect(await two.run('sweep:a')).toBe('done')
  })
  test('a dead one’s rest ends although the clock of the store was set back', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    one.die()
    await sleep(50) //  what is on its way is there
    await bench.redis.hset(leaseKey('sweep:a'), 'untilMs', Date.now() + 3_600_000)
    await until('two is awake', () => two.isAwake('sweep:a'))
  })
  test('trouble of its own: others may try, at once', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    expect(await one.run('sweep:a', false)).toBe('done')
    expect(await bench.redis.hget(leaseKey('sweep:a'), 'untilMs')).toBe('0')
    await until('two is awake', () => two.isAwake('sweep:a'))
    expect(await two.run('sweep:a')).toBe('done')
    expect(await one.run('sweep:a')).not.toBe('done')
  })
  test('a process that is given no jobs does not keep others from theirs', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run('sweep:a')
    await two.run('sweep:a')
    one.starve('sweep:a')
    await until('two is awake', () => two.isAwake('sweep:a'))
  })
})

describe('several processes share the venues', () => {
  const [a, b] = ['sweep:a', 'sweep:b'] as const
  test('who has two venues gives one to who has none, and only one', async () => {
    const [one, two] = [join('one'), join('two')]
    for (const feed of [a, b] as const) await one.run(feed)
    for (const feed of [a, b] as const) expect(await two.run(feed)).toBe('busy')
    await until('two is awake for one of them', () => two.isAwake(a) || two.isAwake(b))
    await sleep(REST_MS)
    const [given, kept] = two.isAwake(a) ? [a, b] : [b, a]
    expect(one.isAwake(given)).toBe(false)
    expect(await bench.redis.hget(leaseKey(given), 'untilMs')).toBe('0')
    expect(await one.run(given)).toBe('left')
    expect(await two.run(given)).toBe('done')
    await sleep(3 * REST_MS)
    expect([one.isAwake(given), one.isAwake(kept)]).toEqual([false, true])
    expect([two.isAwake(given), two.isAwake(kept)]).toEqual([true, false])
  })
  test('also to one that the queue never gives a job', async () => {
    const [one, two] = [join('one'), join('two')]
    for (const feed of [a, b] as const) await one.run(feed)
    expect([two.isAwake(a), two.isAwake(b)]).toEqual([true, true])
    await until('one stands by for one of them', () => !one.isAwake(a) || !one.isAwake(b))
  })
  test('but not one whose venue asked for a pause: who takes it over would not know', async () => {
    const [one, two] = [join('one'), join('two')]
    for (const feed of [a, b] as const) await one.run(feed)
    one.pause(a)
    for (const feed of [a, b] as const) expect(await two.run(feed)).toBe('busy')
    await until('two is awake for the other one', () => two.isAwake(b))
    await two.run(b)
    await sleep(2 * REST_MS)
    expect([one.isAwake(a), two.isAwake(a)]).toEqual([true, false])
  })
  test('nor one to who has had trouble with it, and would have it again', async () => {
    const [one, two] = [join('one'), join('two')]
    expect(await two.run(a, false)).toBe('done')
    for (const feed of [a, b] as const) await one.run(feed)
    await until('two stands by', () => !two.isAwake(a))
    await sleep(2 * REST_MS)
    expect(one.isAwake(a)).toBe(true)
  })
  test('who has one asks for no other', async () => {
    const [one, two] = [join('one'), join('two')]
    const c = 'sweep:c' as Feed //  a third venue
    for (const feed of [a, b] as const) await one.run(feed)
    await two.run(c)
    expect(await two.run(a)).toBe('busy')
    await sleep(2 * REST_MS)
    expect([one.isAwake(a), two.isAwake(a)]).toEqual([true, false])
  })
  test('what nobody takes comes back', async () => {
    const [one, two] = [join('one'), join('two')]
    for (const feed of [a, b] as const) await one.run(feed)
    expect(await two.run(a)).toBe('busy')
    await until('one has given it away', () => !one.isAwake(a))
    two.die()
    await until('one is awake again', () => one.isAwake(a))
    expect(await one.run(a)).toBe('done')
  })
})

describe('the books of a venue are read by who sweeps it: its limits hold for both', () => {
  const [a, b] = ['sweep:a', 'sweep:b'] as const
  test('the others leave them to it, until it dies', async () => {
    const [one, two] = [join('one'), join('two')]
    await one.run(a)
    expect(await two.run('books:a')).toBe('left')
    expect(two.isAwake('books:a')).toBe(false)
    expect(await one.run('books:a')).toBe('done')
    await sleep(2 * REST_MS)
    expect(two.isAwake('books:a')).toBe(false)
    one.die()
    await until('two is awake', () => two.isAwake('books:a'))
    expect(await two.run('books:a')).toBe('done')
  })
  test('they go with the venue when it is given away', async () => {
    const [one, two] = [join('one'), join('two')]
    for (const feed of [a, b] as const) await one.run(feed)
    expect(await two.run('books:a')).toBe('left')
    expect(await two.run(a)).toBe('busy')
    await until('two is awake', () => two.isAwake(a))
    expect(await two.run(a)).toBe('done')
    expect(await one.run('books:a')).toBe('left')
    expect(await one.run('books:b')).toBe('done')
    await until('two reads the books as well', () => two.isAwake('books:a'))
    expect(await two.run('books:a')).toBe('done')
  })
  test('while nobody has the venue anybody may', async () => {
    const [one, two] = [join('one'), join('two')]
    expect(await one.run('books:a')).toBe('done')
    await one.run(a, false)
    expect(await two.run('books:a')).toBe('done')
  })
})
