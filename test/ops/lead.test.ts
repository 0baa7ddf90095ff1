import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { fenceKey, type Leadership, lead, leaderKey } from '../../ops/lead.ts'
import { createLog } from '../../ops/log.ts'
import { HOUR } from '../../ops/units.ts'
import { until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

/** A leader asks three times per lease; a machine that stands still for longer than one would make these tests fail. */
const LEASE_MS = 3_000
const NAME = 'task'

let server: TestRedis
let redis: Redis
let beside: Redis // works on while writes are paused
let told: (string | null)[]
let warned: number
const log = createLog('test', 'silent')
log.warn = () => warned++
const leaders: Leadership[] = []
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length))
  beside = redis.duplicate()
})
afterAll(async () => {
  redis.disconnect()
  beside.disconnect()
  await server.stop()
})
beforeEach(async () => {
  await redis.flushall()
  told = []
  warned = 0
})
afterEach(async () => {
  await beside.client('UNPAUSE')
  await redis.config('SET', 'maxmemory', '0')
  await Promise.all(leaders.splice(0).map((leader) => leader.stop()))
})

const start = () => {
  const leader = lead(redis, {
    name: NAME,
    log,
    leaseMs: LEASE_MS,
    onChange: (fence) => told.push(fence),
  })
  leaders.push(leader)
  return leader
}
const leads = (leader: Leadership, fence: string | null) =>
  until(`fence is ${fence}`, async () => leader.fence() === fence)
const holder = () => redis.get(leaderKey(NAME))
const heldAgain = () => until('the lease is held', async () => (await holder()) !== null)

describe('one leader among several processes', () => {
  test('the second stands by until the first stops; every term has a higher fence', async () => {
    const first = start()
    await leads(first, '1')
    const second = start()
    await sleep(LEASE_MS)
    expect([first.fence(), second.fence()]).toEqual(['1', null])
    await first.stop()
    await leads(second, '2')
    expect(first.fence()).toBeNull()
    expect(told).toEqual(['1', null, '2'])
  })

  test('a lease that ran out and that nobody took since is the same term: nobody hears of it', async () => {
    const leader = start()
    await leads(leader, '1')
    for (const _ of [1, 2]) {
      await redis.del(leaderKey(NAME))
      await heldAgain()
    }
    await sleep(LEASE_MS)
    expect([leader.fence(), await redis.get(fenceKey(NAME)), told]).toEqual(['1', '1', ['1']])
  })

  test('it is a new term when somebody led in between, however short', async () => {
    const leader = start()
    await leads(leader, '1')
    await redis.multi().incr(fenceKey(NAME)).del(leaderKey(NAME)).exec()
    await leads(leader, '3')
    expect(told).toEqual(['1', '3'])
  })

  test('it is a new term when its end was told', async () => {
    const leader = start()
    await leads(leader, '1')
    await redis.set(leaderKey(NAME), 'somebody else')
    await leads(leader, null)
    await redis.del(leaderKey(NAME))
    await leads(leader, '2')
    expect(told).toEqual(['1', null, '2'])
  })
})

describe('a lease', () => {
  test('is renewed while its holder leads', async () => {
    await leads(start(), '1')
    await redis.pexpire(leaderKey(NAME), HOUR)
    await until('it is renewed', async () => (await redis.pttl(leaderKey(NAME))) <= LEASE_MS)
  })

  test('is given back by who stops, and by nobody else', async () => {
    const [first, second] = [start(), start()]
    await until('one leads', async () => first.fence() !== second.fence())
    const [leader, other] = first.fence() === null ? [second, first] : [first, second]
    await other.stop()
    expect([leader.fence(), (await holder()) !== null]).toEqual(['1', true])
    await leader.stop()
    expect(await holder()).toBeNull()
  })

  test('is asked for no more by who stopped while he asked', async () => {
    await beside.client('PAUSE', HOUR, 'WRITE')
    const leader = start()
    const stopping = leader.stop()
    await beside.client('UNPAUSE')
    await stopping
    expect([leader.fence(), told.at(-1) ?? null, await holder()]).toEqual([null, null, null])
    await sleep(LEASE_MS / 2) //  a leader would have asked again by now
    expect(await holder()).toBeNull()
  })

  test('is over in time for who hears nothing of Redis', async () => {
    const leader = start()
    await leads(leader, '1')
    await beside.client('PAUSE', HOUR, 'WRITE')
    await leads(leader, null)
  })

  test('OPS-14: of a holder who died is over in time, though the clock of the store was set back', async () => {
    await redis.set(leaderKey(NAME), 'died', 'PX', HOUR)
    await leads(start(), '1')
  })

  test('outlives a renewal that failed, and ends when none came in time', async () => {
    const leader = start()
    await leads(leader, '1')
    await redis.multi().del(leaderKey(NAME)).hset(leaderKey(NAME), 'is', 'no text').exec()
    await until('a renewal failed', async () => warned > 0)
    expect([leader.fence(), told]).toEqual(['1', ['1']])
    await until('its end is told', async () => told.length > 1)
    expect([leader.fence(), told]).toEqual([null, ['1', null]])
  })

  test('DATA-06: is given by a server that is full', async () => {
    await redis.config('SET', 'maxmemory', 1_000_000)
    await expect(redis.set('anything', 'else')).rejects.toThrow(/^OOM/)
    await leads(start(), '1')
  })
})

test('a lease counts from when it was asked for: the store may have given it long before we hear of it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const slow = {
    eval: async () => {
      if (asked++ > 0) throw new Error('away')
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return 7
    },
  }
  const leader = lead(slow as unknown as Redis, { name: NAME, log, leaseMs: 1_500 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(leader.fence()).toBe('7')
  await vi.advanceTimersByTimeAsync(499)
  expect(leader.fence()).toBe('7')
  await vi.advanceTimersByTimeAsync(1)
  expect(leader.fence()).toBeNull()
  await leader.stop()
})
