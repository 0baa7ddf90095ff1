import { afterEach, describe, expect, test } from 'vitest'
import { INLINE_CHARS } from '../../../../../api/goods/utility/pool/long.ts'
import { createPool, type Pool, UtilityError } from '../../../../../api/goods/utility/pool/pool.ts'
import { sizeOf } from '../../../../../api/goods/utility/pool/sizeOf.ts'
import { work } from '../../../../../api/goods/utility/pool/work.ts'
import { sleep } from '../../../../support/process.ts'

const entry = new URL('standInWork.ts', import.meta.url)
const LONG = { q: 'x'.repeat(INLINE_CHARS) }
const SHORT = { q: 'x'.repeat(INLINE_CHARS - 1) }
const TIMEOUT = { problem: 'utility_timeout' }

let pool: Pool | undefined
afterEach(async () => {
  await pool?.close()
  pool = undefined
})
/** `here` marks its results, so that a test sees where an input was worked out. */
const open = async (options: Partial<Parameters<typeof createPool>[0]> = {}): Promise<Pool> => {
  const here = () => ({ result: { here: true }, snapshotVersion: null })
  pool = createPool({ threads: 1, entry, here, ...options })
  await pool.warm({ sku: 'count', input: LONG })
  return pool
}

describe('INP-16: a heavy text is worked out beside the event loop, within bounds', () => {
  test('short texts on the spot, others in a thread', async () => {
    const { compute } = await open()
    expect(await compute({ sku: 'count', input: SHORT })).toMatchObject({ result: { here: true } })
    expect(await compute({ sku: 'count', input: LONG })).toMatchObject({ result: { chars: INLINE_CHARS } })
  })

  test('while a thread spins the event loop turns', async () => {
    const { compute } = await open({ deadlineMs: 400 })
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    const answer = await compute({ sku: 'spin', input: LONG })
    clearInterval(timer)
    expect(answer).toEqual(TIMEOUT)
    expect(turns).toBeGreaterThan(10)
  })

  test('a text that takes too long is refused; the thread is ended and the next text gets a new one', async () => {
    const { compute, warm } = await open({ deadlineMs: 1_000 })
    expect(await compute({ sku: 'spin', input: LONG })).toEqual(TIMEOUT)
    await warm({ sku: 'count', input: LONG })
    expect(await compute({ sku: 'count', input: LONG })).toMatchObject({ result: { chars: INLINE_CHARS } })
  })

  test('what waited too long in the queue is refused as well', async () => {
    const { compute } = await open({ deadlineMs: 300 })
    const answers = await Promise.all([
      compute({ sku: 'spin', input: LONG }),
      compute({ sku: 'spin', input: LONG }),
    ])
    expect(answers).toEqual([TIMEOUT, TIMEOUT])
  })

  test('more than threads and queue hold is busy; the queue is worked off', async () => {
    const { compute } = await open({ threads: 1, maxQueue: 2 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => compute({ sku: 'count', input: LONG })))
    const busy = answers.filter((answer) => 'problem' in answer && answer.problem === 'busy')
    expect([answers.length - busy.length, busy.length]).toEqual([3, 2])
    expect(await compute({ sku: 'count', input: LONG })).toHaveProperty('result')
  })

  test('threads 0: the first long text starts one, which is there for the next and takes them by turns', async () => {
    pool = createPool({ threads: 0, entry, maxQueue: 1 })
    const where = () => pool!.compute({ sku: 'where', input: LONG })
    const first = await where()
    expect(first).toMatchObject({ result: { threadId: expect.any(Number) } })
    expect(first).not.toMatchObject({ result: { threadId: 0 } })
    expect(await Promise.all([where(), where(), where()])).toEqual([first, first, { problem: 'busy' }])
    await sleep(200)
    expect(await where()).toEqual(first)
  })

  test('a thread has its own bound of memory', async () => {
    const { compute } = await open({ deadlineMs: 20_000 })
    expect(await compute({ sku: 'hoard', input: LONG })).toEqual(TIMEOUT)
    expect(await compute({ sku: 'count', input: LONG })).toHaveProperty('result')
  })
})

describe('INP-10: an error never carries the text', () => {
  test('from a thread, and on the spot', async () => {
    const canary = 'CANARY-7c1f'
    const { compute } = await open({
      here: () => {
        throw new SyntaxError(`unexpected ${canary}`)
      },
    })
    for (const q of [canary, canary.padEnd(INLINE_CHARS)]) {
      const error = await compute({ sku: 'quote', input: { q } }).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(UtilityError)
      expect((error as Error).message).toBe('quote: SyntaxError')
      expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(canary)
      expect((error as Error).cause).toBeUndefined()
    }
  })

  test('only pure goods are worked out', () => {
    expect(() => work({ sku: 'SKU_AG_PING_01', input: {} })).toThrow('only pure goods')
  })
})

test.each([
  ['abc', 3],
  [{ q: 'abc' }, 3],
  [{ q: 'abc', payload: { raw: 'defg', service: null, n: 1 } }, 9],
  [['ab', ['c']], 3],
  [undefined, 1],
])('the size of %j is %d', (input, size) => {
  expect(sizeOf(input)).toBe(size)
})
