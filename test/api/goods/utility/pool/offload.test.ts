import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UTILITY_GOODS } from '../../../../../api/goods/utility/index.ts'
import { INLINE_CHARS } from '../../../../../api/goods/utility/pool/long.ts'
import { createPool, type Pool } from '../../../../../api/goods/utility/pool/pool.ts'
import { work } from '../../../../../api/goods/utility/pool/work.ts'
import { PURE_GOODS } from '../../../../../api/goods/utility/pure.ts'
import { portsOver } from '../../support.ts'

let pool: Pool
beforeAll(async () => {
  pool = createPool({
    threads: 2,
    deadlineMs: 30_000,
    here: () => {
      throw new Error('this test is about threads')
    },
  })
  await pool.warm({ sku: 'SKU_AG_JSON_01', input: { q: '{}' } })
})
afterAll(() => pool.close())

const LONG = ' '.repeat(INLINE_CHARS)
const pure = PURE_GOODS.map(({ sku }) => ({ sku }))
/** The input as a buyer would send it, long enough to go to a thread. */
const inputOf = (sku: string, text: string): unknown => {
  const good = PURE_GOODS.find((one) => one.sku === sku)!
  const name = good.parameters[0]!.name
  return good.input.parse({ [name]: text + LONG })
}
const sold = (answer: unknown): string => JSON.stringify(answer)

describe('a good answers from a thread what it answers on the spot', () => {
  test.each(pure)('$sku: its own example', async ({ sku }) => {
    const example = PURE_GOODS.find((one) => one.sku === sku)!.parameters[0]!.example
    const input = inputOf(sku, example)
    expect(sold(await pool.compute({ sku, input }))).toBe(sold(await work({ sku, input })))
  })

  test.each(pure)('$sku: any text', async ({ sku }) => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), async (text) => {
        const input = inputOf(sku, `x${text}`)
        expect(sold(await pool.compute({ sku, input }))).toBe(sold(await work({ sku, input })))
      }),
      { numRuns: 50 },
    )
  })

  test('json: keys that mean something to JavaScript stay own data (INP-06)', async () => {
    const text = '{"__proto__": {"a": 1}, "constructor": {"prototype": 2}, "toString": null,}'
    const task = { sku: 'SKU_AG_JSON_01', input: inputOf('SKU_AG_JSON_01', text) }
    expect(sold(await pool.compute(task))).toBe(sold(await work(task)))
    expect(sold(await pool.compute(task))).toContain('"value":{"__proto__":{"a":1}')
  })

  test('a pool whose threads cannot work says so before anything is sold', async () => {
    const broken = createPool({ threads: 1, entry: new URL('no-such-module.ts', import.meta.url) })
    await expect(broken.warm({ sku: 'SKU_AG_JSON_01', input: { q: '{}' } })).rejects.toThrow()
    await broken.close()
  })
})

test('every pure good that is sold goes through the pool', async () => {
  const asked: string[] = []
  const ports = {
    ...portsOver({}),
    compute: async ({ sku }: { sku: string }) => {
      asked.push(sku)
      return { problem: 'busy' as const }
    },
  }
  for (const { sku } of pure) {
    const good = UTILITY_GOODS.find((one) => one.sku === sku)!
    expect(await good.answer(inputOf(sku, 'x'), ports)).toEqual({ problem: 'busy' })
  }
  expect(asked).toEqual(pure.map(({ sku }) => sku))
  expect(UTILITY_GOODS).toHaveLength(pure.length + 1)
})
