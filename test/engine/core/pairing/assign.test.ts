import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assign, type Edge, type Equivalent } from '../../../../engine/core/pairing/assign.ts'

const edge = (a: string, b: string, rest: Partial<Edge> = {}): Edge => ({
  a,
  b,
  verdict: 'identity',
  reasons: [],
  score: 1,
  ...rest,
})
const all: Equivalent = () => true
const none: Equivalent = () => false
const pairsOf = (edges: readonly Edge[], equivalent: Equivalent) =>
  assign(edges, equivalent).map(({ a, b }) => `${a} ${b}`)

describe('VEN-10 one to one: of several couples that mean the same, the best', () => {
  test.each<[string, Edge[], string[]]>([
    [
      'identity before inverted, whatever the score',
      [edge('1', 'x', { verdict: 'inverted', score: 9 }), edge('1', 'y', { score: 2 })],
      ['1 y'],
    ],
    ['a higher score before a lower one', [edge('1', 'x'), edge('1', 'y', { score: 2 })], ['1 y']],
    [
      'what is left over pairs with what is left over',
      [
        edge('1', 'x', { score: 2 }),
        edge('1', 'y', { score: 3 }),
        edge('2', 'x'),
        edge('2', 'y', { score: 2 }),
      ],
      ['1 y', '2 x'],
    ],
    ['of the same score, by the id of A', [edge('2', 'x'), edge('1', 'x')], ['1 x']],
    ['… then by the id of B', [edge('1', 'y'), edge('1', 'x')], ['1 x']],
  ])('%s', (_, edges, expected) => {
    expect(pairsOf(edges, all)).toEqual(expected)
    expect(pairsOf(edges.toReversed(), all)).toEqual(expected)
  })
})

describe('VEN-10 one that fits several that do not mean the same has no pair, and neither has any of those couples', () => {
  test.each<[string, Edge[], string[]]>([
    ['a market of A', [edge('1', 'x', { score: 9 }), edge('1', 'y')], []],
    ['a market of B', [edge('1', 'x', { score: 9 }), edge('2', 'x')], []],
    [
      'opposites as well',
      [edge('1', 'x', { verdict: 'inverted', score: 9 }), edge('1', 'y', { verdict: 'inverted' })],
      [],
    ],
    ['the others pair all the same', [edge('1', 'x'), edge('1', 'y'), edge('2', 'z')], ['2 z']],
    ['the same couple twice is one partner', [edge('1', 'x'), edge('1', 'x', { score: 2 })], ['1 x']],
    [
      'an opposite beside an identity is no other meaning',
      [edge('1', 'x', { verdict: 'inverted' }), edge('1', 'y')],
      ['1 y'],
    ],
  ])('%s', (_, edges, expected) => expect(pairsOf(edges, none)).toEqual(expected))

  test('only the partners are compared, each on its venue', () => {
    const asked: string[] = []
    assign([edge('1', 'x'), edge('1', 'y'), edge('2', 'z'), edge('3', 'z')], (venue, x, y) => {
      asked.push([venue, ...[x, y].sort()].join(' '))
      return true
    })
    expect(asked.sort()).toEqual(['a 2 3', 'b x y'])
  })
})

test('whatever the couples: each market once, and their order decides nothing', () => {
  const id = fc.constantFrom('1', '2', '3', '4')
  const couples = fc.uniqueArray(
    fc.record({
      a: id,
      b: id,
      verdict: fc.constantFrom('identity' as const, 'inverted' as const),
      reasons: fc.constant([]),
      score: fc.integer({ min: 1, max: 3 }),
    }),
    { selector: ({ a, b }) => `${a} ${b}`, maxLength: 12 },
  )
  const isEven: Equivalent = (_, x, y) => (Number(x) - Number(y)) % 2 === 0
  fc.assert(
    fc.property(couples, fc.constantFrom(all, none, isEven), (edges, equivalent) => {
      const pairs = assign(edges, equivalent)
      for (const venue of ['a', 'b'] as const)
        expect(new Set(pairs.map((pair) => pair[venue])).size).toBe(pairs.length)
      expect(assign(edges.toReversed(), equivalent)).toEqual(pairs)
    }),
  )
})
