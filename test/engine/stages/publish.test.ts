import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SNAPSHOT_STREAM, Snapshot, snapshotKey } from '../../../engine/contract/snapshot.ts'
import { StaleFenceError } from '../../../engine/errors.ts'
import { FENCE_KEY, versionKey } from '../../../engine/stages/keys.ts'
import { publish } from '../../../engine/stages/publish.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

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
beforeEach(() => redis.flushall())

const publication = {
  name: 'gaps',
  fence: 7,
  publishedMs: 5_000,
  asOfMs: { a: 4_000, b: null },
  bodyJson: '{"rows":[],"note":"ü"}',
}

describe('VEN-16 a snapshot is written whole, value and stream entry in one step', () => {
  test('the value follows the contract, its hash is that of the body', async () => {
    await redis.set(FENCE_KEY, 7)
    expect(await publish(redis, publication)).toBe(1)
    const text = await redis.get(snapshotKey('gaps'))
    const snapshot = Snapshot.parse(JSON.parse(text!))
    expect(snapshot).toMatchObject({
      name: 'gaps',
      version: 1,
      fence: 7,
      publishedMs: 5_000,
      asOfMs: { a: 4_000, b: null },
      body: { rows: [], note: 'ü' },
    })
    expect(snapshot.hash).toBe(createHash('sha256').update(publication.bodyJson).digest('hex'))
    const entries = await redis.xrange(SNAPSHOT_STREAM, '-', '+')
    expect(entries.map(([, fields]) => fields)).toEqual([['name', 'gaps', 'version', '1']])
  })

  test('versions of a board rise by one, each board for itself', async () => {
    await redis.set(FENCE_KEY, 7)
    const versions = []
    for (const name of ['gaps', 'gaps', 'books', 'gaps'])
      versions.push(await publish(redis, { ...publication, name }))
    expect(versions).toEqual([1, 2, 1, 3])
  })

  test('the stream is bounded', async () => {
    await redis.set(FENCE_KEY, 7)
    for (let round = 0; round < 1_500; round++) await publish(redis, publication)
    expect(await redis.xlen(SNAPSHOT_STREAM)).toBeLessThan(1_250) // cut by whole nodes, a little above a thousand
  })
})

describe('VEN-18 the fence: only the engine that leads publishes', () => {
  test.each([
    ['another engine has led since', '8'],
    ['nobody ever led', null],
  ])('refused, and nothing is written: %s', async (_, newest) => {
    if (newest !== null) await redis.set(FENCE_KEY, newest)
    await expect(publish(redis, publication)).rejects.toThrow(StaleFenceError)
    expect(await redis.exists(snapshotKey('gaps'), SNAPSHOT_STREAM, versionKey('gaps'))).toBe(0)
  })

  test('a server that forgot its scripts is told again', async () => {
    await redis.set(FENCE_KEY, 7)
    await publish(redis, publication)
    await redis.script('FLUSH')
    expect(await publish(redis, publication)).toBe(2)
  })
})
