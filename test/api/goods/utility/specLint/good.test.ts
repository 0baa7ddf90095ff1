import { describe, expect, test } from 'vitest'
import { specLint } from '../../../../../api/goods/utility/specLint/specLint.ts'
import { portsOver } from '../../support.ts'

const ask = (q: string) => specLint.answer(specLint.input.parse({ q }), portsOver({}))

describe('2.2, 4.1 the spec-lint read', () => {
  test('path, SKU, price A is listed, price B is charged', () => {
    expect(specLint).toMatchObject({ path: '/x402/v1/spec-lint', sku: 'SKU_AG_SPEC_LINT_01' })
    expect([specLint.listPriceMicroUsdc, specLint.priceMicroUsdc]).toEqual([20_000n, 1_000n])
    expect(specLint.parameters.map(({ name, required }) => [name, required])).toEqual([['q', true]])
    expect(specLint.description.length).toBeLessThan(500)
  })

  test('result specLint holds score and issues', async () => {
    expect(await ask('{"openapi":"3.1.0","paths":{"/a":{"get":{}}}}')).toEqual({
      result: {
        specLint: {
          score: 67,
          checks: { version: true, path: true, success2xx: false },
          version: '3.1.0',
          issues: [
            {
              check: 'success2xx',
              code: 'no_2xx',
              pointer: '/paths/~1a/get',
              offset: null,
              message: 'No operation has a response named 200–299 or 2XX.',
            },
          ],
        },
      },
      snapshotVersion: null,
    })
  })

  test('its own example passes', async () => {
    expect(await ask(specLint.parameters[0]!.example)).toMatchObject({ result: { specLint: { score: 100 } } })
  })

  test('YAML is an answer with an issue, not a problem', async () => {
    expect(await ask('openapi: 3.1.0')).toMatchObject({
      result: { specLint: { score: 0, issues: [{ code: 'yaml' }] } },
    })
  })

  test.each([
    ['missing', {}],
    ['blank', { q: '' }],
    ['longer than 8 KiB', { q: 'x'.repeat(8 * 1024 + 1) }],
  ])('q %s is refused before payment', (_, input) => {
    expect(specLint.input.safeParse(input).success).toBe(false)
  })
})
