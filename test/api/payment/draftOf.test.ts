import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { GoodPorts, Sellable } from '../../../api/goods/good.ts'
import { draftOf } from '../../../api/payment/draftOf.ts'

const selling = (result: Record<string, unknown>): Sellable<unknown> => ({
  sku: 'SKU',
  title: 't',
  description: 'd',
  listPriceMicroUsdc: 1n,
  priceMicroUsdc: 1n,
  input: z.unknown(),
  answer: () => ({ result, snapshotVersion: null }),
})

describe('I4 what is charged for can be delivered', () => {
  test.each([
    ['an unpaired surrogate', { echo: '\ud800' }],
    ['an unpaired surrogate in a name', { '\udc00': 1 }],
    ['a number beyond JSON', { value: Number.POSITIVE_INFINITY }],
  ])('%s is refused before any money moves, and without a word of it', async (_, result) => {
    expect(await draftOf(selling(result), {}, {} as GoodPorts)).toEqual({ problem: 'undeliverable' })
  })

  test('everything that JSON can say passes', async () => {
    const result = { text: 'é😀\u0000', list: [1.5, null, true, -0], nested: { a: {} } }
    expect(await draftOf(selling(result), {}, {} as GoodPorts)).toMatchObject({ result })
  })

  test('a refusal of the good stays what it is', async () => {
    const refusing = { ...selling({}), answer: () => ({ problem: 'no_data' as const }) }
    expect(await draftOf(refusing, {}, {} as GoodPorts)).toEqual({ problem: 'no_data' })
  })
})
