import type { Redis } from 'ioredis'
import { afterEach, beforeEach } from 'vitest'
import { connectRedis } from '../../ops/redis.ts'
import { quietLog } from './ledger.ts'
import { startRedis, type TestRedis } from './redis.ts'

/** Starts a ledger and its witness, in this order, for each test of a file; connections end with the test. */
export function fenceStores() {
  const stores = [] as unknown as [TestRedis, TestRedis]
  const connections: Redis[] = []
  beforeEach(async () => {
    Object.assign(stores, await Promise.all([startRedis({ appendfsync: 'always' }), startRedis()]))
  })
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.disconnect()
    await Promise.all(stores.map((store) => store.stop()))
  })
  const connect = ({ url }: { url: string }, options: { blocking?: boolean; db?: number } = {}): Redis => {
    const connection = connectRedis(url, { log: quietLog, name: 'test', ...options })
    connections.push(connection)
    return connection
  }
  return { stores, connect }
}
