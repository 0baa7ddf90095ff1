import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lintSpec } from '../../../../../api/goods/utility/specLint/lintSpec.ts'
import { YAML_LINE } from '../../../../../api/goods/utility/specLint/readDocument.ts'
import { SpecLint } from '../../../../../api/goods/utility/specLint/result.ts'
import { canonicalJson } from '../../../../../api/receipts/canonical.ts'
import { statusOf } from '../recheck.ts'

const REFS = ['#/paths/~1a', '#/paths/~1b', '#', 'http://x/', '#/paths/~1c']
const junk = fc.constantFrom<unknown>('\ud83d', 3, null, [], {}, 'x')
const orJunk = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: junk })
const members = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  orJunk(fc.record(shape, { requiredKeys: [] }))
const operation = members({
  responses: orJunk(
    fc.dictionary(fc.constantFrom('200', '2XX', '404', 'default', '__proto__'), junk, { maxKeys: 2 }),
  ),
})
const item = members({
  get: operation,
  post: operation,
  $ref: orJunk(fc.constantFrom(...REFS)),
  summary: operation,
})
const rooted = fc.record(
  {
    openapi: orJunk(fc.constant('3.1.0')),
    swagger: orJunk(fc.constant('2.0')),
    get: operation, //  an operation at the root, for the reference to the whole document
    paths: orJunk(
      fc.dictionary(fc.constantFrom('/a', '/b', 'c', '__proto__', '/\ud800'), item, { maxKeys: 4 }),
    ),
  },
  { requiredKeys: ['paths'] },
)

/** The three checks written a second time, by walking all that `paths` leads to. */
function byWalking(root: Record<string, unknown>): SpecLint['checks'] {
  const own = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined
  const entries = (value: unknown): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const isGood = (item: unknown, hops: number): boolean => {
    const ref = own(item, '$ref')
    const target =
      ref === '#'
        ? root
        : ref === '#/paths/~1a'
          ? own(own(root, 'paths'), '/a')
          : own(own(root, 'paths'), '/b')
    return (
      ['get', 'post'].some((method) =>
        entries(own(own(item, method), 'responses')).some(([key]) => key === '200' || key === '2XX'),
      ) ||
      (hops > 0 && typeof ref === 'string' && ref.startsWith('#') && isGood(target, hops - 1))
    )
  }
  const items = entries(own(root, 'paths')).filter(([key]) => key.startsWith('/'))
  return {
    version: [own(root, 'openapi'), own(root, 'swagger')].some((one) => typeof one === 'string'),
    path: items.length > 0,
    success2xx: items.some(([, item]) => isGood(item, 5)),
  }
}

describe('any document', () => {
  test('is checked as a walk over all references checks it', () => {
    const seen = { true: 0, false: 0 }
    fc.assert(
      fc.property(rooted, (root) => {
        const text = JSON.stringify(root)
        const { checks, score } = lintSpec(text)
        expect(checks).toEqual(byWalking(JSON.parse(text) as Record<string, unknown>))
        expect(score).toBe([0, 33, 67, 100][Object.values(checks).filter(Boolean).length])
        seen[`${checks.success2xx}`]++
      }),
      { numRuns: 2000, seed: 3 },
    )
    expect(seen.true).toBeGreaterThan(200)
    expect(seen.false).toBeGreaterThan(200)
  })
})

describe('any text', () => {
  test('gives an answer of the published shape that can be signed, and never throws', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      rooted.map((root) => JSON.stringify(root)),
      fc.json(),
    )
    fc.assert(
      fc.property(anyText, fc.nat(), (text, cut) => {
        for (const one of [text, text.slice(0, cut % (text.length + 1))]) {
          const result = lintSpec(one)
          expect(SpecLint.parse(result)).toEqual(result)
          canonicalJson(result)
        }
      }),
      { numRuns: 1500 },
    )
  })

  test('the pattern for YAML is linear (recheck)', () => {
    expect(statusOf(YAML_LINE.source, YAML_LINE.flags)).toBe('safe')
  })
})
