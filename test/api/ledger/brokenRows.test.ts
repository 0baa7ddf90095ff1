import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMeter } from '../../../api/entitlements/meter.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { BrokenRowError, LUA, SCRIPTS, type ScriptName } from '../../../api/ledger/scripts.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { booksOf, doEverything } from '../../support/everyStep.ts'
import { openLedger, quietLog, someSettled, someTerms } from '../../support/ledger.ts'
import { startRedis, type TestRedis, watched } from '../../support/redis.ts'

const FAR = 4_000_000_000_000
const NAMES = new Map(
  Object.entries(LUA).map(([name, lua]) => [
    createHash('sha1').update(lua).digest('hex'),
    name as ScriptName,
  ]),
)

let server: TestRedis
let store: Redis //  to look at it, and to trouble it
beforeAll(async () => {
  server = await startRedis({ extra: ['--appendonly', 'no', '--enable-debug-command', 'local'] })
  store = connectRedis(server.url, { log: quietLog, name: 'looker' })
})
afterAll(async () => {
  store?.disconnect()
  await server?.stop()
})

/** A ledger on an empty store; each of its scripts goes through `call`, one at a time. */
async function ledgerWhose(call: (name: ScriptName, keys: string[], args: string[]) => Promise<unknown>) {
  await store.flushall()
  await store.set(KEYS.fence, '1')
  let turn: Promise<unknown> = Promise.resolve()
  const evalsha = (digest: string, count: number, ...rest: (string | number)[]) => {
    const texts = rest.map(String)
    const next = turn.then(() => call(NAMES.get(digest)!, texts.slice(0, count), texts.slice(count)))
    turn = next.catch(() => {})
    return next
  }
  const through = (redis: Redis) =>
    new Proxy(redis, {
      get(target, key) {
        if (key === 'evalsha') return evalsha
        const member: unknown = Reflect.get(target, key)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  return openLedger(server.url, { through })
}

const run = (name: ScriptName, keys: string[], args: string[]) =>
  store.eval(LUA[name], keys.length, ...keys, ...args)

/** By key, of every row or of these: a digest of its contents in whatever order, and until when it is kept. */
async function rowsOf(some?: string[]): Promise<Map<string, string>> {
  const keys = some ?? (await store.keys('*'))
  const [digests, untils] = await Promise.all([
    store.call('DEBUG', 'DIGEST-VALUE', ...keys) as Promise<string[]>,
    untilsOf(keys),
  ])
  return new Map(keys.map((key, at) => [key, `${digests[at]} ${untils[at]}`]))
}
/** One command for all of them: it is asked thousands of times. */
const untilsOf = (keys: string[]) =>
  store.eval(
    `local untils = {} for at, key in ipairs(KEYS) do untils[at] = redis.call('PEXPIRETIME', key) end return untils`,
    keys.length,
    ...keys,
  ) as Promise<number[]>
const isEqual = (left: Map<string, string>, right: Map<string, string>): boolean =>
  left.size === right.size && [...left].every(([key, row]) => right.get(key) === row)

type Copy = { key: string; dump: Buffer; untilMs: number }
async function copyOf(): Promise<Copy[]> {
  const keys = await store.keys('*')
  const untils = await untilsOf(keys)
  const dumps = await Promise.all(keys.map((key) => store.dumpBuffer(key)))
  return keys.map((key, at) => ({ key, dump: dumps[at]!, untilMs: Math.max(0, untils[at]!) }))
}
/** @param only the one row that is not as it was, where it is known. */
async function putBack(copy: Copy[], only?: string): Promise<void> {
  await (only === undefined ? store.flushall() : store.del(only))
  const rows = only === undefined ? copy : copy.filter(({ key }) => key === only)
  await Promise.all(rows.map(({ key, dump, untilMs }) => store.restore(key, untilMs, dump, 'ABSTTL')))
}

const NO_NUMBERS = ['wrong', '1e3', '-0x1', '99999999999999999999']

describe('DATA-08 whatever a row holds, a script does all of what it does or nothing', () => {
  test('property: no script that meets a wrong type or a wrong word in a row has written anything', async () => {
    const tried = new Set<string>()
    const half: string[] = [] // failed, and something was written
    const blind: string[] = [] // did not see that a row has the wrong type
    const world = await ledgerWhose(async (name, keys, args) => {
      const [copy, whole] = await Promise.all([copyOf(), rowsOf()])
      const meets = async (what: string, key: string, isSeen: boolean, spoil: () => Promise<unknown>) => {
        await spoil()
        const before = new Map([...whole, ...(await rowsOf([key]))])
        const said = await run(name, keys, args).catch((error: Error) => error)
        const failed = said instanceof Error
        const isLeft = failed && isEqual(await rowsOf(), before)
        if (failed && !isLeft) half.push(`${name}: ${what}`)
        if (isSeen && !(failed && said.message.startsWith('BROKENROW'))) blind.push(`${name}: ${what}`)
        await (isLeft ? putBack(copy, key) : putBack(copy))
      }
      for (const [at, key] of keys.entries()) {
        if (key === '') continue
        tried.add(`${name} ${Math.min(at, SCRIPTS[name].keys.length)}`)
        const goesOn = /^(spendCalls|answerCall|giveBackCall)$/.test(name) && at > 0
        await meets(`KEYS[${at + 1}] is a list`, key, !goesOn, async () => {
          await store.del(key)
          await store.rpush(key, 'wrong')
        })
        if ((await store.type(key)) !== 'hash') continue
        for (const field of await store.hkeys(key))
          for (const word of NO_NUMBERS)
            await meets(`KEYS[${at + 1}].${field} is ${word}`, key, false, () => store.hset(key, field, word))
      }
      return await run(name, keys, args)
    })
    await doEverything(world)
    world.close()
    const all = Object.entries(SCRIPTS).flatMap(([name, { keys, ...more }]) =>
      [...keys, ...('rest' in more ? [''] : [])].map((_, at) => `${name} ${at}`),
    )
    expect(blind).toEqual([])
    expect(half).toEqual([])
    expect(all.filter((key) => !tried.has(key))).toEqual([])
  })
})

test('DATA-08 what a broken row stops is told as such, and is not taken for a lost reply', async () => {
  const { ledger, redis, close } = await ledgerWhose(run)
  await redis.rpush('claims:undelivered', 'wrong')
  const failure = await ledger
    .claimTransfer('tx:1', someTerms(), someSettled(1), 8453)
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BrokenRowError)
  expect(failure).toMatchObject({ retryable: false, code: 'ledger_broken' })
  close()
})

describe('DATA-08 a pass whose row is broken', () => {
  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['another type', (redis, key) => redis.set(key, 'wrong')],
    ['no number of calls', (redis, key) => redis.hset(key, { sku: 'S', expires: FAR, calls: 'x' })],
    ['no end', (redis, key) => redis.hset(key, { sku: 'S', expires: 'NaN', calls: 5 })],
    ['calls missing', (redis, key) => redis.hset(key, { sku: 'S', expires: FAR })],
    [
      'a number that no number is',
      (redis, key) => redis.hset(key, { sku: 'S', expires: FAR, calls: '9'.repeat(400) }),
    ],
    ['a broken number of calls', (redis, key) => redis.hset(key, { sku: 'S', expires: FAR, calls: '1.5' })],
  ])('%s: is unknown, costs its neighbours nothing and is left as it is', async (_, spoil) => {
    const { ledger, redis, close } = await ledgerWhose(run)
    for (const name of ['a', 'c'])
      await redis.hset(`grant:pass:${name}`, { sku: 'S', expires: FAR, calls: 10 })
    await spoil(redis, 'grant:pass:b')
    const digests = async () => await redis.call('DEBUG', 'DIGEST-VALUE', 'grant:pass:b')
    const before = await digests()
    const asked = new Map(['a', 'b', 'c'].map((name) => [name, 2]))
    const spent = await ledger.spendCalls('pass', 'operation', asked)
    expect(spent).toEqual(await ledger.spendCalls('pass', 'operation', asked))
    expect([...spent.values()].map(({ taken, left, expiresMs }) => [taken, left, expiresMs])).toEqual([
      [2, 8, FAR],
      [0, 0, 0],
      [2, 8, FAR],
    ])
    expect(await redis.hget('grant:pass:a', 'calls')).toBe('8')
    expect(await ledger.answerCall('pass', 'name', 'b', 'answer')).toBe('unknown')
    expect(await ledger.answeredCall('name')).toBeNull()
    expect(await digests()).toEqual(before)
    close()
  })

  test('a call with a name whose row is broken takes nothing, and says so each time', async () => {
    const { ledger, redis, close } = await ledgerWhose(run)
    await redis.hset('grant:pass:a', { sku: 'S', expires: FAR, calls: 10 })
    await redis.set(KEYS.call('name'), 'wrong')
    for (const call of [() => ledger.answerCall('pass', 'name', 'a', 'x'), () => ledger.answeredCall('name')])
      await expect(call()).rejects.toMatchObject({ code: 'ledger_broken', retryable: false })
    expect(await redis.hget('grant:pass:a', 'calls')).toBe('10')
    expect(await redis.get(KEYS.call('name'))).toBe('wrong')
    close()
  })

  test('a meter whose operation is broken asks once and takes nothing', async () => {
    const operations: string[] = []
    const { ledger, redis, close } = await ledgerWhose(async (name, keys, args) => {
      operations.push(keys[0]!)
      await redis.rpush(keys[0]!, 'wrong')
      return await run(name, keys, args)
    })
    await redis.hset('grant:pass:a', { sku: 'S', expires: FAR, calls: 10 })
    const meter = createMeter((operation, wanted) => ledger.spendCalls('pass', operation, wanted))
    await expect(meter.take('a')).rejects.toBeInstanceOf(BrokenRowError)
    expect(operations).toHaveLength(1)
    expect(await redis.hget('grant:pass:a', 'calls')).toBe('10')
    close()
  })
})

test('DATA-09 a store that forgets its scripts before every step ends with the same books', async () => {
  const books: Record<string, string>[] = []
  for (const forgets of [false, true]) {
    await store.flushall()
    await store.set(KEYS.fence, '1')
    let steps = 0
    const before = (command: string) => {
      if (command !== 'evalsha') return
      steps++
      return forgets ? store.script('FLUSH') : undefined
    }
    const world = openLedger(server.url, { through: (redis) => watched(redis, { before }) })
    await doEverything(world)
    books.push(await booksOf(store))
    expect(steps).toBeGreaterThan(Object.keys(SCRIPTS).length)
    world.close()
  }
  expect(books[1]).toEqual(books[0])
})
