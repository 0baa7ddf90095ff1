import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectRedis, keepSubscribed } from '../../ops/redis.ts'
import { quietLog } from '../support/ledger.ts'
import { until } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

const [ROUNDS, ASKED] = [20, 50]

let server: TestRedis
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())
beforeEach(async () => {
  redis = connectRedis(server.url, { log: quietLog, name: 'test', commandTimeoutMs: 100 })
  redis.on('error', () => {}) //  of a connection that is given up
  await redis.ping()
})
afterEach(() => {
  process.kill(server.pid, 'SIGCONT')
  redis.disconnect()
})

/** Commands that the client still holds, whether or not anybody waits for them. */
const held = (client: Redis) =>
  ['commandQueue', 'offlineQueue', 'prevCommandQueue']
    .map((name) => (Reflect.get(client, name) as { length: number } | null)?.length ?? 0)
    .reduce((sum, length) => sum + length)

describe('DATA-07 a server that stands still', () => {
  test('whoever asks is told while it does, and it is not kept for ever what nobody waits for any more', async () => {
    process.kill(server.pid, 'SIGSTOP')
    for (let round = 0; round < ROUNDS; round++) {
      const asked = Array.from({ length: ASKED }, (_, at) => redis.get(`key ${at}`))
      const told = await Promise.allSettled(asked)
      expect(new Set(told.map(({ status }) => status))).toEqual(new Set(['rejected']))
    }
    expect(held(redis)).toBeLessThan((ROUNDS * ASKED) / 2)
  })

  test('when it goes on it is found again', async () => {
    await redis.set('key', 'kept')
    process.kill(server.pid, 'SIGSTOP')
    await expect(redis.get('key')).rejects.toThrow()
    await new Promise((resolve) => redis.once('close', resolve)) //  given up
    process.kill(server.pid, 'SIGCONT')
    await until('it answers', () => redis.get('key').catch(() => null))
  })
})

describe('a subscription', () => {
  const told = async (subscriber: Redis) => {
    const news = new Promise((resolve) => subscriber.once('message', (_, text) => resolve(text)))
    await until('somebody listens', async () => (await redis.publish('channel', 'news')) > 0)
    return news
  }

  test('is there again after every reconnect', async () => {
    const subscriber = connectRedis(server.url, { log: quietLog, name: 'news', blocking: true })
    keepSubscribed(subscriber, 'channel')
    for (let time = 0; time < 3; time++) {
      expect(await told(subscriber)).toBe('news')
      const closed = new Promise((resolve) => subscriber.once('close', resolve))
      await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      await closed
    }
    subscriber.disconnect()
  })
})
