import { describe, expect, test, vi } from 'vitest'
import { FENCE, OPENING } from '../../../../../api/goods/utility/json/fences.ts'
import { repairJson } from '../../../../../api/goods/utility/json/repairJson.ts'
import { statusOf } from '../recheck.ts'

/** Characters looked at while a text is read. */
function looks(text: string): number {
  const spy = vi.spyOn(String.prototype, 'charCodeAt')
  try {
    repairJson(text)
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}

/** Each is bad for a reader that goes back to the start of a string, a comment, a gap, a block or a bracket. */
const HOSTILE: [string, (n: number) => string][] = [
  ['open brackets', (n) => '['.repeat(n)],
  ['open names', (n) => '{"a":'.repeat(n / 5)],
  ['strings', (n) => `[${'"",'.repeat(n / 3)}]`],
  ['a string without end', (n) => `["${'a'.repeat(n)}`],
  ['escapes', (n) => `["${'\\\\'.repeat(n / 2)}`],
  ['quotes in single quotes', (n) => `['${'"'.repeat(n)}']`],
  ['comments', (n) => `[${'/**/'.repeat(n / 4)}]`],
  ['stars of a comment without end', (n) => `/*${'*'.repeat(n)}`],
  ['commas behind comments', (n) => `[${'1/**/\n,'.repeat(n / 7)}]`],
  ['missing commas behind comments', (n) => `[${'1 #\n'.repeat(n / 4)}]`],
  ['blanks', (n) => ' '.repeat(n)],
  ['odd blanks', (n) => '\u00a0'.repeat(n)],
  ['words', (n) => `{${'a'.repeat(n)}`],
  ['digits', (n) => `[${'1'.repeat(n)}`],
  ['fences', (n) => '```\n[1\n'.repeat(n / 7)],
  ['fences in quotes', (n) => '> ```\n> [1,\n'.repeat(n / 12)],
  ['backticks', (n) => '`'.repeat(n)],
  ['fences behind text', (n) => 'a ```[1 '.repeat(n / 8)],
  ['one fence behind text, without end', (n) => `a \`\`\`json ${'['.repeat(n)}`],
  ['words between fences', (n) => `a \`\`\`${'b'.repeat(n)}\`\`\``],
]

describe('INP-02, INP-03 the work grows with the text, not with its square', () => {
  test.each(HOSTILE)('%s: a character is looked at a bounded number of times', (_, text) => {
    const long = text(8_400)
    expect(looks(long)).toBeLessThan(12 * long.length + 100)
    expect(looks(long)).toBeLessThan(2.1 * looks(text(4_200)) + 100)
  })

  test.each([FENCE, OPENING])('the pattern %s is linear (recheck)', ({ source, flags }) => {
    expect(statusOf(source, flags)).toBe('safe')
  })
})
