import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { keepSamples, sampleKey, tickAt } from '../../../api/free/samples.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { MINUTE } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { startRedis } from '../../support/redis.ts'

const EVERY = 30 * MINUTE
const TICK = 1_790_000_000_000 - (1_790_000_000_000 % EVERY)
const asOf = { a: 'then', b: 'then' }

let server: Awaited<ReturnType<typeof startRedis>>
let redis: Redis
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, { log: quietLog, name: 'test-samples' })
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})
beforeEach(() => redis.flushall())

/** One api process: its own clock and its own look at the boards. */
function process(rows: string[] | null, at = TICK) {
  const state = { nowMs: at, rows }
  const samples = keepSamples({
    redis,
    clock: { nowMs: () => state.nowMs },
    name: 'wire',
    everyMs: EVERY,
    row: z.string(),
    draw: () => (state.rows === null ? null : { asOf, rows: state.rows }),
  })
  return { state, ...samples }
}

describe('8 venue-wire refresh: every 30 minutes', () => {
  test.each([
    [TICK - 1, TICK - EVERY],
    [TICK, TICK],
    [TICK + EVERY - 1, TICK],
    [TICK + EVERY, TICK + EVERY],
  ])('at %d the tick %d runs', (nowMs, tick) => expect(tickAt(nowMs, EVERY)).toBe(tick))

  test('processes that look at different boards at once show the same sample', async () => {
    const all = [process(['one']), process(['two'], TICK + 5), process(['three'], TICK + 900)]
    await Promise.all(all.map(({ refresh }) => refresh()))
    for (const { state } of all) state.nowMs = TICK + 1_000
    const [first, ...others] = all.map(({ samples }) => samples())
    expect(first).toHaveLength(1)
    for (const other of others) expect(other).toEqual(first)
  })

  test('a sample does not change within its tick, and a process that starts later shows it', async () => {
    const one = process(['early'])
    await one.refresh()
    one.state.rows = ['late']
    one.state.nowMs = TICK + EVERY - 1
    await one.refresh()
    const newcomer = process(['other'], TICK + EVERY - 1)
    await newcomer.refresh()
    expect([one, newcomer].map(({ samples }) => samples())).toEqual(
      Array(2).fill([{ takenMs: TICK, asOf, rows: ['early'] }]),
    )
    one.state.nowMs = TICK + EVERY
    await one.refresh()
    expect(one.samples().map(({ rows }) => rows)).toEqual([['late'], ['early']])
  })

  test('a process that starts later shows those of the ticks before too', async () => {
    const one = process(['early'])
    await one.refresh()
    const newcomer = process(['late'], TICK + EVERY)
    await newcomer.refresh()
    expect(newcomer.samples().map(({ rows }) => rows)).toEqual([['late'], ['early']])
  })

  test('old data is no sample: the tick has one as soon as the data is good again', async () => {
    const one = process(null)
    await one.refresh()
    expect(one.samples()).toEqual([])
    Object.assign(one.state, { rows: ['now'], nowMs: TICK + 7 * MINUTE })
    await one.refresh()
    expect(one.samples()).toEqual([{ takenMs: TICK + 7 * MINUTE, asOf, rows: ['now'] }])
  })

  test('three ticks are held, and what is in Redis ends by itself', async () => {
    const one = process(['x'])
    for (let tick = 0; tick < 6; tick++) {
      one.state.nowMs = TICK + tick * EVERY
      await one.refresh()
    }
    expect(one.samples().map(({ takenMs }) => (takenMs - TICK) / EVERY)).toEqual([5, 4, 3])
    const left = await redis.pttl(sampleKey('wire', TICK))
    expect(left).toBeGreaterThan(3 * EVERY)
    expect(left).toBeLessThanOrEqual(4 * EVERY)
  })

  test('a sample of the future, or one nobody can read, is not shown', async () => {
    const one = process(['x'], TICK + 9 * MINUTE)
    await one.refresh()
    one.state.nowMs = TICK + 1
    expect(one.samples()).toEqual([])
    await redis.set(sampleKey('wire', TICK + EVERY), '{"rows":7}')
    one.state.nowMs = TICK + EVERY
    await one.refresh()
    expect(one.samples()).toHaveLength(1)
  })
})
