import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { GapCard } from '../../engine/contract/gapCards.ts'
import { GapRow } from '../../engine/contract/gaps.ts'
import { Market } from '../../ingest/contract/market.ts'
import { Book, Quote } from '../../ingest/contract/quote.ts'
import { quickCheck, quickParse } from '../../ops/quickCheck.ts'
import { marketB, quote } from '../engine/support/markets.ts'
import { someCard, someGap } from '../support/boards.ts'

const ROWS: [string, z.ZodType, object][] = [
  ['a quote', Quote, quote('a', '1', 4_000, null)],
  ['a market', Market, marketB('KX-1', 'Title', { strike: { type: 'greater', floor: 1, cap: null } })],
  [
    'a book',
    Book,
    { venue: 'a', marketId: '1', bids: [[4_000, 10]], asks: [[4_100, 2]], venueMs: null, seenMs: 1 },
  ],
  ['a gap row', GapRow, someGap()],
  ['a gap card', GapCard, someCard()],
]
const junk = fc.oneof(
  fc.anything(),
  fc.constantFrom(
    '',
    'a',
    'b',
    0,
    1,
    -1,
    0.5,
    10_000,
    10_001,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
  ),
  fc.integer().map((length) => 'x'.repeat(Math.abs(length) % 9_000)),
)

/** The row with one field, at any depth, replaced or taken away. */
const spoilt = (row: object): fc.Arbitrary<unknown> =>
  fc.record({ at: fc.nat(), deeper: fc.boolean(), value: junk, isGone: fc.boolean() }).chain((how) => {
    const names = Object.keys(row)
    const name = names[how.at % Math.max(1, names.length)]
    if (name === undefined) return fc.constant(how.value)
    const field = (row as Record<string, unknown>)[name]
    const put = (value: unknown) =>
      Array.isArray(row) ? row.with(Number(name), value) : { ...row, [name]: value }
    if (how.deeper && typeof field === 'object' && field !== null) return spoilt(field).map(put)
    if (!how.isGone) return fc.constant(put(how.value))
    if (Array.isArray(row)) return fc.constant(row.toSpliced(Number(name), 1))
    const { [name]: _, ...rest } = row as Record<string, unknown>
    return fc.constant(rest)
  })

describe('a schema taken apart judges as the schema does', () => {
  test.each(ROWS)('%s, whole and with any one field spoilt', (_what, schema, row) => {
    const fits = quickCheck(schema)
    expect(fits(row)).toBe(true)
    fc.assert(
      fc.property(spoilt(row), (value) => {
        expect(fits(value)).toBe(schema.safeParse(value).success)
      }),
      { numRuns: 500 },
    )
  })

  test('what it does not know is left to the schema: optional keys, refinements, unions', () => {
    const schema = z.object({
      at: z.number().optional(),
      even: z.int().refine((n) => n % 2 === 0),
      or: z.union([z.string(), z.int()]),
    })
    const fits = quickCheck(schema)
    fc.assert(
      fc.property(fc.record({ at: junk, even: junk, or: junk }, { requiredKeys: [] }), (value) => {
        expect(fits(value)).toBe(schema.safeParse(value).success)
      }),
    )
    expect(fits({ even: 2, or: 'x' })).toBe(true)
  })

  test('what fits is handed on as it is, what does not is refused in the schema’s own words', () => {
    const parse = quickParse(Quote)
    const whole = { ...quote('a', '1', 1, 2), later: true }
    expect(parse(whole)).toBe(whole)
    expect(() => parse({ ...whole, bidBps: 0.5 })).toThrow(z.ZodError)
  })
})
