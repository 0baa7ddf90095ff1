import { afterAll, beforeAll, expect, test } from 'vitest'
import { followBoards } from '../../api/latest.ts'
import { connectRedis } from '../../ops/redis.ts'
import { publishSnapshot, someGap, someSnapshot } from '../support/boards.ts'
import { quietLog } from '../support/ledger.ts'
import { startRedis } from '../support/redis.ts'

let server: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const follow = () =>
  followBoards({
    reader: connectRedis(server.url, { log: quietLog, name: 'test-boards', blocking: true }),
    log: quietLog,
  })

test('VEN-04 boards follow the stream, start with the newest, and never go back', async () => {
  const first = someSnapshot([someGap()], { version: 5, publishedMs: 5_000 })
  await publishSnapshot(server.url, first)
  const follower = follow()
  const version = () => follower.boards.gaps?.snapshot.version
  await expect.poll(version).toBe(5)
  await publishSnapshot(server.url, { ...first, version: 6, publishedMs: 6_000 })
  await expect.poll(version).toBe(6)
  await publishSnapshot(server.url, { ...first, version: 4, publishedMs: 4_000 }) // late, from before
  await publishSnapshot(server.url, { ...first, version: 7, publishedMs: 7_000 })
  await expect.poll(version).toBe(7)
  await follower.stop()
})

test('a store that lost its versions begins again, with later boards', async () => {
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 50, publishedMs: 5_000 }))
  const follower = follow()
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(50)
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 1, publishedMs: 9_000 }))
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(1)
  await follower.stop()
})

test('VEN-16 a value that cannot be read leaves the last board in place', async () => {
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 60, publishedMs: 10_000 }))
  const follower = follow()
  await expect.poll(() => follower.boards.gaps?.snapshot.version).toBe(60)
  await publishSnapshot(server.url, { ...someSnapshot([]), version: 61, body: { rows: 'half' } })
  await publishSnapshot(server.url, someSnapshot([someGap()], { version: 62, publishedMs: 11_000 }))
  await expect.poll(() => follower.boards.gaps?.snapshot.version, { timeout: 5_000 }).toBe(62)
  await follower.stop()
})
