import fc from 'fast-check'
import { jsonrepair } from 'jsonrepair'
import { describe, expect, test } from 'vitest'
import { repairJson } from '../../../../../api/goods/utility/json/repairJson.ts'
import { RepairCase } from '../../../../../api/goods/utility/json/score.ts'
import { readCorpus } from '../../../../../api/goods/utility/text/corpus.ts'
import { damagedAsTheyKnow } from './damage.ts'
import { CORPORA, hasCorpora, repaired } from './support.ts'

const theirs = (text: string): unknown => JSON.parse(jsonrepair(text))

const STRING = /"(?:[^"\\]|\\.)*"/g
/** Whether jsonrepair tears a string: `["a[b"]` is whole, yet it splits it at the bracket inside. */
const areTorn = (value: unknown): boolean =>
  (JSON.stringify(value).match(STRING) ?? []).some((text) => text.includes('['))

describe('jsonrepair as an oracle', () => {
  test('on damage that both know, both find the same value; where they tear a string, we find what it was', () => {
    fc.assert(
      fc.property(damagedAsTheyKnow, ({ value, text }) => {
        expect(repaired(text).value).toEqual(areTorn(value) ? value : theirs(text))
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['hello world', 'a string'],
    [':', 'a string'],
    ['{"a":1,"b', 'a null'],
    ['{"a":hello}', 'a string'],
    ['{"a":1}\n{"b":2}', 'an array'],
    ['["x", ..., "z"]', 'the dots away'],
  ])('%j: it makes up %s, we do not', (text) => {
    theirs(text)
    expect(repairJson(text).ok).toBe(false)
  })
})

/** What we repair differently from jsonrepair, each case reviewed: it loses text, makes some up, or throws. */
const OTHERWISE = {
  'a hash comment': ['comment-hash', 'comment-before-root', 'comment-crlf', 'comment-hash-no-space'],
  'a comment beside more': ['combo-config', 'combo-array-of-objects'],
  'the block among other text': [
    'fence-tilde',
    'fence-four',
    'fence-info-string',
    'fence-prose-around',
    'fence-prose-with-braces',
    'fence-prose-with-quotes',
    'fence-inline-code-before',
    'fence-thinking-before',
    'fence-bash-then-json',
    'fence-inline-backtick',
    'fence-blockquote',
    'combo-fence-bigint',
  ],
  'a spelling': ['single-x-escape', 'number-plus', 'raw-control', 'valid-overflow'],
}

describe.skipIf(!hasCorpora)(
  'against jsonrepair on the repair cases (skipped without ../shared/corpora)',
  () => {
    test('where we repair, we agree, but for a list of cases with their reasons', () => {
      const cases = readCorpus(CORPORA, 'json/repair-cases.jsonl', RepairCase)!
      const different = cases.filter(({ input }) => {
        const ours = repairJson(input)
        return ours.ok && !agrees(input, ours.value)
      })
      expect(different.map(({ name }) => name).sort()).toEqual(Object.values(OTHERWISE).flat().sort())
    })
  },
)

function agrees(input: string, value: unknown): boolean {
  try {
    expect(theirs(input)).toEqual(value)
    return true
  } catch {
    return false
  }
}
