import { describe, expect, test } from 'vitest'
import { json } from '../../../../../api/goods/utility/json/json.ts'
import { canonicalJson } from '../../../../../api/receipts/canonical.ts'
import { portsOver } from '../../support.ts'

const ask = (q: string) => json.answer(json.input.parse({ q }), portsOver({}))

describe('2.2, 4.1 the json read', () => {
  test('path, SKU, price B is charged and, as there is no price A, listed', () => {
    expect(json).toMatchObject({ path: '/x402/v1/json', sku: 'SKU_AG_JSON_01' })
    expect([json.priceMicroUsdc, json.listPriceMicroUsdc]).toEqual([1_000n, 1_000n])
    expect(json.parameters.map(({ name, required }) => [name, required])).toEqual([['q', true]])
    expect(json.description.length).toBeLessThan(500)
  })

  test('result json holds ok, repaired text, changes, value', async () => {
    expect(await ask("{'a': True,}")).toEqual({
      result: {
        json: {
          ok: true,
          repaired: '{"a": true}',
          changes: [
            { kind: 'quote', offset: 1, length: 1, text: '"' },
            { kind: 'quote', offset: 3, length: 1, text: '"' },
            { kind: 'python_constant', offset: 6, length: 4, text: 'true' },
            { kind: 'trailing_comma', offset: 10, length: 1, text: '' },
          ],
          changeCount: 4,
          value: { a: true },
          valueExact: true,
        },
      },
      snapshotVersion: null,
    })
  })

  test('7: text that cannot be repaired is an answer with ok false, not a problem', async () => {
    expect(await ask('just prose')).toMatchObject({ result: { json: { ok: false, reason: 'bare_word' } } })
  })

  test('its own example is repaired', async () => {
    expect(await ask(json.parameters[0]!.example)).toMatchObject({
      result: { json: { ok: true, value: { a: true, b: [1, 2] } } },
    })
  })

  test.each(['["\\ud800"]', '["\ud800"]', '[1e400]', '{"__proto__":{"toJSON":1}}', '['.repeat(8_000)])(
    '%j: the receipt can sign the answer',
    async (q) => {
      const draft = await ask(q)
      expect(() => canonicalJson(JSON.parse(JSON.stringify(draft)))).not.toThrow()
    },
  )

  test.each([
    ['missing', {}],
    ['blank', { q: ' ' }],
    ['longer than 8 KiB', { q: 'x'.repeat(8 * 1024 + 1) }],
  ])('q %s is refused before payment', (_, input) => {
    expect(json.input.safeParse(input).success).toBe(false)
  })

  test('q of exactly 8 KiB is read', () => {
    expect(json.input.safeParse({ q: 'x'.repeat(8 * 1024) }).success).toBe(true)
  })
})
