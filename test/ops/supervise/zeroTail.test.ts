import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { redisPart } from '../../../ops/supervise/redisPart.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const BLOCK = 64 * 1024
const BINARY = Buffer.from([1, 0, 0])

/** What the supervisor does before each start of a Redis. */
const aboutToStart = (dir: string) =>
  redisPart({
    role: 'ledger',
    label: 'ledger redis',
    dir,
    listen: { socket: join(dir, 'redis.sock') },
    appendfsync: 'always',
    maxMiB: 0,
    system: {},
  }).spawn()

let server: TestRedis
let redis: Redis
let file: string
beforeEach(async () => {
  server = await startRedis({ appendfsync: 'always' })
  redis = new Redis(server.url.slice('unix:'.length))
  redis.on('error', () => {})
  await redis.set('claim', BINARY)
  const folder = join(server.dir, 'appendonlydir')
  file = join(folder, (await readdir(folder)).find((name) => name.endsWith('.incr.aof'))!)
  await server.kill()
})
afterEach(async () => {
  redis.disconnect()
  await server.stop()
})

describe('DATA-16 a machine that went down leaves zeros behind what Redis wrote: they are cut off, and it starts', () => {
  test.each([
    ['one zero', Buffer.alloc(1)],
    ['the rest of a block of the disk', Buffer.alloc(487)],
    ['a block that we read', Buffer.alloc(BLOCK)],
    ['more than two', Buffer.alloc(2 * BLOCK + 1)],
    [
      'half a command, then zeros',
      Buffer.concat([Buffer.from('*3\r\n$3\r\nSET\r\n$5\r\ncl'), Buffer.alloc(99)]),
    ],
  ])('%s', async (_, tail) => {
    await appendFile(file, tail)
    const zeros = tail.length - (tail.findLastIndex((byte) => byte !== 0) + 1)
    expect(aboutToStart(server.dir).found).toBe(`its newest file ended in ${zeros} zero bytes: cut off`)
    await server.restart()
    expect(await redis.getBuffer('claim')).toEqual(BINARY)
    await redis.set('claim', 'is written again')
  })

  test('a file without them stays as it is', async () => {
    const before = await readFile(file)
    expect(aboutToStart(server.dir).found).toBeUndefined()
    expect(await readFile(file)).toEqual(before)
  })

  test('where Redis has never been there is nothing to cut', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'microdata-empty-'))
    aboutToStart(empty)
    expect(await readdir(empty)).toEqual([])
    await rm(empty, { recursive: true })
  })
})
