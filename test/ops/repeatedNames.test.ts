import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { repeatsName } from '../../ops/repeatedNames.ts'

const isRepeated = (text: string) => repeatsName(text, JSON.parse(text))

describe('RCP-05 a name twice is two documents in one', () => {
  test('never in what JSON.stringify writes', () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(4), (value, indent) => {
        expect(isRepeated(JSON.stringify(value, null, indent))).toBe(false)
      }),
    ))

  test.each([
    ['{"a":1,"a":1}', true],
    ['[{"b":{"a":1 , "c":2, "a" \n: 3}}]', true],
    ['{"a":1,"\\u0061":2}', true],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{"__proto__":{"a":1},"a":1}', false],
    ['{"a":"\\"a\\":","b":[":",{"a":{}}]}', false],
    ['"a:"', false],
    ['null', false],
  ])('%j: %s', (text, is) => expect(isRepeated(text)).toBe(is))

  test.each([
    ['"a":1', false],
    ['"a":1,"a":2', true],
  ])('whose levels are more than a stack holds: %s is %j', (members, is) =>
    expect(isRepeated(`${'['.repeat(5_000)}{${members}}${']'.repeat(5_000)}`)).toBe(is),
  )
})
