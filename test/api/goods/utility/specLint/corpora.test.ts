import { describe, expect, test } from 'vitest'
import { lintSpec } from '../../../../../api/goods/utility/specLint/lintSpec.ts'
import { LintRow, scoreSpecLint } from '../../../../../api/goods/utility/specLint/score.ts'
import { readCorpus } from '../../../../../api/goods/utility/text/corpus.ts'
import { CORPORA, hasCorpora } from '../json/support.ts'

describe.skipIf(!hasCorpora)(
  '4.1 rule 9 on the documents of the OpenAPI repository (skipped without ../shared/corpora)',
  () => {
    test('the three checks of every document', () => {
      const rows = readCorpus(CORPORA, 'spec-lint/openapi.jsonl', LintRow)!
      expect(rows).toHaveLength(57)
      const checksOf = rows.map(({ name, document }) => [name, lintSpec(JSON.stringify(document)).checks])
      expect(checksOf).toEqual(rows.map(({ name, checks }) => [name, checks]))
    })

    test('the score as the command prints it', () => {
      const rows = scoreSpecLint(CORPORA)
      expect(rows.map(({ items, value }) => [items, value])).toEqual([
        [57, 1],
        [57, 1],
        [57, 1],
      ])
    })
  },
)
