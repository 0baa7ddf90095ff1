import { describe, expect, test } from 'vitest'
import {
  followsSuite,
  judgeCase,
  RepairCase,
  SuiteFile,
  scoreJson,
} from '../../../../../api/goods/utility/json/score.ts'
import { readCorpus } from '../../../../../api/goods/utility/text/corpus.ts'
import { CORPORA, hasCorpora } from './support.ts'

describe.skipIf(!hasCorpora)('INP-05 JSONTestSuite (skipped without ../shared/corpora)', () => {
  test('every valid file unchanged, every invalid one refused or made JSON, none throws', () => {
    const files = readCorpus(CORPORA, 'json/jsontestsuite.jsonl', SuiteFile)!
    expect(files.length).toBe(318)
    expect(files.filter((file) => !followsSuite(file)).map(({ name }) => name)).toEqual([])
  })
})

describe.skipIf(!hasCorpora)('4.1 rule 8 repair cases (skipped without ../shared/corpora)', () => {
  test('no case is wrong; where rule 8 leaves a choice, the preferred outcome but for one', () => {
    const cases = readCorpus(CORPORA, 'json/repair-cases.jsonl', RepairCase)!
    const judged = Map.groupBy(cases, judgeCase)
    const names = (verdict: 'acceptable' | 'wrong') => (judged.get(verdict) ?? []).map(({ name }) => name)
    expect(names('wrong')).toEqual([])
    expect(names('acceptable')).toEqual(['valid-lone-surrogate']) // RFC 8785 cannot sign it
    expect(judged.get('preferred')).toHaveLength(303)
  })

  test('the score as the command prints it', () => {
    const rows = scoreJson(CORPORA)
    expect(rows.find(({ metric }) => metric === 'wrong')).toMatchObject({
      tool: 'json',
      items: 304,
      value: 0,
    })
    expect(rows.filter(({ metric }) => metric === 'followed').map(({ value }) => value)).toEqual([1, 1, 1])
  })
})

describe('the judge sees what is wrong', () => {
  const row = (change: Partial<RepairCase>) =>
    RepairCase.parse({ name: 'x', input: '[1,]', ok: true, value: [1], ...change })
  test.each([
    [{}, 'preferred'],
    [{ value: [2] }, 'wrong'],
    [{ ok: false }, 'wrong'],
    [{ ok: false, alternatives: [{ ok: true, value: [1] }] }, 'acceptable'],
    [{ alreadyValid: true }, 'wrong'],
    [{ repairedContains: ['1,'] }, 'wrong'],
    [{ input: '[1e400]' }, 'wrong'],
    [{ input: '[1e400]', valueOptional: true }, 'preferred'],
  ])('%j: %s', (change, verdict) => {
    expect(judgeCase(row(change))).toBe(verdict)
  })

  test.each([
    ['[1]', 'valid', true],
    ['[1,]', 'valid', false],
    ['[1]', 'invalid', false],
    ['[1,]', 'invalid', true],
    ['[1]', 'either', true],
  ] as const)('%s as %s: %s', (text, kind, followed) => {
    expect(followsSuite({ name: 'x', expect: kind, base64: btoa(text) })).toBe(followed)
  })
})
