import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fenceKey, type Leadership, lead, leaderKey } from '../../ops/lead.ts'
import { quietLog } from '../support/ledger.ts'
import { until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

/** Asked for three times in it; a machine that stands still for longer would make these tests fail. */
const LEASE_MS = 3_000
const NAME = 'task'

let server: TestRedis
let redis: Redis
let told: (string | null)[]
const leaders: Leadership[] = []
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
  told = []
})
afterEach(async () => {
  await Promise.all(leaders.splice(0).map((leader) => leader.stop()))
})

const start = () => {
  const leader = lead(redis, {
    name: NAME,
    log: quietLog,
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
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
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
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
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
