import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { GOODS } from '../../../api/goods/index.ts'
import { readInput } from '../../../api/payment/input.ts'
import { firstIssue, IN_WORDS } from '../../../api/problems/issue.ts'

const said = (schema: z.ZodType, value: unknown) => {
  const parsed = schema.safeParse(value, IN_WORDS)
  return parsed.success ? null : firstIssue(parsed.error)
}
const field = (schema: z.ZodType) => z.object({ it: schema })
const byConsent = z.discriminatedUnion('consent', [
  z.object({ consent: z.literal(true) }),
  z.object({ consent: z.literal(false) }),
])

const byForm = z.union([
  z.strictObject({ ids: z.array(z.int()) }),
  z.strictObject({ token: z.string(), delete: z.literal(true) }),
])

describe('a refused field is described to somebody who has never seen our schemas', () => {
  test.each([
    ['missing', field(z.string()), {}, 'it: is needed'],
    ['missing choice', field(z.enum(['hour', 'day'])), {}, 'it: is needed: one of hour, day'],
    ['another choice', field(z.enum(['hour', 'day'])), { it: 'year' }, 'it: must be one of hour, day'],
    ['another constant', field(z.literal(true)), { it: false }, 'it: must be true'],
    ['wrong type', field(z.string()), { it: 5 }, 'it: must be a string'],
    ['a fraction', field(z.int()), { it: 1.5 }, 'it: must be a whole number'],
    ['no object', field(z.string()), [], 'body: must be an object'],
    ['no list', field(z.array(z.string())), { it: 'a' }, 'it: must be a list'],
    ['too long', field(z.string().max(2)), { it: 'abc' }, 'it: must have at most 2 characters'],
    ['too many', field(z.array(z.int()).max(1)), { it: [1, 2] }, 'it: must have at most 1 items'],
    ['too large', field(z.int().max(5)), { it: 6 }, 'it: must be at most 5'],
    ['too small', field(z.int().min(1)), { it: 0 }, 'it: must be at least 1'],
    ['empty', field(z.string().min(1)), { it: '' }, 'it: must not be empty'],
    ['wrong form', field(z.string().regex(/^a$/)), { it: 'b' }, 'it: has the wrong form'],
    ['unknown name', field(z.strictObject({})), { it: { x: 1 } }, 'it: does not take x'],
    [
      'unknown names, many',
      field(z.strictObject({})),
      { it: { x: 1, y: 1, z: 1, u: 1, v: 1 } },
      'it: does not take x, y, z and 2 more',
    ],
    [
      'unknown name, endless',
      field(z.strictObject({})),
      { it: { ['x'.repeat(10_000)]: 1 } },
      `it: does not take ${'x'.repeat(64)}…`,
    ],
    [
      'unknown name, half a character',
      field(z.strictObject({})),
      { it: { 'x\ud800': 1 } },
      'it: does not take x\ufffd',
    ],
    ['the field that decides', byConsent, {}, 'consent: must be one of true, false'],
    [
      'no form',
      field(z.union([z.string(), z.int()])),
      { it: null },
      'it: matches none of the described forms',
    ],
    ['neither form, nearest to the first', byForm, {}, 'ids: is needed'],
    ['neither form, nearest to the second', byForm, { token: 'a' }, 'delete: is needed: true'],
    ['of a form, too much', byForm, { ids: [1], url: 'x' }, 'body: does not take url'],
    [
      'a form within a form',
      field(z.union([z.object({ to: byForm }), z.int()])),
      { it: { to: {} } },
      'it.to.ids: is needed',
    ],
    ['no form of any kind', byForm, 5, 'body: matches none of the described forms'],
    [
      'words of its own',
      field(z.string().min(1, 'is needed: the text')),
      { it: '' },
      'it: is needed: the text',
    ],
  ])('%s', (_, schema, value, words) => {
    expect(said(schema, value)).toBe(words)
  })

  test('no good answers a request without parameters, or with unknown values, in words of a validator', () => {
    const details = GOODS.flatMap((good) => {
      const garbage = new Map(good.parameters.map(({ name }) => [name, '\u0001'.repeat(70_000)]))
      return [new Map<string, string>(), garbage].map((query) => readInput(good, { query, payload: '' }))
    }).flatMap((read) => ('detail' in read ? [read.detail] : []))
    expect(details.length).toBeGreaterThan(10)
    for (const detail of details) expect(detail).not.toMatch(/expected|received|invalid input|undefined/i)
  })
})
