import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMetrics } from '../../ops/metrics.ts'
import { storeClockAheadMs, watchStoreClocks } from '../../ops/storeClock.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.url.slice('unix:'.length), { maxRetriesPerRequest: 0 })
  redis.on('error', () => {})
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

/** A store that answers at `storeMs`, asked at the first of the times and read at the second. */
const between = (sentMs: number, arrivedMs: number, storeMs: number) => {
  const times = [sentMs, arrivedMs]
  const time = async () => [Math.floor(storeMs / 1_000), (storeMs % 1_000) * 1_000] as [number, number]
  return storeClockAheadMs({ time } as Pick<Redis, 'time'>, { nowMs: () => times.shift()! })
}

describe('how far the clock of a store is ahead', () => {
  test.each([
    ['ahead: by what it is later than the arrival', 1_000, 1_400, 7_400, 6_000],
    ['a millisecond ahead', 1_000, 1_400, 1_401, 1],
    ['within the time that the answer took: they may agree', 1_000, 1_400, 1_400, 0],
    ['at the question: they may agree', 1_000, 1_400, 1_000, 0],
    ['behind: by what it is earlier than the question', 10_000, 10_400, 3_000, -7_000],
  ])('%s', async (_, sentMs, arrivedMs, storeMs, aheadMs) => {
    expect(await between(sentMs, arrivedMs, storeMs)).toBe(aheadMs)
  })
})

describe('what the operator sees of it', () => {
  test('every store of a process whose clock is wrong by a minute; nothing of one that does not answer', async () => {
    const metrics = createMetrics('test')
    const away = new Redis('/nowhere/redis.sock', { maxRetriesPerRequest: 0, retryStrategy: () => null })
    away.on('error', () => {})
    const stop = watchStoreClocks(
      metrics,
      { ledger: redis, pipeline: away },
      { nowMs: () => Date.now() - 60_000 },
    )
    const lines = async () =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('store_clock_ahead_ms'))
    await expect.poll(lines).toHaveLength(1)
    stop()
    const [line] = await lines()
    expect(line).toContain('store="ledger"')
    expect(Number(line?.split(' ').at(-1))).toBeGreaterThan(55_000)
  })
})
