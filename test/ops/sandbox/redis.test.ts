import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

describe('design 1: the ledger store is append-only with fsync on every write, and never evicts', () => {
  let server: TestRedis
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'always' })
    redis = new Redis(server.url.slice('unix:'.length))
    redis.on('error', () => {})
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  test.each([
    ['appendonly', 'yes'],
    ['appendfsync', 'always'],
    ['maxmemory-policy', 'noeviction'],
    ['save', ''],
    ['port', '0'],
  ])('%s is %j', async (key, value) => {
    expect(await redis.config('GET', key)).toEqual([key, value])
  })

  test('an acknowledged write is there after kill -9 and restart', async () => {
    const { pid } = server
    await redis.set('claim', 'taken')
    await server.kill()
    expect(isAlive(pid)).toBe(false)
    await server.restart()
    expect(server.pid).not.toBe(pid)
    expect(await redis.get('claim')).toBe('taken')
  })
})
